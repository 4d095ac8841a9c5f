"""The sentence encoder against the reference implementation's values, and what it keeps and tells."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from interplay.core.failures import Mistake
from interplay.models import sentences
from interplay.models.minilm import MiniLM
from interplay.models.sentences import Encoder
from interplay.models.wordpiece import WordPieces
from tests.models.sentence_reference import REFERENCE


@pytest.fixture(scope="module")
def parts() -> tuple[MiniLM, WordPieces]:
    weights, vocabulary = sentences.fetch()
    return MiniLM(weights), WordPieces(vocabulary)


class Counting(Encoder):
    """The encoder, and how many texts its model was given."""

    def __init__(self, parts: tuple[MiniLM, WordPieces], kept: int = 100) -> None:
        self.computed = 0

        def model(tokens: list[list[int]]) -> np.ndarray:
            self.computed += len(tokens)
            return parts[0](tokens)

        super().__init__(model, parts[1], kept=kept)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [64, 128])
def test_vectors_are_those_of_the_reference(parts: tuple[MiniLM, WordPieces], most: int) -> None:
    cases = [one for one in REFERENCE if one[1] == most]
    found = Encoder(*parts, most_tokens=most).encode([text for text, *_ in cases])
    assert len(cases) >= 2
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[:, :6], [start for *_, start in cases], atol=1e-5, rtol=0)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_what_means_alike_is_near(parts: tuple[MiniLM, WordPieces]) -> None:
    cat, kitten, guitar = Encoder(*parts).encode(
        ["The cat sits outside.", "A kitten is outdoors.", "He tunes his guitar."]
    )
    assert cat @ kitten > 0.5 > 0.2 > cat @ guitar


def test_a_text_has_one_vector_whoever_is_beside_it(parts: tuple[MiniLM, WordPieces]) -> None:
    texts = [f"{'word ' * (number % 70)}{number}" for number in range(150)]  # of several batches
    together = Encoder(*parts).encode(texts)
    alone = np.vstack([Encoder(*parts).encode([text]) for text in texts[::10]])
    np.testing.assert_allclose(together[::10], alone, atol=1e-6)


def test_no_texts_are_no_rows(parts: tuple[MiniLM, WordPieces]) -> None:
    assert Encoder(*parts).encode([]).shape == (0, 384)


def test_a_lone_surrogate_is_read(parts: tuple[MiniLM, WordPieces]) -> None:
    broken, plain = Encoder(*parts).encode(["a b\ud800", "a b"])
    assert (broken == plain).all()


def test_a_text_is_computed_once(parts: tuple[MiniLM, WordPieces]) -> None:
    encoder = Counting(parts)
    first = encoder.encode(["one", "two", "one"])
    assert encoder.computed == 2
    assert (first[0] == first[2]).all()
    again = encoder.encode(["two", "three"])
    assert encoder.computed == 3
    assert (again[0] == first[1]).all()


def test_what_a_caller_does_to_the_rows_does_not_reach_what_is_kept(parts: tuple[MiniLM, WordPieces]) -> None:
    encoder = Encoder(*parts)
    first = encoder.encode(["one"])
    before = first.copy()
    first[:] = 0
    assert (encoder.encode(["one"]) == before).all()


def test_the_oldest_are_forgotten_and_no_answer_is_lost(parts: tuple[MiniLM, WordPieces]) -> None:
    encoder = Counting(parts, kept=2)
    rows = encoder.encode(["a", "b", "c", "d"])
    assert np.isfinite(rows).all()
    assert len(encoder._known) == 2
    encoder.encode(["c", "d"])
    assert encoder.computed == 4
    encoder.encode(["a"])
    assert encoder.computed == 5


def test_progress_counts_all_texts_and_ends_at_all(parts: tuple[MiniLM, WordPieces]) -> None:
    told: list[tuple[int, int]] = []
    encoder = Encoder(*parts)
    encoder.encode(["known"])
    texts = ["known", *(f"{number} {'more ' * 60}" for number in range(40)), "known", "0 " + "more " * 60]
    encoder.encode(texts, lambda done, of: told.append((done, of)))
    assert len(told) > 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (43, 43)


def test_several_threads_get_the_same(parts: tuple[MiniLM, WordPieces]) -> None:
    encoder = Counting(parts)
    texts = [f"turn {number}" for number in range(20)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: encoder.encode(texts), range(4)))
    assert encoder.computed == 20
    assert all((one == found[0]).all() for one in found)


@pytest.mark.parametrize("most", [1, 513])
def test_how_many_tokens_are_read_has_bounds(parts: tuple[MiniLM, WordPieces], most: int) -> None:
    with pytest.raises(ValueError, match="2 to 512"):
        Encoder(*parts, most_tokens=most)


def test_a_damaged_file_in_the_cache_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path))
    (tmp_path / sentences.WEIGHTS.name).write_bytes(b"damaged")
    (tmp_path / sentences.VOCABULARY.name).write_bytes(b"[UNK]")
    with pytest.raises(Mistake, match="delete it and try again"):
        sentences.load()
