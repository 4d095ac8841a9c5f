"""What the comments beside the fields of a dataclass say, as part of what the site tells of it."""

import ast
import re
from typing import Any

import griffe

_COMMENT = re.compile(r"(?:^|\s)# (?!noqa|fmt|type:)(.+?)(?:  #.*)?$")


class Fields(griffe.Extension):
    """Adds a list of its fields to the docstring of every dataclass."""

    def on_class_members(
        self, *, node: ast.AST | griffe.ObjectNode, cls: griffe.Class, agent: Any, **kwargs: Any
    ) -> None:
        if "dataclass" not in {str(one.value).split("(")[0] for one in cls.decorators}:
            return
        fields = [
            (name, told)
            for name, field in cls.attributes.items()
            if not name.startswith("_") and field.docstring is None and (told := _told(field))
        ]
        if fields and cls.docstring:
            listed = "\n".join(f"    {name}: {told}" for name, told in fields)
            cls.docstring.value = f"{cls.docstring.value.rstrip()}\n\nAttributes:\n{listed}\n"


def _told(field: griffe.Attribute) -> str:
    """The comment on the field's own lines, or on those before it."""
    if field.lineno is None or field.endlineno is None:
        return ""
    lines = field.lines_collection[field.filepath]
    beside = [_COMMENT.search(line) for line in lines[field.lineno - 1 : field.endlineno]]
    above: list[str] = []
    for line in reversed(lines[: field.lineno - 1]):
        if not line.strip().startswith("# "):
            break
        above.insert(0, line.strip().removeprefix("# "))
    found = [one.group(1) for one in beside if one]
    return " ".join(found or above)
