"""Everything that can be asked of the server."""

from interplay.web import answering, entering, labelling, looking, playing, reading, watching
from interplay.web.entries import Entry

ENTRIES: tuple[Entry, ...] = (
    *entering.ENTRIES,
    *looking.ENTRIES,
    *watching.ENTRIES,
    *reading.ENTRIES,
    *labelling.ENTRIES,
    *playing.ENTRIES,
    *answering.ENTRIES,
)
