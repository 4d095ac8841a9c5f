"""What is refused before the first call: budgets that cannot be kept, models in roles they cannot fill."""

from collections.abc import Iterable, Sequence

from interplay.core.benchmark import RULE
from interplay.core.conversation import Casting
from interplay.core.failures import Mistake
from interplay.core.people import is_person
from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.running.budget import Limits
from interplay.running.how import Again
from interplay.running.import_note import is_imported
from interplay.running.spec import RunSpec


def names_asked(spec: RunSpec, again: Again | None) -> list[str]:
    """The names that must be names of models; who spoke elsewhere, in a run that was imported, is not asked here."""
    joining = list(again.judges) if again else []
    if again and is_imported(again.run):
        return joining
    named = [*spec.models, *joining, *(name for names in spec.roles.values() for name in names)]
    return [name for name in named if not name.startswith(RULE)]


def check_prices(limits: Limits, names: Iterable[str], directory: Directory) -> None:
    """A budget in money needs to know what everybody costs."""
    if limits.money is None:
        return
    for name in sorted(names):
        if directory.price_of(name) is None:
            raise Mistake(
                f"--budget needs the price of {name}, which is unknown; give it in models.toml, as in "
                f'[prices."{name}"] input = 1.0, output = 4.0 (dollars for a million tokens)'
            )


def check_lengths(limits: Limits, castings: Iterable[tuple[str, Casting]]) -> None:
    """A budget in money or tokens needs to know how long a reply may be."""
    if limits.money is None and limits.tokens is None:
        return
    for role, casting in castings:
        if casting.sampling.max_tokens is None and not is_person(casting.model):
            raise Mistake(f"a budget needs to know how long a reply may be: --sampling {role}.max_tokens=N")


def check_models(limits: Limits, models: Iterable[Model], judges: Sequence[str]) -> None:
    """Bots take no limit on their replies, and those that remember cannot be asked to judge again."""
    for model in models:
        unlimited = "max_tokens" in model.ignores and not is_person(model.name)
        costs = model.price is not None and (model.price.input > 0 or model.price.output > 0)
        if unlimited and (limits.tokens is not None or (limits.money is not None and costs)):
            raise Mistake(
                f"a budget in money or tokens cannot be kept with {model.name}: a bot's replies may be of any length; "
                "--budget-calls can"
            )
        if model.remembers and model.name in judges:
            raise Mistake(
                f"{model.name} cannot judge: it keeps the dialogue itself, so that a verdict could not be asked for "
                "again; a mapping with {{messages}} can"
            )
