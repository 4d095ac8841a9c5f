"""Looking: the first page, boards and charts, and the numbers behind them."""

from starlette.responses import Response

from interplay.reporting.pages import homes
from interplay.store.records import Records
from interplay.web.entries import OWNER, Entry, Visit


def home(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        return visit.site.page("home", **homes.home(records))


ENTRIES = (Entry("GET", "/", OWNER, home, "the benchmarks and runs of the store"),)
