"""Reading a conversation, turn by turn, as everybody or as one seat knows it."""

from starlette.responses import Response

from interplay.core.failures import Mistake
from interplay.reporting.pages.conversations import View, conversation
from interplay.store.closeup import CloseUp
from interplay.store.records import Records
from interplay.web.entries import OWNER, Entry, Field, NotThere, Visit

MOST_STEPS = 1_000_000


def read_conversation(visit: Visit) -> Response:
    """One conversation of a run."""
    with Records(visit.site.store) as records:
        run = next((one for one in records.runs() if one.id == visit.path["run"]), None)
        if run is None:
            raise NotThere("there is no such run in this store")
        close = CloseUp(records, run, visit.path["number"])
        if not close.is_there:
            raise NotThere(f"run {run.id} has no conversation {close.number}")
        view = View(
            seat=visit.query.get("seat", ""),
            step=int(visit.query.get("step") or 0),
            markdown=visit.query.get("text") == "markdown",
        )
        try:
            values = conversation(close, view)
        except Mistake as mistake:
            raise NotThere(str(mistake)) from mistake
        return visit.site.page("conversation", **values)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "GET",
        "/runs/{run}/conversations/{number:int}/",
        OWNER,
        read_conversation,
        "one conversation, turn by turn, with what judges said of it",
        query=(
            Field("seat", "as whom it is seen; everybody where nobody is named"),
            Field("step", "up to which turn", number=(0, MOST_STEPS)),
            Field("text", "how texts are shown", choices=("plain", "markdown")),
        ),
    ),
)
