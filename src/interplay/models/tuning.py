"""Local fine-tuning: a causal language model learns the last answers of example conversations."""

from collections.abc import Callable, Sequence
from pathlib import Path

from interplay.core.failures import Mistake
from interplay.models import causal, checkpoints
from interplay.models.teaching import Example, digest_of_examples
from interplay.models.training import Progress, Settings, Training

__all__ = ["Progress", "Settings", "told", "tune"]


def tune(
    base: Path,
    examples: Sequence[Example],
    settings: Settings,
    folder: Path,
    tell: Callable[[Progress], None],
) -> Path:
    """Train a model in a folder, or go on where it was stopped; the folder, which Tuned makes a model of.

    The base is a GGUF file or a folder of weights. On one CPU a training that was killed and gone on with ends in
    the weights of an undisturbed one, bit for bit. What tell raises ends the training; the last checkpoint stays.
    """
    causal.check_base(base)
    _check_examples(examples)
    inputs = {
        "base": causal.digest_of_weights(base),
        "examples": digest_of_examples(examples),
        "settings": settings.identity(),
    }
    with checkpoints.training_lock(folder):
        manifest = checkpoints.read_manifest(folder)
        if manifest is None:
            checkpoints.refuse_other_things(folder)
            manifest = {"done": False, "base": base.name, "inputs": inputs}
        checkpoints.refuse_other_inputs(folder, manifest["inputs"], inputs)
        if not manifest.get("done"):
            _check_libraries(settings)
            device = causal.device_of(settings.device)
            checkpoints.write_manifest(folder, manifest)
            results = Training(base, examples, settings, folder, device).run(tell)
            checkpoints.write_manifest(folder, manifest | {"done": True} | results)
        elif not (folder / checkpoints.MODEL).is_dir():
            raise Mistake(f"{folder} says that its training is done, but its weights are gone; remove it")
        checkpoints.throw_away_steps(folder)
    return folder


def told(folder: Path) -> str:
    """What a finished training was, in a line."""
    manifest = checkpoints.read_manifest(folder)
    if manifest is None or not manifest.get("done"):
        raise Mistake(f"{folder} holds no finished training")
    method = "an adapter" if manifest["inputs"]["settings"]["method"] == "lora" else "all weights"
    losses = ", ".join(f"{loss:.3f}" for loss in manifest["loss_of_each_epoch"])
    cut = manifest["cut"]
    return (
        f"{method} of {manifest['base']} fine-tuned here on {manifest['examples']} examples: "
        f"{manifest['steps']} steps in {manifest['seconds']:.0f} s ({manifest['device']}, "
        f"{manifest['trained_in']}), loss by epoch {losses}; "
        f"{cut['examples']} examples were too long and lost {cut['tokens']} tokens of their beginning"
    )


def _check_libraries(settings: Settings) -> None:
    """Miss what is missing before anything is written."""
    if settings.method == "lora":
        causal.peft()
    causal.transformers()


def _check_examples(examples: Sequence[Example]) -> None:
    if not examples:
        raise Mistake("fine-tuning: there are no examples to learn from")
    for number, example in enumerate(examples, 1):
        roles = [message.role for message in example.messages]
        if len(roles) < 2 or roles[-1] != "assistant":
            raise Mistake(f"fine-tuning: example {number} does not end in an answer of the assistant's")
