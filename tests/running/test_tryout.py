"""The tryout on the real embedded model: with no model named, everything works, and says what it is worth."""

import json
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.models.embedded import weights
from interplay.store.records import Records

LINE = ["run", "role_play", "--limit", "1", "--turns", "1", "--json"]


@pytest.mark.skipif(weights() is None, reason="the embedded model was not fetched; make test fetches it")
def test_a_tryout_plays_judges_and_reports_and_costs_nothing_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*LINE, "--html", "report.html"]) == 0
    first = capsys.readouterr()
    board = json.loads(first.out)
    row = board["rows"][0]
    assert row["model"] == "local/smollm2"
    assert (row["void"], row["unscored"], row["cost"]) == (0.0, 0.0, 0.0)
    assert any("prove nothing" in note for note in board["notes"])
    assert "3 model calls" in first.err
    assert "local/smollm2" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with Records(tmp_path / "interplay.db") as records:
        conversation = records.conversations(records.find("last"))[0]
        assert conversation.outcome is not None
        assert len(conversation.outcome["turns"]) == 1
        assert conversation.outcome["turns"][0]["player"]

    assert main(LINE) == 0
    second = capsys.readouterr()
    assert "0 model calls" in second.err
    assert second.out == first.out
