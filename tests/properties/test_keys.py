"""Keys reach no record, no output and no page, wherever they come from and however an endpoint repeats them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Script, serving
from tests.faults.network import (
    NAMES,
    PROVIDERS,
    Ended,
    Planted,
    command,
    hurried,
    models_file,
    steady,
    tries,
    typed,
    undisturbed,
)

MARK = "CANARY4f7a9b"  # any hit of it is a leak
KEY = f"sk-proj/{MARK}+x2/y3=="
VARIABLE = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
OWN_FILES = (".env", "endpoints.toml")  # the user's: what they hold, the user put there

Escape = Callable[[str], str]
ESCAPES: dict[str, Escape] = {
    "as it is": lambda key: key,
    "with escaped slashes": lambda key: key.replace("/", "\\/"),
    "in unicode escapes": lambda key: "".join(f"\\u{ord(character):04x}" for character in key),
    "as in a URL": lambda key: "".join(f"%{ord(character):02X}" for character in key),
}
SPELLINGS = {escape(MARK).encode() for escape in ESCAPES.values()}


@dataclass
class Watched:
    """Commands in one folder, whose output and files are searched for the key; the server's ledger is not there."""

    folder: Path
    leaks: list[str] = field(default_factory=list)

    @property
    def store(self) -> Path:
        return self.folder / "interplay.db"

    def search(self, when: str) -> None:
        """Look into every file: the store, its write-ahead log, its locks, reports and exports."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.name not in OWN_FILES:
                self._look_into(path.read_bytes(), f"{path.name} {when}")

    def read(self, ended: Ended, verb: str) -> Ended:
        self._look_into(ended.out.encode("utf-8", "replace"), f"stdout of {verb}")
        self._look_into(ended.err.encode("utf-8", "replace"), f"stderr of {verb}")
        self.search(f"after {verb}")
        return ended

    def _look_into(self, data: bytes, where: str) -> None:
        for spelling in SPELLINGS:
            if (at := data.find(spelling)) >= 0:
                self.leaks.append(f"{where}: {data[max(0, at - 60) : at + 60]!r}")

    def run(self, models: Path, limit: int = 1) -> int:
        """Run the job and look at it in every way there is; the exit code."""
        report = ("--html", str(self.folder / "report.html"))
        code = self.read(typed(command(models, self.store, limit, report)), "run").code
        if self.store.exists():
            at = ("--store", str(self.store))
            for verb in (
                ("show", "last"),
                ("show", "last", "--conversation", "1", "--json"),
                ("list", "last"),
                ("list", "--json"),
                *(("export", "last", str(self.folder / f"run.{kind}")) for kind in ("json", "csv", "md")),
            ):
                self.read(typed([*verb, *at]), verb[0])
        return code

    def doctor(self, models: Path) -> None:
        self.read(typed(["doctor", "--models", str(models), "--store", str(self.store)]), "doctor")

    def check(self) -> None:
        assert not self.leaks, "the key should be nowhere, but it is in:\n" + "\n".join(self.leaks)


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def answering(asked: Asked, told: str, provider: str) -> Fault:
    """A whole answer of the provider that says the key wherever it can."""
    form = json.dumps({"next_utterance": "@"}) if asked.model == "user" else "@"
    content = json.dumps(form)[1:-1].replace("@", f"You sent {told}")
    if provider == "anthropic":
        body = (
            f'{{"type": "message", "role": "assistant", "model": "{told}", "stop_reason": "{told}", "content": ['
            f'{{"type": "thinking", "thinking": "{told}"}}, {{"type": "text", "text": "{content}"}}],'
            ' "usage": {"input_tokens": 1, "output_tokens": 1}}'
        )
    else:
        body = (
            f'{{"model": "{told}", "system_fingerprint": "{told}", "choices": [{{"finish_reason": "{told}",'
            f' "message": {{"content": "{content}", "reasoning_content": "{told}"}}}}],'
            ' "usage": {"prompt_tokens": 1, "completion_tokens": 1}}'
        )
    return Fault("raw", status=200, body=body.encode(), headers={"X-Echo": KEY, "Set-Cookie": f"key={KEY}"})


def failing(status: int, told: str) -> Fault:
    """An error that says the key wherever it can."""
    body = (
        f'{{"type": "error", "error": {{"message": "bad key {told}", "code": "{told}", "type": "{told}"}}}}'
    )
    headers = {"Retry-After": "0", "WWW-Authenticate": f"Bearer {KEY}", "X-Request-Id": KEY}
    return Fault("status", status=status, body=body.encode(), headers=headers)


def repeating(provider: str, shift: int = 0) -> Planted:
    """Repeats the key in the first answer of each role, and in every kind of failure to the player."""
    spelled = [escape(KEY) for escape in ESCAPES.values()]
    told = [spelled[(place + shift) % len(spelled)] for place in range(12)]
    half = [f'{{"you sent": "{one}'.encode() for one in told]
    faults = (
        failing(500, told[1]),
        failing(503, told[2]),
        Fault("html", body=f"<p>{told[3]}</p>".encode()),
        Fault("truncated", body=2 * half[4]),
        Fault("wrong_length", body=half[5]),
        Fault("raw", status=200, body=half[6] + b"9" * 1_500_000),
        Fault("raw", status=307, headers={"Location": f"/{KEY}"}, body=half[7]),
    )
    answers = {
        (model, 1): lambda asked, said=said: answering(asked, said, provider)
        for model, said in zip(NAMES, told[8:], strict=True)
    }
    return Planted(
        answers | {("player", 2 + at): lambda _, fault=one: fault for at, one in enumerate(faults)}
    )


def telling_the_player(provider: str) -> Planted:
    return Planted({("player", 1): lambda asked: answering(asked, KEY, provider)})


def watching(watched: Watched, script: Script) -> Script:
    """The script; and at every request, a look at what is on disk by then."""

    def look_and_answer(asked: Asked) -> object:
        watched.search("while the run went on")
        return script(asked)

    return look_and_answer  # type: ignore[return-value]  # what the script gives


@contextmanager
def lent(watched: Watched, script: Script) -> Iterator[str]:
    """The endpoint, which lets nobody in without the key: what is repeated was really sent."""
    with serving(Loopback(watching(watched, script), keys=frozenset({KEY}))) as url:
        yield url


@pytest.mark.parametrize(
    "shift", [0, *(pytest.param(shift, marks=pytest.mark.soak) for shift in range(1, len(ESCAPES)))]
)
def test_a_key_that_an_endpoint_repeats_in_answers_and_failures_is_repeated_nowhere(
    shift: int, provider: str, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE[provider], KEY)
    script = repeating(provider, shift)
    with lent(watched, script) as url:
        models = models_file(watched.folder, url, provider)
        assert watched.run(models, limit=6) == 0, "an endpoint that repeats the key can be used all the same"
    assert len(script.hit) == len(script.instead), "some of the faults were never met"
    watched.check()


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_key_that_a_401_repeats_is_repeated_nowhere(
    escape: str, provider: str, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE[provider], KEY)
    with lent(watched, lambda _: failing(401, ESCAPES[escape](KEY))) as url:
        assert watched.run(models_file(watched.folder, url, provider)) == 2, "a wrong key is a mistake"
    assert {row["cause"] for row in tries(watched.store)} == {"key"}, "a 401 is about the key"
    watched.check()


def test_a_key_of_a_variable_that_models_toml_names_is_sent_and_kept_nowhere(
    provider: str, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_ENDPOINT_KEY", KEY)
    with lent(watched, telling_the_player(provider)) as url:
        models = models_file(watched.folder, url, provider, key="MY_ENDPOINT_KEY")
        assert watched.run(models) == 0, "the key should have been sent"
        watched.doctor(models)
    watched.check()


def test_a_key_of_an_env_file_is_sent_and_kept_nowhere(
    provider: str, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(watched.folder)
    (watched.folder / ".env").write_text(f"{VARIABLE[provider]}={KEY}\n")
    with lent(watched, telling_the_player(provider)) as url:
        models = models_file(watched.folder, url, provider)
        assert watched.run(models) == 0, "the key in .env should have been sent"
        watched.doctor(models)
    watched.check()


def test_a_broken_env_file_is_a_mistake_that_does_not_quote_it(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(watched.folder)
    (watched.folder / ".env").write_bytes(f"OPENAI_API_KEY={KEY}".encode() + b"\xff\n")
    with serving(Loopback(steady)) as url:
        watched.run(models_file(watched.folder, url))
    watched.check()


def test_a_key_in_what_is_no_http_at_all_is_repeated_nowhere(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    # The HTTP library quotes such an answer in its own words about it.
    with garbling(f"HTTP/1.1 200 {KEY}\r\n{KEY}\r\nX-Echo: {KEY}\0\r\n\r\n".encode()) as url:
        ended = hurried(command(models_file(watched.folder, url), watched.store, limit=1), speed=40)
    assert ended.code == 1, f"such an endpoint gives no answer: {ended.err}"
    assert {row["cause"] for row in tries(watched.store)} == {"malformed"}, "what is no HTTP is malformed"
    watched.read(ended, "run")
    watched.check()


@contextmanager
def garbling(answer: bytes) -> Iterator[str]:
    """A server that says one thing to everybody who asks it something, and hangs up."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            if self.rfile.readline():  # some only look whether it is there
                self.wfile.write(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


IN_A_BASE_URL = {
    "password": "http://user:{key}@127.0.0.1:9/v1",
    "user": "http://{key}@127.0.0.1:9/v1",
    "password, no HTTP": "ftp://user:{key}@127.0.0.1/v1",
    "password, no port": "http://user:{key}@127.0.0.1:99999/v1",
    "password, no scheme": "user:{key}@127.0.0.1/v1",
    "query": "{url}?key={key}",
    "fragment": "{url}#{key}",
}


@pytest.mark.parametrize("place", IN_A_BASE_URL)
def test_a_key_in_a_base_url_is_refused_and_repeated_nowhere(place: str, watched: Watched) -> None:
    loopback = Loopback(steady)
    with serving(loopback) as url:
        models = models_file(watched.folder, IN_A_BASE_URL[place].format(url=url, key=MARK))
        code = watched.run(models)
        watched.doctor(models)
    assert code == 2, "a key has no place in a base URL"
    assert not watched.store.exists(), "it should be refused before anything is written"
    watched.check()


def test_a_key_where_its_variable_s_name_belongs_is_refused_and_repeated_nowhere(watched: Watched) -> None:
    with serving(Loopback(steady)) as url:
        models = models_file(watched.folder, url, key=KEY)
        assert watched.run(models) == 2, "models.toml names a variable, and never holds a key"
        watched.doctor(models)
    watched.check()


@pytest.mark.parametrize("key", ["a", "EMPTY", "ollama", "content", "lm-studio", "anything", "not-needed"])
def test_a_word_that_stands_for_a_key_changes_no_answer(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local endpoints take any key, so that people write a word there, which answers may hold too."""

    def script(asked: Asked) -> str:
        return f"I am content with {key}. {steady(asked)}" if asked.model == "player" else steady(asked)

    calm = undisturbed(tmp_path / "calm", limit=1, script=script)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    store = tmp_path / "interplay.db"
    with serving(Loopback(script)) as url:
        ended = typed(command(models_file(tmp_path, url), store, limit=1))
    assert ended.code == 0, f"the key {key!r} should be as good as any: {ended.err}"
    assert ended.board == calm.board, f"the key {key!r} should change nothing"
    assert all(key in row["text"] for row in tries(store) if row["model"] == "player"), f"{key!r} was said"
