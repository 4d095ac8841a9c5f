"""Who may come in: the links that let the owner, raters and players into the pages of a store."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from interplay.core.failures import Mistake
from interplay.store.database import connect, trouble_in_words, writing
from interplay.store.places import Store

PassRole = Literal["owner", "rater", "player"]
LONGEST_NAME = 60
_PASS = "secret, role, place, name, made, revoked"  # noqa: S105  # names of columns


@dataclass(frozen=True)
class Pass:
    """The right of one person to come in, in one role and to one place."""

    secret: str
    role: PassRole
    place: str  # the round or the run that it is for; empty for the owner
    name: str
    made: str
    revoked: str = ""


class Passes:
    """The passes of one store."""

    def __init__(self, path: Store):
        self.path = path
        self.db = connect(path, create=False)

    def __enter__(self) -> "Passes":
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def owner(self) -> Pass:
        """The owner's pass, the same at every start, so that open pages go on after one."""
        return self.issue("owner", "", "owner")

    def issue(self, role: PassRole, place: str, name: str) -> Pass:
        """A pass for somebody; who has one already keeps it, also if it was revoked before."""
        name = " ".join(name.split())
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise Mistake(
                f"a name has from 1 to {LONGEST_NAME} characters that can be printed, not {name[:80]!r}"
            )
        with writing(self.db, self.path) as db:
            db.execute(
                f"INSERT INTO passes ({_PASS}) VALUES (?,?,?,?,?,'')"  # noqa: S608  # our own names
                " ON CONFLICT (role, place, name) DO UPDATE SET revoked = ''",
                (secrets.token_urlsafe(24), role, place, name, _now()),
            )
        return next(one for one in self.of(role, place) if one.name == name)

    def of(self, role: PassRole, place: str) -> list[Pass]:
        """All passes of a role to a place, oldest first."""
        query = f"SELECT {_PASS} FROM passes WHERE role = ? AND place = ? ORDER BY made, name"  # noqa: S608  # our own names
        with trouble_in_words(self.path):
            return [_pass(row) for row in self.db.execute(query, (role, place)).fetchall()]

    def find(self, secret: str) -> Pass | None:
        """The pass that ends a link; None where there is none, or no longer."""
        query = f"SELECT {_PASS} FROM passes WHERE secret = ? AND revoked = ''"  # noqa: S608  # our own names
        with trouble_in_words(self.path):
            found = self.db.execute(query, (secret,)).fetchone()
        return _pass(found) if found else None

    def revoke(self, role: PassRole, place: str, name: str) -> bool:
        """Let somebody in no longer; what they said stays."""
        with writing(self.db, self.path) as db:
            db.execute(
                "UPDATE passes SET revoked = ? WHERE (role, place, name) = (?,?,?) AND revoked = ''",
                (_now(), role, place, name),
            )
            return bool(db.changes())


def _pass(row: tuple[Any, ...]) -> Pass:
    return Pass(*row)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
