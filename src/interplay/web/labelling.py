"""Labelling: rounds, the links that let raters in, and the pages where they label."""

from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = ()
