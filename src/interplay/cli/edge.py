"""The edge of the program: errors become one line and an exit code here, and nowhere else."""

import errno
import os
import sys

import click

from interplay.cli import interplay
from interplay.core.failures import Mistake, RunLocked, StoreTrouble, nearest

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
DONE, UNANSWERED, MISTAKE, LOCKED, STORE, FAULT, STOPPED = 0, 1, 2, 3, 4, 70, 130


def run_command(arguments: list[str]) -> int:
    """Carry out a command line; the exit code."""
    try:
        code = interplay.main(arguments, prog_name="interplay", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else DONE
    except click.exceptions.Exit as done:
        return done.exit_code
    except SystemExit:
        return DONE  # click's answer to a reader of our output that has gone
    except click.exceptions.NoArgsIsHelpError as error:
        return _help(error)
    except click.UsageError as error:
        return _fail(_usage_line(error), MISTAKE)
    except click.ClickException as error:
        return _fail(error.format_message(), MISTAKE)
    except Mistake as error:
        return _fail(str(error), MISTAKE)
    except RunLocked as error:
        return _fail(str(error), LOCKED)
    except StoreTrouble as error:
        return _fail(str(error), STORE)
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped; the same command goes on where it was", STOPPED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        return DONE
    except OSError as error:
        if error.errno not in FULL:
            return _fault(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left to print would fail again at the end
        return _fail(f"the output cannot be written: {(error.strerror or '').lower()}", MISTAKE)
    except Exception as error:  # noqa: BLE001  # the edge: told in one line, with the way to see more
        return _fault(error)


def _fault(error: Exception) -> int:
    if os.environ.get("INTERPLAY_DEBUG"):
        raise error
    if told := _in_a_benchmark(error):
        return _fail(f"{told}; INTERPLAY_DEBUG=1 shows how it came", MISTAKE)
    kind = type(error).__name__
    return _fail(
        f"a fault in Interplay itself ({kind}: {error}); INTERPLAY_DEBUG=1 shows where, please report it",
        FAULT,
    )


def _in_a_benchmark(error: Exception) -> str:
    """The place of an error in the code of somebody else's benchmark; empty where it is not there."""
    if "interplay.benchmarks" not in sys.modules:
        return ""
    from interplay.benchmarks import OTHERS

    return OTHERS.told(error)


def _fail(line: str, code: int) -> int:
    from interplay.cli.terminal import remark

    remark("interplay: " + " ".join(line.split()))
    return code


def _help(error: click.exceptions.NoArgsIsHelpError) -> int:
    from interplay.cli.terminal import say

    say(error.format_message())
    return DONE


def _usage_line(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "interplay"
    if isinstance(error, click.NoSuchOption) and command == "interplay run":
        return f"{error.option_name} comes after the name, as in: {command} NAME {error.option_name}"
    if isinstance(error, click.NoSuchOption):
        flags = (
            [flag for parameter in error.ctx.command.params for flag in parameter.opts] if error.ctx else []
        )
        return f"{command} has no flag {error.option_name}; {nearest(error.option_name, flags)}"
    return f"{error.format_message().rstrip('.')}; see {command} --help"
