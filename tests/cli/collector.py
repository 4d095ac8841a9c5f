"""A hand that types the commands of all stages, from tasks to scores, at one provider."""

from pathlib import Path

import pytest

from interplay.benchmarks.simulation.scripts import Script, read_scripts
from tests.cli.provider import Typist

TASKS = 20


class Desk(Typist):
    """Types the commands of all stages at one provider."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], url: str = ""):
        super().__init__(folder / "interplay.db", capsys)
        self.folder, self.url = folder, url
        self.scripts = folder / "scripts.jsonl"

    def collect(self, *more: str, limit: int = TASKS) -> list[str]:
        line = ["collect", "simulation", "--base-url", self.url, "--limit", str(limit)]
        return [*line, "--model", "openai/sim", "--model-role", "user=openai/user", *more]

    def extract(self, *more: str, judges: tuple[str, ...] = ("judge",), run: str = "last") -> list[str]:
        roles = [part for name in judges for part in ("--model-role", f"judge=openai/{name}")]
        return ["extract", run, "--base-url", self.url, *roles, "--out", str(self.scripts), *more]

    def evaluate(self, *more: str) -> list[str]:
        line = ["run", "simulation", "--data", str(self.scripts), "--base-url", self.url]
        return [*line, "--model", "openai/tested", "--model-role", "judge=openai/rater", *more]

    def rows(self) -> list[Script]:
        return read_scripts(self.scripts)
