"""Extraction: a judge names a dialogue's first challenging turn, and scripts are cut from there."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any
from uuid import NAMESPACE_OID, uuid5

from interplay.benchmarks.simulation.dialogues import USER, Dialogue, task_of
from interplay.benchmarks.simulation.evaluation import SIMULATOR
from interplay.benchmarks.simulation.judges import JUDGE, PROMPTS, verdict_form
from interplay.benchmarks.simulation.scripts import (
    FIRST_CHAN,
    LAST_ONLY,
    SUBSEQ_CHAN,
    TYPES,
    Script,
    Turn,
    cut,
)
from interplay.core.benchmark import Options, Played, Scenario, Span, Verdict
from interplay.core.conversation import Conversation
from interplay.core.failures import FAILURES
from interplay.core.forms import JsonForm, Range
from interplay.core.making import Collected, Extract
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

FIELD = "challenging_turn"
WORDS = frozenset(("explanation", FIELD))  # of verdicts, which no message of a dialogue may spell
JUDGE_PROMPTS = Prompts({name: PROMPTS.texts[name] for name in ("extract", "extract_material")})
RULE = (
    "A dialogue has a challenging turn if more judges name one than none; it is the turn that most of them name, "
    "and of several such turns the earliest."
)
MOST_NAMED = 40  # dialogues that are left out, to people; programs get all of them
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")


@dataclass(frozen=True)
class Extraction:
    """The judging step of one dialogue: which of its turns, counted from 1, is the first challenging one; 0: none."""

    options: Options

    name = "extraction"

    @cached_property
    def digest(self) -> str:
        return digest_of([self.name, self._prompts.digest, self._limit])

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 1, 1

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        brief = self._prompts.fill("extract", limit=str(self._limit))
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=brief)
        talk.tell([judge], self._material(talk.scenario, outcome, mark))
        return await talk.ask(judge, self._form(len(outcome.turns)))

    @property
    def _prompts(self) -> Prompts:
        return JUDGE_PROMPTS.chosen(self.options["judge_prompts"])

    @property
    def _limit(self) -> int:
        return int(self.options["explanation"])

    def _form(self, turns: int) -> JsonForm[dict[str, Any]]:
        return verdict_form(self._limit, FIELD, Annotated[int, Range(0, turns)])

    def _material(self, content: Mapping[str, Any], dialogue: Dialogue, mark: str) -> str:
        turns = len(dialogue.turns)
        return self._prompts.fill(
            "extract_material",
            mark=mark,
            dialogue=_shown(dialogue, mark),
            keeps="\n".join(f"- {one}" for one in content["keeps"]),
            count=f"{turns} turns" if turns > 1 else "one turn",
            last=str(turns),
        )


def _shown(dialogue: Dialogue, mark: str) -> str:
    shown = []
    for number, turn in enumerate(dialogue.turns, 1):
        shown.append(f"Turn {number}, user:\n{fenced(turn.request, mark, WORDS)}")
        answer = (
            f":\n{fenced(turn.answer, mark, WORDS)}" if turn.answer else ", who answered with nothing at all."
        )
        shown.append(f"Turn {number}, simulator{answer}")
    return "\n\n".join(shown)


def missing_of(verdicts: Sequence[Verdict], judges: Sequence[str]) -> dict[str, str]:
    """The judges whose verdict a dialogue lacks, and why."""
    given = {verdict.judge: verdict for verdict in verdicts}
    return {
        judge: given[judge].failure if judge in given else "not asked yet"
        for judge in judges
        if judge not in given or given[judge].data is None
    }


def turn_of(verdicts: Sequence[Verdict]) -> int:
    """The first challenging turn by the rule for several judges; 0 for none."""
    named = [int(verdict.data[FIELD]) for verdict in verdicts if verdict.data is not None]
    turns = Counter(turn for turn in named if turn)
    if 2 * turns.total() <= len(named):
        return 0
    return min(turns, key=lambda turn: (-turns[turn], turn))


def types_of(dialogue: Dialogue, challenging: int) -> Counter[str]:
    """How many scripts of each type a dialogue gives."""
    if not challenging:
        return Counter({LAST_ONLY: 1})
    return Counter({FIRST_CHAN: 1, SUBSEQ_CHAN: len(dialogue.turns) - challenging})


def extract(collected: Sequence[Collected], run: str, judges: Sequence[str]) -> Extract:
    """The scripts of all dialogues with a verdict of every judge; the others are left out and named."""
    gave: Counter[str] = Counter()
    scripts: dict[str, Script] = {}
    left_out: list[dict[str, Any]] = []
    cut_out = 0
    finished = [one for one in collected if one.played.outcome is not None]
    for one in finished:
        missing = missing_of(one.played.verdicts, judges)
        if missing or not judges:
            named = {"conversation": one.number, "task": one.played.scenario.label, "missing": missing}
            left_out.append(named)
            continue
        found = _scripts(one, run, judges)
        gave.update({script.type for script in found})
        cut_out += len(found)
        for script in found:
            scripts.setdefault(_sameness(script), script)
    failures = [FAILURES[one.played.failure] for one in collected if one.played.outcome is None]
    counts = {
        "dialogues": {type_: gave[type_] for type_ in TYPES},
        "scripts": {type_: sum(one.type == type_ for one in scripts.values()) for type_ in TYPES},
        "repeated": cut_out - len(scripts),
        "missing_verdicts": sum(len(one["missing"]) for one in left_out),
        "left_out": left_out,
        "void": sum(not failure.again for failure in failures),
        "unfinished": sum(failure.again for failure in failures),
    }
    rule = (RULE,) if len(judges) > 1 else ()
    return Extract(_file_of(scripts.values(), run), (*_told(counts), *rule), counts)


def _scripts(one: Collected, run: str, judges: Sequence[str]) -> list[Script]:
    played: Played = one.played
    origin = (
        f"run {run}, conversation {one.number}: simulator {played.cast[SIMULATOR]}, user agent {played.cast[USER]}, "
        f"judged by {', '.join(judges)}"
    )
    turns = [Turn(turn.request, turn.answer) for turn in played.outcome.turns]
    judged = [verdict for verdict in played.verdicts if verdict.judge in judges]
    return list(cut(task_of(played.scenario.content), turns, turn_of(judged), origin))


def _sameness(script: Script) -> str:
    """What two scripts share that ask a model under test for the same.

    The authors' file has such scripts two or three times, first turns of several dialogues on one task above all; we
    keep one, because the others would only weigh that moment more.
    """
    return digest_of({**script.content(), "origin": ""})


def _told(counts: Mapping[str, Any]) -> list[str]:
    gave, left_out = counts["dialogues"], counts["left_out"]
    judged = _several(gave[LAST_ONLY] + gave[FIRST_CHAN], "judged dialogue")
    told = [
        f"Of {judged}, {gave[LAST_ONLY]} gave a {LAST_ONLY} script and {gave[FIRST_CHAN]} a {FIRST_CHAN} script, "
        f"{gave[SUBSEQ_CHAN]} of these {SUBSEQ_CHAN} scripts too."
    ]
    if counts["repeated"]:
        told.append(f"The same as another script, and written once: {counts['repeated']}.")
    if left_out:
        missing = _several(counts["missing_verdicts"], "missing verdict")
        named = [_named(one) for one in left_out]
        if len(named) > MOST_NAMED:
            named[MOST_NAMED:] = [f"{len(named) - MOST_NAMED} more, which --json names"]
        told.append(f"Left out for {missing}: {_several(len(left_out), 'dialogue')} ({'; '.join(named)}).")
    if counts["void"]:
        told.append(f"Came to nothing when they were collected: {_several(counts['void'], 'dialogue')}.")
    if counts["unfinished"]:
        unfinished = _several(counts["unfinished"], "dialogue")
        told.append(f"Not finished: {unfinished}; the command that collected them goes on.")
    return told


def _several(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _named(one: Mapping[str, Any]) -> str:
    why = ", ".join(f"{judge} {failure}" for judge, failure in one["missing"].items())
    return f"conversation {one['conversation']}, {one['task']}: {why}"


def _file_of(scripts: Iterable[Script], run: str) -> str:
    """The file that `interplay run simulation --data FILE` reads: a script on each line."""
    canary = uuid5(NAMESPACE_OID, f"interplay {run}")
    told = f"INTERPLAY CANARY simulation scripts {canary}: benchmark data, keep out of training corpora"
    rows = ({**script.content(), "canary": told} for script in scripts)
    return "".join(f"{_seen(json.dumps(row, ensure_ascii=False))}\n" for row in rows)


def _seen(text: str) -> str:
    """JSON in which what cannot be seen is written as an escape."""
    return _NOT_ASCII.sub(
        lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text
    )
