"""A causal language model as one who answers: as fine-tuning left it, or as it was before."""

import asyncio
import gc
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.wire import Reply, Request, digest_of
from interplay.models import causal, checkpoints
from interplay.models.calling import CallFailed
from interplay.models.chat_tokens import ChatTokens, TooLong
from interplay.models.prices import FREE, Price
from interplay.models.training import Settings

MOST_TOKENS = 256  # of an answer, where the request does not say
HERE = "this machine"  # whose limits all of them share
WINDOW = 2048  # tokens, for a model that does not say how many it can read


class Tuned:
    """A base as the training in a folder left it, or, without a folder, untrained; answers greedily.

    It is loaded on first use, and answers one request after the other.
    """

    most_connections: int | None = 1
    price: Price | None = FREE
    remembers = False
    ignores = frozenset({"temperature", "top_p", "frequency_penalty"})

    def __init__(self, name: str, base: Path, folder: Path | None, settings: Settings):
        self.name = name
        self.endpoint = HERE
        self._base, self._folder, self._settings = base, folder, settings
        self._one_at_a_time = threading.Lock()
        self._writer: _Writer | None = None

    async def check(self) -> None:
        await asyncio.to_thread(self._check)

    async def reply(self, request: Request) -> Reply:
        withdrawn = threading.Event()
        try:
            return await asyncio.to_thread(self._reply, request, withdrawn)
        finally:
            withdrawn.set()  # a thread cannot be cancelled, but it can be told

    async def close(self) -> None:
        await asyncio.to_thread(self._free)

    def _check(self) -> None:
        causal.transformers()
        causal.device_of(self._settings.device)
        causal.check_base(self._base)
        if self._folder is not None:
            _finished(self._folder)

    def _reply(self, request: Request, withdrawn: threading.Event) -> Reply:
        with self._one_at_a_time:
            if withdrawn.is_set():
                raise _withdrawn()
            if self._writer is None:
                self._writer = _Writer(self._base, self._folder, self._settings)
            return self._writer.reply(request, withdrawn)

    def _free(self) -> None:
        with self._one_at_a_time:
            if self._writer is None:
                return
            self._writer = None
            gc.collect()  # models hold circles of references
            causal.free_memory()


class _Writer:
    """A model that is in memory."""

    def __init__(self, base: Path, folder: Path | None, settings: Settings):
        self._device = causal.device_of(settings.device)
        self._length = settings.length
        self._trained_room = 0
        if folder is None:
            (model, tokenizer), self._version = causal.load(base), causal.digest_of_weights(base)
        else:
            manifest = _finished(folder)
            model, tokenizer = _trained(base, folder, manifest)
            # What went into the training and what came out, but not how long it took.
            self._version = digest_of([manifest["inputs"], manifest["weights"]])
            self._trained_room = int(manifest["room"])
        self._chat = ChatTokens(tokenizer)
        self._window = int(getattr(model.config, "max_position_embeddings", None) or WINDOW)
        self._model = model.to(self._device, causal.dtype_on(self._device)).eval()

    def reply(self, request: Request, withdrawn: threading.Event) -> Reply:
        import torch

        begun = time.monotonic()
        most = request.sampling.max_tokens or MOST_TOKENS
        try:
            prompt = self._chat.prompt(request.thread.messages(), self._room(most)).ids
        except TooLong as error:
            raise CallFailed("rejected", str(error)) from error
        try:
            said = self._write(prompt, min(most, self._window - len(prompt)), withdrawn)
        except torch.OutOfMemoryError as error:
            raise CallFailed("broken", f"the GPU has not enough memory for {len(prompt)} tokens") from error
        return Reply(
            self._chat.text(said),
            stop="stop" if said[-1] in self._chat.ends else "length",
            version=self._version,
            tokens_in=len(prompt),
            tokens_out=len(said),
            cost=0.0,
            latency=time.monotonic() - begun,
        )

    def _room(self, most: int) -> int:
        """How many tokens a prompt may have: as in training; untrained, what the answer leaves of the length."""
        room = self._trained_room or max(self._length - most, self._length // 2)
        return min(room, self._window - 1)

    def _write(self, prompt: Sequence[int], most: int, withdrawn: threading.Event) -> list[int]:
        """The likeliest token, again and again, until one ends the answer."""
        import torch

        said: list[int] = []
        read, memory = list(prompt), None
        with torch.inference_mode():
            while len(said) < most and not (said and said[-1] in self._chat.ends):
                if withdrawn.is_set():
                    raise _withdrawn()
                tokens = torch.tensor([read], device=self._device)
                out = self._model(input_ids=tokens, past_key_values=memory, use_cache=True, logits_to_keep=1)
                memory = out.past_key_values
                said.append(int(out.logits[0, -1].argmax()))
                read = said[-1:]
        return said


def _withdrawn() -> CallFailed:
    return CallFailed("timeout", "the question was withdrawn")


def _finished(folder: Path) -> dict[str, Any]:
    """The manifest of a training that is done."""
    manifest = checkpoints.read_manifest(folder)
    if manifest is None:
        raise Mistake(f"{folder} is not the folder of a training")
    if not manifest.get("done"):
        raise Mistake(f"the training in {folder} is not done; go on with it first")
    return manifest


def _trained(base: Path, folder: Path, manifest: dict[str, Any]) -> tuple[Any, Any]:
    """Model and tokenizer."""
    weights = folder / checkpoints.MODEL
    if manifest["inputs"]["settings"]["method"] != "lora":
        return causal.load(weights)
    if causal.digest_of_weights(base) != manifest["inputs"]["base"]:
        raise Mistake(f"{base} is not the model that the adapter in {folder} was trained on")
    model, tokenizer = causal.load(base)
    return causal.with_adapter(model, weights), tokenizer
