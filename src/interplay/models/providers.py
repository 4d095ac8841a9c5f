"""Providers by their names: where each is, which variables name another place and the key, and what is particular."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from interplay.models.anthropic import ANTHROPIC
from interplay.models.openai_compatible import OPENAI

OLLAMA_PORT = 11434
MOST_PORTS = 65535
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
    return _of_ollama(named.strip("\"'").strip()) if provider == "ollama" else named


def _of_ollama(host: str) -> str:
    """The base URL of what OLLAMA_HOST may hold: a host, with a port or a scheme or neither.

    As Ollama reads it: with a scheme its usual port is that of the scheme, and a port that is none is the usual one.
    """
    scheme, separator, rest = host.rpartition("://")
    scheme = scheme.lower() or "http"
    if set(rest) & set("@?#"):
        return f"{scheme}://{rest}"  # so that it is refused
    place, _, path = rest.partition("/")
    name, port = _host_and_port(place)
    name = "127.0.0.1" if name in _EVERYWHERE else f"[{name}]" if ":" in name else name
    if not port and not separator:
        port = OLLAMA_PORT
    path = f"/{path}".rstrip("/")
    path = path if path.endswith("/v1") else f"{path}/v1"
    return f"{scheme}://{name}{f':{port}' if port else ''}{path}"


def _host_and_port(place: str) -> tuple[str, int]:
    """What stands before and after the colon; 0 where no port does. An IPv6 address may go without its brackets."""
    try:
        return str(ip_address(place.removeprefix("[").removesuffix("]"))), 0
    except ValueError:
        name, _, typed = place.rpartition(":") if ":" in place else (place, "", "")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    port = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) <= len("65535") else 0
    return name, port if port <= MOST_PORTS else 0


def host_of(place: str) -> str:
    """The host of a base URL, with its port where one is named, and nothing that may be a secret."""
    try:
        return urlsplit(place).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def is_foreign(provider: str, place: str) -> bool:
    """Is a place neither its provider's own nor on this machine? One without a host is no place at all."""
    home, host = urlsplit(HOSTED[provider].home), host_of(place)
    is_its_own = place.startswith(f"{home.scheme}://") and host == home.netloc
    return bool(host) and not is_its_own and not is_on_this_machine(place)


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
    return is_run_here and not model.lower().endswith(_PASSED_ON)


def is_closed(model: str) -> bool:
    """Are a model's weights known to be closed, at its provider's own endpoint?"""
    provider = HOSTED.get(model.partition("/")[0])
    return provider is not None and provider.closed and not model.startswith(_OPEN)
