"""What a page shows of an output, held against the output: times, dates and folders apart."""

import re
from pathlib import Path

CUT = "..."  # on a line of its own: so many lines are left out
_VARYING = (
    (re.compile(r"\b\d+ s\."), "0 s."),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?Z?)?"), "DATE"),
    (re.compile(r"[\d.,]+ (?:kB|MB)\b"), "SIZE"),
)


def plain(text: str) -> list[str]:
    """The lines of an output without what differs from time to time, and without rows of empty lines."""
    text = text.replace(str(Path.cwd()) + "/", "")
    for pattern, put in _VARYING:
        text = pattern.sub(put, text)
    found: list[str] = []
    for line in (line.rstrip() for line in text.splitlines()):
        if line or (found and found[-1]):
            found.append(line)
    return found[:-1] if found and not found[-1] else found


def shown(text: str) -> str:
    """An output as a page has it."""
    kept: list[str] = []
    for line in (line.rstrip() for line in text.replace(str(Path.cwd()) + "/", "").splitlines()):
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip("\n") + "\n"


def differs(page: str, output: str) -> str:
    """What is wrong with what a page shows; empty where it is right."""
    have, at = plain(output), 0
    parts = _parts(plain(page))
    for number, part in enumerate(parts):
        place = _find(part, have, at, anywhere=number > 0)
        if place is None:
            return "it shows\n" + "\n".join(part) + "\nand this came:\n" + "\n".join(have)
        at = place + len(part)
    if parts[-1] and at < len(have):
        return "this came too:\n" + "\n".join(have[at:])
    return ""


def _parts(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == CUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _find(part: list[str], lines: list[str], first: int, *, anywhere: bool) -> int | None:
    places = range(first, len(lines) - len(part) + 1) if anywhere else [first]
    return next((at for at in places if lines[at : at + len(part)] == part), None)
