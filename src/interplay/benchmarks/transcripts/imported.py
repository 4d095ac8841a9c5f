"""Transcripts of others: rows of our own plain format, and chat logs in OpenAI's."""

from collections.abc import Iterator, Mapping
from typing import Any

from interplay.benchmarks.transcripts.dialogue import (
    ASSISTANT,
    USER,
    Dialogue,
    Setting,
    dialogue_of,
    lines_of,
    scenario_of,
)
from interplay.benchmarks.transcripts.rubrics import rubric_for
from interplay.benchmarks.transcripts.scoring import measures
from interplay.core.benchmark import Options, Played
from interplay.core.failures import nearest
from interplay.core.import_files import Row, Skipped, Unfit, rows_in
from interplay.core.importing import (
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
from interplay.core.measures import criteria_of
from interplay.core.wire import clean

MOST_MESSAGES = 2_000
LONGEST_SPEAKER = 40
LONGEST_ID = 200
SYSTEM = ("system", "developer")
TEXTS = ("text", "input_text", "output_text")  # kinds of parts of a message that are text
KEYS = ("id", "scenario", "goal", "system", "model", "seat", "lines", "labels")
Content = Mapping[str, Any]


def read_transcripts(reading: Reading) -> Iterator[Imported | Skipped]:
    """The conversations of a file of plain transcripts."""
    return each(rows_in(reading.path), lambda row: [_transcript(row, reading)])


def read_logs(reading: Reading) -> Iterator[Imported | Skipped]:
    """The conversations of a file of chat logs."""
    return each(rows_in(reading.path), lambda row: [_log(row, reading)])


def _transcript(row: Row, reading: Reading) -> Imported:
    content = _object(row, "lines")
    for key in content:
        if key not in KEYS:
            raise Unfit(f"{key[:60]!r} is not part of a transcript; {nearest(key, KEYS)}")
    measured = text_in(content.get("seat", ASSISTANT), "seat", longest=LONGEST_SPEAKER)
    spoken = [
        (
            text_in(one.get("speaker"), f"lines[{place}].speaker", longest=LONGEST_SPEAKER),
            text_in(one.get("text"), f"lines[{place}].text"),
        )
        for place, one in enumerate(_messages(content["lines"], "lines"))
    ]
    if measured not in {name for name, _ in spoken}:
        raise Unfit(f"nobody called {measured!r} speaks; say who is the model with seat")
    told = {key: _optional(content, key) for key in ("scenario", "goal", "system")}
    id = _optional(content, "id", longest=LONGEST_ID)
    opinions = tuple(_opinions(content.get("labels", []), reading.options))
    return _imported(row, reading, content, dialogue_of(spoken, measured, id), told, opinions)


def _log(row: Row, reading: Reading) -> Imported:
    content = _object(row, "messages")
    messages = _messages(content["messages"], "messages")
    leading = 0
    while leading < len(messages) and messages[leading].get("role") in SYSTEM:
        leading += 1
    said = [_message(one, place) for place, one in enumerate(messages)]
    system, spoken = [text for _, text in said[:leading]], said[leading:]
    if not spoken or len(spoken) % 2:
        raise Unfit(f"it ends with what {'nobody' if not spoken else USER} said: there is nothing to judge")
    for place, (role, _) in enumerate(spoken):
        expected = (USER, ASSISTANT)[place % 2]
        if role != expected:
            raise Unfit(f"messages[{leading + place}] is by {role!r}, where it is the turn of {expected}")
    told = {"system": text_in("\n\n".join(system), "the system message", may_be_empty=True)}
    return _imported(row, reading, content, dialogue_of(spoken, ASSISTANT, _id_of(content)), told)


def _imported(
    row: Row,
    reading: Reading,
    content: Content,
    dialogue: Dialogue,
    told: Mapping[str, str],
    opinions: tuple[Opinion, ...] = (),
) -> Imported:
    opening = next((one.text for one in dialogue.said if one.seat != ASSISTANT), "")
    setting = Setting(**told, opening="" if told.get("scenario") else opening)
    model = name_in(content["model"], "model") if content.get("model") is not None else reading.model
    if not model:
        raise Unfit("it does not say whose replies these are: name the model with --model NAME")
    played = Played(scenario_of(setting), model, 0, dialogue, cast={ASSISTANT: model, USER: UNKNOWN})
    return Imported(row.where, played, lines_of(dialogue, setting), opinions)


def _object(row: Row, needed: str) -> Content:
    content = row.value
    if not isinstance(content, dict) or needed not in content:
        raise Unfit(f"it is {kind_of(content)}; a row is an object with {needed}")
    return content


def _messages(given: Any, what: str) -> list[Content]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Unfit(f"{what} must be a list of objects")
    if not given:
        raise Unfit(f"{what} is empty")
    if len(given) > MOST_MESSAGES:
        raise Unfit(f"{what} has more than {MOST_MESSAGES:,} entries")
    return given


def _message(message: Content, place: int) -> tuple[str, str]:
    """Who says what; what is no text, such as the call of a tool, is not guessed at."""
    where, role = f"messages[{place}]", message.get("role")
    if role not in (USER, ASSISTANT, *SYSTEM):
        raise Unfit(f"{where} is by {str(role)[:40]!r}; {USER} and {ASSISTANT} talk, after a system message")
    for key in ("tool_calls", "function_call", "audio"):
        if message.get(key):
            raise Unfit(f"{where} has {key}, which is no text")
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(_part(part, f"{where}.content") for part in content)
    return str(role), text_in(content, f"{where}.content")


def _part(part: Any, where: str) -> str:
    if not isinstance(part, dict) or part.get("type") not in TEXTS:
        kind = repr(part.get("type")) if isinstance(part, dict) else kind_of(part)
        raise Unfit(f"{where} has a part that is {kind}, and no text")
    return text_in(part.get("text"), f"{where}.text")


def _optional(content: Content, key: str, longest: int = 100_000) -> str:
    return text_in(content[key], key, longest=longest) if content.get(key) is not None else ""


def _id_of(log: Content) -> str:
    """What others call a log; where it is no text, or a long one, the log is taken in all the same."""
    id = log.get("id")
    return clean(id).strip()[:LONGEST_ID] if isinstance(id, str) else ""


def _opinions(given: Any, options: Options) -> Iterator[Opinion]:
    """What people said of a conversation, by the criteria of the rubric."""
    criteria = criteria_of(measures(options))
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Unfit("labels must be a list of objects with criterion, value and perhaps rater")
    for place, one in enumerate(given):
        where = f"labels[{place}]"
        criterion = text_in(one.get("criterion"), f"{where}.criterion", longest=40)
        if criterion not in criteria:
            name = rubric_for(options).name
            raise Unfit(f"{where}: the rubric {name} has no {criterion!r}; {nearest(criterion, criteria)}")
        value, scale = one.get("value"), criteria[criterion]
        read = scale.read(str(value)) if isinstance(value, int | float | str) else None
        if read is None:
            raise Unfit(f"{where}.value is {value!r}, which is not {scale}")
        yield Opinion(_optional(one, "rater", longest=40), criterion, read)


TRANSCRIPT = Importer(
    "transcript",
    'plain transcripts, as in {"model": "NAME", "lines": [{"speaker": "user", "text": "..."}, ...]} on each line',
    read_transcripts,
)
OPENAI = Importer(
    "openai",
    'chat logs, as in {"model": "NAME", "messages": [{"role": "user", "content": "..."}, ...]} on each line',
    read_logs,
)
