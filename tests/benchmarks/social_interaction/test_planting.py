"""Planted lists: drawn evenly, of another piece, told from real ones by nobody, and kept with what came of them."""

import re

import pytest

from interplay.benchmarks.social_interaction.knowledge import shipped
from interplay.benchmarks.social_interaction.planting import KINDS, Planted, planted_for
from interplay.benchmarks.social_interaction.scenarios import scenarios
from tests.benchmarks.social_interaction.exchanged import TOLD, content_of, judged, listed, session

FENCED = re.compile(r"<<[0-9a-f]{12}\n(.*?)\n[0-9a-f]{12}>>", re.DOTALL)


def with_all_kinds() -> Planted:
    """A list of which one point is left out, and others are said or wrong."""
    lists = (planted_for(content_of(number), session(), 5) for number in range(1, 100))
    return next(one for one in lists if len(one.learned) == 4 and len({s.is_said for s in one.learned}) == 2)


def _around(text: str) -> str:
    """A prompt without its material, its marks and its numbers."""
    return re.sub(r"[0-9a-f]{12}|\d", "", FENCED.sub("", text))


async def test_a_planted_list_is_asked_as_the_others_are_and_is_of_another_piece() -> None:
    verdict, desk = await judged()
    shown = [text for text in desk.materials if "Pair them" in text]
    own, planted = shown[0], shown[-1]
    assert _around(own) == _around(planted)
    piece = next(piece for piece in shipped() if piece.title == verdict["planted"]["piece"])
    known, learned = (listed(text) for text in FENCED.findall(planted))
    assert known == [point.point for point in piece.points]
    for kind in ("said", "wrong"):
        for entry in verdict["planted"][kind]:
            assert learned[entry["learned"] - 1] == getattr(piece.points[entry["known"] - 1], kind)
    for entry in verdict["planted"]["absent"]:
        point = piece.points[entry["known"] - 1]
        assert entry["learned"] == 0
        assert not {point.point, point.said, point.wrong} & set(learned)
    entries = [entry for kind in KINDS for entry in verdict["planted"][kind]]
    assert sorted(entry["known"] for entry in entries) == [1, 2, 3, 4, 5]


def test_a_planted_list_is_the_same_for_every_judge_and_another_for_other_moves() -> None:
    one = planted_for(content_of(), session(), 5)
    assert planted_for(content_of(), session(("x", "y", "z")), 5) == one
    others = [planted_for(content_of(), session(moves=TOLD[:number]), 5) for number in range(1, 4)]
    assert len({one, *others}) == 4


def test_planted_lists_are_half_said_a_quarter_wrong_shuffled_and_never_of_the_session_itself() -> None:
    material = scenarios({"scene": "exchange", "sessions": "300"}).scenarios
    said, wrong, places, own = 0, 0, [], []
    for one in material:
        planted = planted_for(one.content, session(), 5)
        own.append(planted.piece == one.content["knowledge"]["title"])
        said += sum(statement.is_said for statement in planted.learned)
        wrong += sum(not statement.is_said for statement in planted.learned)
        about = [statement.known for statement in planted.learned]
        places.append(about == sorted(about))
        assert len(set(about)) == len(about) >= 1
        assert set(about) <= {1, 2, 3, 4, 5} == set(range(1, len(planted.known) + 1))
    assert not any(own)
    assert 0.45 < said / 1500 < 0.55  # 0.5 +- 4 standard errors
    assert 0.20 < wrong / 1500 < 0.30
    assert sum(places) / len(places) < 0.4, "a list of one or two is often in order, a longer one hardly ever"


def test_no_list_is_empty_even_where_all_points_would_be_left_out() -> None:
    material = scenarios({"scene": "exchange", "sessions": "300"}).scenarios
    sizes = [len(planted_for(one.content, session(), 2).learned) for one in material]
    assert set(sizes) == {1, 2}, "of two points both would be absent once in 16"


@pytest.mark.parametrize(
    ("pairs", "said", "wrong"),
    [
        ("right", [True, True], [False, False]),
        ("none", [False, False], [False, False]),
        ("all", [True, True], [True, True]),
    ],
)
def test_what_a_matcher_made_of_a_list_is_kept(pairs: str, said: list[bool], wrong: list[bool]) -> None:
    planted = with_all_kinds()
    numbered = list(enumerate(planted.learned, 1))
    given = [(n, one.known) for n, one in numbered if pairs == "all" or (pairs == "right" and one.is_said)]
    outcome = planted.outcome(given)
    for kind, expected in (("said", said), ("wrong", wrong)):
        entries = outcome[kind]
        assert all((entry["paired"] == entry["learned"]) is expected[0] for entry in entries)
        assert all((entry["paired"] > 0) is expected[1] for entry in entries)
    assert [(entry["learned"], entry["paired"]) for entry in outcome["absent"]] == [(0, 0)]
    (entry,) = outcome["absent"]
    (again,) = planted.outcome([(1, entry["known"])])["absent"]
    assert again == {"known": entry["known"], "learned": 0, "paired": 1}


def test_a_pair_with_another_statement_is_kept_as_that() -> None:
    planted = with_all_kinds()
    outcome = planted.outcome([(1, planted.learned[1].known)])
    entries = [*outcome["said"], *outcome["wrong"]]
    (entry,) = [entry for entry in entries if entry["paired"]]
    assert (entry["paired"], entry["learned"]) == (1, 2)
