"""The folder of a training: whole files or none, and nothing of the user's overwritten."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake, RunLocked, StoreTrouble
from interplay.models import checkpoints


def write(text: str, folder: Path) -> None:
    (folder / "file").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_the_last_step_is_kept_and_a_half_written_one_is_none(tmp_path: Path) -> None:
    assert checkpoints.last_step(tmp_path) is None
    for step in (9, 10):
        checkpoints.keep_step(tmp_path, step, lambda folder: write("whole", folder))
    assert names(tmp_path) == ["step-000000010"]

    def breaks(folder: Path) -> None:
        write("half", folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checkpoints.keep_step(tmp_path, 11, breaks)
    last = checkpoints.last_step(tmp_path)
    assert last == tmp_path / "step-000000010"
    assert (last / "file").read_text() == "whole"
    checkpoints.keep_step(tmp_path, 11, lambda folder: write("again", folder))
    assert names(tmp_path) == ["step-000000011"]
    checkpoints.throw_away_steps(tmp_path)
    assert names(tmp_path) == []


def test_a_disk_that_cannot_be_written_is_trouble_with_a_name(tmp_path: Path) -> None:
    def full(folder: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreTrouble, match=r"cannot be kept in .* \(no space left on device\)"):
        checkpoints.keep_step(tmp_path, 1, full)


def test_one_trains_at_a_time(tmp_path: Path) -> None:
    with (
        checkpoints.training_lock(tmp_path / "new"),
        pytest.raises(RunLocked, match="by another process"),
        checkpoints.training_lock(tmp_path / "new"),
    ):
        pass
    with checkpoints.training_lock(tmp_path / "new"):
        pass


def test_a_place_where_no_folder_can_be_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(Mistake, match="no training can be kept in"),
        checkpoints.training_lock(tmp_path / "file" / "x"),
    ):
        pass


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert checkpoints.read_manifest(tmp_path) is None
    for steps in (1, 2):
        checkpoints.write_manifest(tmp_path, {"inputs": {}, "steps": steps})
    assert checkpoints.read_manifest(tmp_path) == {"inputs": {}, "steps": 2}
    assert names(tmp_path) == ["manifest.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"inputs": 3}', "[" * 100_000])
def test_a_file_that_is_no_manifest_is_a_mistake(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(Mistake, match=r"manifest\.json"):
        checkpoints.read_manifest(tmp_path)


def test_the_difference_of_inputs_is_named(tmp_path: Path) -> None:
    before = {"base": "a", "settings": {"rate": 0.1, "seed": 1}}
    checkpoints.refuse_other_inputs(tmp_path, before, before)
    now = {"base": "b", "settings": {"rate": 0.2, "seed": 1}}
    with pytest.raises(
        Mistake, match=r"with other inputs \(base, rate 0\.1, not 0\.2\); name another folder"
    ):
        checkpoints.refuse_other_inputs(tmp_path, before, now)


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("")
    checkpoints.refuse_other_things(tmp_path)
    (tmp_path / "model").mkdir()
    with pytest.raises(Mistake, match=r"holds 'model' and is not the folder of a training"):
        checkpoints.refuse_other_things(tmp_path)
