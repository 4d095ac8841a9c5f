"""The same for programs, as JSON."""

from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = ()
