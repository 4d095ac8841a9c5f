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
# Where a name tells nothing, who made the model may: openrouter/MAKER/NAME, and those who serve their own alone.
_ROUTERS = ("openrouter", "together", "groq")
_OWN = ("deepseek", "gemini", "mistral")
_MAKERS = {
    "anthropic": "claude",
    "cohere": "command",
    "deepseek": "deepseek",
    "deepseek-ai": "deepseek",
    "google": "gemini",
    "meta-llama": "llama",
    "mistralai": "mistral",
    "moonshotai": "kimi",
    "openai": "gpt",
    "qwen": "qwen",
    "x-ai": "grok",
    "z-ai": "glm",
    "zai-org": "glm",
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
    if made_by := _family_of_maker(model.lower().split("/")):
        return made_by
    return words[0] if words else name


def _family_of_maker(parts: list[str]) -> str:
    """The family of who made a model, by the parts of its name before the last; empty where these do not tell."""
    if parts[0] in _OWN and len(parts) > 1:
        return parts[0]
    return _MAKERS.get(parts[-2], "") if parts[0] in _ROUTERS and len(parts) > 2 else ""
