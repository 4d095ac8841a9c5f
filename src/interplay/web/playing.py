"""Playing: games, and the pages where people speak."""

from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = ()
