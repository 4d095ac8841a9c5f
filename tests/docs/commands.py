"""What a reader of a page may be told to type, and how it is carried out here."""

import os
import re
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

import click

from interplay.cli import MEANINGS
from interplay.cli import interplay as command_line
from tests.docs.blocks import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_LOOPBACK = re.compile(r"http://127\.0\.0\.1:8399/v1")  # as pages have it
_OF_A_CLUSTER = ("--on", "--ray-address")  # each with a value
_SERVER = re.compile(r"postgresql://\S+")
_NO_TRYOUT = ("--model", "--system", "-h", "--help")


@contextmanager
def provided(url: str) -> Iterator[None]:
    """The loopback provider is where the hosted models are."""
    places = {"OPENAI_BASE_URL": url, "ANTHROPIC_BASE_URL": url.removesuffix("/v1")}
    keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    with _changed({**places, **keys}):
        yield


@contextmanager
def hosted() -> Iterator[None]:
    """A plan sends nothing: it is made for the hosted models themselves, whose prices are known."""
    with _changed({"OPENAI_BASE_URL": None, "ANTHROPIC_BASE_URL": None}):
        yield


@contextmanager
def _changed(changes: Mapping[str, str | None]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    _set(changes)
    try:
        yield
    finally:
        _set(before)


def _set(changes: Mapping[str, str | None]) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def check_flags(words: list[str]) -> None:
    """Every verb and flag is one that can be typed, also where the line is carried out in another way."""
    assert words[0] in MEANINGS or words[0].startswith("-"), f"there is no verb {words[0]!r}"
    command: click.Command = command_line
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        found = command.get_command(click.Context(command), word)
        assert found is not None, word
        command = found
    flags = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {
        "--help",
        "--version",
    }
    typed = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert typed <= flags, f"there are no flags {sorted(typed - flags)}"


def is_tryout(words: list[str]) -> bool:
    """Does it name nobody to measure, so that the embedded model is?"""
    plays = words[0] == "run" and not words[1].endswith((".toml", ".py"))
    return plays and not any(flag in words for flag in _NO_TRYOUT)


def is_loopback(word: str) -> bool:
    return _LOOPBACK.fullmatch(word) is not None


def on_this_machine(words: list[str]) -> list[str]:
    """The same command without a cluster, and with a file for a server: tests/running and tests/store have those."""
    kept = []
    at = 0
    while at < len(words):
        if words[at] in _OF_A_CLUSTER:
            at += 2
            continue
        kept.append(_SERVER.sub("server.db", words[at]))
        at += 1
    return kept


def looked_at(words: list[str]) -> str:
    """Start the site, see that its first page is there, and end it as a person would."""
    line = [sys.executable, "-m", "interplay", *words, "--port", "0", "--no-open"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as site:
        assert site.stderr is not None
        first = site.stderr.readline()
        link = re.search(r"http://\S+", first)
        try:
            assert link is not None, first + site.stderr.read()
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with opener.open(link.group(), timeout=20) as page:
                assert page.status == 200
        finally:
            site.send_signal(signal.SIGINT)
        site.stderr.read()
    assert site.returncode == 0
    return ""


def _install(words: list[str]) -> str:
    """Nothing is installed here; what is named is this project, and extras that it has."""
    assert words[0] == "install", "pip is for installing"
    for word in words[1:]:
        named = re.fullmatch(r"interplay(?:\[([a-z,]+)\])?", word)
        assert named is not None, f"{word!r} is not this project"
        extras = named.group(1).split(",") if named.group(1) else []
        assert set(extras) <= set(PROJECT["optional-dependencies"]), f"there is no extra in {word!r}"
    return ""


def _export(words: list[str]) -> str:
    """A key is a name and dots; the provider here takes any."""
    assert all(re.fullmatch(r"[A-Z_]+_API_KEY=\.\.\.", word) for word in words), "only keys are set, to dots"
    return ""


def _make(words: list[str]) -> str:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(words) <= set(targets), f"the Makefile has {', '.join(targets)}"
    return ""


def _module(words: list[str]) -> str:
    """A program of this repository that takes long is only looked for."""
    assert words[0] == "-m", "python runs a module here"
    assert words[1].split(".")[0] in ("tests", "perf"), "a module of this repository"
    assert find_spec(words[1]) is not None, f"there is no module {words[1]}"
    return ""


OTHERS: dict[str, Callable[[list[str]], str]] = {
    "pip": _install,
    "export": _export,
    "make": _make,
    "python": _module,
}
