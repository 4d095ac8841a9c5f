"""The host of games: lets models speak whenever it is their turn, each game in a thread of its own."""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from interplay.core.failures import InterplayError, RunLocked
from interplay.models.connecting import Directory
from interplay.running.games import broken_off, play_on
from interplay.running.how import How
from interplay.running.tally import Tally
from interplay.store.places import Store
from interplay.store.records import Records

AT_ONCE = 8  # games in which models speak
PATIENCE_AT_THE_END = 3.0  # seconds for models that are speaking
BROKEN = "something went wrong in it that nobody foresaw"
NOTHING_LEFT = "models have nothing to say in it; whoever began the run by a command goes on with that"


@dataclass
class _Playing:
    """A game in which models speak."""

    tally: Tally = field(default_factory=Tally)
    loop: asyncio.AbstractEventLoop | None = None
    task: "asyncio.Task[Tally] | None" = None
    done: "Future[None] | None" = None


class Host:
    """Plays on what waits for no person."""

    def __init__(self, store: Store, directory: Directory):
        self.how = How(store, directory)
        self._lock = threading.Lock()
        self._playing: dict[str, _Playing] = {}
        self._troubles: dict[str, str] = {}
        self._elsewhere: dict[str, str] = {}
        self._is_closing = False
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="game")

    def is_busy(self, run: str) -> bool:
        """Are models speaking?"""
        with self._lock:
            return run in self._playing

    def trouble(self, run: str) -> str:
        """Why a game did not go on when it was last tried; empty if it did."""
        with self._lock:
            return self._troubles.get(run, "")

    def elsewhere(self, run: str) -> str:
        """Who else has a game in hand, as of when it was last tried; empty if nobody has."""
        with self._lock:
            return self._elsewhere.get(run, "")

    def go_on(self, run: str) -> None:
        """Let models speak, unless they are speaking."""
        with self._lock:
            if run in self._playing or self._is_closing:
                return
            self._playing[run] = playing = _Playing()
            self._troubles.pop(run, None)
            playing.done = self._threads.submit(self._go_on, run, playing)

    def _go_on(self, run: str, playing: _Playing) -> None:
        trouble, elsewhere = BROKEN, ""
        try:
            tally = asyncio.run(self._play(run, playing))
            trouble = self._failed(run, tally)
        except RunLocked as locked:  # whoever writes the run goes on with the game
            trouble, elsewhere = "", str(locked)
        except InterplayError as error:
            trouble = str(error)
        except asyncio.CancelledError:
            trouble = ""  # the server ends
        finally:
            with self._lock:
                del self._playing[run]
                self._elsewhere[run] = elsewhere
                if trouble:
                    self._troubles[run] = trouble

    async def _play(self, run: str, playing: _Playing) -> Tally:
        with self._lock:
            playing.loop = asyncio.get_running_loop()
            playing.task = asyncio.ensure_future(play_on(run, self.how, playing.tally))
        return await playing.task

    def _failed(self, run: str, tally: Tally) -> str:
        """What keeps a game from going on, although it was tried."""
        if tally.unanswered:
            with Records(self.how.store) as records:
                return broken_off(records, records.find(run)) or BROKEN
        return "" if tally.conversations or tally.verdicts else NOTHING_LEFT

    def close(self) -> None:
        """Send nothing more; what is under way has a moment to come back, and is asked for again if it does not."""
        with self._lock:
            self._is_closing = True
            playing = list(self._playing.values())
            for one in playing:
                one.tally.stopping = True
        under_way = wait([one.done for one in playing if one.done], PATIENCE_AT_THE_END).not_done
        with self._lock:
            for one in playing:
                if one.done in under_way and one.loop and one.task:
                    one.loop.call_soon_threadsafe(one.task.cancel)
        self._threads.shutdown(cancel_futures=True)
