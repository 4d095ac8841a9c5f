"""Reading: one conversation, as everyone or as one seat saw it."""

from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = ()
