"""Providers by their names: where each is, which variables name another place and the key, and what is particular."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from interplay.models.anthropic import ANTHROPIC
from interplay.models.openai_compatible import OPENAI

OLLAMA_PORT = 11434
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104  # what a server listens on, and no place to call
_PASSED_ON = (":cloud", "-cloud")  # by Ollama
_OPEN = ("openai/gpt-oss", "gemini/gemma")  # of those whose other weights are closed


@dataclass(frozen=True)
class Provider:
    """Where a provider's own endpoint is, the variables that name another place and the key, and its ways.

    All but Anthropic's are of the OpenAI shape.
    """

    title: str
    home: str
    place: str
    key: str
    here: bool = False  # a server on this machine, on its usual port: needs no key, takes no money
    closed: bool = False  # nobody else has the weights of what it serves
    # of its endpoint, as in posting.Endpoint
    schemas: bool = True
    length: str = ""
    ignores: frozenset[str] = frozenset()


def _of(title: str, home: str) -> Provider:
    """A provider whose variables are called after it."""
    name = title.upper().replace(" ", "")
    return Provider(title, home, f"{name}_BASE_URL", f"{name}_API_KEY")


HOSTED: Mapping[str, Provider] = {
    "openai": replace(_of("OpenAI", OPENAI), closed=True),  # or whatever else is of its shape
    "anthropic": replace(_of("Anthropic", ANTHROPIC), closed=True),
    "openrouter": _of("OpenRouter", "https://openrouter.ai/api/v1"),
    "together": _of("Together", "https://api.together.ai/v1"),
    "groq": replace(_of("Groq", "https://api.groq.com/openai/v1"), length="max_completion_tokens"),
    # its JSON mode knows no schema
    "deepseek": replace(_of("DeepSeek", "https://api.deepseek.com/v1"), schemas=False),
    "mistral": _of("Mistral", "https://api.mistral.ai/v1"),
    # it refuses a request with a setting that it does not know
    "gemini": replace(
        _of("Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
        closed=True,
        ignores=frozenset({"frequency_penalty"}),
    ),
    "ollama": replace(_of("Ollama", f"http://127.0.0.1:{OLLAMA_PORT}/v1"), place="OLLAMA_HOST", here=True),
    "lmstudio": replace(_of("LM Studio", "http://127.0.0.1:1234/v1"), here=True),
    "vllm": replace(_of("vLLM", "http://127.0.0.1:8000/v1"), here=True),
}


def place_named(provider: str, environment: Mapping[str, str]) -> str:
    """Where a provider is: its home, or the place that the environment names."""
    hosted = HOSTED[provider]
    named = environment.get(hosted.place, "").strip()
    if not named:
        return hosted.home
    return _of_ollama(named) if provider == "ollama" else named


def _of_ollama(host: str) -> str:
    """The base URL of what OLLAMA_HOST may hold: a host, with a port or a scheme or neither."""
    scheme, separator, rest = host.rpartition("://")
    try:
        parts = urlsplit(f"{scheme or 'http'}://{rest}")
        port = parts.port
    except ValueError:
        return host  # which is no base URL, as whoever checks it says
    if parts.username is not None or parts.query or parts.fragment:
        return f"{scheme or 'http'}://{rest}"  # so that it is refused
    name = "127.0.0.1" if (parts.hostname or "") in _EVERYWHERE else parts.hostname or ""
    name = f"[{name}]" if ":" in name else name
    if port is None and not separator:
        port = OLLAMA_PORT
    path = parts.path.rstrip("/")
    path = path if path.endswith("/v1") else f"{path}/v1"
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{path}"


def is_on_this_machine(place: str) -> bool:
    try:
        host = urlsplit(place).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def takes_no_money(model: str, place: str) -> bool:
    """Is a model run by a server on this machine? What is passed on to a cloud is not."""
    provider = HOSTED.get(model.partition("/")[0])
    is_run_here = provider is not None and provider.here and is_on_this_machine(place)
    return is_run_here and not model.endswith(_PASSED_ON)


def is_closed(model: str) -> bool:
    """Are a model's weights known to be closed, at its provider's own endpoint?"""
    provider = HOSTED.get(model.partition("/")[0])
    return provider is not None and provider.closed and not model.startswith(_OPEN)
