"""The edge of the server: a fault of ours is told to who runs it, and to nobody else."""

from http import HTTPStatus
from pathlib import Path

from starlette.responses import Response

from interplay.store.records import Records
from interplay.web.entries import ANYONE, Entry, Visit
from tests.web.served import Served, serving


def breaks(visit: Visit) -> Response:
    raise ZeroDivisionError("with a secret word")


FAULTY = (
    Entry("GET", "/breaks/", ANYONE, breaks, "a page that breaks"),
    Entry("GET", "/api/breaks", ANYONE, breaks, "the same for programs", answers="application/json"),
)


def test_a_fault_is_one_line_for_who_runs_the_server(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    Records(store, create=True).close()
    told: list[str] = []
    with serving(store, entries=FAULTY, tell=told.append) as served:
        page, data = asked(served, "/breaks/"), asked(served, "/api/breaks")
    assert "secret word" not in page + data
    assert "Traceback" not in page + data
    assert data == '{"error":"a fault in Interplay itself; whoever runs the server can see more"}'
    assert [line.partition(";")[0] for line in told] == [
        f"interplay: a fault in Interplay itself at {path} (ZeroDivisionError: with a secret word)"
        for path in ("/breaks/", "/api/breaks")
    ]


def asked(served: Served, path: str) -> str:
    found = served.ask(path)
    assert found.status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "default-src 'none'" in found.headers["content-security-policy"]
    return found.text
