"""How much is run: in full, or only so much that one sees that everything works."""

from dataclasses import dataclass

SCENARIOS = 50
TURNS = 4
CALLS_PER_CONVERSATION = 2 * TURNS + 1  # of simulator and subject in turn, then one of the judge
CONNECTIONS = 128


@dataclass(frozen=True)
class Cell:
    """One place of the grid. So many conversations follow one another on each connection."""

    latency: float  # seconds
    connections: int
    conversations: int
    shared: bool = False  # is one event loop the limit here, so that two processes are tried as well?


@dataclass(frozen=True)
class Size:
    """How much is run. A number of epochs is a number of conversations of each of SCENARIOS scenarios."""

    cpu_rounds: int
    cpu_epochs: int
    peer_rounds: int
    peer_epochs: int
    grid: tuple[Cell, ...]
    memory_epochs: int
    starts: int
    growth_epochs: tuple[int, ...]  # of each of SCENARIOS scenarios, the smallest first
    growth_rounds: int  # of the smallest run, half before the others and half after them
    report_conversations: int
    long: tuple[tuple[int, int], ...]  # turns, and how many conversations have so many
    long_connections: int
    long_rounds: int
    postgres_rounds: int
    postgres_epochs: int
    pages_conversations: int


FULL = Size(
    cpu_rounds=5,
    cpu_epochs=60,
    peer_rounds=3,
    peer_epochs=5,
    grid=(
        Cell(0.0, 16, 128, shared=True),
        Cell(0.0, 128, 16, shared=True),
        Cell(0.0, 1024, 4, shared=True),
        Cell(0.05, 16, 20),
        Cell(0.05, 128, 20, shared=True),
        Cell(0.05, 1024, 4, shared=True),
        Cell(0.5, 16, 4),
        Cell(0.5, 128, 7),
        Cell(0.5, 1024, 10, shared=True),
    ),
    memory_epochs=200,
    starts=5,
    growth_epochs=(20, 200, 2000),
    growth_rounds=4,
    report_conversations=120_000,
    long=((25, 80), (50, 40), (100, 20), (200, 10)),
    long_connections=10,
    long_rounds=3,
    postgres_rounds=3,
    postgres_epochs=10,
    pages_conversations=200_000,
)
QUICK = Size(
    cpu_rounds=1,
    cpu_epochs=2,
    peer_rounds=1,
    peer_epochs=1,
    grid=(Cell(0.0, 16, 4, shared=True), Cell(0.5, 32, 1)),
    memory_epochs=4,
    starts=1,
    growth_epochs=(2, 4),
    growth_rounds=2,
    report_conversations=2_400,
    long=((10, 4), (20, 2)),
    long_connections=2,
    long_rounds=1,
    postgres_rounds=1,
    postgres_epochs=1,
    pages_conversations=2_400,
)  # its numbers mean little
