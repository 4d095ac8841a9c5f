"""How a run is carried out, and what a start does of a run that is recorded already."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.running.budget import Amount, Limits
from interplay.running.plan import Anew
from interplay.store.places import Store
from interplay.store.records import Run

DEFAULT_CONNECTIONS = 32
MOST_WORKERS = 1_000
RAY = "ray"


@dataclass(frozen=True)
class How:
    """How a run is carried out; none of it changes what the run is."""

    store: Store
    directory: Directory = field(default_factory=Directory)
    max_connections: int = DEFAULT_CONNECTIONS
    anew: Anew = field(default_factory=Anew)
    limits: Limits = field(default_factory=Limits)
    used_beside: Amount = field(default_factory=Amount)  # of the limits, by runs that share them
    until_decided: bool = False  # stop as soon as it is plain which model is better
    workers: int = 1  # processes in which conversations are played; 1 is this one alone
    on: str = ""  # ray: the processes are started there
    ray_address: str = ""  # of a cluster that is running; empty starts one here
    games_alone: bool = False  # go on only with conversations that people have a seat in, and that were begun


@dataclass(frozen=True)
class Again:
    """A recorded run of which only what was played is judged: by these judges, with these options of judging.

    With models named in between, what they played is compared two by two; else each conversation is judged by itself.
    """

    run: Run
    judges: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    between: tuple[str, ...] = ()


def workers_of(workers: int, on: str, ray_address: str) -> int:
    """How many processes are asked for, checked; on a cluster, 0 is one for each of its cores."""
    if on not in ("", RAY):
        raise Mistake(f"workers are started here or on {RAY}, not on {on!r}")
    if ray_address and not on:
        raise Mistake("--ray-address goes with --on ray")
    if type(workers) is not int or not 0 <= workers <= MOST_WORKERS:
        raise Mistake(f"--workers is a number of processes from 1 to {MOST_WORKERS:,}, not {workers!r}")
    return workers if on else workers or 1
