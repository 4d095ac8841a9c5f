"""The settings and the rate of a training."""

from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.models.training import Progress, Settings, rate_at


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, 10, 1.0, 0.2) for step in range(10)]
    assert rates[:3] == [0.5, 1.0, 1.0]
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert 0 < rates[9] < 0.05
    assert rate_at(6, 10, 1.0, 0.2) == pytest.approx(0.5)


@pytest.mark.parametrize("warmup", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_any_share_of_any_number_of_steps_has_a_rate(warmup: float, steps: int) -> None:
    rates = [rate_at(step, steps, 2.0, warmup) for step in range(steps)]
    assert all(0 < rate <= 2.0 for rate in rates)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"method": "lorra"}, "no method 'lorra' of fine-tuning; did you mean 'lora'"),
        ({"device": "gpu"}, "no device 'gpu'"),
        ({"epochs": 0}, "epochs is 0, and must be 1 or more"),
        ({"batch": -1}, "batch is -1"),
        ({"rate": float("nan")}, "rate"),
        ({"warmup": 1.5}, "warmup"),
    ],
)
def test_settings_without_sense_are_mistakes(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(Mistake, match=told):
        Settings(**wrong)


def test_what_makes_the_weights_is_told_from_how_they_are_made() -> None:
    plain = Settings().identity()
    assert plain == Settings(device="cpu", checkpoint_every=7, rate=2e-4).identity()
    assert plain != Settings(seed=1).identity()
    assert Settings(method="lora").identity()["rate"] > plain["rate"]


def test_progress_reads_as_a_line() -> None:
    assert str(Progress(3, 9, 1, 3, 1.23456, 4.2)) == "step 3 of 9, epoch 1 of 3, loss 1.235, 4 s"
