"""Files of the PingPong authors: results of version 2, one for each player and judge, and what annotators said."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.benchmarks.role_play.card_files import AUTHORS_TURNS, read_cards, slug
from interplay.benchmarks.role_play.cards import Cards, Character, Scene, Situation
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.rubrics import name_of_rubric, rubric_for
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Mistake, nearest
from interplay.core.import_files import Row, Skipped, Unfit, rows_in
from interplay.core.importing import (
    IMPORTED,
    UNKNOWN,
    Imported,
    Importer,
    Opinion,
    Reading,
    each,
    kind_of,
    name_in,
    text_in,
)
from interplay.core.wire import digest_of
from interplay.judging.rubric import MOST_TURNS

VERSION = 2
REFUSAL = "is_refusal"
OF_VERSION_1 = {"stay_in_character", "language_fluency", "entertainment"}  # how its scores are called
Content = Mapping[str, Any]


def read(reading: Reading) -> Iterator[Imported | Skipped]:
    """The conversations of a file of results, or of rows that annotators have labelled."""
    if name_of_rubric(reading.options) != "v2":
        raise Mistake("the scores of such a file are by the rubric v2; leave version and rubric as they are")
    reader = _Reader(reading)
    for row in rows_in(reading.path):
        if isinstance(row, Row) and isinstance(row.value, dict) and "outputs" in row.value:
            yield from reader.results(row)
        else:
            yield from each([row], reader.row)


@dataclass(frozen=True)
class _Header:
    """Who took part, as a file says of all its rows."""

    player: str
    interrogator: str
    judge: str


@dataclass(frozen=True)
class _Reader:
    """Reads one file."""

    reading: Reading

    def results(self, file: Row) -> Iterator[Imported | Skipped]:
        """The outputs of a file of results; where its head cannot be read, none of them."""
        try:
            header = self._header(file.value)
            outputs = file.value["outputs"]
            if not isinstance(outputs, list):
                raise Unfit(f"outputs must be a list, not {kind_of(outputs)}")
        except Unfit as problem:
            yield Skipped(file.where, str(problem))
            return
        named = {"player": header.player, "interrogator": header.interrogator, "judge": header.judge}
        rows = [
            Row(f"output {place}", {**named, **one} if isinstance(one, dict) else one)
            for place, one in enumerate(outputs, 1)
        ]
        yield from each(rows, self.row)

    def _header(self, content: Content) -> _Header:
        if content.get("version", VERSION) != VERSION:
            raise Unfit(
                f"it is a result of version {content['version']!r}; results of version {VERSION} are read"
            )
        return _Header(
            self._named(content, "player", self.reading.model),
            self._named(content, "interrogator", UNKNOWN),
            self._named(content, "judge", self.reading.judge),
        )

    def _named(self, content: Content, role: str, otherwise: str) -> str:
        """The model of a role: named, or an object that has its name; keys and places are not looked at."""
        given = content.get(role)
        if isinstance(given, dict):
            return name_in(given.get("model_name"), f"{role}.model_name")
        return otherwise if given in (None, "") else name_in(given, role)

    def row(self, row: Row) -> Iterator[Imported | Skipped]:
        """One conversation, with the scores of a judge and of people where it has them."""
        content = row.value
        if not isinstance(content, dict) or "messages" not in content:
            raise Unfit(
                f"it is {kind_of(content)}; a row is an object with messages, character and situation"
            )
        header = self._header(content)
        if not header.player:
            raise Unfit("it does not say who plays the character: name the model with --model NAME")
        dialogue = Dialogue(_turns(content["messages"]))
        verdicts, left_out = self._verdicts(row.where, content, header, len(dialogue.turns))
        played = Played(
            scenario=self._scenario(content),
            subject=header.player,
            repeat=0,
            outcome=dialogue,
            verdicts=verdicts,
            cast={"player": header.player, "interrogator": header.interrogator},
        )
        yield Imported(row.where, played, _lines(dialogue), tuple(self._opinions(content)))
        yield from left_out

    def _verdicts(
        self, where: str, content: Content, header: _Header, turns: int
    ) -> tuple[tuple[Verdict, ...], list[Skipped]]:
        """The verdict that the scores of a row are, and what of them is not taken."""
        scores = content.get("scores")
        if scores is None:
            return (), []
        if isinstance(scores, dict) and OF_VERSION_1 & scores.keys():
            return (), [Skipped(where, "its scores are of version 1, from 1 to 10; the dialogue is taken")]
        if not header.judge:
            why = "its scores have no judge: name one with --judge NAME; the dialogue is taken without them"
            return (), [Skipped(where, why)]
        return (Verdict(header.judge, IMPORTED, {"turns": self._marks(scores, turns)}),), []

    def _marks(self, scores: Any, turns: int) -> list[dict[str, Any]]:
        """The scores turn by turn, as a verdict of ours has them, without explanations."""
        rubric = rubric_for(self.reading.options)
        low, high = rubric.scale
        expected = {*rubric.names, REFUSAL}
        if not isinstance(scores, dict) or scores.keys() != expected:
            raise Unfit(f"scores must be an object with {', '.join(sorted(expected))}")
        for name, values in scores.items():
            if not isinstance(values, list) or len(values) != turns:
                there = len(values) if isinstance(values, list) else kind_of(values)
                raise Unfit(
                    f"scores.{name} must have a score for each of the player's {turns} turns, not {there}"
                )
            for value in values:
                fits = value in (0, 1) if name == REFUSAL else type(value) is int and low <= value <= high
                if not fits or not isinstance(value, int):
                    allowed = "0 or 1" if name == REFUSAL else f"a whole number from {low} to {high}"
                    raise Unfit(f"scores.{name} has {value!r}, which is not {allowed}")
        return [
            {REFUSAL: bool(scores[REFUSAL][turn])}
            | {f"{name}_score": scores[name][turn] for name in rubric.names}
            for turn in range(turns)
        ]

    def _opinions(self, content: Content) -> Iterator[Opinion]:
        """What people said; where several were asked, the file has their mean."""
        given = content.get("human_scores")
        if given is None:
            return
        rubric = rubric_for(self.reading.options)
        low, high = rubric.scale
        if not isinstance(given, dict) or not given or not given.keys() <= set(rubric.names):
            raise Unfit(f"human_scores must be an object with some of {', '.join(rubric.names)}")
        rater = text_in(content["annotator"], "annotator", longest=40) if "annotator" in content else ""
        for name, value in given.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not low <= value <= high:
                raise Unfit(f"human_scores.{name} is {value!r}, which is not a number from {low} to {high}")
            yield Opinion(rater, name, float(value))

    def _scenario(self, content: Content) -> Scenario:
        scene = Scene(
            self.reading.options["language"],
            self._character(content.get("character")),
            self._situation(content.get("situation")),
        )
        return Scenario(asdict(scene), f"{scene.character.id} / {scene.situation.id}")

    def _character(self, given: Any) -> Character:
        if isinstance(given, str):
            known = {name: one for one in self._cards.characters for name in (one.id, one.name)}
            return known[self._known(given, known, "character")]
        if not isinstance(given, dict):
            raise Unfit(f"character must be a card or the name of one, not {kind_of(given)}")
        name = text_in(given.get("char_name"), "character.char_name", longest=200)
        return Character(
            id=slug(name) or "character",
            name=name,
            summary=_text(given, "summary"),
            persona=text_in(given.get("system_prompt"), "character.system_prompt"),
            example=_text(given, "example_prompt"),
            greeting=_text(given, "initial_message"),
        )

    def _situation(self, given: Any) -> Situation:
        if isinstance(given, str):
            known = {name: one for one in self._cards.situations for name in (one.id, one.text)}
            return known[self._known(given, known, "situation")]
        if not isinstance(given, dict):
            raise Unfit(f"situation must be one or the name of one, not {kind_of(given)}")
        text = text_in(given.get("text"), "situation.text")
        turns = given.get("num_turns", AUTHORS_TURNS)
        if type(turns) is not int or not 1 <= turns <= MOST_TURNS:
            raise Unfit(
                f"situation.num_turns is {turns!r}, which is not a whole number from 1 to {MOST_TURNS}"
            )
        tags = given.get("tags")
        tag = slug(tags[0]) if isinstance(tags, list) and tags and isinstance(tags[0], str) else ""
        return Situation(tag or f"situation-{digest_of(text)[:6]}", text, turns)

    def _known(self, given: str, known: Mapping[str, Any], what: str) -> str:
        name = text_in(given, what)
        if name not in known:
            short = [one for one in known if len(one) <= len(name) + 60]
            where = (
                f"{self.reading.data} has"
                if self.reading.data
                else "no --data names the cards, and ours have"
            )
            raise Unfit(f"{where} no {what} {name[:60]!r}; {nearest(name, short)}")
        return name

    @cached_property
    def _cards(self) -> Cards:
        """The cards that rows may name."""
        language = self.reading.options["language"]
        ours = Path(str(files(__package__) / f"data/{language}.toml"))
        return read_cards(self.reading.data or ours, language)


def _text(card: Content, key: str) -> str:
    """A text of a card that may be left out."""
    return text_in(card.get(key) or "", f"character.{key}", may_be_empty=True)


def _turns(messages: Any) -> tuple[Turn, ...]:
    """The dialogue: the user, then the player, as often as both spoke."""
    if not isinstance(messages, list) or not messages:
        raise Unfit(
            "messages is empty" if messages == [] else f"messages must be a list, not {kind_of(messages)}"
        )
    if len(messages) % 2 or len(messages) > 2 * MOST_TURNS:
        raise Unfit(f"it has {len(messages)} messages; both sides speak in turn, at most {MOST_TURNS} times")
    said = []
    for place, message in enumerate(messages):
        expected = ("user", "assistant")[place % 2]
        role = message.get("role") if isinstance(message, dict) else None
        if role != expected:
            raise Unfit(f"messages[{place}] is by {role!r}, where it is the turn of {expected}")
        said.append(text_in(message.get("content"), f"messages[{place}].content"))
    return tuple(Turn(*pair) for pair in zip(said[::2], said[1::2], strict=True))


def _lines(dialogue: Dialogue) -> tuple[Line, ...]:
    found = []
    for turn in dialogue.turns:
        found += [
            Line("interrogator", ("player",), turn.user),
            Line("player", ("interrogator",), turn.player),
        ]
    return tuple(found)


PINGPONG = Importer(
    "pingpong",
    "the PingPong authors' results of version 2 (.json), or rows with human_scores (.jsonl)",
    read,
)
