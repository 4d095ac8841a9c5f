"""The edge of the server: what goes wrong is one line, and strangers learn nothing from it."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest
from starlette.responses import Response

from interplay.store.passes import Passes
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


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runs.db"
    Records(path, create=True).close()
    return path


@pytest.mark.parametrize("path", ["/calls/{}/", "/api/calls/{}", "/label/secret/{}/", "/{}"])
def test_an_address_longer_than_any_is_refused_in_one_line(store: Path, path: str) -> None:
    with serving(store) as served:
        for owner in (True, False):
            found = served.ask(path.format("9" * 5_000), owner=owner)
            assert found.status == HTTPStatus.REQUEST_URI_TOO_LONG
            assert "Traceback" not in found.text


def deleted(store: Path) -> None:
    store.unlink()


def replaced_by_a_folder(store: Path) -> None:
    store.unlink()
    store.mkdir()


def cut_short(store: Path) -> None:
    store.write_bytes(b"nothing that can be read")


@pytest.mark.parametrize("harm", [deleted, replaced_by_a_folder, cut_short])
def test_strangers_do_not_learn_where_a_store_was_that_is_gone(
    store: Path, harm: Callable[[Path], None]
) -> None:
    with Passes(store) as passes:
        secret = passes.issue("rater", "round-1", "Ruth").secret
    with serving(store) as served:
        for left in ("", "-wal", "-shm"):
            if left:
                store.with_name(store.name + left).unlink(missing_ok=True)
            else:
                harm(store)
        for path in ("/", "/labels/", f"/label/{secret}/", "/api/runs"):
            for owner in (True, False):
                found = served.ask(path, owner=owner)
                assert found.status == HTTPStatus.SERVICE_UNAVAILABLE, path
                assert str(store.parent) not in found.text
                assert store.name not in found.text
