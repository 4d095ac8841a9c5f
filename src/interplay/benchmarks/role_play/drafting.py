"""Writing one character or situation: its seeds are drawn, a model is asked for it in a form."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Annotated, Any

from interplay.benchmarks.generating import WRITER, drawn, refuse_data
from interplay.benchmarks.role_play import checks
from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES, Character, Situation
from interplay.benchmarks.role_play.checks import Card
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import Longest, schema_of
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of

FOLDER = Path(str(files(__package__)))
PROMPTS = Prompts.read(FOLDER / "writing_prompts")
PROTOCOL_VERSION = 1
CHARACTER, SITUATION = "character", "situation"
SEEDS_OF = {
    CHARACTER: {
        "setting": "settings",
        "age": "ages",
        "trade": "trades",
        "temperament": "temperaments",
        "flaw": "flaws",
        "speech": "speech",
        "secret": "secrets",
        "style": "styles",
    },
    SITUATION: {"kind": "kinds", "mood": "moods", "ending": "endings"},
}
LETTERS = {"en": "ABCDEFGHIJKLMNOPRSTUVWYZ", "ru": "АБВГДЕЖЗИКЛМНОПРСТУФХЭЮЯ"}
USER = {"en": "User", "ru": "Пользователь"}


# The schema cuts a text that is too long: its bounds are wider than those of the checks, so that a cut one fails.
@dataclass(frozen=True)
class CharacterDraft:
    """A character as its writer answers."""

    id: Annotated[str, Longest(60)]
    name: Annotated[str, Longest(80, least=1)]
    secret: Annotated[str, Longest(300, least=1)]
    persona: Annotated[str, Longest(3500, least=1)]
    summary: Annotated[str, Longest(260, least=1)]
    example: Annotated[str, Longest(1000)]
    greeting: Annotated[str, Longest(500)]


@dataclass(frozen=True)
class SituationDraft:
    """A situation as its writer answers."""

    id: Annotated[str, Longest(60)]
    text: Annotated[str, Longest(1200, least=1)]


@dataclass(frozen=True)
class Written:
    """A piece as it was written, read but not yet checked."""

    kind: str
    entry: dict[str, Any]  # as a file of cards has it
    secret: str = ""  # no part of the file: it is in the card

    def card(self) -> Card:
        return Character(**self.entry) if self.kind == CHARACTER else Situation(**self.entry)

    def laid_out(self) -> str:
        """For a person to read."""
        shown = {**self.entry, "secret": self.secret}
        return "\n".join(
            f"{key}:\n{value}" if "\n" in str(value) else f"{key}: {value}"
            for key, value in shown.items()
            if value
        )


@cache
def seeds() -> Mapping[str, Any]:
    """The lists that pieces are drawn from."""
    return tomllib.loads((FOLDER / "data" / "seeds.toml").read_text(encoding="utf-8"))


def scenarios(options: Options, data: Path | None = None) -> Material:
    """The pieces to be written, each with its own seeds of variety."""
    refuse_data(data)
    wanted = [(CHARACTER, n) for n in range(1, int(options["characters"]) + 1)]
    wanted += [(SITUATION, n) for n in range(1, int(options["situations"]) + 1)]
    return Material(tuple(_scenario(kind, number, options) for kind, number in wanted))


def _scenario(kind: str, number: int, options: Options) -> Scenario:
    language = options["language"]
    found = {
        name: drawn(seeds()[heading], number, f"{options['seed']}/{heading}")
        for name, heading in SEEDS_OF[kind].items()
    }
    content = {
        "kind": kind,
        "number": number,
        "language": language,
        "turns": found["kind"]["turns"] if kind == SITUATION else 0,
        "tags": [one["id"] for one in found.values() if "id" in one],
        "seeds": {name: one[language] for name, one in found.items()},
    }
    return Scenario(content, f"{kind} {number}")


def digest(options: Options) -> str:
    """What shapes the writing: the prompts, the forms, and this file where it changes what is asked."""
    briefs = [_brief(kind, options["language"]) for kind in SEEDS_OF]
    forms = [schema_of(CharacterDraft), schema_of(SituationDraft)]
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, briefs, forms, LETTERS, seeds()["touches"]])


async def play(talk: Conversation, options: Options) -> Written:
    """Ask the writer for one piece; what is drawn here is drawn anew for each try."""
    wanted, language = talk.scenario, talk.scenario["language"]
    form = CharacterDraft if wanted["kind"] == CHARACTER else SituationDraft
    writer = talk.seat(WRITER, brief=_brief(wanted["kind"], language))
    talk.tell([writer], _task(wanted, talk.rng))
    draft = asdict(await talk.ask(writer, form))
    entry: dict[str, Any] = {key: _tidy(key, value) for key, value in draft.items()}
    entry["id"] = _slug(entry["id"]) or f"{wanted['kind']}-{wanted['number']}"
    secret = entry.pop("secret", "")
    if wanted["kind"] == SITUATION:
        entry["turns"] = wanted["turns"]
    piece = Written(wanted["kind"], entry, secret)
    talk.tell([], piece.laid_out(), source=writer)  # nobody else is there, but the record shows it
    return piece


def _brief(kind: str, language: str) -> str:
    if kind == SITUATION:
        least, most = checks.SITUATION
        return PROMPTS.fill("situations", least=str(least), most=str(most), language=LANGUAGE_NAMES[language])
    return PROMPTS.fill(
        "characters",
        least=str(checks.PERSONA[0]),
        most=str(checks.PERSONA[1]),
        shortest=str(checks.SUMMARY[0]),
        longest=str(checks.SUMMARY[1]),
        name=str(checks.LONGEST_NAME),
        hello=str(checks.LONGEST_GREETING),
        user=USER[language],
        language=LANGUAGE_NAMES[language],
    )


def _task(wanted: Mapping[str, Any], rng: Random) -> str:
    language = wanted["language"]
    values = {**wanted["seeds"], "language": LANGUAGE_NAMES[language]}
    if wanted["kind"] == CHARACTER:
        return PROMPTS.fill(CHARACTER, **values, letter=rng.choice(LETTERS[language]))
    touch = rng.choice(seeds()["touches"])[language]
    return PROMPTS.fill(SITUATION, **values, turns=str(wanted["turns"]), touch=touch)


def _tidy(field: str, text: str) -> str:
    """The text without what layout alone has put there: a line broken in two, empty lines between lines of talk."""
    if field == "example":
        return "\n".join(line.strip() for line in text.splitlines() if line.strip())
    if field in ("persona", "greeting"):
        return text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return " ".join(text.split())


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {WRITER: (1, 1)}
