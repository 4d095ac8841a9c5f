"""The words of raters: read, counted, brought to their sessions, and a file's possible mistakes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction.tables import summarize
from interplay.benchmarks.social_interaction.words import MOST_SHOWN, Said, read_words, words_in
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from tests.benchmarks.social_interaction.exchanged import OPTIONS, counted, played

HEADING = "session,model,rater,word"
WEAK = [played(n, counted(0, 0, 0)) for n in (1, 2)]
Write = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Writes lines into a file; its path."""

    def write(*lines: str, heading: str = HEADING, name: str = "words.csv") -> str:
        path = tmp_path / name
        path.write_bytes("\n".join([heading, *lines]).encode())
        return str(path)

    return write


def table(kept: str, sessions: list[object] | None = None) -> Board:
    found = summarize(sessions or WEAK, OPTIONS | {"words": kept})  # type: ignore[arg-type]
    return next(part for part in found.parts if part.title == "Weak sessions in one word")


def counts(board: Board) -> dict[str, tuple[int, int, int]]:
    return {str(row["word"]): (row["count"], row["raters"], row["sessions"]) for row in board.rows}  # type: ignore[misc]


def test_words_are_kept_with_their_lines(written: Write) -> None:
    kept = read_words(written("1,m,r1,Vague", "", "2,m,r1,slow-moving"))
    assert words_in(kept) == [Said(2, "1", "m", "r1", "vague"), Said(4, "2", "m", "r1", "slow-moving")]
    assert json.loads(kept)["file"] == "words.csv"
    assert words_in("") == []


def test_words_are_counted_the_most_frequent_first_and_are_a_cloud(written: Write) -> None:
    lines = ("1,m,r1,vague", "1,m,r2,VAGUE", "2,m,r1,vague", "2,m,r2,aloof", "2,m,r3,Éloigné")
    board = table(read_words(written(*lines)))
    assert counts(board) == {"vague": (3, 2, 2), "aloof": (1, 1, 1), "éloigné": (1, 1, 1)}
    assert [row["word"] for row in board.rows] == ["vague", "aloof", "éloigné"]
    share = board.rows[0]["share"]
    assert isinstance(share, Estimate)
    assert (share.value, share.n) == (0.6, 5)
    assert board.cloud
    assert board.notes == ("words.csv: words 5, raters 3, sessions 2.",)


def test_a_session_is_named_by_label_number_or_id(written: Write) -> None:
    label, id = WEAK[0].scenario.label, WEAK[1].scenario.id
    board = table(
        read_words(written(f'"{label}",m,r1,dull', f"{id},m,r1,dull", "2,m,r2,dull", f"{id[:10]},m,r3,dull"))
    )
    assert counts(board) == {"dull": (4, 3, 2)}


def test_there_is_no_table_without_a_file() -> None:
    assert not [part for part in summarize(WEAK, OPTIONS).parts if part.cloud]


def test_words_of_nothing_that_is_here_are_left_out_and_told(written: Write) -> None:
    board = table(read_words(written("1,m,r1,dull", "9,m,r1,dull", "1,other,r1,dull")))
    assert counts(board) == {"dull": (1, 1, 1)}
    assert (
        "2 of its 3 lines are left out, the first of them line 3: there is no scenario '9' here"
        in board.notes[0]
    )


def test_words_of_sessions_that_are_not_weak_are_counted_and_told(written: Write) -> None:
    sessions = [*WEAK, played(3, counted(5, 5, 5))]
    board = table(read_words(written("1,m,r1,dull", "3,m,r1,lively")), sessions)  # type: ignore[arg-type]
    assert set(counts(board)) == {"dull", "lively"}
    assert "1 of these sessions are not in the sample of weak ones." in board.notes[0]


def test_a_rater_says_one_word_of_a_session_however_it_is_named(written: Write) -> None:
    kept = read_words(written("1,m,r1,dull", f'"{WEAK[0].scenario.label}",m,r1,slow'))
    with pytest.raises(
        Mistake, match=r"words.csv, line 3: 'r1' has said a word of this session on line 2 already"
    ):
        table(kept)


def test_of_a_session_that_was_played_twice_the_repeat_must_be_said(written: Write) -> None:
    sessions = [played(1, counted(0, 0, 0), repeat=repeat) for repeat in (0, 1)]
    with pytest.raises(Mistake, match="a column repeat must say which time"):
        table(read_words(written("1,m,r1,dull")), sessions)  # type: ignore[arg-type]
    kept = read_words(written("1,m,r1,dull,1", "1,m,r1,slow,2", heading=f"{HEADING},repeat"))
    assert set(counts(table(kept, sessions))) == {"dull", "slow"}  # type: ignore[arg-type]


def test_of_very_many_words_the_most_frequent_are_shown(written: Write) -> None:
    lines = [
        f"1,m,r{n},{'word' + 'abcdefghij'[n % 10] + 'abcdefghijklmnop'[n // 10]}"
        for n in range(MOST_SHOWN + 9)
    ]
    board = table(read_words(written(*lines, "2,m,r1,wordaa")))
    assert len(board.rows) == MOST_SHOWN
    assert (board.rows[0]["word"], board.rows[0]["count"]) == ("wordaa", 2)
    assert board.notes[1] == f"The {MOST_SHOWN} most frequent of {MOST_SHOWN + 9} words are shown."


MISTAKES = {
    "two words": ("1,m,r,too vague", "line 2: word is one word, not 'too vague'"),
    "a long word": ("1,m,r," + "x" * 41, "line 2: word has 41 characters; it may have 40"),
    "no letter": ("1,m,r,42", "line 2: word is a word that can be read, not '42'"),
    "a hidden character": ("1,m,r,va\u202egue", "line 2: word is a word that can be read"),
    "no word": ("1,m,r,", "line 2: word is empty"),
    "no session": (",m,r,dull", "line 2: session is empty"),
    "no model": ("1,,r,dull", "line 2: model is empty"),
    "no rater": ("1,m,,dull", "line 2: rater is empty"),
    "a cell too few": ("1,m,dull", "line 2 has 3 cells, not 4"),
    "an endless name": ("1," + "m" * 201 + ",r,dull", "line 2: model has 201 characters"),
    "a broken quote": ('1,m,r,"dull', "is no line of a .csv file"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_line_with_a_mistake_is_named(written: Write, line: str, said: str) -> None:
    path = written(line)
    with pytest.raises(Mistake) as raised:
        read_words(path)
    assert said in str(raised.value)
    assert str(raised.value).startswith(path)
    assert "\n" not in str(raised.value)


HEADINGS = {
    "session,model,rater,words": "has the column 'words'; did you mean 'word'?",
    "session,model,rater": "lacks the column word",
    "session,model,rater,word,word": "has the column word twice",
    "": "is empty; its first line must be session,model,rater,word",
    HEADING: "has no words",
}


@pytest.mark.parametrize(("heading", "said"), HEADINGS.items(), ids=list(HEADINGS.values()))
def test_a_heading_with_a_mistake_is_named(written: Write, heading: str, said: str) -> None:
    with pytest.raises(Mistake) as raised:
        read_words(written(heading=heading))
    assert said in str(raised.value)


def test_another_kind_of_file_or_none_is_refused(written: Write, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"are read from a \.csv file"):
        read_words(written("1,m,r,dull", name="words.txt"))
    with pytest.raises(Mistake, match="cannot be read: no such file"):
        read_words(str(tmp_path / "none.csv"))
    with pytest.raises(Mistake, match="repeat is a whole number from 1, not '0'"):
        read_words(written("1,m,r,dull,0", heading=f"{HEADING},repeat"))
