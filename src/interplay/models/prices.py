"""What tokens cost: a dated table of list prices, which a user's own prices replace; unknown is never nothing."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PER = 1_000_000
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$")  # gpt-4o-2024-08-06 costs what gpt-4o does


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens; cached is what tokens cost that the endpoint had read before."""

    input: float
    output: float
    cached: float | None = None

    def of(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """What a call costs that read and wrote so many tokens, some of them from the endpoint's cache."""
        cached = min(max(cached, 0), tokens_in)
        again = self.input if self.cached is None else self.cached
        return ((tokens_in - cached) * self.input + cached * again + tokens_out * self.output) / PER


FREE = Price(0.0, 0.0)


def list_price(model: str) -> Price | None:
    """The list price of provider/name at the provider itself; None where the table does not have it."""
    table = _table()
    return table.get(model) or table.get(_SNAPSHOT.sub("", model))


@cache
def _table() -> dict[str, Price]:
    data = tomllib.loads((files(__package__) / "prices.toml").read_text(encoding="utf-8"))
    return {
        f"{provider}/{name}": Price(**price)
        for provider, models in data["prices"].items()
        for name, price in models.items()
    }
