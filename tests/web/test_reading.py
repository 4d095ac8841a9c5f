"""The page of one conversation over HTTP: every benchmark, every seat, step by step, and nothing that is not there."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote_plus

import apsw
import pytest

from interplay import api
from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, Said, rehearse
from interplay.models.loopback import serving as providing
from interplay.reporting.pages.conversations import View, conversation
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.links import Links
from interplay.store.closeup import CloseUp
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.web.furnished import Furnished, furnished_once
from tests.web.served import Served, serving

HIDDEN = "An \u202eodd\u202c <b>word</b>.\n\n**Bold**, and [a link](http://attacker.invalid/)."
THOUGHT = "First I think about the lift."
JUDGES = ["openai/judge-one", "openai/judge-two"]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    return furnished_once(tmp_path_factory)


@pytest.fixture(scope="module")
def site(everything: Furnished) -> Iterator[Served]:
    with serving(everything.store_path) as served:
        yield served


def says(asked: Asked) -> Said:
    """Players write odd words after some thought; askers need a second try; the second judge is never in form."""
    if asked.model == "player":
        return Said(HIDDEN, reasoning=THOUGHT)
    if asked.model == "asker" and "Your reply" not in str(asked.messages[-1]["content"]):
        return Said("I would rather not use a form.")
    if asked.model == "judge-two" and "A" not in str(asked.schema):
        return Said("no form at all")
    return Said(rehearse(asked))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """A store in which things go less smoothly: a role-play judged by two rubrics, and answers compared in pairs."""
    store = tmp_path_factory.mktemp("odd") / "interplay.db"
    with providing(Loopback({"*": says})) as url:
        how = api.setup(store, base_url=url)
        roles = {"interrogator": "openai/asker", "judge": JUDGES}
        first = api.run("role_play", ["openai/player"], limit=1, roles=roles, how=how)
        told = ["--base-url", url, "--store", str(store)]
        rubric = ["--rubric", "v1", "--model-role", "judge=openai/judge-one"]
        assert main(["judge", first.id, *rubric, *told]) == 0
        duel = api.run(
            "simulation", ["openai/alder", "openai/player"], limit=1, roles={"judge": JUDGES[:1]}, how=how
        )
        assert main(["pair", duel.id, "--model-role", "judge=openai/judge-one", *told]) == 0
    with serving(store) as served:
        yield served, {"role_play": first.id, "simulation": duel.id}


def page(site: Served, run: str, number: int, query: str = "") -> str:
    answer = site.ask(f"/runs/{run}/conversations/{number}/{query}")
    assert answer.status == 200, answer.text[:500]
    return answer.text


def turns_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r'<li class="turn [^"]*" id="turn-(\d+)"', text)]


def test_every_conversation_has_a_page_in_every_view(site: Served, everything: Furnished) -> None:
    with Records(everything.store_path) as records:
        for run, numbers in everything.conversations.items():
            for number in numbers[:2]:
                whole = page(site, run, number)
                assert len(re.findall("<h1", whole)) == 1
                seats = records.seats(number)
                all_turns = turns_in(whole)
                for seat in seats:
                    seen = page(site, run, number, f"?seat={quote_plus(seat)}")
                    assert set(turns_in(seen)) <= set(all_turns)
                    assert re.search(rf'aria-current="true"><bdi>{re.escape(seat)}</bdi></a>', seen)
                page(site, run, number, "?text=markdown&step=2")


def test_the_transcript_is_what_was_said_in_the_order_it_was_said(
    site: Served, everything: Furnished
) -> None:
    run = everything.runs["role_play"]
    number = everything.conversations[run][0]
    with Records(everything.store_path) as records:
        row = records.conversation(number)
    text = page(site, run, number)
    said = [turn[side] for turn in (row.outcome or {})["turns"] for side in ("user", "player")]
    spoken = r'<li class="turn [^"]* spoken".*?<div class="said-text" dir="auto">(.*?)</div>'
    assert [unescape(words) for words in re.findall(spoken, text, re.DOTALL)] == said
    assert text.count("subject spoken") == len((row.outcome or {})["turns"])
    assert row.scenario.label in unescape(text) and row.subject in text


def test_scores_of_judges_stand_beside_the_turn_they_are_about(site: Served, everything: Furnished) -> None:
    run = everything.runs["role_play"]
    number = everything.conversations[run][0]
    with Records(everything.store_path) as records:
        verdicts = [one.data for _, one in records.verdicts_of(number) if one.data]
    text = page(site, run, number)
    panels = re.findall(r'<aside class="judges.*?</aside>', text, re.DOTALL)
    assert len(panels) == len(verdicts[0]["turns"])
    for place, panel in enumerate(panels):
        cells = re.findall(r'<td class="score[^"]*"><bdi>([^<]*)</bdi>', panel)
        expected = []
        for name in ("is_refusal", "in_character_score", "entertaining_score", "fluency_score"):
            values = [verdict["turns"][place][name] for verdict in verdicts]
            expected += [
                ("yes" if value else "no") if name == "is_refusal" else str(value) for value in values
            ]
        assert cells == expected
        for verdict in verdicts:
            assert verdict["turns"][place]["fluency_explanation"] in unescape(panel)


def test_a_seat_sees_its_brief_and_not_what_others_kept_to_themselves(
    site: Served, everything: Furnished
) -> None:
    run = everything.runs["word_guessing"]
    number = everything.conversations[run][0]
    with Records(everything.store_path) as records:
        players = {
            one["seat"]: one["word"] for one in (records.conversation(number).outcome or {})["players"]
        }
        briefs = {seat: records.view(number, seat)[0].text for seat in players}
    for seat, word in players.items():
        seen = unescape(page(site, run, number, f"?seat={seat}"))
        transcript = seen[seen.index('id="said-title"') : seen.index("What it came to</h2>")]
        assert briefs[seat][:200] in transcript
        (other,) = set(players.values()) - {word}
        assert f"“{other}”" not in transcript and f"word {other}" not in transcript
        assert "For the reader" not in transcript


def test_stepping_shows_the_conversation_up_to_a_turn(site: Served, everything: Furnished) -> None:
    run = everything.runs["social_interaction"]
    number = everything.conversations[run][0]
    whole = turns_in(page(site, run, number))
    stepped = page(site, run, number, "?step=4")
    assert turns_in(stepped) == whole[:4]
    assert "step=5#turn-5" in stepped and "step=3#turn-3" in stepped
    assert 'id="outcome-title"' not in stepped
    last = page(site, run, number, f"?step={whole[-1]}")
    assert turns_in(last) == whole and 'id="outcome-title"' in last
    seen = turns_in(page(site, run, number, "?seat=npc"))
    assert turns_in(page(site, run, number, f"?seat=npc&step={seen[1]}")) == seen[:2]
    assert turns_in(page(site, run, number, "?step=1000000")) == whole


def test_what_it_came_to_is_laid_out_for_each_benchmark(site: Served, everything: Furnished) -> None:
    def texts(benchmark: str) -> list[str]:
        run = everything.runs[benchmark]
        return [unescape(page(site, run, number)) for number in everything.conversations[run]]

    assert any("Guesses</h3>" in text and "found the other word" in text for text in texts("word_guessing"))
    tasks = texts("task_dialogue")  # how many of them come to nothing hangs on marks that no two runs share
    done = [text for text in tasks if "played to the end" in text]
    assert all("The goal as the user saw it" in text and "Key phrases of the goal" in text for text in done)
    assert all("void: " in text for text in tasks if text not in done)
    sessions = texts("social_interaction")
    assert any("Who was who</h3>" in text and "on what it learned" in text for text in sessions)
    assert any("Key points, by openai/judge-one" in text for text in sessions)


def test_neighbours_are_those_of_the_run(site: Served, everything: Furnished) -> None:
    run = everything.runs["role_play"]
    numbers = sorted(everything.conversations[run])
    first, middle, last = (page(site, run, number) for number in (numbers[0], numbers[1], numbers[-1]))
    assert 'rel="prev"' not in first and f'rel="next" href="/runs/{run}/conversations/{numbers[1]}/"' in first
    assert f'rel="prev" href="/runs/{run}/conversations/{numbers[0]}/"' in middle
    assert 'rel="next"' not in last
    assert f"/runs/{run}/compare/?a=" in first


def test_a_person_who_is_to_speak_is_named(site: Served, everything: Furnished) -> None:
    run = everything.games["role_play"]
    text = page(site, run, everything.conversations[run][0])
    assert "waiting for ada" in text and "has not ended" in text and "a person" in text


def test_labels_of_people_are_shown(site: Served, everything: Furnished) -> None:
    run = everything.runs["role_play"]
    with Records(everything.store_path) as records, Labels(everything.store_path) as labels:
        given = labels.of(records.find(run))
    number = given[0].conversation
    text = page(site, run, number)
    assert "What people said</h2>" in text and f"<bdi>{given[0].rater}</bdi>" in text
    other = next(
        one for one in everything.conversations[run] if one not in {label.conversation for label in given}
    )
    assert "What people said</h2>" not in page(site, run, other)


def test_what_is_not_there_is_said_in_a_line(site: Served, everything: Furnished) -> None:
    run, other = everything.runs["role_play"], everything.runs["simulation"]
    number = everything.conversations[run][0]
    for path, status in (
        (f"/runs/{run}/conversations/999999/", 404),
        (f"/runs/{other}/conversations/{number}/", 404),
        (f"/runs/nothing/conversations/{number}/", 404),
        (f"/runs/{run}/conversations/{2**62}/", 404),
        (f"/runs/{run}/conversations/x/", 404),
        (f"/runs/{run}/conversations/{number}/?seat=nobody", 404),
        (f"/runs/{run}/conversations/{number}/?seat=%00%ff", 404),
        (f"/runs/{run}/conversations/{number}/?step=-1", 400),
        (f"/runs/{run}/conversations/{number}/?step=x", 400),
        (f"/runs/{run}/conversations/{number}/?text=html", 400),
    ):
        assert site.ask(path).status == status, path
    assert site.ask(f"/runs/{run}/conversations/{number}/", owner=False).status == 403


def test_hidden_characters_are_seen_and_tags_are_text(odd: tuple[Served, dict[str, str]]) -> None:
    served, runs = odd
    text = page(served, runs["role_play"], 1)
    assert "\u202e" not in text and "U+202E</span>odd" in text
    assert "&lt;b&gt;word&lt;/b&gt;" in text and "**Bold**" in text
    drawn = page(served, runs["role_play"], 1, "?text=markdown")
    assert "<strong>Bold</strong>" in drawn and "⟦U+202E⟧" in drawn
    assert 'href="http://attacker' not in drawn and "<b>word" not in drawn


def test_thoughts_and_second_tries_are_with_their_turn(odd: tuple[Served, dict[str, str]]) -> None:
    served, runs = odd
    text = page(served, runs["role_play"], 1)
    turns = re.findall(r'<li class="turn .*?</li>\n', text, re.DOTALL)
    (asked, answered) = (
        next(one for one in turns if kind in one) for kind in ("left seat-1", "right seat-2")
    )
    assert len(re.findall(r'<a href="/calls/\d+/"', asked)) == 2  # the first try was not in form
    assert THOUGHT in answered and len(re.findall(r'<a href="/calls/\d+/"', answered)) == 1
    assert THOUGHT in page(served, runs["role_play"], 1, "?seat=player")
    assert THOUGHT not in page(served, runs["role_play"], 1, "?seat=interrogator")


def test_a_judge_without_a_verdict_is_named_and_another_rubric_stands_by_itself(
    odd: tuple[Served, dict[str, str]],
) -> None:
    served, runs = odd
    text = page(served, runs["role_play"], 1)
    assert re.search(r"judge-two</bdi> gave no verdict: judge error", text)
    assert text.count("By another rubric") == 1
    assert "What judges said" in text


def test_pairs_are_told_from_either_side(odd: tuple[Served, dict[str, str]]) -> None:
    served, runs = odd
    with Records(served.site.store if served.site else Path()) as records:
        one, other = records.numbers(records.find(runs["simulation"]))
    words = {}
    for number, rival in ((one, other), (other, one)):
        text = page(served, runs["simulation"], number)
        table = text[text.index("Beside other models</h2>") :]
        assert f"/conversations/{rival}/" in table
        words[number] = re.findall(
            r">(first|second)</td>\s*<td class=\"\w*\">(this one|the other|neither)</td>", table
        )
        assert len(words[number]) == 2  # both orders
    turned = {"this one": "the other", "the other": "this one", "neither": "neither"}
    ours = dict(words[one])
    theirs = dict(words[other])
    assert ours["first"] == turned[theirs["second"]] and ours["second"] == turned[theirs["first"]]


def test_a_conversation_of_many_long_turns_stays_a_page(
    odd: tuple[Served, dict[str, str]], tmp_path: Path
) -> None:
    served, runs = odd
    assert served.site is not None
    store = tmp_path / "long.db"
    source = apsw.Connection(str(served.site.store))
    source.execute("VACUUM INTO ?", (str(store),))
    source.close()
    lines = [
        {"source": name, "heard_by": [heard], "text": f"{number} " + "word " * 20_000}
        for number in range(100)
        for name, heard in (("interrogator", "player"), ("player", "interrogator"))
    ]
    db = apsw.Connection(str(store))
    db.execute("UPDATE conversations SET lines = ? WHERE number = 1", (json.dumps(lines),))
    db.close()
    with Records(store) as records:
        close = CloseUp(records, records.find(runs["role_play"]), 1)
        text = draw("conversation", Links(), conversation(close))
        assert len(turns_in(text)) == 200
        assert len(text) < 3_000_000 and "further characters are left out" in text
        marked = draw("conversation", Links(), conversation(close, View(markdown=True)))
        assert len(marked) < 3_000_000


def test_the_static_page_has_all_seats_and_nothing_of_a_server(everything: Furnished) -> None:
    run = everything.runs["social_interaction"]
    with Records(everything.store_path) as records:
        close = CloseUp(records, records.find(run), everything.conversations[run][0])
        text = draw(
            "conversation", Links("../../../../", is_static=True), conversation(close, all_seats=True)
        )
    for seat in ("player", "player 2", "player 3", "npc"):
        assert f"As seen by <bdi>{seat}</bdi>" in text
    assert "/calls/" not in text and "?seat=" not in text and "?step=" not in text and "compare" not in text
    assert not re.findall(r'(?:href|src)="/', text)
    ids = re.findall(r'id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_labels_of_a_conversation_are_the_newest_of_each_rater(everything: Furnished) -> None:
    with Records(everything.store_path) as records:
        run = records.find(everything.runs["simulation"])
        number = everything.conversations[run.id][0]
        with Labels(everything.store_path) as labels:
            labels.add([Given(number, "vera", "rating", 3.0, "2026-01-01", "by hand", "a:1")])
            labels.add([Given(number, "vera", "rating", 8.0, "2026-01-02", "by hand", "a:2")], replace=True)
        found = CloseUp(records, run, number).labels()
    assert [(label.rater, label.value) for label in found if label.rater == "vera"] == [("vera", 8.0)]
