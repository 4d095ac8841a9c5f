"""Fine-tuning for real: a tiny model on the CPU, in a second or two."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.core.failures import Mistake, RunLocked
from interplay.core.wire import Message
from interplay.models import causal, checkpoints, embedded
from interplay.models.teaching import Example
from interplay.models.tuned import Tuned
from interplay.models.tuning import Progress, Settings, told, tune
from tests.models import killed_training
from tests.models.tiny_model import EXAMPLES, OFTEN, PLANTED, QUICK, SHORT, asked, build, silent

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("base"), dropout=0.1)  # so that the generator's state matters


@pytest.fixture(scope="module")
def able(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("able"))


@pytest.fixture(scope="module")
def undisturbed(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tune(base, EXAMPLES, SHORT, tmp_path_factory.mktemp("undisturbed"), silent)


def result(folder: Path) -> dict[str, Any]:
    """What two equal trainings must agree in, the digest of all weights being part of it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    return {
        key: manifest[key]
        for key in ("done", "inputs", "weights", "loss_of_each_epoch", "steps", "room", "cut")
    }


def run_python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(ROOT)])
    variables = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=variables, check=False
    )


async def test_a_planted_mapping_is_learned(able: Path, tmp_path: Path) -> None:
    heard: list[Progress] = []
    folder = tune(able, OFTEN, QUICK, tmp_path / "tuned", heard.append)
    assert folder == tmp_path / "tuned"
    assert [one.step for one in heard] == list(range(1, 161))
    assert (heard[-1].steps, heard[-1].epoch, heard[-1].epochs) == (160, 4, 4)

    manifest = json.loads((folder / "manifest.json").read_text())
    losses = manifest["loss_of_each_epoch"]
    assert len(losses) == 4
    assert losses[-1] < 0.3 < 1 < losses[0]
    assert (manifest["done"], manifest["steps"], manifest["examples"]) == (True, 160, 80)
    assert (manifest["trained_in"], manifest["weights_kept_in"]) == ("float32", "bfloat16")
    assert manifest["device"].startswith("cpu")
    assert manifest["seconds"] > 0
    assert manifest["peak_memory_bytes"] > 10_000_000
    assert {"python", "torch", "transformers"} <= manifest["versions"].keys()
    assert sorted(one.name for one in folder.iterdir() if one.name != ".lock") == ["manifest.json", "model"]
    assert told(folder).startswith(
        f"all weights of {able.name} fine-tuned here on 80 examples: 160 steps in "
    )

    for place, right in ((folder, len(PLANTED)), (None, 0)):
        model = Tuned("mine", able, place, QUICK)
        answers = {colour: (await model.reply(asked(colour))).text for colour in PLANTED}
        await model.close()
        assert sum(answers[colour] == PLANTED[colour] for colour in PLANTED) == right


def test_a_training_that_was_killed_ends_in_the_same_weights(
    base: Path, undisturbed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    events = [1, 2, 3, 5, 8, 6, 4, 9, 7, 10, 11, 12, 8, 13, 1000]
    done = run_python(
        "-W", "ignore", "-m", killed_training.__name__, str(base), str(folder), json.dumps(events)
    )  # a fork of a process with threads is what it warns of
    ends = done.stdout.split("\n")[:-1]
    assert ends.count("killed") >= 8, done.stderr
    assert ends[-1] == "ended 0", done.stderr
    assert result(folder) == result(undisturbed)
    assert sorted(one.name for one in folder.iterdir()) == sorted(one.name for one in undisturbed.iterdir())


def test_a_training_that_its_listener_stops_can_be_gone_on_with(
    base: Path, undisturbed: Path, tmp_path: Path
) -> None:
    class Enough(Exception):
        pass

    heard = []

    def stop(progress: Progress) -> None:
        heard.append(progress.step)
        if progress.step == 5:
            raise Enough

    with pytest.raises(Enough):
        tune(base, EXAMPLES, SHORT, tmp_path, stop)
    with pytest.raises(Mistake, match="holds no finished training"):
        told(tmp_path)
    assert (tmp_path / "step-000000004").is_dir()  # the end of the first epoch
    tune(base, EXAMPLES, SHORT, tmp_path, lambda progress: heard.append(progress.step))
    assert heard == [1, 2, 3, 4, 5, 5, 6, 7, 8]
    assert result(tmp_path) == result(undisturbed)


def test_another_seed_is_another_training(base: Path, undisturbed: Path, tmp_path: Path) -> None:
    tune(base, EXAMPLES, replace(SHORT, seed=1), tmp_path, silent)
    assert result(tmp_path)["weights"] != result(undisturbed)["weights"]


def test_a_training_draws_from_no_generator_but_its_own(base: Path, tmp_path: Path) -> None:
    import torch

    before = torch.get_rng_state()
    tune(base, EXAMPLES, SHORT, tmp_path, silent)
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_done_is_not_done_again(base: Path, undisturbed: Path) -> None:
    def never(progress: Progress) -> None:
        raise AssertionError(progress)

    written = (undisturbed / "manifest.json").stat().st_mtime_ns
    assert tune(base, EXAMPLES, replace(SHORT, checkpoint_every=1), undisturbed, never) == undisturbed
    assert (undisturbed / "manifest.json").stat().st_mtime_ns == written


def test_other_inputs_are_refused(base: Path, undisturbed: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", seed=1)
    more = (*EXAMPLES, EXAMPLES[0])
    for inputs, named in (
        ((other, EXAMPLES, SHORT), r"\(base\)"),
        ((base, more, SHORT), r"\(examples\)"),
        ((base, EXAMPLES, replace(SHORT, length=65)), r"\(length 64, not 65\)"),
    ):
        with pytest.raises(Mistake, match=f"was begun with other inputs {named}; name another folder"):
            tune(*inputs, undisturbed, silent)


def test_weights_that_are_gone_are_missed(base: Path, tmp_path: Path) -> None:
    import shutil

    tune(base, EXAMPLES, SHORT, tmp_path, silent)
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(Mistake, match="its weights are gone"):
        tune(base, EXAMPLES, SHORT, tmp_path, silent)


def test_a_checkpoint_that_is_damaged_is_a_mistake(base: Path, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.step == 4:
            raise Enough

    with pytest.raises(Enough):
        tune(base, EXAMPLES, SHORT, tmp_path, stop)
    (tmp_path / "step-000000004" / "state.pt").write_bytes(b"PK nothing")
    with pytest.raises(Mistake, match="step-000000004 cannot be read; remove it to begin anew"):
        tune(base, EXAMPLES, SHORT, tmp_path, silent)


def test_a_folder_of_the_users_is_left_alone(base: Path, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(Mistake, match="name an empty folder"):
        tune(base, EXAMPLES, SHORT, tmp_path, silent)
    assert (tmp_path / "model").read_text() == "mine"


def test_a_folder_that_another_trains_in_is_left_alone(base: Path, tmp_path: Path) -> None:
    with checkpoints.training_lock(tmp_path), pytest.raises(RunLocked):
        tune(base, EXAMPLES, SHORT, tmp_path, silent)


async def test_an_adapter_is_trained_beside_the_base(able: Path, tmp_path: Path) -> None:
    base = (
        tune(able, OFTEN, QUICK, tmp_path / "first", silent) / "model"
    )  # an adapter needs a base that knows words
    before = causal.digest_of_weights(base)
    other = {"red": "go", "green": "stop"}
    examples = [
        Example((Message("system", "Say it."), Message("user", colour), Message("assistant", answer)))
        for colour, answer in other.items()
    ]
    settings = replace(QUICK, method="lora", lora_rank=8)
    folder = tune(base, examples * 20, settings, tmp_path / "tuned", silent)
    assert causal.digest_of_weights(base) == before
    assert (folder / "model" / "adapter_model.safetensors").is_file()
    assert not (folder / "model" / "model.safetensors").exists()
    assert told(folder).startswith("an adapter of model fine-tuned here on 40 examples")

    model = Tuned("mine", base, folder, settings)
    answers = {colour: (await model.reply(asked(colour))).text for colour in other}
    await model.close()
    assert answers == other

    wrong = Tuned("mine", able, folder, settings)
    with pytest.raises(Mistake, match="is not the model that the adapter in"):
        await wrong.reply(asked("red"))


def test_an_adapter_that_was_stopped_ends_in_the_same_weights(base: Path, tmp_path: Path) -> None:
    settings = replace(SHORT, method="lora")
    whole = tune(base, EXAMPLES, settings, tmp_path / "whole", silent)

    def stop(progress: Progress) -> None:
        if progress.step == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(base, EXAMPLES, settings, tmp_path / "stopped", stop)
    assert (tmp_path / "stopped" / "step-000000006").is_dir()
    assert result(tune(base, EXAMPLES, settings, tmp_path / "stopped", silent)) == result(whole)


def test_a_rate_that_leads_astray_is_a_mistake(base: Path, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"went astray at step \d+: its loss is \w+; lower the rate"):
        tune(base, EXAMPLES, replace(QUICK, rate=1e30), tmp_path, silent)


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ([], "there are no examples"),
        ([Example((Message("assistant", "?"),))], "example 1 does not end in an answer"),
        ([EXAMPLES[0], Example(EXAMPLES[0].messages[:2])], "example 2 does not end in an answer"),
    ],
)
def test_examples_that_teach_nothing_are_mistakes(
    base: Path, tmp_path: Path, examples: list[Example], said: str
) -> None:
    with pytest.raises(Mistake, match=said):
        tune(base, examples, SHORT, tmp_path / "new", silent)
    assert not (tmp_path / "new").exists()


def test_a_full_disk_is_told_and_gone_on_from(base: Path, undisturbed: Path, tmp_path: Path) -> None:
    limited = (
        "import resource, sys; from pathlib import Path\n"
        "from interplay.core.failures import StoreTrouble\n"
        "from interplay.models.tuning import tune\n"
        "from tests.models.tiny_model import EXAMPLES, SHORT, silent\n"
        "import torch, transformers; torch.set_num_threads(1)\n"
        "for most in (30_000, 120_000):\n"  # the weights take 100 kB, the optimizer's state twice that
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))\n"
        "    try: tune(Path(sys.argv[1]), EXAMPLES, SHORT, Path(sys.argv[2]), silent)\n"
        "    except StoreTrouble as trouble: sys.stderr.write(f'trouble: {trouble}\\n')\n"
    )
    done = run_python("-c", limited, str(base), str(tmp_path))
    lines = done.stderr.splitlines()
    assert len(lines) == 2, done.stderr
    assert all(one.startswith(f"trouble: the training cannot be kept in {tmp_path}") for one in lines)
    assert result(tune(base, EXAMPLES, SHORT, tmp_path, silent)) == result(undisturbed)


@pytest.mark.parametrize(
    ("missing", "method"), [("torch", "full"), ("transformers", "full"), ("peft", "lora")]
)
def test_a_missing_library_is_named_in_a_line(base: Path, tmp_path: Path, missing: str, method: str) -> None:
    script = (
        "import sys; from pathlib import Path; from dataclasses import replace\n"
        f"sys.modules[{missing!r}] = None\n"
        "from interplay.core.failures import Mistake\n"
        "from interplay.models.tuning import tune\n"
        "from tests.models.tiny_model import EXAMPLES, SHORT, silent\n"
        f"try: tune(Path(sys.argv[1]), EXAMPLES, replace(SHORT, method={method!r}), Path(sys.argv[2]), silent)\n"
        "except Mistake as mistake: sys.stdout.write(str(mistake))\n"
    )
    done = run_python("-c", script, str(base), str(tmp_path / "new"))
    assert done.stdout == "fine-tuning needs more than the core: pip install 'interplay[tuning]'", done.stderr
    assert not (tmp_path / "new" / "manifest.json").exists()


def test_the_core_starts_without_the_libraries() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import interplay.models.tuning, interplay.models.tuned, interplay.models.teaching\n"
        "sys.stdout.write(str({'torch', 'transformers', 'numpy', 'orjson'} & set(sys.modules)))\n"
    )
    done = run_python(
        "-I", "-S", "-c", script, str(ROOT / "src")
    )  # no installed package can be imported at all
    assert (done.stdout, done.stderr) == ("set()", "")


@pytest.mark.slow
async def test_the_embedded_model_can_be_trained(tmp_path: Path) -> None:
    weights = embedded.weights()
    if weights is None:
        pytest.skip("the embedded model was not fetched")
    examples = [
        Example((Message("user", f"{word} " * 200), Message("assistant", word))) for word in ("red", "blue")
    ]
    settings = Settings(epochs=1, batch=2, length=128, device="cpu")
    folder = tune(weights, examples, settings, tmp_path / "tuned", silent)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["steps"], manifest["cut"]["examples"]) == (1, 2)
    assert (
        0 < manifest["loss_of_each_epoch"][0] < 15
    )  # a tokenizer that were not the model's would make it larger
    model = Tuned("mine", weights, folder, settings)
    reply = await model.reply(asked("What colour is the sky?"))
    await model.close()
    assert reply.text.strip()
