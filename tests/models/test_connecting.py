"""From names to models: what is a name, what is near one, and what models.toml may say."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models.connecting import Directory, Entry, read_entries
from interplay.models.local import EMBEDDED_SLOTS, Local
from interplay.models.openai_compatible import OPENAI, OpenAICompatible, Patience
from interplay.models.scripted import Scripted

EMPTY: dict[str, str] = {}


def toml(folder: Path, text: str) -> Path:
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


def openai(directory: Directory, name: str) -> OpenAICompatible:
    model = directory.connect(name)
    assert isinstance(model, OpenAICompatible)
    return model


def test_a_plain_name_is_at_openai() -> None:
    model = openai(Directory(environment={"OPENAI_API_KEY": "k"}), "openai/gpt-4o")
    assert (model.name, model.endpoint, model._remote_name) == ("openai/gpt-4o", OPENAI, "gpt-4o")
    assert model._at.key == "k"
    assert model._at.patience == Patience()


def test_a_name_may_have_slashes_of_its_own() -> None:
    model = openai(Directory(base_url="http://127.0.0.1:1/v1/", environment=EMPTY), "openai/meta/llama-3")
    assert (model._remote_name, model.endpoint) == ("meta/llama-3", "http://127.0.0.1:1/v1")


def test_the_nearest_base_url_counts() -> None:
    environment = {"OPENAI_BASE_URL": "http://environment/v1"}
    entries = {"mine": Entry("openai/m", base_url="http://entry/v1"), "other": Entry("openai/m")}
    assert openai(Directory(environment=environment), "openai/m").endpoint == "http://environment/v1"
    named = Directory(entries, base_url="http://flag/v1", environment=environment)
    assert openai(named, "openai/m").endpoint == "http://flag/v1"
    assert openai(named, "other").endpoint == "http://flag/v1"
    assert openai(named, "mine").endpoint == "http://entry/v1"


def test_a_timeout_is_how_long_an_answer_may_take_to_begin() -> None:
    entries = {"mine": Entry("openai/m", timeout=900)}
    directory = Directory(entries, timeout=5, environment=EMPTY)
    assert openai(directory, "openai/m")._at.patience == Patience(first_byte=5, total=300)
    assert openai(directory, "mine")._at.patience == Patience(first_byte=900, total=900)


async def test_the_embedded_model_is_not_loaded_by_being_named() -> None:
    model = Directory(environment=EMPTY).connect("local/smollm2")
    assert isinstance(model, Local)
    assert (model.endpoint, model.most_connections) == ("local/smollm2", EMBEDDED_SLOTS)
    await model.close()


async def test_a_local_file_must_be_there_and_be_gguf(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="there is no GGUF file"):
        await Directory().connect(f"local/{tmp_path / 'no.gguf'}").check()
    file = tmp_path / "bad.gguf"
    file.write_bytes(b"no gguf")
    with pytest.raises(Mistake, match="is not a GGUF file"):
        await Directory().connect(f"local/{file}").check()


def test_models_made_in_python_go_first() -> None:
    bot = Scripted("openai/m", lambda _: "x")
    assert Directory(made={"openai/m": bot}).connect("openai/m") is bot


@pytest.mark.parametrize(
    "name, near",
    [
        ("opnai/x", "openai/NAME"),
        ("locl/x", "local/NAME"),
        ("openai/", "openai/NAME"),
        ("openai", "openai/NAME"),
        ("my-modl", "my-model"),
        ("anthropic/claude", "openai/NAME"),
        ("", "openai/NAME"),
    ],
)
def test_a_wrong_name_comes_with_what_would_be_right(name: str, near: str) -> None:
    directory = Directory({"my-model": Entry("openai/m")}, environment=EMPTY)
    for look in (directory.check, directory.connect):
        with pytest.raises(Mistake, match="is no model") as raised:
            look(name)
        assert near in str(raised.value)


def test_an_entry_for_no_model_is_not_suggested_for_itself() -> None:
    with pytest.raises(Mistake) as raised:
        Directory({"mine": Entry("opnai/m")}, environment=EMPTY).check("mine")
    assert "did you mean 'mine'" not in str(raised.value)


def test_a_key_comes_from_the_variable_that_the_entry_names() -> None:
    entries = {"mine": Entry("openai/m", key="MY_KEY")}
    both = {"MY_KEY": "secret", "OPENAI_API_KEY": "other"}
    assert openai(Directory(entries, environment=both), "mine")._at.key == "secret"
    for environment in ({"OPENAI_API_KEY": "other"}, {"MY_KEY": ""}):
        with pytest.raises(Mistake, match="takes its key from MY_KEY, which is not set"):
            Directory(entries, environment=environment).connect("mine")


def test_entries_are_read_whole(tmp_path: Path) -> None:
    path = toml(
        tmp_path,
        """
        [models.small]
        model = "openai/qwen"
        base_url = "http://127.0.0.1:8000/v1"
        key = "QWEN_KEY"
        system_role = false
        schemas = false
        max_connections = 4
        timeout = 90
        [models."with space"]
        model = "local/smollm2"
        """,
    )
    assert read_entries(path) == {
        "small": Entry("openai/qwen", "http://127.0.0.1:8000/v1", "QWEN_KEY", False, False, 4, 90),
        "with space": Entry("local/smollm2"),
    }
    model = openai(Directory(read_entries(path), environment={"QWEN_KEY": "k"}), "small")
    assert model.most_connections == 4
    assert not model._at.schemas
    assert not model._at.system_role


def test_an_empty_file_names_no_models(tmp_path: Path) -> None:
    assert read_entries(toml(tmp_path, "")) == {}


@pytest.mark.parametrize(
    "text, words",
    [
        ("[model.a]\nmodel = 'openai/m'", "did you mean 'models'"),
        ("[models.a]\nmodl = 'openai/m'", "lacks model"),
        ("models.a = 'openai/m'", "lacks model"),
        ("[models.a]\nmodel = 'openai/m'\nbase_ur = 'x'", "did you mean 'base_url'"),
        ("[models.a]\nmodel = 'openai/m'\napi_key = 'sk-1'", "did you mean 'key'|there is"),
        ("[models.a]\nmodel = 3", "model must be str, not 3"),
        ("[models.a]\nmodel = 'openai/m'\nmax_connections = '4'", "max_connections must be int"),
        ("[models.a]\nmodel = 'openai/m'\nmax_connections = true", "max_connections must be int"),
        ("[models.a]\nmodel = 'openai/m'\nmax_connections = 1.5", "max_connections must be int"),
        ("[models.a]\nmodel = 'openai/m'\nschemas = 1", "schemas must be bool"),
        ("[models.a]\nmodel = 'openai/m'\ntimeout = 'long'", "timeout must be float"),
        ("[models.a", "cannot be read"),
        ("[models.a]\nmodel = 'x'\nmodel = 'y'", "cannot be read"),
    ],
)
def test_every_mistake_in_models_toml_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = toml(tmp_path, text)
    with pytest.raises(Mistake, match=words) as raised:
        read_entries(path)
    assert str(path) in str(raised.value)


def test_a_file_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"[models.\xe9]")
    for name in ("missing", "latin", "."):
        with pytest.raises(Mistake, match="cannot be read"):
            read_entries(tmp_path / name)


@pytest.mark.parametrize("text", ["models = 3", "models = []", "[[models]]\nmodel = 'openai/m'"])
def test_models_that_are_no_table_are_a_mistake(tmp_path: Path, text: str) -> None:
    with pytest.raises(Mistake):
        read_entries(toml(tmp_path, text))


@pytest.mark.parametrize("setting", ["max_connections = -3", "timeout = -1.0", "timeout = nan"])
def test_numbers_out_of_range_are_a_mistake(tmp_path: Path, setting: str) -> None:
    with pytest.raises(Mistake):
        read_entries(toml(tmp_path, f"[models.a]\nmodel = 'openai/m'\n{setting}"))
