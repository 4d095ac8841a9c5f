"""A run that people are to label, and what they have said of it."""

import shutil
from pathlib import Path

import pytest

from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import Office, rated, record, void

MODELS = ("openai/alpha", "openai/beta")
SCRIPTS = 10


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two models with twenty conversations; one more of each is void."""
    store = tmp_path_factory.mktemp("played") / "interplay.db"
    talks = [rated(number, model, j=5) for number in range(SCRIPTS) for model in MODELS]
    record(store, "simulation", [*talks, *(void(SCRIPTS, model) for model in MODELS)])
    return store


@pytest.fixture
def run(played: Path, office: Office) -> str:
    """A store of one's own with this run; its id."""
    shutil.copyfile(played, office.store)
    with Records(office.store) as records:
        return records.find("last").id


def given(office: Office, run: str = "last") -> list[Given]:
    with Records(office.store) as records, Labels(office.store) as labels:
        return labels.of(records.find(run))


def bytes_of(office: Office) -> dict[str, bytes]:
    """All files there are, to show that nothing was written."""
    office.types("list", "last")  # what is in the log of the store is written into it
    return {
        path.name: path.read_bytes() for path in office.folder.iterdir() if path.suffix not in (".db-shm",)
    }


def filled(rows: list[dict[str, str]], value: str = "7", rater: str = "ann") -> list[dict[str, str]]:
    return [{**row, "rater": rater, "value": value} for row in rows]
