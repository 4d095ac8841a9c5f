"""Families of models: whether a judge rates its own kin, told by names."""

import re
from collections.abc import Mapping

# Words that say the family wherever they stand in a name, as makers and other words may come first: meta-llama-3.
_FAMILIES = {
    "gpt": ("gpt", "chatgpt", "codex", "davinci"),
    "gemini": ("gemini", "gemma", "codegemma"),
    "llama": ("llama", "codellama"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"),
    "qwen": ("qwen", "qwq", "qvq"),
    **{
        name: (name,)
        for name in ("claude", "command", "deepseek", "glm", "grok", "kimi", "phi", "smollm", "yi")
    },
}
_KNOWN = {word: family for family, words in _FAMILIES.items() for word in words}
_WORD = re.compile(r"[a-z]+")
_O_SERIES = re.compile(r"(?:ft:)?o[1-9](?![a-z0-9])")


def family_of(model: str, said: Mapping[str, str] | None = None) -> str:
    """The family that a model's name tells, as gpt or claude, else its first word; what the user says goes before."""
    if said and model in said:
        return said[model]
    name = model.rsplit("/", 1)[-1].lower()
    words: list[str] = _WORD.findall(name)
    for word in words:
        if word in _KNOWN:
            return _KNOWN[word]
    if _O_SERIES.match(name):
        return "gpt"
    return words[0] if words else name
