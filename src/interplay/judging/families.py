"""Families of models: whether a judge rates its own kin, told by names."""

import re
from collections.abc import Mapping

_NAMES = {
    "chatgpt": "gpt",
    "codex": "gpt",
    "gemma": "gemini",
    "codellama": "llama",
    "mixtral": "mistral",
    "ministral": "mistral",
    "magistral": "mistral",
    "codestral": "mistral",
    "qwq": "qwen",
    "smollm": "smollm",
}
_WORD = re.compile(r"[a-z]+")
_O_SERIES = re.compile(r"o[1-9]\b")


def family_of(model: str, said: Mapping[str, str] | None = None) -> str:
    """The family that a model's name begins with, as gpt or claude; what the user says goes before."""
    if said and model in said:
        return said[model]
    name = model.rsplit("/", 1)[-1].lower()
    if _O_SERIES.match(name):
        return "gpt"
    word = _WORD.search(name)
    found = word.group(0) if word else name
    return _NAMES.get(found, found)
