"""From models to lines on which they can be asked: each behind its endpoint's gate, people through the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from interplay.core.people import is_person
from interplay.models.calling import Model
from interplay.running.budget import Budget
from interplay.running.gate import Gate
from interplay.running.open_files import allow_connections
from interplay.running.sending import Send, asked_of_people, budgeted, journaled, limited, retrying
from interplay.running.tally import Tally
from interplay.store.journal import Journal


@dataclass(frozen=True)
class Lines:
    """How each model of a start is asked."""

    sends: Mapping[str, Send] = field(default_factory=dict)
    places: int = 0  # at all gates together
    remembering: frozenset[str] = frozenset()  # the models with a memory of their own


def wire(models: Sequence[Model], journal: Journal, budget: Budget, tally: Tally, most: int) -> Lines:
    """Put each model behind its endpoint's gate, which is as narrow as its narrowest model asks."""
    endpoints = len({model.endpoint for model in models if not is_person(model.name)}) or 1
    most = max(1, min(most, allow_connections(most * endpoints) // endpoints))
    gates: dict[str, Gate] = {}
    sends: dict[str, Send] = {}
    for model in models:
        if is_person(model.name):
            sends[model.name] = asked_of_people(journal)
            continue
        narrowest = min(_most(other, most) for other in models if other.endpoint == model.endpoint)
        gate = gates.setdefault(model.endpoint, Gate(narrowest))
        within = budgeted(journaled(model, journal), model, budget, tally)
        sends[model.name] = retrying(limited(within, gate, tally), remembers=model.remembers)
    remembering = frozenset(model.name for model in models if model.remembers)
    return Lines(sends, sum(gate.most for gate in gates.values()) or most, remembering)


def _most(model: Model, most: int) -> int:
    return min(most, model.most_connections or most)
