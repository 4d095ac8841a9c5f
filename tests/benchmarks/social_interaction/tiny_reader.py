"""A language model of a few thousand weights whose tokens are words of the readers' prompts, so that a window fits."""

from functools import partial
from pathlib import Path

from interplay.benchmarks.social_interaction.reading import example_of
from interplay.benchmarks.social_interaction.windows import written_play
from tests.models.tiny_model import CHAT, ROLES

WORDS = 1_500
LONGEST = 2_304  # tokens that it reads


def build(folder: Path) -> Path:
    """Write the weights and the tokenizer, as any model's are kept."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    make = partial(trainers.BpeTrainer, initial_alphabet=alphabet, show_progress=False)
    texts = [message.text for one in written_play().windows[:12] for message in example_of(one).messages]
    raw.train_from_iterator(texts, make(vocab_size=WORDS, special_tokens=["<|end|>", *ROLES]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = CHAT
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder
