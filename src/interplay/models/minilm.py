"""A small BERT, forward only: token numbers in, one vector for each text out, in float32 by numpy."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from interplay.models.safetensors import read_tensors

WIDTH, LAYERS, HEADS, INNER, LONGEST, VOCABULARY = 384, 6, 12, 1536, 512, 30522
_TINY = 1e-12  # what the model adds to a variance
_BLOCK = 1 << 15  # numbers that are worked on while they are in a core's cache

Floats = NDArray[np.float32]


class _Normal:
    """Layer normalisation, in place."""

    def __init__(self, tensors: dict[str, Floats], name: str) -> None:
        self._weight, self._bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]

    def __call__(self, x: Floats) -> None:
        x -= x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / x.shape[1]
        x *= (1 / np.sqrt(variance + np.float32(_TINY)))[:, None]
        x *= self._weight
        x += self._bias


class _Layer:
    """One layer: the texts' tokens look at each other, then each goes through two matrices."""

    def __init__(self, tensors: dict[str, Floats], number: int) -> None:
        at = f"encoder.layer.{number}"

        def linear(name: str) -> tuple[Floats, Floats]:
            return tensors[f"{at}.{name}.weight"].T, tensors[f"{at}.{name}.bias"]

        query, key, value = (linear(f"attention.self.{name}") for name in ("query", "key", "value"))
        scale = np.float32(1 / math.sqrt(WIDTH // HEADS))  # of the attention, moved into the queries
        self._looks = np.hstack((query[0] * scale, key[0], value[0]))
        self._looks_bias = np.concatenate((query[1] * scale, key[1], value[1]))
        self._mixes, self._mixes_bias = map(np.ascontiguousarray, linear("attention.output.dense"))
        widens, widens_bias = linear("intermediate.dense")
        narrows, self._narrows_bias = linear("output.dense")
        half = np.float32(math.sqrt(0.5))  # x Phi(x) is sqrt(.5) u (1 + erf(u)) of u = sqrt(.5) x
        self._widens, self._widens_bias = np.ascontiguousarray(widens * half), widens_bias * half
        self._narrows = np.ascontiguousarray(narrows * half)
        self._after_looking = _Normal(tensors, f"{at}.attention.output.LayerNorm")
        self._after = _Normal(tensors, f"{at}.output.LayerNorm")

    def __call__(self, x: Floats, texts: Sequence[tuple[int, int]]) -> None:
        looks = x @ self._looks
        looks += self._looks_bias
        x += _attended(looks, texts) @ self._mixes
        x += self._mixes_bias
        self._after_looking(x)
        wide = x @ self._widens
        wide += self._widens_bias
        _u_times_one_plus_erf(wide.reshape(-1))
        x += wide @ self._narrows
        x += self._narrows_bias
        self._after(x)


def _attended(looks: Floats, texts: Sequence[tuple[int, int]]) -> Floats:
    """What each token takes from those of its own text; texts of one length are done together, with no padding."""
    found = np.empty((len(looks), WIDTH), np.float32)
    start = 0
    for length, count in texts:
        end = start + length * count
        parts = looks[start:end].reshape(count, length, 3, HEADS, -1)
        query, key, value = (parts[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        weights = query @ key.transpose(0, 1, 3, 2)
        weights -= weights.max(axis=3, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=3, keepdims=True)
        into = found[start:end].reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3)
        np.matmul(weights, value, out=into)
        start = end
    return found


# Abramowitz and Stegun 7.1.26: 1 - erf(a) is a polynomial of 1 / (1 + P a), times exp(-a^2), for a >= 0; within
# 1.5e-7, what float32 can tell, and far quicker than a library's erf, which takes longer than all matrices.
_P = np.float32(0.3275911)
_POLYNOMIAL = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32)


def _u_times_one_plus_erf(flat: Floats) -> None:
    """In place, and in blocks: u (1 + erf(u)) = u + a - a (1 - erf(a)) with a = |u|."""
    room = np.empty((3, min(_BLOCK, len(flat))), np.float32)
    for start in range(0, len(flat), _BLOCK):
        u = flat[start : start + _BLOCK]
        a, t, rest = room[:, : len(u)]
        np.abs(u, out=a)
        np.multiply(a, _P, out=t)
        t += np.float32(1)
        np.reciprocal(t, out=t)
        np.multiply(t, _POLYNOMIAL[0], out=rest)
        for factor in _POLYNOMIAL[1:]:
            rest += factor
            rest *= t
        u += a
        rest *= a
        np.square(a, out=a)
        np.negative(a, out=a)
        np.exp(a, out=a)
        rest *= a
        u -= rest


class MiniLM:
    """The model all-MiniLM-L6-v2: mean of what its last layer says of each token, of length one."""

    def __init__(self, weights: Path) -> None:
        tensors = read_tensors(weights, dict(_shapes()))
        self._words = tensors["embeddings.word_embeddings.weight"]
        # All texts are of the first kind: none is a pair.
        kind = tensors["embeddings.token_type_embeddings.weight"][0]
        self._places = tensors["embeddings.position_embeddings.weight"] + kind
        self._at_first = _Normal(tensors, "embeddings.LayerNorm")
        self._layers = [_Layer(tensors, number) for number in range(LAYERS)]

    def __call__(self, tokens: Sequence[Sequence[int]]) -> Floats:
        """One row for each text; it is quickest with those of one length side by side."""
        texts = [(length, len(list(same))) for length, same in groupby(map(len, tokens))]
        x = self._words[np.concatenate([np.asarray(one) for one in tokens])]
        x += np.concatenate([self._places[: len(one)] for one in tokens])
        self._at_first(x)
        for layer in self._layers:
            layer(x, texts)
        starts = np.cumsum([0, *(len(one) for one in tokens[:-1])])
        found: Floats = np.add.reduceat(x, starts, axis=0)  # a sum has the direction of its mean
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


def _shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    """The tensors that the model has, and their shapes."""
    yield "embeddings.word_embeddings.weight", (VOCABULARY, WIDTH)
    yield "embeddings.position_embeddings.weight", (LONGEST, WIDTH)
    yield "embeddings.token_type_embeddings.weight", (2, WIDTH)
    normal = ["embeddings.LayerNorm"]
    dense: dict[str, tuple[int, int]] = {}
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        normal += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{at}.attention.{name}"] = (WIDTH, WIDTH)
        dense[f"{at}.intermediate.dense"] = (INNER, WIDTH)
        dense[f"{at}.output.dense"] = (WIDTH, INNER)
    for name in normal:
        yield f"{name}.weight", (WIDTH,)
        yield f"{name}.bias", (WIDTH,)
    for name, shape in dense.items():
        yield f"{name}.weight", shape
        yield f"{name}.bias", shape[:1]
