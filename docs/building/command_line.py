"""The command line, told from the commands themselves: every verb, argument and flag, and the exit codes."""

import re
from collections.abc import Sequence

import click

from building.markdown import table
from interplay.cli import EXIT_CODES, MEANINGS
from interplay.cli import interplay as command_line

_DEFAULT = re.compile(r" *\[default: ([^]]*)\]")
# What each code is a sign of, and what one does then; a test holds the numbers against the program's own.
WHAT_NEXT = {
    "0": "Nothing. A run that is whole exits with 0 however often it is typed again.",
    "1": "Type the same command again, when the endpoint answers or the person has spoken. What was answered is not "
    "paid for twice. In a script this is the code to try again on.",
    "2": "Read the line and mend what was typed. Nothing was sent, or what was sent is in the record.",
    "3": "Wait, or look at it with interplay view: reading is always possible. The line names the process.",
    "4": "Make room on the disk, or put the store back. Every reply before this one is on disk.",
    "70": "Set INTERPLAY_DEBUG=1 to see where, and report it. What was answered is in the store.",
    "130": "Type the same command again when you like.",
}


def verbs() -> str:
    """Every verb with everything that can be typed behind it."""
    context = click.Context(command_line, info_name="interplay")
    listed = table(
        ("verb", "what it does"), [(f"[`{verb}`](#{verb})", told) for verb, told in MEANINGS.items()]
    )
    parts = [listed]
    for verb in MEANINGS:
        if command := command_line.get_command(context, verb):
            parts.append(f"## {verb}\n\n{_told(command, context, verb)}")
    return "\n\n".join(parts)


def _told(command: click.Command, parent: click.Context, name: str) -> str:
    context = click.Context(command, parent=parent, info_name=name)
    parts = [_usage(context), _help(command)]
    if not isinstance(command, click.Group):
        return "\n\n".join([*parts, _flags(command.params, context)])
    found = {sub: command.get_command(context, sub) for sub in command.list_commands(context)}
    subs = {sub: one for sub, one in found.items() if one is not None}
    common = _common(list(subs.values()))
    parts.append(_flags(command.params, context))
    if common:
        parts += ["For every one of them:", _flags(common, context)]
    shared = {_key(one) for one in common}
    for sub, one in subs.items():
        own = [param for param in one.params if _key(param) not in shared]
        inner = click.Context(one, parent=context, info_name=sub)
        parts += [f"### {name} {sub}", _usage(inner), _help(one), _flags(own, inner)]
    return "\n\n".join(part for part in parts if part)


def _usage(context: click.Context) -> str:
    """How it is typed: the names, the arguments, and that flags may follow."""
    return f"```text\n{' '.join([context.command_path, *context.command.collect_usage_pieces(context)])}\n```"


def _common(commands: Sequence[click.Command]) -> list[click.Parameter]:
    """The flags that all of several commands have, where there are several."""
    if len(commands) < 2:
        return []
    everywhere = set.intersection(*({_key(one) for one in command.params} for command in commands))
    return [one for one in commands[0].params if _key(one) in everywhere]


def _key(param: click.Parameter) -> tuple[str, str]:
    return " ".join(param.opts), getattr(param, "help", "") or ""


def _help(command: click.Command) -> str:
    """The help in paragraphs; what is laid out by hand stays so."""
    parts = []
    for part in (command.help or "").strip().split("\n\n"):
        laid_out = part.startswith("\b\n")
        parts.append(
            f"```text\n{part.removeprefix(chr(8) + chr(10))}\n```" if laid_out else " ".join(part.split())
        )
    return "\n\n".join(parts)


def _flags(params: Sequence[click.Parameter], context: click.Context) -> str:
    rows = [_row(one, context) for one in params if isinstance(one, click.Option)]
    return table(("flag", "what it does", "default"), rows) if rows else ""


def _row(param: click.Option, context: click.Context) -> tuple[str, str, str]:
    names = ", ".join([*param.opts, *param.secondary_opts])
    shape = "" if param.is_flag or param.count else f" {param.make_metavar(context)}"
    told = param.help or ""
    default = _DEFAULT.search(told)
    shown = default.group(1) if default else str(param.default) if param.show_default else ""
    if param.envvar != (usual := variable(param.opts[0])):
        raise ValueError(f"{param.opts[0]} is set by {param.envvar}, and the page says that it is {usual}")
    return f"`{names}{shape}`", _DEFAULT.sub("", told), f"`{shown}`" if shown else ""


def variable(flag: str) -> str:
    """The variable that sets a flag, by the rule that the page states."""
    return "INTERPLAY_" + flag.lstrip("-").replace("-", "_").upper()


def exit_codes() -> str:
    """The codes as the program's help has them, with what one does then."""
    found = re.findall(r"^ +(\d+) +(.+)$", EXIT_CODES, re.MULTILINE)
    return table(
        ("code", "what it says", "what to do"), [(f"`{code}`", told, WHAT_NEXT[code]) for code, told in found]
    )
