"""A language model of a few thousand weights, with a tokenizer of bytes, that trains in a second."""

from functools import partial
from pathlib import Path
from typing import Any

from interplay.core.wire import Message, Request, Sampling, Thread
from interplay.models.teaching import Example
from interplay.models.training import Progress, Settings

CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
ROLES = ["<|system|>", "<|user|>", "<|assistant|>"]
PLANTED = {"red": "stop", "green": "go", "amber": "wait", "blue": "swim"}
EXAMPLES = tuple(
    Example((Message("system", "Say it."), Message("user", colour), Message("assistant", answer)))
    for colour, answer in PLANTED.items()
)
OFTEN = EXAMPLES * 20
QUICK = Settings(epochs=4, batch=2, length=64, rate=1e-2, device="cpu")
SHORT = Settings(epochs=2, batch=1, length=64, rate=1e-2, checkpoint_every=3, device="cpu")  # 8 steps


def silent(progress: Progress) -> None:
    """Tells nobody."""


def build(folder: Path, *, chat: str | None = CHAT, seed: int = 0, dropout: float = 0.0) -> Path:
    """Write the weights and the tokenizer, as any model's are kept."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)
    tokenizer = build_tokenizer(chat)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=128,
        tie_word_embeddings=True,
        attention_dropout=dropout,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def build_tokenizer(chat: str | None = CHAT) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    make = partial(trainers.BpeTrainer, initial_alphabet=alphabet, show_progress=False)
    raw.train_from_iterator([], make(vocab_size=300, special_tokens=["<|end|>", *ROLES]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = chat
    return tokenizer


def asked(text: str, most: int | None = 12) -> Request:
    thread = Thread.start(Message("system", "Say it.")).then("user", text)
    return Request("mine", thread, Sampling(temperature=0.0, max_tokens=most))
