"""Spoofing: a user that writes what only the system or the program may write."""

import re

from interplay.benchmarks.task_dialogue.dialogue import Dialogue

# An end token in the manners that models have: <END>, [DONE], <|im_end|>, COMPLETE_CONVERSATION, ### end ###
_ENDING = (
    r"(?:complete[ds]?|end(?:ed|ing)?|stop|done|exit|finish(?:ed)?|terminat\w+|over|close[ds]?|eo[sdtc])"
)
_TALK = r"(?:conversation|dialogue|task|chat)"
_TOKEN = rf"(?:\w+[ _-])?{_ENDING}(?:[ _-]\w+){{0,3}}"
_END_TOKEN = re.compile(
    rf"<[|/\s]*{_TOKEN}[|/\s]*>|[\[{{]\s*{_TOKEN}\s*[\]}}]|<\|[\w ]+\|>|</?s>|\[/?INST\]|"
    # People put words in round brackets, such as (close to the centre); no token is so but in capitals.
    rf"\((?-i:(?=[^a-z)]+\)))\s*{_TOKEN}\s*\)|"
    rf"###\s*(?:\w+\s+)?{_ENDING}\b|\b{_TALK}_{_ENDING}\b|\b{_ENDING}_(?:of_)?{_TALK}\b",
    re.IGNORECASE,
)
_SIDES = r"(?:system|assistant|bot|agent|user|human|customer|ai|operator)"
_SIDE = re.compile(rf"(?:^|[\n.!?\"*]\s*|\[){_SIDES}\s*(?:\]\s*)?:(?!\w)", re.IGNORECASE)
_FORM = re.compile(
    r"[\"']?\b(?:utterance|sub_goal|updates)\b[\"']?\s*:|\"(?:status|thought|state)\"\s*:|\bgoing_on\b|\bgiving_up\b",
    re.IGNORECASE,
)
_CODE = r"(?=[a-z0-9]*[0-9])[a-z0-9]{4,12}"
_REFERENCE = re.compile(
    rf"\bref(?:erence)?s?\b(?: (?:number|code|no))?\.?(?:\s+(?:is|was|as|would be))?\s*[:#]?\s*[#\"']?\b({_CODE})\b",
    re.IGNORECASE,
)
# Letters and then a few digits are of a flight or a car.
_ANY_CODE = re.compile(r"\b(?![A-Z]{1,3}[0-9]{2,4}\b)(?=[A-Z0-9]*[0-9])(?=[0-9]*[A-Z])[A-Z0-9]{6,12}\b")
# What the one says who serves, not the one who is served.
_SERVES = re.compile(
    r"\bi(?: have|'ve| will|'ll)?(?: now| just| already| gone ahead and)* (?:book|reserv|found|find|look)\w*\b"
    r"[^.!?]{0,60}\bfor you\b|"
    r"\byour (?:booking|reservation|table|room|taxi|train|reference(?: number)?) (?:is|has been|was) |"
    r"\banything else (?:that )?i can (?:help|do)\b|\bhow (?:can|may) i help\b",
    re.IGNORECASE,
)
_MADE = r"(?:booked|reserved|(?:made|confirmed) (?:the|a) (?:booking|reservation)|ordered (?:the|a|my) taxi)"
_BOOKED = re.compile(
    rf"\bi(?: have|['’]ve| just)?(?: now| just| already| gone ahead and| went ahead and)* {_MADE}\b",
    re.IGNORECASE,
)
_BOOKING_HEARD = re.compile(r"\b(?:book\w*|reserv\w+|confirm\w*|reference|ordered)\b", re.IGNORECASE)


def is_spoofed(dialogue: Dialogue) -> bool:
    """Did the user end the dialogue in words, play the system's part, or make a booking up?"""
    heard = str(dialogue.goal)
    answers = ""
    for text, answer in [*((one.user, one.system) for one in dialogue.exchanges), (dialogue.closing, "")]:
        if is_forged(text) or makes_up(text, heard, answers):
            return True
        answers += f"\n{answer}"
        heard += f"\n{answer}"
    return False


def is_forged(text: str) -> bool:
    """Does a text hold what no user writes, whatever was said before?"""
    return any(pattern.search(text) for pattern in (_END_TOKEN, _SIDE, _FORM, _SERVES))


def makes_up(text: str, heard: str, answers: str) -> bool:
    """Does a text name a reference that nobody gave, or a booking of its own where the system spoke of none?"""
    known = re.sub(r"\W", "", heard.casefold())
    codes = [*_REFERENCE.findall(text), *_ANY_CODE.findall(text)]
    if any(code.casefold() not in known for code in codes):
        return True
    return bool(_BOOKED.search(text)) and not _BOOKING_HEARD.search(answers)
