"""Sockets that hang, trickle or fall silent: each limit ends its call, and the run comes to the same end."""

import asyncio
import socket
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.models.openai_compatible import OpenAICompatible
from interplay.models.posting import Endpoint, Patience
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.results import board_of
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records
from tests.faults.harness import check_record
from tests.faults.network import (
    NAMES,
    Planted,
    calm_run,
    carried_out,
    check_every_call_is_a_row,
    command,
    models_file,
    seconds_until_dropped,
    steady,
    tries,
)

GRACE = 2.0  # seconds beyond its limit that a call may take to end
EARLY = 0.05  # clocks of two threads
CALLS = 10  # of one conversation and its two verdicts
LONG = 8.0  # longer than any limit here may take, and not so long that a lost limit takes minutes


async def played(url: str, store: Path, patience: Patience, names: tuple[str, ...] = NAMES) -> Any:
    """The board of one conversation: player, user and judges are models with so much patience."""
    at = Endpoint(base_url=url, patience=patience)
    made = {name: OpenAICompatible(name, name, at) for name in names}
    benchmark = find("role_play")
    player, user, *judges = names
    roles = {"interrogator": [user], "judge": judges}
    spec = make_spec(benchmark, models=[player], roles=roles, limit=1)
    run = await Engine(benchmark, spec, How(store, Directory(made=made)), Tally()).carry_out()
    with Records(store) as records:
        return board_of(records, run, benchmark).as_json()


async def calm_board(folder: Path) -> Any:
    with serving(Loopback(steady)) as url:
        return await played(url, folder / "calm.db", Patience())


def check_the_failed(store: Path, cause: str) -> None:
    failed = [(row["model"], row["cause"]) for row in tries(store, "failed")]
    assert failed == [("player", cause)], (
        f"one call of the player should have failed by {cause}, not {failed}"
    )


def test_the_limits_are_those_that_are_promised() -> None:
    assert Patience() == Patience(connect=10, first_byte=60, idle=30, total=300), "see --help and the guide"


@pytest.mark.soak
@pytest.mark.fault("hung socket")
@pytest.mark.parametrize(
    ("fault", "limit"),
    [(Fault("hang"), Patience().first_byte), (Fault("drip", body=b"x" * 2000), Patience().total)],
    ids=["no first byte", "one byte a second"],
)
async def test_by_default_a_call_ends_within_the_limits_that_are_promised(
    fault: Fault, limit: float, tmp_path: Path
) -> None:
    planted = Planted({("player", 2): lambda _: fault})
    loopback, store = Loopback(planted), tmp_path / "interplay.db"
    with serving(loopback) as url:
        board = await played(url, store, Patience())
    took = seconds_until_dropped(loopback, planted.hit[0])
    assert limit - EARLY <= took <= limit + GRACE, (
        f"{limit} s were allowed; the call ended after {took:.2f} s"
    )
    check_every_call_is_a_row(loopback, store)
    assert board == await calm_board(tmp_path), "the board should equal an undisturbed run's"


@pytest.mark.soak
@pytest.mark.fault("hung socket")
async def test_by_default_an_answer_that_falls_silent_ends_within_its_limit(tmp_path: Path) -> None:
    limit = Patience().idle
    with serving(Loopback(steady)) as url:
        async with Wire(url, brings=200) as wire:
            await wire.open()
            started = time.monotonic()
            board = await played(wire.url, tmp_path / "interplay.db", Patience())
            took = time.monotonic() - started
    assert limit - EARLY <= took <= limit + GRACE, f"{limit} s were allowed; the run took {took:.2f} s"
    assert board == await calm_board(tmp_path), "the board should equal an undisturbed run's"


@pytest.mark.fault("hung socket")
@pytest.mark.parametrize(
    ("fault", "patience", "limit"),
    [
        (Fault("hang", seconds=LONG), Patience(first_byte=0.5, idle=LONG, total=LONG), 0.5),
        (Fault("drip", seconds=LONG), Patience(first_byte=LONG, idle=0.5, total=LONG), 0.5),
        (Fault("drip", seconds=LONG), Patience(first_byte=LONG, idle=LONG, total=1.2), 1.2),
        (Fault("drip", seconds=LONG), Patience(first_byte=0.5, idle=LONG, total=1.2), 1.2),
    ],
    ids=["no first byte", "bytes that stop", "one byte a second", "one byte a second, the first in time"],
)
async def test_a_call_ends_within_its_limit_and_is_sent_again(
    fault: Fault, patience: Patience, limit: float, tmp_path: Path
) -> None:
    planted = Planted({("player", 2): lambda _: fault})
    loopback, store = Loopback(planted), tmp_path / "interplay.db"
    with serving(loopback) as url:
        board = await played(url, store, patience)
    took = seconds_until_dropped(loopback, planted.hit[0])
    assert limit - EARLY <= took <= limit + GRACE, (
        f"{limit} s were allowed; the call ended after {took:.2f} s"
    )
    check_every_call_is_a_row(loopback, store)
    check_the_failed(store, "timeout")
    assert loopback.calls == CALLS + 1, "one call was to be sent again, and no other"
    assert board == await calm_board(tmp_path), "the board should equal an undisturbed run's"


@pytest.mark.fault("hung socket")
def test_the_flag_timeout_ends_a_call_that_gets_no_answer(tmp_path: Path) -> None:
    calm = calm_run(limit=1)
    planted = Planted({("player", 2): lambda _: Fault("hang", seconds=LONG)})
    loopback, store = Loopback(planted), tmp_path / "interplay.db"
    with serving(loopback) as url:
        line = command(models_file(tmp_path, url), store, limit=1, more=("--timeout", "1"))
        ended = carried_out(line)
    took = seconds_until_dropped(loopback, planted.hit[0])
    assert 1 - EARLY <= took <= 1 + GRACE, f"--timeout 1 allows 1 s; the call ended after {took:.2f} s"
    check_every_call_is_a_row(loopback, store)
    check_the_failed(store, "timeout")
    assert ended.board == calm.board, "the board should equal an undisturbed run's"


class Wire:
    """A line to a server: it takes no connection before it is opened, and of one answer it loses the end."""

    def __init__(self, url: str, brings: int | None = None) -> None:
        self._server = int(url.split(":")[2].split("/")[0])
        self._brings = brings  # so many bytes of the first answer
        self._carrying: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Wire":
        # One connection waits in the queue of such a socket; whoever comes after it is not answered at all.
        listening = socket.create_server(("127.0.0.1", 0), backlog=0)
        self._taking = await asyncio.start_server(self._take, sock=listening, start_serving=False)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        return self

    async def open(self, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        await self._taking.start_serving()

    async def __aexit__(self, *_: object) -> None:
        self._taking.close()
        for task in self._carrying:
            task.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._carrying.add(asyncio.current_task())  # type: ignore[arg-type]  # it runs in a task
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._server)
        try:
            await asyncio.gather(_carry(reader, to_server), self._bring(from_server, writer))
        finally:
            writer.close()
            to_server.close()

    async def _bring(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(65536)
        if first and self._brings is not None:
            brings, self._brings = self._brings, None
            writer.write(first[:brings])
            await asyncio.Event().wait()
        writer.write(first)
        await _carry(reader, writer)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@pytest.mark.fault("hung socket", times=3)
async def test_an_answer_that_falls_silent_anywhere_ends_within_its_limit(tmp_path: Path) -> None:
    limit, places = 0.5, {"no byte": 0, "half a header": 30, "half a body": 200}

    async def played_over(place: str) -> tuple[Any, float]:
        async with Wire(url, places[place]) as wire:
            await wire.open()
            started = time.monotonic()
            patience = Patience(first_byte=limit, idle=limit, total=LONG)
            return await played(wire.url, tmp_path / f"{place}.db", patience), time.monotonic() - started

    with serving(Loopback(steady)) as url:
        ended = await asyncio.gather(*map(played_over, places))
    calm = await calm_board(tmp_path)
    for place, (board, took) in zip(places, ended, strict=True):
        assert took <= limit + GRACE, f"{place}: {limit} s were allowed; the run took {took:.2f} s"
        causes = [row["cause"] for row in tries(tmp_path / f"{place}.db", "failed")]
        assert causes == ["timeout"], f"{place}: one call should have timed out, not {causes}"
        check_record(tmp_path / f"{place}.db")
        assert board == calm, f"{place}: the board should equal an undisturbed run's"


@pytest.mark.fault("hung socket")
async def test_a_place_that_takes_no_connection_is_said_within_the_limit(tmp_path: Path) -> None:
    async with Wire("http://127.0.0.1:9/v1") as wire:
        with closing(socket.create_connection(("127.0.0.1", int(wire.url.split(":")[2][:-3])))):
            started = time.monotonic()
            with pytest.raises(Mistake, match=r"nothing answers at .* \(no answer in time\)"):
                await played(wire.url, tmp_path / "interplay.db", Patience(connect=0.5))
            took = time.monotonic() - started
    assert took <= 0.5 + GRACE, f"0.5 s were allowed; it took {took:.2f} s"
    assert not (tmp_path / "interplay.db").exists(), "nothing should be written before a model answers"


@pytest.mark.fault("hung socket")
async def test_a_connection_that_is_not_taken_is_given_up_within_the_limit_and_tried_again(
    tmp_path: Path,
) -> None:
    alone = ("anyone", "anyone", "anyone")  # one model in every role: its check takes the only free place

    def script(asked: Asked) -> str:
        judging = asked.schema is not None and "turn_1" in asked.schema["properties"]
        return steady(replace(asked, model="judge" if judging else "anyone"))

    limit, store = 0.5, tmp_path / "interplay.db"
    loopback = Loopback(script)
    with serving(loopback) as url:
        calm = await played(url, tmp_path / "calm.db", Patience(), alone)
        paid = loopback.calls
        async with Wire(url) as wire:
            opening = asyncio.create_task(wire.open(after=limit + 0.1))
            started = time.monotonic()
            board = await played(wire.url, store, Patience(connect=limit, total=LONG), alone)
            took = time.monotonic() - started
            await opening
    assert took <= limit + GRACE, f"{limit} s were allowed to connect; the run took {took:.2f} s"
    check_record(store)
    failed = [(row["cause"], row["attempt"]) for row in tries(store, "failed")]
    assert failed == [("timeout", 0)], f"one try should have failed, not {failed}"
    assert loopback.calls == 2 * paid, "no call but the one that never came there may be sent twice"
    assert board == calm, "the board should equal an undisturbed run's"
