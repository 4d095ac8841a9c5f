"""Models from local files: what is read, what is refused."""

import json
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models import causal
from tests.models.tiny_model import build


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("base"))


def test_weights_are_loaded_as_plain_numbers_without_a_word(
    base: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import torch

    model, tokenizer = causal.load(base)
    assert {one.dtype for one in model.parameters()} == {torch.float32}
    assert tokenizer.chat_template
    assert capfd.readouterr() == ("", "")


def test_weights_that_are_pickled_are_refused(tmp_path: Path) -> None:
    import torch

    build(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(Mistake, match="no weights in safetensors, the only form that is read"):
        causal.load(tmp_path)


def test_code_that_comes_with_weights_is_not_run(tmp_path: Path) -> None:
    build(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {
        "model_type": "mine",
        "auto_map": {"AutoModelForCausalLM": "code.Mine", "AutoConfig": "code.Mine"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "code.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(Mistake, match="transformers cannot load"):
        causal.load(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("damaged", ["config.json", "model.safetensors", "tokenizer.json"])
def test_damaged_files_are_mistakes_of_one_line(tmp_path: Path, damaged: str) -> None:
    build(tmp_path)
    (tmp_path / damaged).write_bytes(b"\x00{nothing")
    with pytest.raises(Mistake, match="transformers cannot load") as raised:
        causal.load(tmp_path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"GG", b"dear diary", b"GGUF, or so it says"])
def test_a_file_that_is_no_gguf_is_a_mistake(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(Mistake) as raised:
        causal.load(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_digest_is_that_of_what_is_read(tmp_path: Path) -> None:
    one, same, other = build(tmp_path / "1"), build(tmp_path / "2"), build(tmp_path / "3", seed=1)
    digest = causal.digest_of_weights(one)
    assert digest == causal.digest_of_weights(same) != causal.digest_of_weights(other)
    (one / "README.md").write_text("About it.")
    assert causal.digest_of_weights(one) == digest
    (one / "tokenizer_config.json").write_text("{}")
    assert causal.digest_of_weights(one) != digest


def test_a_gpu_that_is_not_there_is_a_mistake() -> None:
    import torch

    assert causal.device_of("cpu") == "cpu"
    if torch.cuda.is_available():
        assert causal.device_of("auto") == "cuda"
    else:
        assert causal.device_of("auto") == "cpu"
        with pytest.raises(Mistake, match="no GPU is here"):
            causal.device_of("cuda")
