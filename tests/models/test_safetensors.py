"""Tensors are read as they are written, and a file that is not as it should be is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from interplay.core.failures import Mistake
from interplay.models.safetensors import read_tensors

NUMBERS = np.arange(6, dtype="<f4")
GOOD = {"dtype": "F32", "shape": [2, 3], "data_offsets": [4, 28]}


def written(folder: Path, header: Any, body: bytes = b"skip" + NUMBERS.tobytes()) -> Path:
    packed = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = folder / "a.safetensors"
    path.write_bytes(len(packed).to_bytes(8, "little") + packed + body)
    return path


def test_numbers_come_back_in_their_shape(tmp_path: Path) -> None:
    path = written(tmp_path, {"__metadata__": {"format": "pt"}, "a": GOOD, "other": {"dtype": "I64"}})
    found = read_tensors(path, {"a": (2, 3)})
    assert list(found) == ["a"]
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert not found["a"].flags.writeable


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"dtype": "F16"}, "not F32"),
        ({"shape": [3, 2]}, r"not F32 \[2, 3\]"),
        ({"data_offsets": [8, 32]}, "within the file"),
        ({"data_offsets": [4, 24]}, "within the file"),
        ({"data_offsets": [-4, 20]}, "within the file"),
        ({"data_offsets": [4.0, 28.0]}, "two whole numbers"),
        ({"data_offsets": [True, 28]}, "two whole numbers"),
        ({"data_offsets": None}, "two whole numbers"),
    ],
)
def test_a_tensor_that_is_not_as_it_should_be(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(Mistake, match=said):
        read_tensors(written(tmp_path, {"a": GOOD | changed}), {"a": (2, 3)})


@pytest.mark.parametrize(
    ("header", "said"),
    [(b"{", "can be read"), (b"[]", "no JSON object"), (b"{}", "lacks a"), (b"\xff", "can be")],
)
def test_a_header_that_is_not_as_it_should_be(tmp_path: Path, header: bytes, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        read_tensors(written(tmp_path, header), {"a": (2, 3)})


@pytest.mark.parametrize("content", [b"", b"short", (10**15).to_bytes(8, "little") + b"{}"])
def test_a_file_that_ends_before_its_header(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(Mistake, match="no safetensors file"):
        read_tensors(tmp_path / "a", {"a": (2, 3)})


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no such file"):
        read_tensors(tmp_path / "absent", {})
