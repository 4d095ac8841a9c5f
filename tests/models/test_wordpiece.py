"""Pieces of words: the reference's numbers for varied texts, and vocabularies that are none."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models import sentences
from interplay.models.wordpiece import WordPieces
from tests.models.sentence_reference import REFERENCE


def vocabulary(folder: Path, *pieces: str) -> Path:
    path = folder / "vocab.txt"
    path.write_text("\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *pieces, "")), encoding="utf-8")
    return path


@pytest.mark.parametrize(("text", "most", "ids", "_"), REFERENCE)
def test_tokens_are_those_of_the_reference(text: str, most: int, ids: str, _: object) -> None:
    assert WordPieces(sentences.fetch()[1]).ids(text, most) == [int(one) for one in ids.split()]


def test_the_longest_piece_comes_first_and_a_word_that_does_not_fit_is_unknown(tmp_path: Path) -> None:
    pieces = WordPieces(vocabulary(tmp_path, "sleep", "sleepy", "##y", "##head", "##s"))
    assert len(pieces) == 9
    assert pieces.ids("SLEEPYheads sleepx Sleepy", 64) == [2, 5, 7, 8, 1, 5, 3]


def test_a_control_word_in_a_text_is_plain_text(tmp_path: Path) -> None:
    """Somebody who writes [SEP] in a turn ends nothing."""
    pieces = WordPieces(vocabulary(tmp_path, "[", "sep", "]"))
    assert pieces.ids("[SEP]", 64) == [2, 4, 5, 6, 3]


def test_the_end_is_kept_where_a_text_is_cut(tmp_path: Path) -> None:
    pieces = WordPieces(vocabulary(tmp_path, "a", "##b"))
    assert pieces.ids("ab ab ab", 5) == [2, 4, 5, 4, 3]
    assert pieces.ids("ab", 2) == [2, 3]


def test_a_file_that_is_no_vocabulary_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("[CLS]\n[UNK]\na\n")
    with pytest.raises(Mistake, match=r"lacks \[SEP\]"):
        WordPieces(tmp_path / "v")
    (tmp_path / "v").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(Mistake, match="cannot be read"):
        WordPieces(tmp_path / "v")
    with pytest.raises(Mistake, match="no such file"):
        WordPieces(tmp_path / "absent")
