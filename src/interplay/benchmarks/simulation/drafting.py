"""Writing a new task: an angle and examples are drawn, a model is asked for the task in a form."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.generating import WRITER, drawn, refuse_data
from interplay.benchmarks.simulation import task_checks
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.tasks import FOLDER, KINDS, Task, read_tasks
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.forms import JsonForm, object_schema
from interplay.core.prompts import Prompts
from interplay.core.wire import canonical, digest_of

PROMPTS = Prompts.read(FOLDER / "writing_prompts")
PROTOCOL_VERSION = 1
EXAMPLES = 5
LARGEST_EXAMPLES = 1_000_000  # characters, all examples together, since the record keeps them


@dataclass(frozen=True)
class Draft:
    """A task as it was written, read but not yet checked."""

    name: str
    request: str
    description: str
    keeps: tuple[str, ...]

    def task(self, id: str, kind: str) -> Task:
        return Task(id, self.name, kind, self.request, self.description, self.keeps)

    def laid_out(self) -> str:
        """For a person to read."""
        points = "\n".join(f"- {keep}" for keep in self.keeps)
        return f"{self.name}\nThe user sends {self.request}.\n\n{self.description}\n\nKept to:\n{points}"


@cache
def draws() -> Mapping[str, Sequence[str]]:
    """The lists that angles are drawn from."""
    return tomllib.loads((FOLDER / "data" / "task_angles.toml").read_text(encoding="utf-8"))


def read_examples(path: str) -> str:
    """A user's file of tasks as the record keeps it, to draw examples from."""
    kept = canonical([_as_kept(task) for task in read_tasks(Path(path))])
    if len(kept) > LARGEST_EXAMPLES:
        raise Mistake(
            f"{path} is too long to draw examples from: {LARGEST_EXAMPLES:,} characters are the most"
        )
    return kept


def _as_kept(task: Task) -> dict[str, Any]:
    return {"id": task.id, "kind": task.kind, **shown(task)}


def shown(task: Task) -> dict[str, Any]:
    """A task as a writer sees and answers it; tasks of the authors say nothing of what answers keep to."""
    found = {"name": task.name, "request": task.request, "description": task.description}
    return {**found, "keeps": list(task.keeps)} if task.keeps else found


def examples_of(options: Options) -> tuple[Task, ...]:
    """The tasks that examples are drawn from: a user's, or those that ship."""
    kept = options["examples"]
    if not kept:
        return shipped_tasks()
    return tuple(Task(**{**entry, "keeps": tuple(entry.get("keeps", ()))}) for entry in json.loads(kept))


def scenarios(options: Options, data: Path | None = None) -> Material:
    """One for each task that is wanted, with an angle and examples of its own."""
    refuse_data(data)
    known = [task for task in examples_of(options) if task.kind == options["kind"]]
    if not known:
        raise Mistake(f"the file of --examples has no {options['kind']} task; --kind names the kind to write")
    numbers = range(1, int(options["n"]) + 1)
    return Material(tuple(_scenario(number, options, known) for number in numbers))


def _scenario(number: int, options: Options, known: Sequence[Task]) -> Scenario:
    kind, seed = options["kind"], options["seed"]
    rng = Random(f"{seed}/examples/{number}")  # noqa: S311  # draws examples, guards nothing
    content = {
        "kind": kind,
        "number": number,
        "field": drawn(draws()["fields"], number, f"{seed}/fields"),
        "interface": drawn(draws()[kind], number, f"{seed}/{kind}"),
        "examples": [shown(task) for task in rng.sample(known, min(EXAMPLES, len(known)))],
    }
    return Scenario(content, f"task {number}")


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest}


# The schema cuts a text that is too long: its bounds are wider than those of the checks, so that a cut one fails.
SCHEMA = object_schema(
    {
        "name": _text(2 * task_checks.LONGEST_NAME),
        "request": _text(2 * task_checks.REQUEST[1]),
        "description": _text(2 * task_checks.LONGEST_DESCRIPTION),
        "keeps": {
            "type": "array",
            "items": _text(2 * task_checks.KEEP[1]),
            "minItems": task_checks.KEEPS[0],
            "maxItems": task_checks.KEEPS[1],
        },
    }
)
_FORM: JsonForm[dict[str, Any]] = JsonForm(SCHEMA, dict)


def digest(options: Options) -> str:
    """What shapes the writing: the prompts, the form, and this file where it changes what is asked."""
    briefs = [_brief(kind) for kind in KINDS]
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, briefs, SCHEMA, draws()["twists"]])


async def play(talk: Conversation, options: Options) -> Draft:
    """Ask the writer for one task; what is drawn here is drawn anew for each try."""
    wanted = talk.scenario
    writer = talk.seat(WRITER, brief=_brief(wanted["kind"]))
    talk.tell([writer], _request(wanted, talk.rng))
    draft = _tidy(await talk.ask(writer, _FORM))
    talk.tell([], draft.laid_out(), source=writer)  # nobody else is there, but the record shows it
    return draft


def _brief(kind: str) -> str:
    return PROMPTS.fill(
        kind,
        least=str(task_checks.DESCRIPTION[0]),
        most=str(task_checks.DESCRIPTION[1]),
        fewest=str(task_checks.KEEPS[0]),
        points=str(task_checks.KEEPS[1]),
        longest=str(task_checks.KEEP[1]),
    )


def _request(wanted: Mapping[str, Any], rng: Random) -> str:
    examples = wanted["examples"]
    return PROMPTS.fill(
        "task",
        kind=wanted["kind"],
        field=wanted["field"],
        interface=wanted["interface"],
        twist=rng.choice(draws()["twists"]),
        count="is 1 task" if len(examples) == 1 else f"are {len(examples)} tasks",
        examples="\n".join(json.dumps(example, ensure_ascii=False) for example in examples),
    )


def _tidy(answer: Mapping[str, Any]) -> Draft:
    """The draft with every text but the description in one line."""
    request = _in_one_line(answer["request"])
    return Draft(
        name=_in_one_line(answer["name"]),
        request=request.removesuffix(".") or request,
        description=answer["description"].replace("\r\n", "\n").replace("\r", "\n").strip(),
        keeps=tuple(_in_one_line(keep) for keep in answer["keeps"]),
    )


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {WRITER: (1, 1)}
