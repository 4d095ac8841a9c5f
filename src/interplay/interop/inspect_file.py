"""A log of Inspect as a file, a zip that is written sample by sample: a large run is never in memory as a whole."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from inspect_ai.log import EvalLog, EvalSample, condense_sample
from pydantic import BaseModel

CHUNK = 1 << 20
THE_SAME_DAY = (1980, 1, 1, 0, 0, 0)  # the first that a zip can name: the same run gives the same bytes


class LogFile:
    """One .eval file: a member for each sample, then their summaries, then the head of the log."""

    def __init__(self, path: Path, unnamed: Callable[[str], str]):
        self._unnamed = unnamed  # takes the names of people out of a text
        self._zip = ZipFile(path, "x", ZIP_DEFLATED)
        self._summaries = TemporaryFile()  # noqa: SIM115  # closed with the log
        self._count = 0

    def __enter__(self) -> "LogFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._summaries.close()

    def add(self, sample: EvalSample) -> None:
        """Write a sample; texts that come again and again are written once."""
        self._member(f"samples/{sample.id}_epoch_{sample.epoch}.json", self._json(condense_sample(sample)))
        self._summaries.write((b"," if self._count else b"[") + self._json(sample.summary()))
        self._count += 1

    def finish(self, log: EvalLog) -> None:
        """Write what is said once, when all samples are there."""
        self._summaries.write(b"]" if self._count else b"[]")
        self._summaries.seek(0)
        with self._zip.open(_info("summaries.json"), "w", force_zip64=True) as member:
            while chunk := self._summaries.read(CHUNK):
                member.write(chunk)
        self._member("header.json", self._json(log))

    def _member(self, name: str, content: bytes) -> None:
        self._zip.writestr(_info(name), content)

    def _json(self, value: BaseModel) -> bytes:
        return self._unnamed(value.model_dump_json(exclude_none=True)).encode()


def _info(name: str) -> ZipInfo:
    found = ZipInfo(name, THE_SAME_DAY)
    found.compress_type = ZIP_DEFLATED
    found.create_system = 3  # whatever the system, as on Unix
    found.external_attr = 0o600 << 16
    return found
