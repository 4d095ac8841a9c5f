"""Tensors of a safetensors file, mapped into memory: a length, a JSON header, then the numbers as they are."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from interplay.core.failures import Mistake, why

LARGEST_HEADER = 1_000_000  # bytes


def read_tensors(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """The tensors of these names, each float32 and of the shape given; others in the file are left alone."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(size - 8, LARGEST_HEADER):
                raise Mistake(f"{path} is no safetensors file: its header would have {length:,} bytes")
            header = json.loads(file.read(length))
        if not isinstance(header, dict):
            raise Mistake(f"{path} is no safetensors file: its header is no JSON object")
        start = 8 + length
        places = {name: _place(header.get(name), shape, size - start, name) for name, shape in shapes.items()}
        numbers = np.memmap(path, np.uint8, "r", start)
    except (OSError, ValueError, RecursionError) as error:
        raise Mistake(f"{path} is no safetensors file that can be read: {why(error)}") from error
    return {
        name: np.frombuffer(numbers, "<f4", (end - begin) // 4, begin).reshape(shapes[name])
        for name, (begin, end) in places.items()
    }


def _place(entry: Any, shape: tuple[int, ...], size: int, name: str) -> tuple[int, int]:
    """Where the tensor's numbers begin and end."""
    if not isinstance(entry, dict):
        raise ValueError(f"it lacks {name}")
    if entry.get("dtype") != "F32" or entry.get("shape") != list(shape):
        raise ValueError(f"{name} is {entry.get('dtype')} {entry.get('shape')}, not F32 {list(shape)}")
    begin, end = _two(entry.get("data_offsets"), name)
    if not 0 <= begin <= end <= size or end - begin != 4 * int(np.prod(shape)):
        raise ValueError(f"{name} does not lie within the file")
    return begin, end


def _two(offsets: Any, name: str) -> tuple[int, int]:
    if not isinstance(offsets, list) or [type(one) for one in offsets] != [int, int]:
        raise ValueError(f"{name} lacks data_offsets, two whole numbers")
    return offsets[0], offsets[1]
