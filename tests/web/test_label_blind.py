"""Blind: no answer that a rater can get, of whatever kind, tells whose words are read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.store.records import Run
from tests.web.labelled import (
    FIRST_NUMBER,
    JUDGES,
    MODELS,
    SECOND_NAMES,
    begun,
    invited,
    said,
    store_to_label,
)
from tests.web.served import Answer, Served, serving


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return store_to_label(tmp_path / "a.db")


@pytest.fixture
def served(tmp_path: Path, run: Run) -> Iterator[Served]:
    with serving(tmp_path / "a.db") as found:
        yield found


def test_nothing_that_raters_get_tells_whose_words_they_read(served: Served, run: Run) -> None:
    round = begun(served, run)
    link, other = invited(served, round, "ada"), invited(served, round, "bob")
    answers = [served.ask(link, owner=False)]
    for place in range(1, 7):
        answers.append(served.ask(f"{link}{place}/", owner=False))
        answers.append(said(served, f"{link}{place}/", {"answer_1": "9"}))
        answers.append(said(served, f"{link}{place}/"))
    twice = said(served, f"{link}1/", {"answer_1": "1"}, seen=0)
    answers += [twice, served.ask(twice.headers["location"], owner=False), served.ask(link, owner=False)]
    answers += [served.ask(f"{link}{wrong}", owner=False) for wrong in ("77/", "x/", "1", "1/?since=x")]
    ours = {"Origin": served.address}
    answers += [
        served.ask(f"{link}1/", method=method, owner=False, headers=ours)
        for method in ("HEAD", "PUT", "POST")
    ]
    answers += [
        served.post(f"{link}1/", {"seen": "x"}, owner=False),
        served.ask("/label/nobody/1/", owner=False),
    ]
    page = served.ask(link, owner=False).text
    assets = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page))
    assert {"/assets/label.js", "/assets/label.css"} <= assets
    answers += [served.ask(path, owner=False) for path in sorted(assets)]
    served.post(f"{round}revoke/", {"name": "bob"})
    answers.append(served.ask(f"{other}1/", owner=False))
    assert {answer.status for answer in answers} >= {200, 303, 400, 403, 404, 405, 415}
    for answer in answers:
        check_blind(answer, run)
    item = served.ask(f"{link}1/", owner=False).text
    assert "I am ▒▒▒, the ▒▒▒. ▒▒▒ gave me a 5." in item


def test_the_same_page_of_the_owner_would_be_noticed(served: Served, run: Run) -> None:
    with pytest.raises(AssertionError):
        check_blind(served.ask(begun(served, run)), run)


def check_blind(answer: Answer, run: Run) -> None:
    everything = "\n".join(
        [answer.body.decode(errors="replace"), *answer.headers, *answer.headers.values()]
    ).lower()
    for name in (*MODELS, *JUDGES, *SECOND_NAMES, run.id, run.name):
        assert name.lower() not in everything, name
    assert not re.search(rf"(?<!\d){FIRST_NUMBER // 1000}\d{{3}}(?!\d)", everything)
