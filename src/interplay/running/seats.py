"""Seats of a role that are cast one by one: a person sits down where models have the other seats."""

from collections.abc import Iterable, Mapping, Sequence

from interplay.core.benchmark import Benchmark, Options, Role
from interplay.core.failures import Mistake, nearest
from interplay.core.people import HUMAN, is_person


def seats_of(role: Role) -> tuple[str, ...]:
    """The names by which the seats of a role are cast one by one; none where it has only one."""
    return tuple(f"{role.name} {number}" for number in range(1, role.seats + 1)) if role.seats > 1 else ()


def role_of(key: str, roles: Iterable[Role]) -> Role | None:
    """The role that a key of a cast names, or one seat of which it names."""
    return next((role for role in roles if key == role.name or key in seats_of(role)), None)


def check_seats(benchmark: Benchmark, options: Options, named: Mapping[str, Sequence[str]]) -> None:
    """Raise a Mistake unless whoever has a single seat of a role is a person, and the role has a seat left."""
    roles = benchmark.roles(options)
    for key, names in named.items():
        if any(key == role.name for role in roles):
            continue
        role = benchmark.role(key.rpartition(" ")[0] or key, options)
        seats = seats_of(role)
        if not seats:
            raise Mistake(f"{role.name} has one seat here, which is called {role.name} and not {key!r}")
        if key not in seats:
            raise Mistake(f"{benchmark.name} has no seat {key!r}; {nearest(key, seats)}")
        if len(names) != 1 or not is_person(names[0]):
            raise Mistake(
                f"{key} is one seat of {role.name}, which only a person takes alone: --model-role '{key}={HUMAN}NAME'; "
                f"a model sits in all seats of {role.name} that people leave"
            )
        if named.keys() >= set(seats):
            raise Mistake(f"people have all seats of {role.name}: leave one of them to who plays the role")


def check_judges(benchmark: Benchmark, options: Options, named: Mapping[str, Sequence[str]]) -> None:
    """A person's judgement is a label, which is drawn, compared and corrected by."""
    for role in benchmark.roles(options):
        if role.kind == "judge":
            refuse_people(named.get(role.name, ()))


def refuse_people(judges: Iterable[str]) -> None:
    for name in judges:
        if is_person(name):
            raise Mistake(f"{name} is a person and no judge: people say what they think by interplay labels")
