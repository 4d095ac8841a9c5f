"""The scenarios of task dialogue: goals of our own city, or a user's goals, with a database of theirs or without."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import City, own_city, read_city
from interplay.benchmarks.task_dialogue.goal_checks import unmet
from interplay.benchmarks.task_dialogue.goals import Goal, read_goals
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake

SHOWN = 5  # ids of goals in a remark
GOALS = ("goals.jsonl", "goals.json", "goals_val.json")  # the names that goals have in a folder
_cities: dict[str, City] = {}  # those that were read, by what they hold: a scenario names its city by digest


def scenarios(options: Options, data: Path | None = None) -> Material:
    """Every goal that there is: those that ship, or those of a file, or of a folder with a database of its own."""
    if data is None:
        return _material(own_goals(), own_city())
    goals = goals_at(data)
    city = read_city(city_folder(data)) if data.is_dir() else own_city()
    return _material(goals, city, _remarks(goals, city))


def goals_at(data: Path) -> list[Goal]:
    """The goals of a file, or of a folder."""
    return read_goals(_goals_in(data) if data.is_dir() else data)


def city_folder(folder: Path) -> Path:
    """Where a folder has its database."""
    return folder / "db" if (folder / "db").is_dir() else folder


def own_goals() -> list[Goal]:
    return read_goals(Path(str(files(__package__) / "data" / "goals.jsonl")))


def _goals_in(folder: Path) -> Path:
    found = [folder / name for name in GOALS if (folder / name).is_file()]
    if not found:
        raise Mistake(f"{folder} holds no goals; they are in a file as in {GOALS[0]}")
    return found[0]


def _material(goals: list[Goal], city: City, remarks: tuple[str, ...] = ()) -> Material:
    _cities[city.digest] = city
    found = [Scenario({**goal.content(), "city": city.digest}, goal.id) for goal in goals]
    return Material(tuple(sorted(found, key=lambda one: one.id)), remarks)


def _remarks(goals: list[Goal], city: City) -> tuple[str, ...]:
    """What a user should know of goals of their own: where there is no database, and what it cannot give."""
    told = []
    unknown = sorted({wish.domain for goal in goals for wish in goal.wishes} - set(city.rows))
    if unknown:
        told.append(
            f"there is no database of {', '.join(unknown)}: what is achieved there is for judges to say, not for rules"
        )
    known = [goal for goal in goals if not any(wish.domain in unknown for wish in goal.wishes)]
    if poor := [goal.id for goal in known if unmet(goal, city)]:
        some = ", ".join(poor[:SHOWN]) + (" ..." if len(poor) > SHOWN else "")
        told.append(
            f"the database cannot meet {len(poor)} of {len(goals)} goals, which fail whatever is done: {some}"
        )
    return tuple(told)


def city_of(content: Mapping[str, Any]) -> City:
    """The city of a scenario."""
    digest = content["city"]
    if digest not in _cities and own_city().digest == digest:
        _cities[digest] = own_city()
    if digest not in _cities:
        raise Mistake(f"the database of this goal ({digest}) is not at hand; name its folder with --data")
    return _cities[digest]
