"""Runs on Ray: the same tables as without it, one budget and one gate for all, and mistakes in one line."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import interplay
from interplay.core.failures import Mistake
from interplay.models.embedded import weights
from interplay.models.loopback import Event, Loopback, serving
from interplay.running.on_ray import Node, check_store, machines_of
from interplay.store.places import place_of
from tests.faults.harness import check_record, finish, finished_rows, in_flight, start, start_anew
from tests.faults.network import rows
from tests.faults.test_storms import Asking, Storm, Weather
from tests.running.job import answer, command
from tests.running.ray_cluster import RayCluster, cluster_of, descendants, gone_within
from tests.running.typed import refused
from tests.store.databases import Databases

LIMIT = 4
HERE = ("--on", "ray", "--workers", "2")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Two nodes with one processor each."""
    with cluster_of(1, 1) as made:
        yield made


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """The table of the job without Ray, and how many calls it takes."""
    loopback = Loopback(answer)
    with serving(loopback) as url:
        line = command(url, tmp_path_factory.mktemp("plain") / "plain.db", limit=LIMIT)
        code, out, err = finish(start(line))
    assert code == 0, err
    return out, loopback.calls


def on(cluster: RayCluster) -> tuple[str, ...]:
    return "--on", "ray", "--ray-address", cluster.address


def test_a_cluster_that_is_started_for_the_run_gives_the_same_table_and_is_gone_afterwards(
    plain: tuple[str, int], tmp_path: Path
) -> None:
    seen: set[int] = set()
    driver: list[int] = []

    def look(event: Event) -> None:
        if driver and event.number % 20 == 0:
            seen.update(descendants(driver[0]))

    loopback = Loopback(answer, watch=look)
    with serving(loopback) as url:
        line = command(url, tmp_path / "a.db", limit=LIMIT, more=HERE)
        process = start(line)
        driver.append(process.pid)
        code, out, err = finish(process)
    assert code == 0, err
    assert out == plain[0]
    assert loopback.calls == plain[1]
    assert re.fullmatch(r"[\d,]+ model calls, [\d,]+ tokens, \d+ s\.\n", err), "Ray says nothing to a person"
    assert len(seen) > 4, "there was a cluster"
    assert gone_within(seen, 10), "the cluster was left running"
    check_record(tmp_path / "a.db")


def test_two_nodes_and_postgresql_give_the_same_table_byte_for_byte(
    cluster: RayCluster, plain: tuple[str, int]
) -> None:
    databases = Databases()
    try:
        server, loopback = databases.take(), Loopback(answer)
        with serving(loopback) as url:
            line = command(url, Path("unused"), limit=LIMIT, more=(*on(cluster), "--workers", "3"))
            line[line.index("--store") + 1] = server.url
            code, out, err = finish(start(line, **cluster.environment))
            assert (code, out) == (0, plain[0]), err
            assert "The cluster had no room for 1 of the workers; the others did it.\n" in err
            again = finish(start(line))  # nothing is left to do: no process is started for it
        assert again[:2] == (0, plain[0])
        assert again[2].startswith("0 model calls")
        assert loopback.calls == plain[1]
    finally:
        databases.stop()


@pytest.mark.parametrize(
    ("name", "budget"), [("calls", 17), pytest.param("tokens", 9_000, marks=pytest.mark.slow)]
)
def test_a_budget_is_one_for_the_whole_cluster(
    name: str, budget: int, cluster: RayCluster, tmp_path: Path
) -> None:
    store, loopback = tmp_path / "a.db", Loopback(answer, latency=0.01)
    with serving(loopback) as url:
        line = command(url, store, limit=LIMIT, more=(*on(cluster), f"--budget-{name}", str(budget)))
        code, _, err = finish(start(line, **cluster.environment))
    assert code == 1, err
    assert "The budget does not cover more" in err
    (used,) = rows(store, "SELECT count(*) AS calls, sum(tokens_in + tokens_out) AS tokens FROM calls")
    assert 0 < used[name] <= budget
    assert loopback.calls == used["calls"]
    assert in_flight(store) == 0


@pytest.mark.slow
def test_a_storm_of_too_many_is_probed_once_a_window_by_all_nodes_together(
    cluster: RayCluster, plain: tuple[str, int], tmp_path: Path
) -> None:
    asking = Asking(lambda: "1", wait=1, speed=1, lasts=2.5)
    loopback = Loopback(Storm(asking, begins=plain[1] // 3), latency=0.03)
    with serving(loopback) as url:
        line = command(url, tmp_path / "a.db", limit=LIMIT, more=on(cluster))
        code, out, err = finish(start(line, **cluster.environment))
    assert (code, out) == (0, plain[0]), err
    weather = Weather(loopback.events)
    probes = weather.probes(asking.wait)
    assert probes, "the storm was too short to be probed: it says nothing"
    for probe in probes:
        assert weather.waited(probe) >= 0.9 * asking.wait
        assert not weather.beside(probe), "one probe at a time, whichever node it comes from"
    assert len(weather.refusals) - len(probes) <= weather.peak


def test_ctrl_c_stops_the_run_and_its_cluster_without_a_word_of_ray(
    plain: tuple[str, int], tmp_path: Path
) -> None:
    store, seen = tmp_path / "a.db", set[int]()
    loopback = Loopback(answer, latency=0.05)

    with serving(loopback) as url:
        line = command(url, store, limit=LIMIT)
        process = subprocess.Popen(
            [sys.executable, "-m", "interplay", *line, *HERE, "--max-connections", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        while loopback.calls < 4 and process.poll() is None:
            seen |= descendants(process.pid)
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of its group
        code, _, err = finish(process)
        assert code == 130, err
        assert re.fullmatch(r"Stopped after [^\n]+ The same command goes on\.\n", err)
        assert gone_within(seen, 10), "the cluster was left running"
        assert in_flight(store) == 0
        assert len(finished_rows(store)) == loopback.calls
        assert finish(start(line))[:2] == (0, plain[0])
    assert loopback.calls == plain[1]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "no Ray cluster can be reached at 127.0.0.1:1: nobody listens there"),
        ("127.0.0.1:many", "'127.0.0.1:many' is not HOST:PORT"),
        ("ray://127.0.0.1:10001", "start on a machine of the cluster, and name HOST:PORT or auto"),
    ],
)
def test_a_wrong_address_is_one_line_and_leaves_no_store(
    address: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    more = ("--on", "ray", "--ray-address", address)
    assert said in refused(command("http://127.0.0.1:9/v1", store, limit=1, more=more), capsys)
    assert not store.exists()


@pytest.mark.slow  # Ray tries for 20 s
def test_a_cluster_that_wants_another_word_is_not_joined(cluster: RayCluster, tmp_path: Path) -> None:
    line = command("http://127.0.0.1:9/v1", tmp_path / "a.db", limit=1, more=on(cluster))
    code, _, err = finish(start(line, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64))
    assert code == 2
    assert err == (
        f"interplay: the Ray cluster at {cluster.address} wants its token: set RAY_AUTH_MODE=token, and "
        "RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH, as on its machines\n"
    )


def test_without_ray_the_line_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ray.py").write_text("raise ModuleNotFoundError(\"No module named 'ray'\")\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ['PYTHONPATH']}")
    line = command("http://127.0.0.1:9/v1", tmp_path / "a.db", limit=1, more=HERE)
    assert '--on ray needs Ray: pip install "interplay[ray]"' in refused(line, capsys)


@pytest.mark.slow
def test_another_version_of_the_program_on_a_node_is_refused(cluster: RayCluster, tmp_path: Path) -> None:
    package = Path(str(interplay.__file__)).parent
    shutil.copytree(package, tmp_path / "interplay", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "interplay" / "changed.py").write_text('"""The driver has this file, and no node has."""\n')
    settings = {**os.environ, **cluster.environment, "PYTHONPATH": f"{tmp_path}:{os.environ['PYTHONPATH']}"}
    loopback = Loopback(answer)
    with serving(loopback) as url:
        line = command(url, tmp_path / "a.db", limit=1, more=on(cluster))
        words = [sys.executable, "-m", "interplay", *line]
        done = subprocess.run(words, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert loopback.calls == 0
    assert re.fullmatch(
        r"interplay: \S+ has another version of Interplay than this process; [^\n]+\n", done.stderr
    )


NODES = {
    "one": ([Node("a", "10.0.0.1", 4)], 1),
    "two raylets on one machine": ([Node("a", "10.0.0.1", 4), Node("a", "10.0.0.1", 4)], 1),
    "loopback and not": ([Node("a", "127.0.0.1", 4), Node("a", "10.0.0.1", 4)], 1),
    "two names": ([Node("a", "127.0.0.1", 4), Node("b", "127.0.0.1", 4)], 2),
    "one name, two addresses": ([Node("a", "10.0.0.1", 4), Node("a", "10.0.0.2", 4)], 2),
    "three": ([Node(name, f"10.0.0.{n}", 4) for n, name in enumerate("abcba")], 5),
}


@pytest.mark.parametrize("case", NODES)
def test_nodes_of_one_machine_are_told_from_those_of_several(case: str) -> None:
    nodes, machines = NODES[case]
    assert machines_of(nodes) == machines


def test_several_machines_need_a_store_that_all_of_them_reach() -> None:
    several, _ = NODES["two names"]
    check_store(Path("a.db"), NODES["one"][0])
    check_store(place_of("postgresql://me@db/runs"), several)
    with pytest.raises(Mistake) as caught:
        check_store(Path("a.db"), several)
    assert str(caught.value) == (
        "a cluster of several machines needs a store that all of them reach: --store postgresql://..., "
        "not the file a.db"
    )


@pytest.mark.slow
@pytest.mark.skipif(weights() is None, reason="the embedded model was not fetched; make test fetches it")
def test_the_embedded_model_is_held_by_a_process_of_the_cluster(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    line = ["run", "role_play", "--limit", "1", "--turns", "1", "--json", "--store", str(store), *HERE]
    code, out, err = finish(start_anew(line), 300)
    assert code == 0, err
    assert "3 model calls" in err
    assert len(finished_rows(store)) == 3
    (row,) = json.loads(out)["rows"]
    assert (row["model"], row["void"], row["cost"]) == ("local/smollm2", 0.0, 0.0)


@pytest.mark.slow
def test_a_file_of_weights_that_the_node_has_not_is_named_with_the_node(
    cluster: RayCluster, tmp_path: Path
) -> None:
    store = tmp_path / "a.db"
    line = ["run", "role_play", "--limit", "1", "--json", "--store", str(store)]
    none = f"local/{tmp_path}/none.gguf"
    line += [
        "--model",
        none,
        "--model-role",
        f"interrogator={none}",
        "--model-role",
        f"judge={none}",
        *on(cluster),
    ]
    code, _, err = finish(start(line, **cluster.environment))
    assert code == 2
    assert re.fullmatch(r"interplay: on \S+, local/\S+: there is no GGUF file \S+none\.gguf; [^\n]+\n", err)
    assert not store.exists()
