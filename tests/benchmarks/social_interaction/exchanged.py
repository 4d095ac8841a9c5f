"""Sessions of information exchange, verdicts on them and a judge who gives them, made by hand for tests."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interplay.benchmarks.social_interaction.matching import PROMPTS, Matching
from interplay.benchmarks.social_interaction.protocol import Learned, Move, Seated, Session, Wanted
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Message, Reply, Request, Sampling, Step
from interplay.models.scripted import Scripted

MODEL = "openai/judge"
STAGE = "judge matching 0123456789ab"
OPTIONS = {"scene": "exchange", "moves": "4", "sessions": "", "points": "5", "prompts": "", "words": ""}
KNOWN = (
    "The bridge is mended with salt.",
    "Old Mara keeps the key.",
    "The toll is four coins.",
    "The ferry leaves at dawn.",
    "Wolves fear the green lamp.",
)
SEATS = (
    Seated("player", "player", "Ana", "m"),
    Seated("npc", "npc", "Old Bram", "m"),
    Seated("player 2", "player", "Bo", "m"),
    Seated("player 3", "player", "Cy", "m"),
)
TOLD = (
    Move("player", "speak", "", "What do you know?"),
    Move("npc", "both", "points to the bridge", "It is mended with salt."),
    Move("player 2", "pass", "", ""),
    Move("player 3", "act", "", ""),
)
ANSWERS = ("Salt mends the bridge, and Mara has the key.", "The toll is four coins.", "I learned nothing.")
Script = Callable[[Sequence[Message]], str]


def content_of(number: int = 1, points: Sequence[str] = KNOWN, title: str = "") -> dict[str, Any]:
    title = title or f"The Bridge {number}"
    knowledge = {"kind": "places", "title": title, "text": " ".join(KNOWN), "points": list(points)}
    return {"scene": "exchange", "number": number, "knowledge": knowledge}


def scenario(number: int = 1, **more: Any) -> Scenario:
    return Scenario(content_of(number, **more), f"session {number}: The Bridge {number}")


def session(answers: Sequence[str] = ANSWERS, moves: Sequence[Move] = TOLD) -> Session:
    seats = ("player", "player 2", "player 3")
    learned = tuple(Learned(seat, answer) for seat, answer in zip(seats, answers, strict=True))
    return Session("exchange", SEATS, tuple(moves), learned)


def intentions(*skills: str, moves: Sequence[Move] = TOLD) -> Session:
    wants = tuple(Wanted("player", skill, "to win", 0, 4) for skill in skills)
    return Session("intentions", SEATS, tuple(moves), (), wants)


class Desk:
    """Has every step answered by a scripted model, and remembers what was asked."""

    def __init__(self, script: Script):
        self.model = Scripted(MODEL, script)
        self.asked: list[tuple[Step, Request]] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        return await self.model.reply(request)

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    @property
    def materials(self) -> list[str]:
        """What the judge was shown, question by question; tries after the first are left out."""
        threads = [request.thread.messages() for _, request in self.asked]
        return [thread[1].text for thread in threads if len(thread) == 2]


def question_in(messages: Sequence[Message]) -> str:
    """Which question a judge is asked, by the words after all material."""
    asked = re.findall(r"^The question: (.{9})", messages[1].text, re.MULTILINE)[-1]
    names = ("judge_points", "judge_pairs", "judge_first")
    return next(name for name in names if f"The question: {asked}" in PROMPTS.texts[name])


def fenced_in(messages: Sequence[Message]) -> list[str]:
    """All texts that a judge was shown between marks."""
    material = messages[1].text
    begins = re.match(r"Every text below stands between <<([0-9a-f]{12}) and \1>>\.", material)
    assert begins is not None
    return re.findall(rf"<<{begins[1]}\n(.*?)\n{begins[1]}>>", material, re.DOTALL)


def listed(text: str) -> list[str]:
    return [line.split(". ", 1)[1] for line in text.splitlines()]


def sound(messages: Sequence[Message]) -> str:
    """Sums up sentence by sentence, and pairs what shares telling words with what is known."""
    question, texts = question_in(messages), fenced_in(messages)
    if question == "judge_points":
        said = [one.strip() + "." for one in re.split(r"[.,] ?", texts[0]) if one.strip()]
        return json.dumps({"points": [one for one in said if "nothing" not in one][:5]})
    if question == "judge_pairs":
        return json.dumps({"pairs": [{"learned": i, "known": j} for i, j in like(*map(listed, texts))]})
    count = len(listed(texts[-1]))
    return json.dumps({f"point_{number}": 2 if number == 1 else 0 for number in range(1, count + 1)})


def like(known: Sequence[str], learned: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of points that share two words of four letters or more, each number once."""
    pairs: list[tuple[int, int]] = []
    for i, one in enumerate(learned, 1):
        for j, other in enumerate(known, 1):
            fresh = i not in [a for a, _ in pairs] and j not in [b for _, b in pairs]
            shared = {word for word in re.findall(r"\w+", one.lower()) if len(word) >= 4}
            if fresh and len(shared & set(re.findall(r"\w+", other.lower()))) >= 2:
                pairs.append((i, j))
    return pairs


def answering(question: str, reply: str) -> Script:
    """A judge that answers one kind of question with this, whatever it is told, and the others in form."""
    return lambda messages: reply if question_in(messages) == question else sound(messages)


async def judged(
    script: Script = sound,
    outcome: Session | None = None,
    content: Mapping[str, Any] | None = None,
    secret: bytes = b"secret",
    **options: str,
) -> tuple[Any, Desk]:
    """The verdict, and the desk that the judge sat at."""
    desk = Desk(script)
    cast = {"judge": Casting(MODEL, Sampling(0.0), "judge")}
    talk = Conversation(cast, desk, scenario=content or content_of(), stage=STAGE, secret=secret)
    return await Matching(OPTIONS | options)(talk, outcome or session()), desk


def verdict(
    *pairs: Sequence[tuple[int, int]],
    judge: str = "j",
    first: Sequence[int] = (0,) * 5,
    planted: Mapping[str, Any] | None = None,
) -> Verdict:
    """What a judge says: pairs of each player, the move that first told each point, and a planted list."""
    players = [
        {"seat": seat, "learned": ["x"] * 5, "pairs": [list(pair) for pair in mine]}
        for seat, mine in zip(("player", "player 2", "player 3"), pairs, strict=True)
    ]
    data = {"known": list(KNOWN), "players": players, "planted": planted or tried(), "first": list(first)}
    return Verdict(judge, "r", data)


def counted(*found: int, **more: Any) -> Verdict:
    """A verdict by which the players learned so many points, the first ones."""
    return verdict(*([(n, n) for n in range(1, count + 1)] for count in found), **more)


def tried(
    said: Sequence[int] = (1, 1, 1),
    wrong: Sequence[int] = (0, 0),
    piece: str = "p",
    absent: Sequence[int] = (),
) -> dict[str, Any]:
    """A planted list: of each point, whether it was paired; 2 is paired with another statement."""
    listed = [
        {"known": number, "learned": number, "paired": (0, number, number % 5 + 1)[paired]}
        for number, paired in enumerate([*said, *wrong], 1)
    ]
    others = [
        {"known": number, "learned": 0, "paired": paired}
        for number, paired in enumerate(absent, len(listed) + 1)
    ]
    return {"piece": piece, "said": listed[: len(said)], "wrong": listed[len(said) :], "absent": others}


def played(number: int, *verdicts: Verdict, model: str = "m", repeat: int = 0, **more: Any) -> Played:
    outcome = more.pop("outcome", session())
    cast = {"player": model, "npc": more.pop("npc", model)}
    return Played(scenario(number, **more), model, repeat, outcome, verdicts=verdicts, cast=cast)


def void(number: int, model: str = "m", failure: str = "unreadable") -> Played:
    return Played(scenario(number), model, 0, None, failure=failure, cast={"player": model, "npc": model})


def missing(judge: str = "j") -> Verdict:
    return Verdict(judge, "r", None, "judge error", "no JSON")
