"""The host of games: lets models speak whenever it is their turn, each game in a thread of its own."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from interplay.core.failures import InterplayError, RunLocked
from interplay.models.connecting import Directory
from interplay.running.engine import How
from interplay.running.games import play_on
from interplay.running.tally import Tally

AT_ONCE = 8  # games in which models speak


class Host:
    """Plays on what waits for no person."""

    def __init__(self, store: Path, directory: Directory):
        self.how = How(store, directory)
        self._lock = threading.Lock()
        self._tallies: dict[str, Tally] = {}
        self._troubles: dict[str, str] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="game")

    def is_busy(self, run: str) -> bool:
        """Are models speaking?"""
        with self._lock:
            return run in self._tallies

    def trouble(self, run: str) -> str:
        """Why a game did not go on when it was last tried; empty if it did."""
        with self._lock:
            return self._troubles.get(run, "")

    def go_on(self, run: str) -> None:
        """Let models speak, unless they are speaking."""
        with self._lock:
            if run in self._tallies:
                return
            self._tallies[run] = tally = Tally()
            self._troubles.pop(run, None)
        self._threads.submit(self._go_on, run, tally)

    def _go_on(self, run: str, tally: Tally) -> None:
        trouble = ""
        try:
            asyncio.run(play_on(run, self.how, tally))
            trouble = _failed(tally)
        except RunLocked:
            pass  # whoever writes the run goes on with the game
        except InterplayError as error:
            trouble = str(error)
        finally:
            with self._lock:
                del self._tallies[run]
                if trouble:
                    self._troubles[run] = trouble

    def close(self) -> None:
        """Send nothing more; what is under way comes back and is recorded."""
        with self._lock:
            for tally in self._tallies.values():
                tally.stopping = True
        self._threads.shutdown(cancel_futures=True)


def _failed(tally: Tally) -> str:
    """What failed in a way that can be tried again."""
    names = ", ".join(f"{name} ({count})" for name, count in sorted(tally.failures.items()))
    return f"something failed: {names}" if names else ""
