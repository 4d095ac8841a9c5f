"""What of a conversation is worth showing: everything once, and what nobody else heard as well."""

from collections.abc import Sequence

from interplay.core.conversation import Line


def shown_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that the same seat said to others right after."""
    found = []
    for line, following in zip(lines, [*lines[1:], None], strict=False):
        passed_on = following is not None and following.source == line.source and not is_private(following)
        if not (is_private(line) and passed_on):
            found.append(line)
    return found


def is_private(line: Line) -> bool:
    """Did nobody hear this but who said it?"""
    return line.heard_by == (line.source,)
