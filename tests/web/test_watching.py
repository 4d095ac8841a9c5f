"""Pages of a run, over real HTTP: where it stands while another process writes it, its lists, comparing, calls."""

import html
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interplay import api
from interplay.core.failures import Mistake
from interplay.models.loopback import Asked, Fault, Loopback, Said, rehearse
from interplay.models.loopback import serving as providing
from interplay.store.records import Records
from tests.faults.forked import Forked
from tests.web.served import Answer, Served, serving
from tests.web.stocked import MODELS, stock

CANARY = "sk-canary-5f1c0a7e9b"
PATIENCE = 30.0  # seconds for another process


def worded(asked: Asked, said: str) -> str | Said:
    """One model thinks aloud, and one says what a page must not take for its own."""
    if asked.model == "birch":
        return Said(said + " <b>bold</b>", reasoning="first I thought <i>so</i>")
    return said


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    store = tmp_path_factory.mktemp("watched") / "s.db"
    runs = stock(store, worded)
    with serving(store) as served:
        yield served, runs


def seen(answer: Answer) -> str:
    """The words of a page, without its tags."""
    assert answer.status == 200, answer.text
    plain = html.unescape(re.sub(r"<[^>]+>", " ", answer.text))
    return re.sub(r"\s+", " ", plain).replace(" ,", ",")


def links_in(answer: Answer) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'href="([^"]+)"', answer.text)]


def wait_until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


class TestRun:
    def test_says_what_it_is_and_where_it_stands(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        words = seen(served.ask(f"/runs/{runs['role_play']}/"))
        assert "Finished All that was planned is played and judged." in words
        assert "12 of 12 conversations over, 24 verdicts" in words
        assert "interrogator openai/asker" in words
        assert "judges openai/judge-one, openai/judge-two" in words
        assert "LN score" in words

    @pytest.mark.parametrize(
        "benchmark", ["role_play", "simulation", "word_guessing", "task_dialogue", "social_interaction"]
    )
    def test_every_link_of_every_run_leads_somewhere(
        self, stocked: tuple[Served, dict[str, str]], benchmark: str
    ) -> None:
        served, runs = stocked
        page = served.ask(f"/runs/{runs[benchmark]}/")
        ours = [
            one for one in links_in(page) if f"/runs/{runs[benchmark]}" in one or one.startswith("/calls/")
        ]
        assert len(ours) > 5
        for address in dict.fromkeys(one.partition("#")[0] for one in ours):
            assert served.ask(address).status == 200, address

    def test_the_part_that_is_fetched_again_is_in_the_page(
        self, stocked: tuple[Served, dict[str, str]]
    ) -> None:
        served, runs = stocked
        page = served.ask(f"/runs/{runs['role_play']}/").text
        part = served.ask(f"/runs/{runs['role_play']}/progress/").text.strip()
        assert part in page
        assert f'data-live="/runs/{runs["role_play"]}/progress/"' in page
        assert 'data-live-next="0"' in part  # nothing will change

    def test_a_run_is_also_found_by_its_name(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        assert runs["social_interaction"] in served.ask("/runs/last/").text
        missing = served.ask("/runs/role_plya/")
        assert missing.status == 404
        assert "there is no run" in missing.text


class TestGoingOn:
    def test_a_run_in_another_process_is_watched_stopped_and_finished(self, tmp_path: Path) -> None:
        store = tmp_path / "s.db"
        with providing(Loopback({"*": rehearse}, latency=0.1)) as url:
            cast = ["--model", "openai/alder", "--model-role", "judge=openai/judge"]
            how = ["--limit", "40", "--store", str(store), "--max-connections", "2"]
            settings = {**os.environ, "INTERPLAY_BASE_URL": url}
            process = Forked(
                ["run", "simulation", *cast, *how],
                env=settings,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                wait_until(lambda: _calls(store) > 6)
                with serving(store) as served:
                    with Records(store) as records:
                        run = records.runs()[0].id
                    part = served.ask(f"/runs/{run}/progress/")
                    assert f"Being written now by process {process.pid}." in seen(part)
                    assert 'data-live-next="2"' in part.text
                    earlier = _over(part)
                    wait_until(lambda: _over(served.ask(f"/runs/{run}/progress/")) > earlier)
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    words = seen(served.ask(f"/runs/{run}/progress/"))
                    assert "Stopped Nobody writes it now." in words
                    assert "left to play" in words
                    told = words.partition("Go on with: ")[2].partition(" Add --base-url")[0]
                    again = [sys.executable, "-m", *told.split()]
                    assert (
                        subprocess.run(again, env=settings, capture_output=True, check=False).returncode == 0
                    )
                    part = served.ask(f"/runs/{run}/progress/")
                    assert "Finished" in seen(part)
                    assert "40 of 40 conversations over, 40 verdicts" in seen(part)
                    assert 'data-live-next="0"' in part.text
            finally:
                process.kill()
                process.wait()

    def test_failures_are_counted_by_name_and_lead_to_what_failed(self, tmp_path: Path) -> None:
        def script(asked: Asked) -> str | Said | Fault:
            if asked.model == "broken":
                return Fault("status", 400)
            return "no verdict at all" if asked.model == "judge" else rehearse(asked)

        store = tmp_path / "s.db"
        with providing(Loopback({"*": script})) as url:
            how = api.setup(store, base_url=url)
            models = ["openai/alder", "openai/broken"]
            run = api.run("simulation", models, roles={"judge": "openai/judge"}, limit=2, how=how).id
        with serving(store) as served:
            page = served.ask(f"/runs/{run}/")
            assert "provider 2 conversations void" in seen(page)
            assert "judge error 2 verdicts not given" in seen(page)
            assert "failed calls" in seen(page)
            assert "Stopped Nobody writes it now. 2 conversations left to play" in seen(
                page
            )  # they are tried again
            void = served.ask(f"/runs/{run}/conversations/?failure=provider")
            assert seen(void).count("openai/broken") == 3  # two rows, and the choice of models
            verdicts = next(one for one in links_in(page) if "of=verdicts" in one)
            assert "judge error" in seen(served.ask(verdicts))
            calls = next(one for one in links_in(page) if "of=calls" in one)
            listed = served.ask(calls)
            number = next(one for one in links_in(listed) if one.startswith("/calls/"))
            assert "failed" in seen(served.ask(number))


def _calls(store: Path) -> int:
    """How many calls there are; none while the store is being made."""
    try:
        with Records(store) as records:
            return int(records.db.execute("SELECT count(*) FROM calls").get)
    except Mistake:
        return 0


def _over(part: Answer) -> int:
    found = re.search(r"([0-9]+) of 40 conversations over", seen(part))
    assert found, part.text
    return int(found.group(1))


class TestList:
    def test_each_conversation_has_its_state_and_scores(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        words = seen(served.ask(f"/runs/{runs['role_play']}/conversations/"))
        assert "12 in all, 12 done." in words
        with Records(served.site.store) as records:
            run = records.find(runs["role_play"])
            row = records.conversations(run)[0]
            values = [value for number, name, _, value in records.scores(run) if number == row.number and name in
                      ("in_character", "entertaining", "fluency")]  # fmt: skip
        assert f"{row.scenario.label} {row.subject} done {sum(values) / len(values):.2f}" in words

    def test_it_is_filtered(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        address = f"/runs/{runs['role_play']}/conversations/"
        one = served.ask(f"{address}?model={MODELS[0]}")
        assert len(_numbers(one)) == 4
        assert len(_numbers(served.ask(f"{address}?model={MODELS[0]}&search=lift-mechanic"))) == 1
        assert not _numbers(served.ask(f"{address}?state=void"))
        assert "No conversation is like that." in seen(served.ask(f"{address}?search=nowhere"))
        assert served.ask(f"{address}?state=odd").status == 400
        assert served.ask(f"{address}?after=-1").status == 400

    def test_pages_follow_each_other_and_come_back(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        first = served.ask(f"/api/runs/{runs['role_play']}/conversations?size=5")
        assert first.status == 200
        address = f"/runs/{runs['role_play']}/conversations/"
        every = _numbers(served.ask(address))
        after = served.ask(f"{address}?after={every[4]}")
        assert _numbers(after) == every[5:]
        back = next(one for one in links_in(after) if "before=" in one)
        assert _numbers(served.ask(back)) == every[:5]

    def test_players_who_sit_together_each_have_their_score(self, tmp_path: Path) -> None:
        store = tmp_path / "s.db"
        with providing(Loopback({"*": rehearse})) as url:
            how = api.setup(store, base_url=url)
            run = api.run(
                "word_guessing", list(MODELS[:2]), limit=1, epochs=1, how=how, experiment="table", split="1-1"
            )
        with serving(store) as served:
            words = seen(served.ask(f"/runs/{run.id}/conversations/"))
        assert re.search(r"[0-9.]+ openai/alder [0-9.]+ openai/birch", words), words


def _numbers(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.text
    return [
        int(one)
        for one in re.findall(r'<th scope="row"><a href="[^"]+/conversations/([0-9]+)/"', answer.text)
    ]


class TestCompare:
    def test_two_models_on_the_same_scenarios(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        page = served.ask(f"/runs/{runs['role_play']}/compare/?a={MODELS[0]}&b={MODELS[1]}&by=fluency")
        words = seen(page)
        assert "4 scenarios that both have" in words
        assert "all 3 pairs of models of this run (Holm)" in words
        apart = [abs(float(one)) for one in re.findall(r"<td>([+-][0-9.]+)</td>", page.text)]
        assert len(apart) == 4
        assert apart == sorted(apart, reverse=True)

    def test_the_estimate_is_that_of_the_command(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        words = seen(served.ask(f"/runs/{runs['role_play']}/compare/?a={MODELS[1]}&b={MODELS[0]}"))
        board = api.load(runs["role_play"], served.site.store).compare().parts[0]
        row = next(row for row in board.rows if {row["first"], row["second"]} == set(MODELS[:2]))
        value = row["difference"].value * (1 if row["first"] == MODELS[1] else -1)  # type: ignore[union-attr]
        assert f"{value:+.2f}" in words

    def test_side_by_side(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        page = served.ask(f"/runs/{runs['role_play']}/compare/?a={MODELS[0]}&b={MODELS[1]}")
        both = served.ask(next(one for one in links_in(page) if "scenario=" in one))
        words = seen(both)
        assert words.count("What judges said, turn by turn") == 2
        assert "<b>bold</b>" in words  # what birch said, as text
        assert "<b>bold</b>" not in both.text
        assert served.ask(f"/runs/{runs['role_play']}/compare/?scenario=nope").status == 404

    @pytest.mark.parametrize(
        "benchmark", ["simulation", "word_guessing", "task_dialogue", "social_interaction"]
    )
    def test_of_every_benchmark(self, stocked: tuple[Served, dict[str, str]], benchmark: str) -> None:
        served, runs = stocked
        assert served.ask(f"/runs/{runs[benchmark]}/compare/").status == 200
        with Records(served.site.store) as records:
            rows = records.conversations(records.find(runs[benchmark]))
        both = served.ask(f"/runs/{runs[benchmark]}/compare/?scenario={rows[0].scenario.id}")
        assert len(re.findall(r'<section class="side"', both.text)) == 2
        assert "transcript" in both.text

    def test_one_model_is_told_what_to_do(self, tmp_path: Path) -> None:
        store = tmp_path / "s.db"
        with providing(Loopback({"*": rehearse})) as url:
            run = api.run("word_guessing", MODELS[0], roles={"opponent": "openai/opponent"}, limit=1, epochs=1,
                          how=api.setup(store, base_url=url)).id  # fmt: skip
        with serving(store) as served:
            assert "add another --model" in seen(served.ask(f"/runs/{run}/compare/"))
            assert served.ask(f"/runs/{run}/compare/?a=openai/else").status == 404
            assert served.ask(f"/runs/{run}/compare/?by=nonsense").status == 400

    def test_a_model_is_not_compared_with_itself(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, runs = stocked
        words = seen(served.ask(f"/runs/{runs['role_play']}/compare/?a={MODELS[0]}&b={MODELS[0]}"))
        assert "choose another one" in words


class TestCall:
    def test_all_that_was_asked_and_answered(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, _ = stocked
        with Records(served.site.store) as records:
            number, text, raw = records.db.execute(
                "SELECT number, text, raw FROM calls WHERE (model, stage, step) = ('openai/birch', 'play', 1) LIMIT 1"
            ).fetchone()
        page = served.ask(f"/calls/{number}/")
        words = seen(page)
        assert re.sub(r"\s+", " ", text) in words
        assert "system brief" in words and "user asked" in words and "assistant said before" in words
        assert "first I thought <i>so</i>" in words
        assert "temperature" in words
        assert re.sub(r"\s+", " ", bytes(raw).decode())[:80] in words
        assert f"of {len(_of_conversation(served, number))} of this conversation" in words

    def test_one_leads_to_the_next(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, _ = stocked
        numbers = _of_conversation(served, 1)
        seen_so_far, address = [], f"/calls/{numbers[0]}/"
        while address:
            page = served.ask(address)
            seen_so_far.append(int(re.findall(r"<h1>Call ([0-9]+)</h1>", page.text)[0]))
            following = re.findall(r'rel="next" href="([^"]+)"', page.text)
            address = following[0] if following else ""
        assert seen_so_far == numbers

    def test_a_judge_is_asked_by_a_schema(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, _ = stocked
        with Records(served.site.store) as records:
            number = records.db.execute("SELECT number FROM calls WHERE stage LIKE 'judge %' LIMIT 1").get
        words = seen(served.ask(f"/calls/{number}/"))
        assert "judging by the rubric v2" in words
        assert "Schema of the reply" in words

    def test_there_is_no_other(self, stocked: tuple[Served, dict[str, str]]) -> None:
        served, _ = stocked
        assert served.ask("/calls/0/").status == 404
        assert served.ask("/calls/999999/").status == 404
        assert served.ask(f"/calls/{10**30}/").status == 404

    def test_no_key_is_on_any_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def script(asked: Asked) -> str | Fault:
            repeated = f'{{"error": {{"message": "Incorrect API key provided: {CANARY}"}}}}'
            return (
                Fault("status", 400, body=repeated.encode()) if asked.model == "broken" else rehearse(asked)
            )

        store = tmp_path / "s.db"
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        with providing(Loopback({"*": script}, keys=frozenset({CANARY}))) as url:
            run = api.run("simulation", ["openai/alder", "openai/broken"], roles={"judge": "openai/judge"}, limit=1,
                          how=api.setup(store, base_url=url)).id  # fmt: skip
        with serving(store) as served:
            with Records(store) as records:
                calls = [row[0] for row in records.db.execute("SELECT number FROM calls").fetchall()]
            assert len(calls) >= 3
            addresses = [place.format(call) for call in calls for place in ("/calls/{}/", "/api/calls/{}")]
            addresses += [
                f"/runs/{run}/{part}" for part in ("", "progress/", "conversations/", "faults/", "compare/")
            ]
            for address in addresses:
                answer = served.ask(address)
                assert answer.status == 200
                assert CANARY not in answer.text
                assert CANARY not in str(answer.headers)


def _of_conversation(served: Served, call: int) -> list[int]:
    with Records(served.site.store) as records:
        of_call = "(SELECT conversation FROM calls WHERE number = ?)"
        query = f"SELECT number FROM calls WHERE conversation = {of_call} ORDER BY 1"
        return [row[0] for row in records.db.execute(query, (call,)).fetchall()]
