"""What every test stands on: a closed network, a clean environment, nothing left behind."""

import gc
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

CLOSED = Path(__file__).parent / "closed_network"
sys.path.insert(0, str(CLOSED))
import sitecustomize  # noqa: E402, F401  # closes the network for this process

os.environ["PYTHONPATH"] = str(CLOSED)  # and for the Pythons that tests start
PROVIDERS = ("OPENAI", "ANTHROPIC", "OPENROUTER", "TOGETHER", "GROQ", "DEEPSEEK", "MISTRAL", "GEMINI")
SERVERS = ("OLLAMA", "LMSTUDIO", "VLLM")
CLEARED = tuple(f"{name}_" for name in ("INTERPLAY", *PROVIDERS, *SERVERS))
for name in [name for name in os.environ if name.startswith(CLEARED)]:
    if name not in ("INTERPLAY_ORIGINALS", "INTERPLAY_CACHE", "INTERPLAY_SCREENSHOTS"):
        del os.environ[name]

pytest_plugins = ["pytester"]  # sessions of pytest as they are for who installed Interplay

settings.register_profile(
    "anywhere", deadline=None
)  # how long an example takes says more of the machine than of it
settings.load_profile("anywhere")

WORKERS = ("asyncio_", "AnyIO worker")  # of a loop that may outlive the test; who leaks the loop is found


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fail the test that leaks a thread."""
    before = {thread.ident for thread in threading.enumerate()}
    yield
    new = [
        thread
        for thread in threading.enumerate()
        if thread.ident not in before and not thread.daemon and not thread.name.startswith(WORKERS)
    ]
    if new:
        gc.collect()  # a library's pool of workers ends with the pool, a moment later
    for thread in new:
        thread.join(timeout=2)
    left = [thread.name for thread in new if thread.is_alive()]
    assert not left, f"threads were left running: {left}"


@pytest.fixture
def originals() -> Path:
    """The papers' public data, where it is at hand."""
    named = os.environ.get("INTERPLAY_ORIGINALS")
    if not named:
        pytest.skip("INTERPLAY_ORIGINALS does not name the folder of the originals")
    return Path(named)
