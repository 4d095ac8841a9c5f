"""The training loop of local fine-tuning, which can be stopped at any step and gone on with."""

import math
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Any, Literal

from interplay.core.failures import Mistake, nearest
from interplay.models import causal, checkpoints
from interplay.models.causal import Device
from interplay.models.chat_tokens import ChatTokens
from interplay.models.lessons import NOT_LEARNED, Lesson, batch_of, lessons_of
from interplay.models.teaching import Example

Method = Literal["full", "lora"]
METHODS: tuple[Method, ...] = ("full", "lora")
RATES: dict[Method, float] = {"full": 2e-4, "lora": 1e-3}
HOW = frozenset({"device", "checkpoint_every"})  # settings that may change between two starts of one training
WEIGHT_DECAY, LARGEST_GRADIENT = 0.01, 1.0
WEIGHTS, STATE = "weights.safetensors", "state.pt"


@dataclass(frozen=True)
class Settings:
    """How to train; made for a model of 135M parameters, some 500 examples of some 700 tokens, and a GPU."""

    method: Method = "full"  # "full" changes all weights, "lora" a small adapter beside them
    epochs: int = 3
    batch: int = 8  # sequences a step
    length: int = 1024  # the most tokens of a sequence, its answer counted in
    rate: float = 0.0  # the highest learning rate; 0 takes the method's: full 2e-4, lora 1e-3
    warmup: float = 0.1  # the share of steps in which the rate rises; then it falls as a cosine
    seed: int = 0
    lora_rank: int = 16
    checkpoint_every: int = 50  # steps; 0 for none but those at the end of each epoch
    device: Device = "auto"  # bfloat16 autocast on a GPU that knows it, float32 on a CPU

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise Mistake(
                f"there is no method {self.method!r} of fine-tuning; {nearest(self.method, METHODS)}"
            )
        if self.device not in causal.DEVICES:
            raise Mistake(f"there is no device {self.device!r}; {nearest(self.device, causal.DEVICES)}")
        for name in ("epochs", "batch", "length", "lora_rank"):
            if getattr(self, name) < 1:
                raise Mistake(f"fine-tuning: {name} is {getattr(self, name)}, and must be 1 or more")
        if not (0 <= self.rate < math.inf and 0 <= self.warmup <= 1 and self.checkpoint_every >= 0):
            raise Mistake(
                "fine-tuning: rate and checkpoint_every are 0 or more, warmup is a share from 0 to 1"
            )

    def identity(self) -> dict[str, Any]:
        """What makes the trained weights."""
        what = {name: value for name, value in asdict(self).items() if name not in HOW}
        return what | {"rate": self.rate or RATES[self.method]}


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    step: int
    steps: int
    epoch: int
    epochs: int
    loss: float  # of this step, per token of the answers
    seconds: float  # all starts together

    def __str__(self) -> str:
        return (
            f"step {self.step} of {self.steps}, epoch {self.epoch} of {self.epochs}, "
            f"loss {self.loss:.3f}, {self.seconds:.0f} s"
        )


@dataclass
class State:
    """Where a training is, beside its weights."""

    order: list[list[int]]  # of the lessons, epoch by epoch
    step: int = 0
    seconds: float = 0.0
    peak: int = 0  # bytes of memory
    losses: list[list[float]] = field(
        default_factory=list
    )  # of each epoch: the sum, and the tokens summed over


def rate_at(step: int, steps: int, highest: float, warmup: float) -> float:
    """The learning rate of a step, the first being 0: a straight rise, then half a cosine down to nothing."""
    rising = round(steps * warmup)
    if step < rising:
        return highest * (step + 1) / rising
    return highest * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


class Training:
    """One start of a training."""

    def __init__(
        self, base: Path, examples: Sequence[Example], settings: Settings, folder: Path, device: str
    ):
        self._settings, self._folder, self._device = settings, folder, device
        self._begun = time.monotonic()
        self._model, self._tokenizer = causal.load(base)
        self._lessons = lessons_of(ChatTokens(self._tokenizer), examples, settings.length)
        self._batches = math.ceil(len(examples) / settings.batch)  # of an epoch
        draw, one_epoch = Random(settings.seed), range(len(examples))  # noqa: S311  # no secret
        self._state = State([draw.sample(one_epoch, len(examples)) for _ in range(settings.epochs)])

    def run(self, tell: Callable[[Progress], None]) -> dict[str, Any]:
        """Train to the end and keep the weights; what the manifest says of it."""
        import torch

        gpus = [torch.cuda.current_device()] if self._device == "cuda" else []
        with torch.random.fork_rng(devices=gpus):
            torch.manual_seed(self._settings.seed)
            self._prepare()
            steps = self._batches * self._settings.epochs
            while self._state.step < steps:
                tell(self._step(steps))
        digest = causal.digest_of_weights(
            checkpoints.replace_folder(self._folder, checkpoints.MODEL, self._write_model)
        )
        return self._results(digest)

    def _prepare(self) -> None:
        import torch

        if self._settings.method == "lora":
            self._model = causal.add_adapter(self._model, self._settings.lora_rank)
        self._model.to(self._device).train()
        if self._device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        self._learning = {name: one for name, one in self._model.named_parameters() if one.requires_grad}
        self._optimizer = torch.optim.AdamW(self._learning.values(), weight_decay=WEIGHT_DECAY)
        last = checkpoints.last_step(self._folder)
        if last is not None:
            self._read_step(last)
        self._earlier = self._state.seconds

    def _step(self, steps: int) -> Progress:
        """One step, and a checkpoint where one is due."""
        import torch

        settings, state = self._settings, self._state
        epoch, at = divmod(state.step, self._batches)
        chosen = state.order[epoch][at * settings.batch : (at + 1) * settings.batch]
        highest = settings.rate or RATES[settings.method]
        for group in self._optimizer.param_groups:
            group["lr"] = rate_at(state.step, steps, highest, settings.warmup)
        try:
            loss, learned = self._learn([self._lessons.all[one] for one in chosen])
        except torch.OutOfMemoryError as error:
            raise Mistake(
                f"the GPU has not enough memory for a step; batch is {settings.batch} and length {settings.length}: "
                "make one of them smaller"
            ) from error
        if not math.isfinite(loss):
            raise Mistake(
                f"the training went astray at step {state.step + 1}: its loss is {loss}; lower the rate"
            )
        if at == 0:
            state.losses.append([0.0, 0])
        state.losses[-1][0] += loss * learned
        state.losses[-1][1] += learned
        state.step += 1
        state.seconds = self._earlier + time.monotonic() - self._begun
        state.peak = max(state.peak, _peak_memory(self._device))
        every = settings.checkpoint_every
        if at + 1 == self._batches or (every and state.step % every == 0):
            checkpoints.keep_step(self._folder, state.step, self._write_step)
        return Progress(state.step, steps, epoch + 1, settings.epochs, loss, state.seconds)

    def _learn(self, lessons: Sequence[Lesson]) -> tuple[float, int]:
        """One step of gradient descent: its loss per token, and over how many tokens."""
        import torch

        learned = sum(one.learned for one in lessons)
        # A GPU takes the batch at once. A CPU is not faster by that, and one by one nothing has to be filled up.
        parts = [lessons] if self._device == "cuda" else [[one] for one in lessons]
        total = 0.0
        self._optimizer.zero_grad(set_to_none=True)
        for part in parts:
            loss = self._loss(part) / learned
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self._learning.values(), LARGEST_GRADIENT)
        self._optimizer.step()
        return total, learned

    def _loss(self, lessons: Sequence[Lesson]) -> Any:
        """The summed loss of all tokens that are learned.

        What fills a sequence up is at its end, where no token before can see it. So no mask is needed, and without
        one the attention of long sequences takes little memory.
        """
        import torch

        tokens, places, labels = (part.to(self._device) for part in batch_of(lessons))
        with torch.autocast(self._device, torch.bfloat16, enabled=causal.bf16_on(self._device)):
            logits = self._model(input_ids=tokens, logits_to_keep=places, use_cache=False).logits
        return torch.nn.functional.cross_entropy(
            logits.float().flatten(0, 1), labels.flatten(), ignore_index=NOT_LEARNED, reduction="sum"
        )

    def _write_step(self, folder: Path) -> None:
        import torch
        from safetensors.torch import save_file

        save_file({name: one.detach().cpu() for name, one in self._learning.items()}, folder / WEIGHTS)
        rng = {"cpu": torch.get_rng_state()}
        if self._device == "cuda":
            rng["cuda"] = torch.cuda.get_rng_state()
        state = asdict(self._state) | {"optimizer": self._optimizer.state_dict(), "rng": rng}
        with (folder / STATE).open("wb") as file:
            torch.save(state, file)

    def _read_step(self, folder: Path) -> None:
        """Go on from a checkpoint."""
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        damaged = (
            torch.serialization.pickle.UnpicklingError
        )  # what torch says of one; nothing else is unpickled
        try:
            state = torch.load(folder / STATE, map_location="cpu", weights_only=True)
            weights = load_file(folder / WEIGHTS)
        except (OSError, EOFError, RuntimeError, damaged, SafetensorError) as error:
            raise Mistake(f"the checkpoint {folder} cannot be read; remove it to begin anew") from error
        with torch.no_grad():
            for name, one in self._learning.items():
                one.copy_(weights[name])
        self._optimizer.load_state_dict(state.pop("optimizer"))
        rng = state.pop("rng")
        torch.set_rng_state(rng["cpu"])
        if self._device == "cuda" and "cuda" in rng:
            torch.cuda.set_rng_state(rng["cuda"])
        self._state = State(**state)

    def _write_model(self, folder: Path) -> None:
        """The trained weights: an adapter as it is, a whole model in half precision."""
        import torch

        self._model.eval()
        with causal.quiet():
            if self._settings.method == "lora":
                self._model.save_pretrained(str(folder), save_embedding_layers=False)
            else:
                self._model.to(torch.bfloat16).save_pretrained(str(folder))
            self._tokenizer.save_pretrained(str(folder))

    def _results(self, digest: str) -> dict[str, Any]:
        import torch

        state, lessons, gpu = self._state, self._lessons, self._device == "cuda"
        return {
            "weights": digest,
            "weights_kept_in": "float32" if self._settings.method == "lora" else "bfloat16",
            "trained_in": "bfloat16 autocast" if causal.bf16_on(self._device) else "float32",
            "device": torch.cuda.get_device_name() if gpu else f"cpu, {torch.get_num_threads()} threads",
            "steps": state.step,
            "loss_of_each_epoch": [loss / tokens for loss, tokens in state.losses],
            "seconds": round(state.seconds, 3),
            "peak_memory_bytes": state.peak,
            "examples": len(lessons.all),
            "room": lessons.room,
            "cut": {"examples": lessons.cut_examples, "tokens": lessons.cut_tokens},
            "versions": _versions(),
        }


def _peak_memory(device: str) -> int:
    """The most bytes that were in use at once: on the GPU, or of this process since it began."""
    if device == "cuda":
        import torch

        return int(torch.cuda.max_memory_allocated())
    if sys.platform == "win32":
        return 0  # it does not say
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("interplay", "torch", "transformers", "peft", "gguf"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
