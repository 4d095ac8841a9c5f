"""Writing one character or piece of knowledge: what it grows out of is drawn, a model is asked for it in a form."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.generating import WRITER, drawn, refuse_data
from interplay.benchmarks.social_interaction import character_checks, characters, knowledge, knowledge_checks
from interplay.benchmarks.social_interaction.characters import (
    ABILITIES,
    FOLDER,
    SKILLS,
    Attributes,
    Character,
)
from interplay.benchmarks.social_interaction.knowledge import Knowledge
from interplay.benchmarks.social_interaction.scenarios import PARTY
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.forms import JsonForm, build, object_schema
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of

PROMPTS = Prompts.read(FOLDER / "writing_prompts")
PROTOCOL_VERSION = 1
CHARACTERS, KNOWLEDGE = WHAT = ("characters", "knowledge")
EXAMPLES, EXAMPLE_POINTS = 2, 2  # pieces that show the form, and points of each: too few for an answer
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWYZ"
PRONOUNS = ("he", "she", "they")


@dataclass(frozen=True)
class Written:
    """A character or a piece of knowledge as it was written, read but not yet checked."""

    what: str
    entry: dict[str, Any]  # as a file has it

    def made(self) -> Character | Knowledge:
        made: Character | Knowledge = build(Character if self.what == CHARACTERS else Knowledge, self.entry)
        return made

    def laid_out(self) -> str:
        """For a person to read."""
        made = self.made()
        if isinstance(made, Character):
            return characters.laid_out(made)
        points = [
            f"{number}. {one.point}\n   right: {one.said}\n   wrong: {one.wrong}"
            for number, one in enumerate(made.points, 1)
        ]
        return "\n\n".join((f"{made.title} ({made.kind})", made.text, "\n".join(points)))


@cache
def draws() -> Mapping[str, Any]:
    """The lists that say where a writer begins, and what each kind of knowledge tells of."""
    return tomllib.loads((FOLDER / "data" / "angles.toml").read_text(encoding="utf-8"))


def scenarios(options: Options, data: Path | None = None) -> Material:
    """One for each piece that is wanted, which grows out of something else."""
    refuse_data(data)
    what, count = options["what"], int(options["n"])
    if what == CHARACTERS and count < PARTY:
        raise Mistake(
            f"{PARTY} or more characters meet in a session: n must be at least {PARTY}, not {count}"
        )
    make = _of_character if what == CHARACTERS else _of_knowledge
    return Material(tuple(make(number, options["seed"]) for number in range(1, count + 1)))


def _of_character(number: int, seed: str) -> Scenario:
    example = drawn(characters.shipped(), number, f"{seed}/example")
    # The attributes make the scenario another for another seed, since they are drawn by it.
    attributes = characters.entry_of(characters.drawn(f"{seed}/{number}").called("", ""))
    content = {
        "what": CHARACTERS,
        "number": number,
        "attributes": {key: attributes[key] for key in attributes if key not in ("name", "description")},
        "example": characters.entry_of(example),
    }
    return Scenario(content, f"character {number}")


def _of_knowledge(number: int, seed: str) -> Scenario:
    lots = Random(f"{seed}/examples/{number}")  # noqa: S311  # draws examples, guards nothing
    kind = drawn(list(draws()["kinds"]), number, f"{seed}/kinds")
    others = [piece for piece in knowledge.shipped() if piece.kind != kind]
    content = {
        "what": KNOWLEDGE,
        "number": number,
        "kind": kind,
        # Two at a time out of a list of even length: no angle meets itself, and all come before one comes again.
        "angles": [
            drawn(draws()["angles"], place, f"{seed}/angles") for place in (2 * number - 1, 2 * number)
        ],
        "examples": [_in_part(piece, lots) for piece in lots.sample(others, EXAMPLES)],
    }
    return Scenario(content, f"piece {number} ({kind})")


def _in_part(piece: Knowledge, lots: Random) -> dict[str, Any]:
    """A piece as a writer answers, with some of its points alone, so that it cannot be handed in as it is."""
    places = sorted(lots.sample(range(len(piece.points)), EXAMPLE_POINTS))
    points = [vars(piece.points[place]) for place in places]
    return {"title": piece.title, "text": piece.text, "points": points}


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest}


# A schema cuts a text that is too long: its bounds are those of a file, which are wider than those of the checks.
_POINT = object_schema(dict.fromkeys(("point", "said", "wrong"), _text(knowledge.LONGEST_POINT)))
SCHEMAS = {
    CHARACTERS: object_schema(
        {
            "name": _text(characters.LONGEST_NAME),
            "description": _text(characters.LONGEST_DESCRIPTION),
        }
    ),
    KNOWLEDGE: object_schema(
        {
            "title": _text(knowledge.LONGEST_TITLE),
            "text": _text(knowledge.LONGEST_TEXT),
            "points": {
                "type": "array",
                "items": _POINT,
                "minItems": knowledge_checks.POINTS,
                "maxItems": knowledge_checks.POINTS,
            },
        }
    ),
}
_FORMS: Mapping[str, JsonForm[dict[str, Any]]] = {what: JsonForm(SCHEMAS[what], dict) for what in WHAT}


def digest(options: Options) -> str:
    """What shapes the writing: the prompts, the form, and this file where it changes what is asked."""
    what = options["what"]
    again = ("openings",) if what == CHARACTERS else ("turns", "kinds")
    lists = [LETTERS, PRONOUNS, *(draws()[name] for name in again)]
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, _brief(what), SCHEMAS[what], lists])


async def play(talk: Conversation, options: Options) -> Written:
    """Ask the writer for one piece; what is drawn here is drawn anew for each try."""
    wanted, what = talk.scenario, talk.scenario["what"]
    writer = talk.seat(WRITER, brief=_brief(what))
    talk.tell([writer], _task(wanted, talk.rng))
    answer = _tidy(await talk.ask(writer, _FORMS[what]))
    if what == CHARACTERS:
        entry = characters.entry_of(_attributes(wanted["attributes"]).called(**answer))
    else:
        entry = {"kind": wanted["kind"], **answer}
    written = Written(what, entry)
    talk.tell([], written.laid_out(), source=writer)  # nobody else is there, but the record shows it
    return written


def _brief(what: str) -> str:
    return _brief_of_characters() if what == CHARACTERS else _brief_of_knowledge()


def _brief_of_characters() -> str:
    return PROMPTS.fill(
        "characters",
        name=_span(character_checks.NAME_WORDS),
        longest=str(character_checks.LONGEST_NAME),
        description=_span(character_checks.DESCRIPTION),
        run=str(character_checks.LONGEST_RUN),
        skills=", ".join(SKILLS),
    )


def _brief_of_knowledge() -> str:
    return PROMPTS.fill(
        "knowledge",
        title=_span(knowledge_checks.TITLE),
        text=_span(knowledge_checks.TEXT),
        points=str(knowledge_checks.POINTS),
        point=_span(knowledge_checks.POINT),
        said=_span(knowledge_checks.SAID),
        shared=f"{knowledge_checks.MOST_SHARED:.0%}",
        difference=str(knowledge_checks.MOST_DIFFERENCE),
        skills=", ".join(SKILLS),
    )


def _span(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]} to {bounds[1]}"


def _task(wanted: Mapping[str, Any], rng: Random) -> str:
    return (
        _task_of_character(wanted, rng) if wanted["what"] == CHARACTERS else _task_of_knowledge(wanted, rng)
    )


def _task_of_character(wanted: Mapping[str, Any], rng: Random) -> str:
    example = wanted["example"]
    answer = {key: example[key] for key in ("name", "description")}
    return PROMPTS.fill(
        "character",
        sheet=_sheet(wanted["attributes"]),
        letter=rng.choice(LETTERS),
        pronoun=rng.choice(PRONOUNS),
        opening=rng.choice(draws()["openings"]),
        example=f"{_sheet(example)}\n{json.dumps(answer, ensure_ascii=False)}",
    )


def _task_of_knowledge(wanted: Mapping[str, Any], rng: Random) -> str:
    first, second = wanted["angles"]
    return PROMPTS.fill(
        "piece",
        meaning=draws()["kinds"][wanted["kind"]],
        first=first,
        second=second,
        turn=rng.choice(draws()["turns"]),
        letters=" or ".join(rng.sample(LETTERS, 2)),
        count=str(EXAMPLES),
        shown=str(EXAMPLE_POINTS),
        examples="\n".join(json.dumps(example, ensure_ascii=False) for example in wanted["examples"]),
    )


def _attributes(entry: Mapping[str, Any]) -> Attributes:
    """The attributes of a scenario; a record may have brought the abilities into another order."""
    abilities = {ability: entry["abilities"][ability] for ability in ABILITIES}
    texts = {key: value for key, value in entry.items() if key not in ("name", "description")}
    made: Attributes = build(Attributes, {**texts, "abilities": abilities})
    return made


def _sheet(entry: Mapping[str, Any]) -> str:
    """A character's sheet without its first and last line, the name and the description."""
    return "\n".join(characters.laid_out(_attributes(entry).called("?", "?")).splitlines()[1:-1])


def _tidy(answer: Any) -> Any:
    """The answer with every text in one line."""
    if isinstance(answer, str):
        return " ".join(answer.split())
    if isinstance(answer, Mapping):
        return {key: _tidy(value) for key, value in answer.items()}
    return [_tidy(one) for one in answer] if isinstance(answer, Sequence) else answer


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {WRITER: (1, 1)}
