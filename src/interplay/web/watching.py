"""Watching a run: its progress while it goes on, its conversations, its calls, two models side by side."""

from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = ()
