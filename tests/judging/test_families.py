"""Families of models, told by their names."""

import pytest

from interplay.judging.families import family_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o", "gpt"),
        ("openai/gpt-4o-mini-2024-07-18", "gpt"),
        ("openai/chatgpt-4o-latest", "gpt"),
        ("openai/ft:gpt-4o-mini:acme::abc", "gpt"),
        ("o1", "gpt"),
        ("openai/o3-mini", "gpt"),
        ("openrouter/openai/o4-mini-high", "gpt"),
        ("claude-3-5-sonnet-20241022", "claude"),
        ("anthropic/claude-3-opus", "claude"),
        ("bedrock/anthropic.claude-3-haiku", "claude"),
        ("openrouter/meta-llama/llama-3-70b", "llama"),
        ("together/meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", "llama"),
        ("codellama-34b", "llama"),
        ("mistralai/Mixtral-8x7B-Instruct", "mistral"),
        ("mistral-large-latest", "mistral"),
        ("open-mistral-nemo", "mistral"),
        ("Qwen/QwQ-32B", "qwen"),
        ("qwen2.5-72b-instruct", "qwen"),
        ("google/gemma-2-9b", "gemini"),
        ("local/SmolLM2-135M-Instruct", "smollm"),
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("openrouter/anthropic/claude-sonnet-4.5:beta", "claude"),
        ("groq/openai/gpt-oss-120b", "gpt"),
        ("ollama/gpt-oss:20b", "gpt"),
        ("ollama/hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "llama"),
        ("vllm/Qwen/Qwen3-8B", "qwen"),
    ],
)
def test_a_name_tells_its_family(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("python/parrot", "parrot"),
        ("openai/Nova-2", "nova"),
        ("openai/marco-o1", "marco"),
        ("openai/o10", "o"),
        ("openai/osmosis", "osmosis"),
        ("openai/42", "42"),
        ("", ""),
        ("openai/", ""),
    ],
)
def test_of_an_unknown_name_it_is_the_first_word(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gemini/learnlm-2.0-flash", "gemini"),
        ("mistral/voxtral-small-latest", "mistral"),
        ("openrouter/google/learnlm-1.5", "gemini"),
        ("together/MistralAI/voxtral-small", "mistral"),
        ("openrouter/anthropic/next", "claude"),
        ("openrouter/openai/gemma-look-alike", "gemini"),  # what the name itself tells goes before
    ],
)
def test_where_the_name_is_unknown_its_maker_tells(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/anthropic/next", "next"),  # of any endpoint of that shape, whose paths are its own
        ("ollama/google/next", "next"),
        ("openrouter/auto", "auto"),
        ("openrouter/nobody-known/next", "next"),
        ("gemini", "gemini"),
    ],
)
def test_elsewhere_no_maker_is_guessed(name: str, family: str) -> None:
    assert family_of(name) == family


def test_what_the_user_says_goes_before_the_name() -> None:
    said = {"openai/gpt-4o": "claude", "openai/mine": "gpt"}
    assert family_of("openai/gpt-4o", said) == "claude"
    assert family_of("openai/mine", said) == "gpt"
    assert family_of("gpt-4o", said) == "gpt"
    assert family_of("openai/gpt-4o", {}) == "gpt"
