"""Blind: what raters see of a conversation, without anything that tells whose words they read."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from interplay.core.conversation import Line
from interplay.reporting.sheets import heard
from interplay.store.records import ConversationRow, Run

HIDDEN = "▒▒▒"  # in the place of a name
OF_THE_FILE = frozenset(
    ("id", "origin", "city", "number")
)  # of a scenario: for programs, or where it came from


@dataclass(frozen=True)
class Blind:
    """Covers the names of models wherever a text has them.

    A name without a provider is covered where it is no plain word: gpt-4o says who speaks, user does not.
    """

    names: frozenset[str]

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        known = self.names | {name.rpartition("/")[2] for name in self.names}
        telling = [name for name in known if len(name) > 1 and not name.isalpha()]
        longest_first = sorted(telling, key=lambda name: (-len(name), name))
        if not longest_first:
            return None
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)

    def text(self, text: str) -> str:
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def data(self, value: Any) -> Any:
        """The same of data, without what is of no use to a rater."""
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): self.data(part)
                for key, part in value.items()
                if str(key) not in OF_THE_FILE
            }
        if isinstance(value, list | tuple):
            return [self.data(part) for part in value]
        return self.text(value) if isinstance(value, str) else value

    def lines(self, lines: Iterable[Line]) -> list[Line]:
        """What was said, without what nobody else heard, and without what was told to the parts of a speaker alone."""
        shown = heard(tuple(lines))
        speakers = {line.source for line in shown if line.source}
        return [
            replace(line, text=self.text(line.text))
            for line in shown
            if line.source or not line.heard_by or not speakers or speakers.intersection(line.heard_by)
        ]


def blind(run: Run, row: ConversationRow) -> Blind:
    """Covers all models that play or judge in a run."""
    panels = [run.extent, run.extent.get("pairs", {}), *run.extent.get("panels", {}).values()]
    judges = [panel.get("judges", ()) for panel in panels]
    named = [run.identity["models"], run.identity["roles"], judges, row.cast]
    return Blind(frozenset(name for part in named for name in _names(part)))


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for one in part.values():
            yield from _names(one)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _names(one)
