"""Telling: does a text hold a value of a slot, in one of the ways people write it? By rules, for English."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from interplay.benchmarks.task_dialogue.city import ARRIVE, DAYS, LEAVE, minutes, plain
from interplay.benchmarks.task_dialogue.understanding import REQUESTS
from interplay.benchmarks.task_dialogue.values import in_digits
from interplay.benchmarks.task_dialogue.wording import normal, times_in

_SPELT = str.maketrans({**dict.fromkeys("‘’`´", "'"), **dict.fromkeys("‐‑‒–—−", "-"), "*": "", "_": " "})
_SENTENCES = re.compile(
    r"(?<=[.!?])(?<!\bst\.)(?<!\bmr\.)(?<!\bdr\.)(?<!\bmrs\.)(?<!\bno\.)\s+|\n+", re.IGNORECASE
)
_PARTS = re.compile(
    r"(?<=[;,])\s+|\bbut\b|\bhowever\b|\b(?:and|while) (?=(?:the|it|its|there|has|have|offers?)\b)"
)
_OFFERING = re.compile(r"(?:how about|what about|(?:shall|should|can|may|could) i)\b")
_SAID_LIGHTLY = re.compile(
    r"\bnot (?:only|to mention)|\bno (?:extra |additional |further )?(?:charge|costs?|fee|problem|worries|doubt)\b"
    r"|\bdon't (?:worry|hesitate)|\bwhy not"
)
_UNSURE = re.compile(
    r"\b(?:not (?:sure|known|certain|listed|stated|say|know|tell)|whether|unknown|no information"
    r"|(?:can(?:no|')t|don't) (?:say|know|tell))\b"
)
_NOT = re.compile(
    r"\b(?:no|not|without|lack(?:s|ing)?|never|none|nothing|neither|nor|cannot|unavailable)\b|n't\b"
)
_OWN_VERB = re.compile(
    r"\b(?:is|are|was|has|have|offers?|provides?|includes?|comes|there|yes|with|free|it's)\b"
)
_UNIT = r"(?! ?-?(?:people|persons?|guests?|stars?|min|hour|hr|nights?|tickets?|seats?|am\b|pm\b|:|%))"
_AMOUNT = r"(\d+(?:\.\d\d?)?)"
_MONEY = re.compile(
    rf"(?:£|\bgbp) ?{_AMOUNT}(?![\d.]\d)"
    rf"|(?<![\d.:]){_AMOUNT} ?(?:pounds?|gbp|quid|£)(?:(?: and)? (\d\d?)(?: ?p(?:ence)?)?\b(?!\.\d){_UNIT})?"
)
_MONEY_WORD = re.compile(
    r"\b(?:prices?|costs?|fares?|fees?|admission|entrance|entry|charges?|pay|per person|each)\b"
)
_PLAIN_AMOUNT = re.compile(rf"(?<![\w.:£-]){_AMOUNT}(?![\w:]|\.\d){_UNIT}")
_PENCE = re.compile(
    r"(?<!\bat )(?<!\bby )(?<!\bafter )(?<!\bbefore )(?<![\w.:])(\d+\.\d\d)(?![\d:]|\.\d| ?[ap]\.?m\b)"
)
_FREE = re.compile(
    r"(?<!feel )(?<!not )(?<!n't )(?<!-)(?<!table )(?<!room )\bfree\b"
    r"(?![ -]?(?:wi-?fi|internet|parking|tables?|rooms?|seats?|instead|at\b|on\b|school))"
    r"(?! to (?:ask|contact|call|let|tell|get))"
    r"|\b(?:no|without(?: any)?) (?:(?:entrance|entry|admission|ticket) )?(?:charge|fee|cost)\b"
    r"|\bno (?:entrance|admission)\b|\b(?:costs?|pay) nothing\b"
)
_HOURS = re.compile(r"(?<![\d.:])(\d+) ?(?:hours?|hrs?|h)(?:[ ,]*(?:and )?(\d+)(?! ?(?:pounds?|stops?))|\b)")
_MINUTES = re.compile(r"(?<![\d.:])(\d+)[ -]?(?:minutes?|mins?|m)\b")
_TAKES = re.compile(r"\b(?:duration|(?:travel|journey) time|takes?|lasts?)\D{0,12}(\d+)(?![\d:.]\d|\d| ?h)")
_STREETS = {"street": "st", "saint": "st", "road": "rd", "lane": "ln", "avenue": "ave", "square": "sq"}
_NO_AREA = (
    r"(?![ -](?:indian|american|african|asian|italian|korean|chinese|european|east|west|street|st|road|rd|lane|ln|"
    r"avenue|ave|gate|quay|row|hill|wharf|bridge|b and b)\b)"
)
_NO_CENTRE = r"(?<!sports )(?<!leisure )(?<!shopping )(?<!visitor )(?<!medical )(?<!village )(?<!arts )"
_AREAS = {
    "centre": rf"{_NO_CENTRE}(?:centre|central|downtown)\b(?! north)|(?:middle|heart) of (?:the )?(?:town|city)",
    **{side: rf"(?<!south[ -])(?<!north[ -]){side}(?:ern)?\b{_NO_AREA}" for side in ("east", "west")},
    **{side: rf"{side}(?:ern)?\b{_NO_AREA}" for side in ("north", "south")},
}
_PRICES = {
    "cheap": r"cheap(?:er|est|ly)?|inexpensive|budget|low[- ]priced|affordable",
    "moderate": r"moderate(?:ly)?|mid[- ]?(?:range|priced?)|medium",
    "expensive": r"expensive|high[- ]end|upscale|up-?market|pricey",
}
_ALWAYS = r"always|24 hours|24/7|at all (?:times|hours)|any ?time|(?:a)?round the clock"
_DAILY = (
    r"daily|(?:every|each) (?:day|night)|(?:seven|7) days|all week|days a week"
    r"|mon(?:day)? ?(?:to|through|-) ?sun(?:day)?"
)
_SPANS = {
    "weekday": r"weekdays?|mon(?:day)? ?(?:to|through|-) ?fri(?:day)?",
    "weekend": r"weekends?|sat(?:urday)?s? ?(?:and|&|to|or|-) ?sun(?:day)?s?",
}
_SEASONS = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|easter|term"
    r"|dawn|dusk|sunset)\b"
)
_SMALL = "open opens from to until the at in on and a of with only is it but"
_SMALL_WORDS = frozenset(_SMALL.split())
Told = Callable[[str, str], bool]


def is_told(slot: str, value: str, text: str) -> bool:
    """Does a text say this value of this slot?"""
    said = unicodedata.normalize("NFKC", text).translate(_SPELT).casefold()
    if not value or not said.strip():
        return False
    told = _TOLD.get(slot) or (_offered_told(slot) if plain(value) in ("yes", "no") else phrase_told)
    return told(value, said)


def code_told(value: str, text: str) -> bool:
    """Is a code there by itself, in whatever groups its letters and digits are written?"""
    letters = re.sub(r"[\W_]", "", value).casefold()
    spelt = r"[\s\-.]?".join(map(re.escape, letters))
    return bool(letters) and bool(re.search(rf"(?<![^\W_]){spelt}(?![^\W_])", text.casefold()))


def phrase_told(value: str, text: str) -> bool:
    wanted = plain(value)
    return bool(wanted) and f" {wanted} " in f" {plain(text)} "


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCES.split(text) if sentence.strip()]


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of what is stated, each with whether it is denied; what is only asked, or not known, states nothing."""
    answered = re.sub(r"\?[ \n](?=(?:yes|no)\b)", ", ", text)
    for sentence in sentences(answered):
        if sentence.rstrip().endswith("?") and not _OFFERING.match(sentence.strip()):
            continue
        denied = False
        for part in filter(str.strip, _PARTS.split(_SAID_LIGHTLY.sub(" ", sentence))):
            denied = bool(_NOT.search(part)) or (denied and not _OWN_VERB.search(part))
            if not _UNSURE.search(part):
                yield part, denied


def _is_stated(words: str, text: str) -> bool:
    return any(re.search(rf"\b(?:{words})", part) for part, denied in _clauses(text) if not denied)


def _offered_told(slot: str) -> Told:
    """Of something that a place has or has not: a part that names it, with a word of denial or without."""
    words = REQUESTS.get(slot, re.escape(plain(slot)))

    def told(value: str, text: str) -> bool:
        wanted = plain(value) == "no"
        return any(
            re.search(rf"\b(?:{words})\b", part) and denied == wanted for part, denied in _clauses(text)
        )

    return told


def _phone_told(value: str, text: str) -> bool:
    """The digits, in any groups, with the country's code or without."""
    digits = re.sub(r"\D", "", value)
    gap = r"[\s\-./()]{0,3}"
    first = rf"(?:\+|00){gap}44{gap}(?:\(0\){gap})?|0" if digits.startswith("0") else digits[:1]
    return bool(digits) and bool(re.search(rf"(?<!\d)(?:{first}){gap}{gap.join(digits[1:])}(?!\d)", text))


def _address_told(value: str, text: str) -> bool:
    """The address, or its first part where that is more than a word; a town's centre need not be told."""
    said, whole = _street(text), _street(value)
    first = _street(value.partition(",")[0])
    enough = [whole, whole.removesuffix(" city centre"), first if " " in first else whole]
    return any(f" {one} " in f" {said} " for one in enough if one)


def _street(text: str) -> str:
    return " ".join(_STREETS.get(word, word) for word in plain(text).split())


def _amounts(text: str) -> set[float]:
    """The amounts of money that a text speaks of."""
    found: set[float] = set()
    for sentence in sentences(in_digits(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))):
        for sign, number, pence in _MONEY.findall(sentence):
            found |= {float(sign or number), float(sign or number) + int(pence or 0) / 100}
        found.update(map(float, _PENCE.findall(sentence)))
        if _MONEY_WORD.search(sentence):
            found.update(map(float, _PLAIN_AMOUNT.findall(sentence)))
    return found


def _amount_told(value: str, text: str) -> bool:
    """All amounts of the value; an amount of nothing is free."""
    wanted = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", value)}
    if wanted - {0.0}:
        return wanted <= _amounts(text)
    if wanted or plain(value) in ("free", "gratis"):
        return bool(_FREE.search(text)) or 0.0 in _amounts(text)
    return phrase_told(value, text)


def _duration_told(value: str, text: str) -> bool:
    number = re.search(r"\d+", value)
    if not number:
        return phrase_told(value, text)
    said = in_digits(re.sub(r"\bhalf an hour\b", "30 minutes", text))
    said = re.sub(r"\ban? hour\b", "1 hour", said)
    found = {int(hours) * 60 + int(rest or 0) for hours, rest in _HOURS.findall(said)}
    rest = _HOURS.sub(" ", said)
    found |= {int(one) for pattern in (_MINUTES, _TAKES) for one in pattern.findall(rest)}
    return int(number[0]) in found


def _times(text: str) -> set[int]:
    said = re.sub(r"(?<=[:.][0-5]\d) ?h(?:rs?|ours)?\b", "", text)
    return {time for part in sentences(said) for time, sure in times_in(normal(part)) if sure != "w"}


def _time_told(value: str, text: str) -> bool:
    wanted = minutes(value)
    return wanted is not None and wanted % 1440 in _times(text)


def _stars_told(value: str, text: str) -> bool:
    number = re.escape(plain(value))
    if number == "0" and re.search(r"\bunrated\b|\bnot rated\b|\b(?:no|without) (?:any )?stars?\b", text):
        return True
    rated = (
        rf"\b(?:stars?|rat(?:ed|ing))(?: rating)?(?: is| of|:| at| as)?(?: an?)? ?{number}\b(?!\.\d| rooms)"
    )
    return bool(
        re.search(rf"(?<![\d.]){number}(?: (?:out )?of (?:5|five))?[ -]?stars?\b|{rated}", in_digits(text))
    )


def _area_told(value: str, text: str) -> bool:
    return _is_stated(
        _AREAS.get(plain(value)) or rf"{re.escape(plain(value))}\b", text.replace("center", "centre")
    )


def _price_range_told(value: str, text: str) -> bool:
    return _is_stated(rf"(?:{_PRICES.get(plain(value), re.escape(plain(value)))})\b", text)


def _type_told(value: str, text: str) -> bool:
    """The type, in one word or two; "the hotel" says nothing of whether it is one or a guesthouse."""
    wanted = plain(value)
    if wanted == "hotel":
        return _is_stated(r"an? (?:[\w-]+ ){0,4}hotel\b|type\b[^.]{0,20}\bhotel\b", text)
    spelt = "[ -]?".join(map(re.escape, wanted.replace(" ", "")))
    return _is_stated(rf"{spelt}(?:e?s)?\b", text)


def _kind_told(value: str, text: str) -> bool:
    return any(phrase_told(value, part) for part, denied in _clauses(text) if not denied)


def _car_told(value: str, text: str) -> bool:
    """Its colour and its make, in whatever order."""
    wanted = set(plain(value).split())
    return any(wanted <= set(plain(one).replace("gray", "grey").split()) for one in sentences(text))


def _hours_told(value: str, text: str) -> bool:
    """Every time and day of the opening hours; of hours without times, the words that tell them."""
    said = value.casefold()
    if phrase_told(value, text):
        return True
    times = _times(said.replace("noon", ""))  # a time of day in words is not asked for
    if not times:
        first = said.partition(",")[0]
        words = set(plain(first).split()) - _SMALL_WORDS
        return bool(
            re.search(_ALWAYS, text) if "always" in words else words and words <= set(plain(text).split())
        )
    named = {day for day in DAYS if re.search(rf"\b{day[:3]}(?:{day[3:]})?s?\b", text)}
    days = {day for day in DAYS if day in said}
    spans = all(re.search(words, text) for span, words in _SPANS.items() if span in said)
    only_some = named or any(re.search(words, text) for words in _SPANS.values())
    every = not re.search(r"daily|every", said) or bool(re.search(_DAILY, text)) or not only_some
    seasons = set(_SEASONS.findall(said)) <= set(_SEASONS.findall(text))
    return times <= _times(text) and days <= named and spans and every and seasons


_TOLD: dict[str, Told] = {
    "phone": _phone_told,
    "postcode": code_told,
    "trainID": code_told,
    "address": _address_told,
    "price": _amount_told,
    "entrance fee": _amount_told,
    "duration": _duration_told,
    LEAVE: _time_told,
    ARRIVE: _time_told,
    "time": _time_told,
    "internet": _offered_told("internet"),
    "parking": _offered_told("parking"),
    "stars": _stars_told,
    "area": _area_told,
    "pricerange": _price_range_told,
    "type": _type_told,
    "food": _kind_told,
    "car type": _car_told,
    "openhours": _hours_told,
}
