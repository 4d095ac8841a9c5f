"""import: results of the PingPong authors become a run with their numbers, are judged here, and are shown."""

import json
from pathlib import Path

import pytest

from interplay.models.loopback import Asked, Loopback, serving
from interplay.store.labels import Labels
from interplay.store.records import Records
from tests.cli.provider import Typist, job
from tests.interop.elsewhere import (
    BOAT,
    STORM,
    annotated,
    four,
    messages,
    output,
    result,
    scores,
    write_json,
    write_lines,
)
from tests.running.job import answer
from tests.web.served import serving as serving_pages

# in_character by turn; entertaining is always 3 and fluency 4
A_BY_ONE = [scores((5, 4)), scores((4, 4)), scores((3, 4)), scores((5, 5), refused=(0, 1))]
A_BY_TWO = [scores((4, 3)), scores((4, 4)), scores((2, 2)), scores((3, 3))]
B_BY_ONE = [scores((2, 2)), scores((1, 2)), scores((3, 3)), scores((2, 1))]
B_BY_TWO = [scores((2, 2)), scores((2, 2)), scores((2, 2)), scores((2, 2))]


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def results(tmp_path: Path) -> dict[str, str]:
    """Files of two players and two judges each."""
    made = {
        "a1": result("player-a", "judge-one", four("Fair wind", A_BY_ONE)),
        "a2": result("player-a", "judge-two", four("Fair wind", A_BY_TWO)),
        "b1": result("player-b", "judge-one", four("Go away", B_BY_ONE)),
        "b2": result("player-b", "judge-two", four("Go away", B_BY_TWO)),
    }
    return {name: str(write_json(tmp_path / f"{name}.json", one)) for name, one in made.items()}


def row_of(board: dict[str, object], model: str) -> dict[str, object]:
    rows = board["rows"]
    assert isinstance(rows, list)
    (found,) = [row for row in rows if row["model"] == model]
    assert isinstance(found, dict)
    return found


def value(row: dict[str, object], key: str) -> float:
    cell = row[key]
    assert isinstance(cell, dict)
    return float(cell["value"])


def test_the_board_has_the_numbers_of_the_file(typist: Typist, results: dict[str, str]) -> None:
    made = typist.reads("import", results["a1"], "--as", "pingpong")
    assert made == {
        "run": made["run"], "benchmark": "role_play", "new": True, "models": ["player-a"], "judges": ["judge-one"],
        "conversations": 4, "verdicts": 4, "labels": 0, "left_out": [],
    }  # fmt: skip
    board = typist.reads("show", made["run"])
    row = row_of(board, "player-a")
    in_character = (4.5 + 4.0 + 3.5) / 3  # the fourth was refused
    assert value(row, "in_character") == pytest.approx(in_character)
    assert value(row, "aggregate") == pytest.approx((in_character + 3 + 4) / 3)
    assert value(row, "refusal_ratio") == 0.25
    assert (row["n"], row["void"], row["unscored"]) == (3, 0, 0)
    assert (row["tokens"], row["cost"]) == (None, None)
    notes = " ".join(board["notes"])
    assert "4 conversations, judged by judge-one." in notes
    assert "was imported from a file of the format pingpong and not played here" in notes
    assert "Its verdicts came with it" in notes


def test_files_of_two_players_and_two_judges_are_one_run(typist: Typist, results: dict[str, str]) -> None:
    made = typist.reads("import", *results.values(), "--as", "pingpong")
    assert (made["models"], made["judges"]) == (["player-a", "player-b"], ["judge-one", "judge-two"])
    assert (made["conversations"], made["verdicts"]) == (8, 16)
    board = typist.reads("show", made["run"])
    of_a = (
        (4.5 + 3.5) / 2 + (4 + 4) / 2 + (3.5 + 2) / 2 + 3
    ) / 4  # of the fourth, the judge who saw no refusal
    assert value(row_of(board, "player-a"), "in_character") == pytest.approx(of_a)
    of_b = (2 + (1.5 + 2) / 2 + (3 + 2) / 2 + (1.5 + 2) / 2) / 4
    assert value(row_of(board, "player-b"), "in_character") == pytest.approx(of_b)
    assert board["rows"][0]["model"] == "player-a"
    assert "player-a" in typist.types("compare", made["run"])
    assert "judge-two" in typist.types("agreement", made["run"])  # of the judges among themselves
    assert typist.types("score", made["run"]) == typist.types("show", made["run"])
    assert "player-b" in typist.types("variance", made["run"]) + typist.types("bias", made["run"])


def test_the_same_files_again_change_nothing(typist: Typist, results: dict[str, str], tmp_path: Path) -> None:
    typist.types("import", results["a1"], results["b1"], "--as", "pingpong")
    run = typist.reads("list")["runs"][0]["run"]
    exported = typist.types("export", run, "-", "--format", "jsonl")
    moved = tmp_path / "elsewhere.json"
    moved.write_bytes(Path(results["a1"]).read_bytes())
    assert typist.types("import", results["b1"], str(moved), "--as", "pingpong") == ""
    assert typist.said == f"{run} is these files already, and stays as it is.\n"
    assert typist.types("export", run, "-", "--format", "jsonl") == exported
    assert len(typist.reads("list")["runs"]) == 1
    alone = typist.reads("import", results["a1"], "--as", "pingpong")
    assert alone["new"] and alone["run"] != run


def test_runs_of_one_judge_share_a_board_and_stand_apart_from_what_was_played(
    typist: Typist, results: dict[str, str]
) -> None:
    first, second = (
        typist.reads("import", results[name], "--as", "pingpong")["run"] for name in ("a1", "b1")
    )
    with serving(Loopback(answer)) as url:
        played = typist.reads(*job(url, "--turns", "1", limit=2))["run"]
    together, apart = typist.reads("board", "role_play")
    assert together["runs"] == [first, second]
    assert [row["model"] for row in together["rows"]] == ["player-a", "player-b"]
    assert apart["runs"] == [played]
    assert apart["apart"].startswith("other imported (none not pingpong), ")
    assert "rubric (v2 not imported)" in apart["apart"]
    assert typist.reads("runs") and "role_play" in typist.types("list")


def test_judges_of_ours_never_mix_with_theirs(typist: Typist, results: dict[str, str]) -> None:
    run = typist.reads("import", *results.values(), "--as", "pingpong")["run"]
    before = typist.reads("show", run)
    assert "came with its files and cannot be asked" in typist.mistakes("judge", run, "--rubric", "v1")
    assert typist.reads("show", run) == before
    with serving(Loopback(answer)) as url:
        words = ["judge", run, "--model-role", "judge=openai/judge-1", "--base-url", url]
        planned = typist.reads(*words, "--plan")
        assert planned["verdicts"] == 8
        board = typist.reads(*words)
        again = typist.reads(*words)
    assert again == board
    notes = " ".join(board["notes"])
    assert "judged by openai/judge-1 (judge-1)." in notes and "judge-one" not in notes
    assert "came with it" not in notes and "was imported from 4 files" in notes
    assert value(row_of(board, "player-a"), "in_character") != pytest.approx(
        value(row_of(before, "player-a"), "in_character")
    )
    number = typist.reads("list", run)[0]["number"]
    shown = typist.reads("show", run, "--conversation", str(number))
    assert [(one["judge"], one["rubric"] == "imported") for one in shown["verdicts"]] == [
        ("openai/judge-1", False), ("judge-one", True), ("judge-two", True),
    ]  # fmt: skip


def test_only_the_judge_that_was_named_is_asked(typist: Typist, results: dict[str, str]) -> None:
    run = typist.reads("import", results["a1"], "--as", "pingpong")["run"]
    asked: list[str] = []

    def script(request: Asked) -> str:
        asked.append(request.model)
        return str(answer(request))

    with serving(Loopback(script)) as url:
        typist.types("judge", run, "--model-role", "judge=openai/judge-1", "--base-url", url)
    assert asked == ["judge-1"] * 4
    assert "'judge-one' is no model" in typist.mistakes("judge", run, "--model-role", "judge=judge-one")


def test_annotations_are_labels_that_agreement_takes_and_correct_does_not(
    typist: Typist, tmp_path: Path
) -> None:
    rows = [
        annotated(name, situation, {"in_character": mark, "fluency": 4.5, "entertaining": 3})
        for name, marks in (("Ada", (1, 3)), ("Odo", (4, 5)))
        for situation, mark in zip((STORM, BOAT), marks, strict=True)
    ]
    old = {"stay_in_character": [9, 8], "language_fluency": [9, 9], "entertainment": [7, 7]}
    rows[0]["scores"] = old
    rows[1] |= {"annotator": "bea"}
    file = write_lines(tmp_path / "people.jsonl", rows)
    typist.types("import", str(file), "--as", "pingpong")
    assert (
        "people.jsonl, line 1: its scores are of version 1, from 1 to 10; the dialogue is taken"
        in typist.said
    )
    assert "4 conversations, 1 model, 12 labels, 1 part left out." in typist.said
    with Records(typist.store) as records, Labels(typist.store) as labels:
        run = records.find("last")
        given = labels.of(run)
    assert {(one.rater, one.drawn) for one in given} == {
        ("people", "not drawn here"),
        ("bea", "not drawn here"),
    }
    assert sorted(one.value for one in given if one.criterion == "in_character") == [1, 3, 4, 5]
    assert given[0].came_from == "people.jsonl, line 1"

    def script(asked: Asked) -> str:
        """A judge that says what people said, of in_character."""
        text = str(asked.messages[-1]["content"])
        mark = {("Ada", False): 1, ("Ada", True): 3, ("Odo", False): 4, ("Odo", True): 5}[
            "Ada" if "You are Ada" in text else "Odo", "boat" in text
        ]
        turn = {"is_refusal_explanation": "", "is_refusal": False}
        for name, score in (("in_character", mark), ("entertaining", 3), ("fluency", 4)):
            turn |= {f"{name}_explanation": "so", f"{name}_score": score}
        return json.dumps({"turn_1": turn, "turn_2": turn})

    assert "was not judged" in typist.mistakes("agreement", "last")
    with serving(Loopback(script)) as url:
        typist.types("judge", "last", "--model-role", "judge=openai/j", "--base-url", url)
    agreed = typist.reads("agreement", "last")
    assert agreed["rows"][0]["in_character"]["value"] == pytest.approx(1.0)
    assert agreed["rows"][0]["n"] == 4
    assert "not drawn at random" in typist.mistakes("correct", "last")


def test_people_are_held_against_the_judges_that_came_with_them(typist: Typist, tmp_path: Path) -> None:
    rows = [
        annotated(name, situation, {"in_character": mark}, scores=scores((mark, mark)), judge="judge-one")
        for name, marks in (("Ada", (1, 3)), ("Odo", (4, 5)))
        for situation, mark in zip((STORM, BOAT), marks, strict=True)
    ]
    typist.types("import", str(write_lines(tmp_path / "people.jsonl", rows)), "--as", "pingpong")
    (row,) = typist.reads("agreement", "last")["rows"]
    assert (row["judge"], row["n"]) == ("judge-one", 4)
    assert row["in_character"]["value"] == pytest.approx(1.0)


def test_annotators_in_several_files_are_several_people(typist: Typist, tmp_path: Path) -> None:
    for name, mark in (("one", 2), ("two", 4)):
        (tmp_path / name).mkdir()
        write_lines(tmp_path / name / "a.jsonl", [annotated("Ada", STORM, {"fluency": mark})])
    made = typist.reads(
        "import", str(tmp_path / "one" / "a.jsonl"), str(tmp_path / "two" / "a.jsonl"), "--as", "pingpong"
    )
    assert (made["conversations"], made["labels"]) == (1, 2)
    with Records(typist.store) as records, Labels(typist.store) as labels:
        given = labels.of(records.find("last"))
    assert [(one.rater, one.value) for one in given] == [("people", 2), ("people 2", 4)]


def test_what_is_broken_is_listed_and_left_out(typist: Typist, tmp_path: Path) -> None:
    outputs = [output("Ada", STORM, "Fair wind", scores((5, 4))) for _ in range(25)]
    for place, one in enumerate(outputs[1:]):
        one["scores"]["fluency"] = [place + 6, 4]
    file = str(write_json(tmp_path / "a.json", result("player-a", "judge-one", outputs)))
    typist.types("import", file, "--as", "pingpong")
    lines = typist.said.splitlines()
    first = f"Left out, {file}, output 2: scores.fluency has 6, which is not a whole number from 1 to 5"
    assert lines[0] == first
    assert sum(line.startswith("Left out, ") for line in lines) == 21
    assert lines[20] == "Left out, 4 more; --json lists them all."
    assert ": 1 conversation, 1 model, 1 verdict, 24 parts left out." in lines[21]
    told = typist.reads("import", file, "--as", "pingpong")["left_out"]
    assert len(told) == 24 and told[0] == {
        "file": file, "where": "output 2", "why": "scores.fluency has 6, which is not a whole number from 1 to 5",
    }  # fmt: skip
    assert "not in here: 24." in " ".join(typist.reads("show", "last")["notes"])


def test_nothing_is_written_where_nothing_could_be_read_or_all_is_wanted(
    typist: Typist, tmp_path: Path
) -> None:
    bad = str(write_lines(tmp_path / "bad.jsonl", [{"messages": []}, 3]))
    said = typist.mistakes("import", bad, "--as", "pingpong", "--model", "m")
    assert (
        f"none of 2 rows of {bad} could be read as pingpong; the first: {bad}, line 1: messages is empty"
        in said
    )
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n")
    assert f"{empty} has no rows; pingpong is the PingPong authors' results" in typist.mistakes(
        "import", str(empty), "--as", "pingpong"
    )
    mixed = str(
        write_lines(tmp_path / "mixed.jsonl", [annotated("Ada", STORM, {"fluency": 3}), {"messages": []}])
    )
    said = typist.mistakes("import", mixed, "--as", "pingpong", "--strict")
    assert "not all can be taken in (left out: 1), and with --strict nothing is; the first: " in said
    assert not typist.store.exists()


def test_mistakes(typist: Typist, results: dict[str, str], tmp_path: Path) -> None:
    file = results["a1"]

    def said(*words: str) -> str:
        return typist.mistakes("import", *words)

    assert "there is no format 'pingpang'; did you mean 'pingpong'?" in said(file, "--as", "pingpang")
    assert "Missing option '--as'" in said(file)
    assert "no such file" in said(str(tmp_path / "none.json"), "--as", "pingpong")
    assert "is a directory" in said(str(tmp_path), "--as", "pingpong")
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(file).read_bytes())
    assert "are the same file; name it once" in said(file, str(copy), "--as", "pingpong")
    assert "--model has characters that cannot be printed" in said(
        file, "--as", "pingpong", "--model", "a\tb"
    )
    assert "names that begin with human/" in said(file, "--as", "pingpong", "--judge", "human/ada")
    assert "did you mean 'language'" in said(file, "--as", "pingpong", "--set", "langage=ru")
    assert "there is no version 'v3'" in said(file, "--as", "pingpong", "--set", "version=v3")
    assert "by the rubric v2" in said(file, "--as", "pingpong", "--set", "version=v1")
    broken = tmp_path / "broken.json"
    broken.write_text('{"outputs": [')
    assert "broken.json cannot be read: it is no JSON (expecting value, line 1 column 14)" in said(
        str(broken), "--as", "pingpong"
    )
    pointer = tmp_path / "pointer.json"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
    assert "git lfs pull" in said(str(pointer), "--as", "pingpong")
    assert not typist.store.exists()


def test_what_cannot_be_one_board_is_no_one_run(
    typist: Typist, results: dict[str, str], tmp_path: Path
) -> None:
    said = typist.mistakes("import", results["a1"], results["b2"], "--as", "pingpong")
    assert "player-a was judged by judge-one, player-b by judge-two: not one board" in said
    other = result("player-b", "judge-one", four("Go away", B_BY_ONE), interrogator="user-large")
    file = str(write_json(tmp_path / "other.json", other))
    said = typist.mistakes("import", results["a1"], file, "--as", "pingpong")
    assert "a run has one interrogator, and these files have user-large, user-mini" in said


def test_a_judge_who_says_two_things_is_heard_once(
    typist: Typist, results: dict[str, str], tmp_path: Path
) -> None:
    changed = [scores((1, 1)), *A_BY_ONE[1:]]
    file = str(write_json(tmp_path / "z.json", result("player-a", "judge-one", four("Fair wind", changed))))
    made = typist.reads("import", results["a1"], file, "--as", "pingpong")
    assert (made["conversations"], made["verdicts"]) == (4, 4)
    whys = [(one["where"], one["why"]) for one in made["left_out"]]
    assert whys[0] == ("output 1", f"judge-one said something else of it in {results['a1']}, output 1")
    assert whys[1:] == [(f"output {n}", f"it is the same as {results['a1']}, output {n}") for n in (2, 3, 4)]


def test_the_pages_show_what_came(typist: Typist, results: dict[str, str]) -> None:
    run = typist.reads("import", results["a1"], results["b1"], "--as", "pingpong")["run"]
    number = typist.reads("list", run)[0]["number"]
    with serving_pages(typist.store) as served:
        page = served.ask(f"/runs/{run}/")
        assert page.status == 200
        assert "All that was planned is played and judged." in page.text
        assert "from files of the format pingpong, not played here" in page.text
        assert "interplay run role_play" not in page.text  # nothing can go on with it
        conversation = served.ask(f"/runs/{run}/conversations/{number}/")
        assert conversation.status == 200
        for text in ("storm, first question?", "Ada: Fair wind.", "user-mini", "player-a", "judge-one"):
            assert text in conversation.text
        for place in ("/boards/role_play/", f"/runs/{run}/conversations/", f"/runs/{run}/compare/", "/"):
            assert served.ask(place).status == 200
        assert "was imported from 2 files" in served.ask("/boards/role_play/").text


def test_text_of_a_file_can_do_no_harm(typist: Typist, tmp_path: Path) -> None:
    one = output("Ada", STORM, "\x00 \ud800 \x1b[31m<script>alert(1)</script>", scores((5, 5)))
    one["character"]["char_name"] = "Ada\x1b[2J"
    file = str(write_json(tmp_path / "a.json", result("player-a", "judge-one", [one])))
    typist.types("import", file, "--as", "pingpong")
    number = typist.reads("list", "last")[0]["number"]
    shown = typist.types("show", "last", "--conversation", str(number))
    assert "\N{REPLACEMENT CHARACTER}" in shown and "\x1b" not in shown
    with serving_pages(typist.store) as served:
        run = typist.reads("list")["runs"][0]["run"]
        text = served.ask(f"/runs/{run}/conversations/{number}/").text
    assert "<script>alert(1)" not in text and "alert(1)" in text


def test_the_authors_settings_have_the_cards_that_rows_only_name(
    typist: Typist, tmp_path: Path, originals: Path
) -> None:
    settings = originals / "pingpong" / "settings_v2.json"
    known = json.loads(settings.read_text(encoding="utf-8"))["en"]
    outputs = [
        {
            "messages": messages("x", STORM, "so it is"),
            "character": character["char_name"],
            "situation": situation["text"],
            "scores": scores((4, 4)),
        }
        for character in known["characters"]
        for situation in known["situations"]
    ]
    file = str(write_json(tmp_path / "a.json", result("player-a", "judge-one", outputs)))
    made = typist.reads("import", file, "--as", "pingpong", "--data", str(settings))
    assert (made["conversations"], made["left_out"]) == (64, [])
    whole = [
        {**one, "character": character, "situation": situation}
        for one, (character, situation) in zip(
            outputs, [(c, s) for c in known["characters"] for s in known["situations"]], strict=True
        )
    ]
    other = str(write_json(tmp_path / "b.json", result("player-b", "judge-one", whole)))
    typist.types("import", other, "--as", "pingpong")
    (together,) = typist.reads("board", "role_play")  # the same scenarios, named or told
    assert [row["model"] for row in together["rows"]] == ["player-a", "player-b"]
