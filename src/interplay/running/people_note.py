"""What a board says of the people who sat down with models, and of those who are to speak yet."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from interplay.core.people import is_person
from interplay.store.records import Records, Run


def people_notes(run: Run, casts: Sequence[Mapping[str, str]]) -> list[str]:
    """Who took part in a run's conversations as whom, by their casts; nothing where all of them were models."""
    sat = Counter((model, key) for cast in casts for key, model in cast.items() if is_person(model))
    if not sat:
        return []
    told = [f"{model} as {key} in {_conversations(count)}" for (model, key), count in sorted(sat.items())]
    note = f"People, no models, sat down in run {run.id}: {'; '.join(told)}."
    beside = any(
        is_person(model) and key.rpartition(" ")[0] in cast for cast in casts for key, model in cast.items()
    )
    if beside:
        note += " What a conversation comes to counts all who sat in it."
    return [note]


def waiting_remarks(records: Records, run: Run) -> list[str]:
    """How many conversations wait for whom, in a line."""
    waiting = records.waiting(run)
    if not waiting:
        return []
    verb = "waits" if len(waiting) == 1 else "wait"
    people = _listed({name for names in waiting.values() for name in names})
    return [
        f"{_conversations(len(waiting))} {verb} for {people} to speak, which is done in interplay view; it goes on "
        "there, or by the same command."
    ]


def _conversations(count: int) -> str:
    return f"{count:,} conversation{'' if count == 1 else 's'}"


def _listed(names: Iterable[str]) -> str:
    *others, last = sorted(names)
    return f"{', '.join(others)} and {last}" if others else last
