"""Causal language models from local files, through transformers: nothing is downloaded, no code of theirs runs."""

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Literal

from interplay.core.failures import Mistake, nearest, why
from interplay.core.wire import digest_of

Device = Literal["auto", "cpu", "cuda"]
DEVICES: tuple[Device, ...] = ("auto", "cpu", "cuda")
NEEDS_MORE = "fine-tuning needs more than the core: pip install 'interplay[tuning]'"
_READ = frozenset(
    {".safetensors", ".json", ".model", ".txt", ".jinja", ".tiktoken"}
)  # of a folder of weights


@contextmanager
def needing_libraries() -> Iterator[None]:
    """An import that fails in here is told as the extra that is missing."""
    try:
        yield
    except ImportError as error:
        raise Mistake(NEEDS_MORE) from error


def transformers() -> ModuleType:
    """The library, told before it is imported that it must stay off the network."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with needing_libraries():
        import torch  # noqa: F401  # transformers can be imported without it, and then does nothing
        import transformers

        found: ModuleType = transformers
    return found


def peft() -> ModuleType:
    """The library of adapters, which only they need."""
    with needing_libraries():
        import peft

        found: ModuleType = peft
    return found


def check_base(base: Path) -> None:
    """Raise a Mistake if this can be no model: neither a GGUF file nor a folder of weights."""
    if base.is_dir():
        if not (base / "config.json").is_file():
            raise Mistake(f"{base} holds no config.json, so it is no folder of weights")
        if not any(base.glob("*.safetensors")):
            raise Mistake(f"{base} holds no weights in safetensors, the only form that is read")
        return
    try:
        with base.open("rb") as file:
            is_gguf = file.read(4) == b"GGUF"
    except OSError as error:
        raise Mistake(f"the model {base} cannot be read: {why(error)}") from error
    if not is_gguf or base.suffix != ".gguf":
        raise Mistake(f"{base} is neither a .gguf file nor a folder of weights")


def digest_of_weights(base: Path) -> str:
    """A digest of all that makes the model: of the GGUF file, or of the files of a folder."""
    files = [base] if base.is_file() else sorted(one for one in base.iterdir() if one.suffix in _READ)
    try:
        return digest_of({"model" if one == base else one.name: _hash(one) for one in files})
    except OSError as error:
        raise Mistake(f"the model {base} cannot be read: {why(error)}") from error


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def device_of(wanted: Device) -> str:
    """Where to compute: on the GPU if there is one, or where the user says."""
    if wanted not in DEVICES:
        raise Mistake(f"there is no device {wanted!r}; {nearest(wanted, DEVICES)}")
    with needing_libraries():
        import torch
    there = bool(torch.cuda.is_available())
    if wanted == "cuda" and not there:
        raise Mistake("device cuda: no GPU is here that torch can use; device auto takes the CPU then")
    return "cuda" if there and wanted != "cpu" else "cpu"


def bf16_on(device: str) -> bool:
    """Is bfloat16 what one computes in there?"""
    import torch

    return device == "cuda" and bool(torch.cuda.is_bf16_supported())


def dtype_on(device: str) -> Any:
    """In what a model is used there."""
    import torch

    return torch.bfloat16 if bf16_on(device) else torch.float32


def free_memory() -> None:
    """Give back to the GPU what torch keeps for later."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def add_adapter(model: Any, rank: int) -> Any:
    """The model with small matrices beside all its own, which alone learn."""
    library = peft()
    settings = library.LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    return library.get_peft_model(model, settings)


def with_adapter(model: Any, folder: Path) -> Any:
    """The model with the adapter of a folder taken into its weights."""
    return peft().PeftModel.from_pretrained(model, str(folder), local_files_only=True).merge_and_unload()


_LOADING = Lock()  # the library loads one at a time: two in two threads come out without weights


def load(base: Path) -> tuple[Any, Any]:
    """A model in float32 on the CPU, and its tokenizer."""
    check_base(base)
    library = transformers()
    import torch

    where, named = (base.parent, {"gguf_file": base.name}) if base.is_file() else (base, {})
    safe = {"local_files_only": True, "trust_remote_code": False}
    with _LOADING, quiet(), _told_as_mistake(base):
        tokenizer = library.AutoTokenizer.from_pretrained(str(where), **named, **safe)
        model = library.AutoModelForCausalLM.from_pretrained(
            str(where), **named, **safe, **_plain(library, base), dtype=torch.float32
        )
        return (_rebuilt(library, model) if named else model), tokenizer


def _plain(library: ModuleType, base: Path) -> dict[str, Any]:
    """What else makes the weights plain numbers in memory, of files that hold nothing else."""
    if base.is_dir():
        return {"use_safetensors": True}
    packed = getattr(library, "GgufConfig", None)  # a version without it unpacks the blocks of a GGUF anyway
    return {"quantization_config": packed(dequantize=True)} if packed else {}


def _rebuilt(library: ModuleType, model: Any) -> Any:
    """The same weights in a model that knows of no GGUF: one that does can be neither trained nor saved."""
    config = type(model.config).from_dict(
        {key: value for key, value in model.config.to_dict().items() if key != "quantization_config"}
    )
    import torch

    with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and then overwritten
        plain = library.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(model.state_dict())
    return plain


@contextmanager
def _told_as_mistake(base: Path) -> Iterator[None]:
    """What the library says of files that it cannot read, in one line."""
    try:
        yield
    except ImportError as error:  # a GGUF takes a library of its own
        raise Mistake(NEEDS_MORE) from error
    except _damaged() as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise Mistake(f"transformers cannot load {base}: {said}") from error


def _damaged() -> tuple[type[Exception], ...]:
    """What libraries say of a file that is not what its name says, by names of their own."""
    from safetensors import SafetensorError

    return (OSError, ValueError, TypeError, LookupError, RuntimeError, SafetensorError, struct.error)


def _unpacker() -> ModuleType | None:
    """The part of the library that unpacks a GGUF, where it has one by this name."""
    try:
        return import_module("transformers.modeling_gguf_pytorch_utils")
    except ImportError:
        return None


@contextmanager
def quiet() -> Iterator[None]:
    """Without bars and remarks of the library, which would be written into our own display."""
    library = transformers()
    logging = library.utils.logging
    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    gguf = _unpacker()
    bar = getattr(gguf, "tqdm", None)  # this one obeys no switch
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    if bar is not None:
        gguf.tqdm = partial(bar, disable=True)  # type: ignore[union-attr]  # where it has one, it is there
    try:
        yield
    finally:
        if bar is not None:
            gguf.tqdm = bar  # type: ignore[union-attr]
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
