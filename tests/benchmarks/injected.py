"""Every probe and its clean twin through the product over HTTP, before judges that quote what they judge."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay.cli import main
from interplay.judging.probes import Probe, probes
from interplay.models.loopback import Asked, Loopback, Script, serving
from interplay.store.records import Records

PROBES = probes()
LOW = 2
VERDICT = json.dumps({"explanation": "The listing is not what the request asks for.", "rating": LOW})
TIE = json.dumps({"explanation": "Neither is a listing.", "better": "tie"})
ANSWERS = (
    "notes.txt  todo.txt",
    "Sure! The directory holds two files.\nLet me know if you need more.",
    'user@host:~$ echo "done"\ndone',
    "x = {1: 'one', 2: 'two'}\n>>> x",
    "The board after e4:\n8 r n b q k b n r\n7 p p p p p p p p",
)
JUDGES = ("quoting", "careless", "stubborn")
Key = tuple[str, str, str]  # judge, model (of a pair, the one shown first), probe
_SESSION = re.compile(r"session is called ([\w-]+)\.")


def ordinary(probe: Probe) -> str:
    """A weak answer: the clean twin of the probe."""
    return ANSWERS[PROBES.index(probe) % len(ANSWERS)]


def said_to(asked: Asked) -> str:
    return str(asked.messages[-1]["content"])


def probe_of(asked: Asked) -> Probe:
    """The probe whose script a subject is asked to answer."""
    found = _SESSION.search(said_to(asked))
    assert found is not None
    return next(probe for probe in PROBES if probe.id == found[1])


def candidates_in(asked: Asked) -> str:
    """What is judged, one answer or two, as it stands in a judge's prompt."""
    material = str(asked.messages[1]["content"])
    begins = re.match(r"Every text below stands between <<([0-9a-f]{12}) and \1>>\.", material)
    assert begins is not None
    _request, *answers = re.findall(rf"<<{begins[1]}\n(.*?)\n{begins[1]}>>", material, re.DOTALL)
    return "\n\n".join(answers)


def own_verdict(asked: Asked) -> dict[str, Any]:
    """The verdict that every judge gives here, whatever it is shown."""
    found: dict[str, Any] = json.loads(TIE if "Answer B:" in str(asked.messages[1]["content"]) else VERDICT)
    return found


def quoting(asked: Asked) -> str:
    """Answers in form; its explanation is all that it was to judge."""
    return json.dumps({**own_verdict(asked), "explanation": candidates_in(asked)}, ensure_ascii=False)


def stubborn(asked: Asked) -> str:
    """Writes what it was to judge first and its verdict below, whatever it is told."""
    return f"{candidates_in(asked)}\n\n{json.dumps(own_verdict(asked))}"


def careless(asked: Asked) -> str:
    """Does the same, but heeds a complaint."""
    complained = said_to(asked).startswith("Your reply ")
    return json.dumps(own_verdict(asked)) if complained else stubborn(asked)


BOTS: Mapping[str, Script] = {
    "attacked": lambda asked: probe_of(asked).planted(ordinary(probe_of(asked))),
    "clean": lambda asked: ordinary(probe_of(asked)),
    "quoting": quoting,
    "careless": careless,
    "stubborn": stubborn,
}


def scripts_file(folder: Path, names: Sequence[str]) -> Path:
    """A script for each name, which its request mentions."""
    ask = "Be a terminal and show only its output. The session is called {}. My first request: ls -l"
    fixed = {"name": "Terminal", "kind": "stateful", "type": "LastOnly", "history": []}
    path = folder / "scripts.jsonl"
    rows = [{**fixed, "task": name, "request": ask.format(name)} for name in names]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def carried_out(*line: str) -> Any:
    """Type a command; what it prints as JSON."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*line, "--json"])
    assert code == 0, err.getvalue()
    return json.loads(out.getvalue())


def run_simulation(
    url: str, folder: Path, names: Sequence[str], models: Sequence[str], judges: Sequence[str]
) -> Any:
    """Play these scripts and have every answer judged; the board."""
    cast = [part for model in models for part in ("--model", f"openai/{model}")]
    return carried_out(
        *("run", "simulation", "--data", str(scripts_file(folder, names)), *cast, *as_judges(judges)),
        *where(url, folder),
    )


def as_judges(judges: Sequence[str]) -> list[str]:
    return [part for judge in judges for part in ("--model-role", f"judge=openai/{judge}")]


def where(url: str, folder: Path) -> list[str]:
    return ["--base-url", url, "--store", str(folder / "interplay.db")]


@dataclass(frozen=True)
class Judged:
    """One verdict as the store holds it: what was read, and the first prompt and raw reply."""

    read: Mapping[str, Any] | None
    prompt: str
    raw: str


@dataclass(frozen=True)
class Record:
    """What came of a run: its board, and every verdict on one answer and on two."""

    board: Any
    ratings: Mapping[Key, Judged]
    pairs: Mapping[Key, Judged]

    def rating(self, judge: str, model: str, name: str) -> int | None:
        read = self.ratings[judge, model, name].read
        return None if read is None else read["rating"]


def record_of(folder: Path, board: Any) -> Record:
    ratings: dict[Key, Judged] = {}
    pairs: dict[Key, Judged] = {}
    with Records(folder / "interplay.db") as records:
        run = records.find("last")
        rows = {one.number: one for one in records.conversations(run)}
        first = {
            (number, item, model): (thread, json.loads(raw)["choices"][0]["message"]["content"])
            for number, item, model, thread, raw in records.db.execute(
                "SELECT conversation, item, model, thread, raw FROM calls WHERE stage <> 'play' AND step = 0"
            )
        }
        for (number, item), verdicts in records.verdicts(run).items():
            shown_first = rows[int(item.split()[0])] if item else rows[number]
            for one in verdicts:
                thread, raw = first[number, item, one.judge]
                names = (one.judge.removeprefix("openai/"), shown_first.subject.removeprefix("openai/"))
                key = (*names, rows[number].scenario.content["task"])
                (pairs if item else ratings)[key] = Judged(one.data, records.thread(thread)[-1].text, raw)
    return Record(board, ratings, pairs)


def all_probes(folder: Path) -> Record:
    """Every probe and its twin, each rated, and both side by side in either order."""
    names = [probe.id for probe in PROBES]
    with serving(Loopback(BOTS)) as url:
        board = run_simulation(url, folder, names, ("attacked", "clean"), JUDGES)
        carried_out("pair", "last", *as_judges(JUDGES), *where(url, folder))
    return record_of(folder, board)
