"""Finding a simulated participant that goes in circles: it says the same again and again, or what it just heard."""

from interplay.core.failures import LoopFailure

MOST_REPEATS = 3  # in a row
LONG = 100  # characters: no answer of its own begins word for word as what was heard does, for so long


class LoopWatch:
    """Watches what one simulated participant says."""

    def __init__(self, who: str):
        self._who = who
        self._last = ""
        self._same = 0
        self._echoes = 0

    def said(self, text: str, heard: str = "") -> None:
        """Note what was said, and to what; raise a LoopFailure where it goes in circles."""
        text, heard = _plain(text), _plain(heard)
        self._same = self._same + 1 if text == self._last else 1
        self._echoes = self._echoes + 1 if _is_echo(text, heard) else 0
        self._last = text
        if self._same >= MOST_REPEATS:
            raise LoopFailure(f"{self._who} said the same {MOST_REPEATS} times in a row")
        if self._echoes >= MOST_REPEATS:
            raise LoopFailure(f"{self._who} repeated what it had just heard {MOST_REPEATS} times in a row")


def _is_echo(text: str, heard: str) -> bool:
    """Is this what was heard, or so much of it as a participant may say?"""
    return bool(heard) and (text == heard or (len(text) >= LONG and heard.startswith(text)))


def _plain(text: str) -> str:
    """The words alone: case and spacing make no difference."""
    return " ".join(text.casefold().split())
