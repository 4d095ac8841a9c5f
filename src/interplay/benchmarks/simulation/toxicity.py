"""Toxicity of tasks and scripts: six attributes from 0 to 1, by a scorer that one can choose."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

from interplay.benchmarks.simulation.scenarios import shipped, shipped_tasks
from interplay.benchmarks.simulation.scripts import Script, read_scripts
from interplay.benchmarks.simulation.task_checks import forms_of, words_of
from interplay.benchmarks.simulation.tasks import Task, json_lines, read_tasks
from interplay.benchmarks.unwelcome import is_unwelcome_word
from interplay.core.board import Estimate
from interplay.core.failures import Mistake
from interplay.models.calling import HOPELESS, RETRIED, CallFailed
from interplay.models.posting import Answer, Patience, Post
from interplay.statistics.intervals import clustered_mean

ATTRIBUTES = ("toxicity", "severe_toxicity", "identity_attack", "insult", "profanity", "threat")
PERSPECTIVE = "https://commentanalyzer.googleapis.com/v1alpha1"
PATH = "/comments:analyze"
KEY = "PERSPECTIVE_API_KEY"
TRIES = 3
MOST_IN_A_ROW = 5  # texts that may fail one after another before the endpoint is given up
TASKS, SCRIPTS = "tasks", "scripts"


class Scorer(Protocol):
    """Says how toxic a text is, by the attributes that it measures."""

    name: str
    measures: tuple[str, ...]

    async def check(self) -> None:
        """Raise a Mistake if it is plain that no text can be scored."""

    async def score(self, text: str) -> Mapping[str, float]:
        """Each attribute that it measures, from 0 to 1; CallFailed where it came to nothing."""

    def told(self) -> Sequence[str]:
        """What a reader of its scores must know, after the last of them."""

    async def close(self) -> None: ...


class WordList:
    """A baseline without a model: the share of a text's words that stand on a short list."""

    name = "local word list"
    measures: tuple[str, ...] = ("insult", "profanity")  # the list does not tell one from the other

    def __init__(self) -> None:
        self.words, self.hits = 0, 0

    async def check(self) -> None:
        return

    async def score(self, text: str) -> Mapping[str, float]:
        words = words_of(text)
        hits = sum(map(_is_listed, words))
        self.words += len(words)
        self.hits += hits
        return dict.fromkeys(self.measures, hits / len(words) if words else 0.0)

    def told(self) -> Sequence[str]:
        return (
            f"{self.hits} of {self.words:,} words are on the list.",
            "The scorer is a short list of words that may offend. It sees words and not what is meant: it overlooks "
            "insults made of harmless words, and finds fault with words that are only quoted. It gives insult and "
            "profanity the same number, the share of a text's words that are on the list, and measures nothing else.",
        )

    async def close(self) -> None:
        return


@lru_cache(maxsize=100_000)
def _is_listed(word: str) -> bool:
    """Is this word on the list, or a form of one that is?"""
    return any(map(is_unwelcome_word, forms_of(word)))


class Perspective:
    """An endpoint in the shape of the Perspective API; one request at a time, and only so many in a second."""

    measures: tuple[str, ...] = ATTRIBUTES

    def __init__(
        self,
        base_url: str = PERSPECTIVE,
        *,
        key: str = "",
        per_second: float = 1.0,
        patience: Patience | None = None,
        pause: float = 2.0,  # seconds before a second try, where the endpoint does not say; longer each time
    ):
        self.name = base_url.removesuffix(PATH).rstrip("/")
        headers = {"X-Goog-Api-Key": key} if key else {}
        self._post = Post(
            "the scorer",
            self.name,
            PATH,
            headers=headers,
            secrets=[key],
            patience=patience or Patience(),
        )
        self._apart, self._pause = 1 / per_second, pause
        self._next = 0.0  # when the next request may go out

    async def check(self) -> None:
        await self._post.check()

    async def score(self, text: str) -> Mapping[str, float]:
        asked = {
            "comment": {"text": text},
            "requestedAttributes": {attribute.upper(): {} for attribute in ATTRIBUTES},
            "languages": ["en"],
            "doNotStore": True,
        }
        for attempt in range(1, TRIES + 1):
            await self._turn()
            try:
                return _scores_in(await self._post.ask(asked))
            except CallFailed as failure:
                if failure.cause not in RETRIED or attempt == TRIES:
                    raise
                await asyncio.sleep(self._pause * attempt if failure.after is None else failure.after)
        raise RuntimeError("the last try returns or raises")

    async def _turn(self) -> None:
        """Wait until another request may go out."""
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + self._apart
        if start > now:
            await asyncio.sleep(start - now)

    def told(self) -> Sequence[str]:
        return (
            "Scores are what the endpoint says of a text as a whole, taken as English; its model may change.",
        )

    async def close(self) -> None:
        await self._post.close()


def _scores_in(answer: Answer) -> dict[str, float]:
    body, found = answer.json(), {}
    for attribute in ATTRIBUTES:
        value: Any = body
        for step in ("attributeScores", attribute.upper(), "summaryScore", "value"):
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise answer.malformed(
                f"the answer has no attributeScores.{attribute.upper()}.summaryScore.value"
            )
        if not isfinite(value) or not 0 <= value <= 1:
            raise answer.malformed(f"the score of {attribute} is not from 0 to 1")
        found[attribute] = float(value)
    return found


@dataclass(frozen=True)
class Text:
    """A text to score, whose it is, and its task, which texts of one task share."""

    label: str
    task: str
    text: str


def texts_of(data: Path | None = None) -> dict[str, list[Text]]:
    """The tasks and scripts that ship, or those of a user's file of either, as texts."""
    if data is None:
        return {TASKS: _of_tasks(shipped_tasks()), SCRIPTS: _of_scripts(shipped())}
    if _holds_scripts(data):
        return {SCRIPTS: _of_scripts(read_scripts(data))}
    return {TASKS: _of_tasks(read_tasks(data))}


def _holds_scripts(path: Path) -> bool:
    """Whether a file holds scripts, whose lines have a history, or else tasks."""
    if path.suffix.lower() != ".jsonl":
        return False
    rows = json_lines(path)
    return bool(rows) and ("history" in rows[0][1] or "dialogue_history" in rows[0][1])


def _of_tasks(tasks: Sequence[Task]) -> list[Text]:
    return [Text(task.name, task.id, task.description) for task in tasks]


def _of_scripts(scripts: Sequence[Script]) -> list[Text]:
    found = []
    for script in scripts:
        said = [part for turn in script.history for part in (turn.request, turn.answer)]
        label = f"{script.name}, turn {script.turn} ({script.type})"
        found.append(Text(label, script.task, "\n\n".join(part for part in (*said, script.request) if part)))
    return found


@dataclass(frozen=True)
class Level:
    """What one attribute came to: nothing where the scorer does not measure it, which is not 0."""

    attribute: str
    measured: bool
    mean: Estimate  # its interval clustered by task
    highest: float | None = None
    where: str = ""  # the text with the highest score, the first of several


@dataclass(frozen=True)
class Levels:
    """The toxicity of a set of texts; texts without a score are counted by cause and in no mean."""

    texts: int
    scored: int
    failures: Mapping[str, int]
    levels: tuple[Level, ...]


async def levels_of(texts: Sequence[Text], scorer: Scorer, watch: Callable[[], None]) -> Levels:
    """Score texts one by one; watch is called after each. A Mistake where no text can be scored."""
    scored: list[tuple[Text, Mapping[str, float]]] = []
    failures: Counter[str] = Counter()
    in_a_row = 0
    for text in texts:
        try:
            scored.append((text, await scorer.score(text.text)))
            in_a_row = 0
        except CallFailed as failure:
            in_a_row += failure.cause in RETRIED
            if _is_hopeless(failure) or in_a_row == MOST_IN_A_ROW:
                raise Mistake(f"the scorer at {scorer.name} does not score: {failure}; {HINT}") from None
            failures[failure.cause] += 1
        watch()
    levels = tuple(_level(attribute, scored, attribute in scorer.measures) for attribute in ATTRIBUTES)
    return Levels(len(texts), len(scored), dict(sorted(failures.items())), levels)


def _is_hopeless(failure: CallFailed) -> bool:
    """Whether no other text can do better; a bad key is 400 to Google, as a text is that it cannot score."""
    return failure.cause in HOPELESS or (failure.cause == "rejected" and "api key" in failure.detail.lower())


HINT = f"check the URL, and the key in {KEY}"


def _level(attribute: str, scored: Sequence[tuple[Text, Mapping[str, float]]], measured: bool) -> Level:
    found = [(scores[attribute], text) for text, scores in scored] if measured else []
    mean = clustered_mean([value for value, _ in found], [text.task for _, text in found])
    if not found:
        return Level(attribute, measured, mean)
    highest, text = max(found, key=lambda one: one[0])
    if (
        min(value for value, _ in found) == highest
    ):  # equal scores, as of a list that found nothing, prove no certainty
        mean = replace(mean, low=None, high=None, method="none")
    return Level(attribute, measured, mean, highest, text.label if highest else "")
