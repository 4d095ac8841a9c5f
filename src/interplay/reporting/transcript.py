"""What of a conversation is worth showing: everything once, and what nobody else heard as well."""

from collections.abc import Sequence

from interplay.core.conversation import Line


def shown_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that the same role said to others right after, or that the narrator only passes on."""
    found: list[Line] = []
    for line, following in zip(lines, [*lines[1:], None], strict=False):
        passed_on = following is not None and is_private(line) and _is_passed_on(line, following)
        repeated = not line.source and bool(line.heard_by) and bool(found) and found[-1].text == line.text
        if not passed_on and not repeated:
            found.append(line)
    return found


def _is_passed_on(line: Line, following: Line) -> bool:
    """Is what one said to itself told to others next: by itself, or in the same words by another seat of its role?"""
    if is_private(following) or not following.source:
        return False
    of_role = line.source.split(" ")[0] == following.source.split(" ")[0]
    return line.source == following.source or (of_role and line.text == following.text)


def is_private(line: Line) -> bool:
    """Did nobody hear this but who said it?"""
    return line.heard_by == (line.source,)
