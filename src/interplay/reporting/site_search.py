"""What the search of a site looks through: a file that assigns one list, because files cannot be asked for data."""

import json
from dataclasses import dataclass, field

from interplay.core.wire import clean

INDEX = "search-index.js"
OF_ONE = 6_000  # characters of what was said in one conversation
OF_ALL = 8_000_000  # of all of them together; what comes after is found by scenario and model alone


@dataclass
class Index:
    """What can be found."""

    entries: list[list[str]] = field(default_factory=list)  # place, benchmark, scenario, model, what was said
    size: int = 0
    cut: int = 0  # conversations of which not all words are here

    def add(self, place: str, benchmark: str, label: str, model: str, said: str) -> None:
        kept = clean(" ".join(said.split()))[: max(0, min(OF_ONE, OF_ALL - self.size))]
        self.cut += len(kept) < len(" ".join(said.split()))
        self.size += len(kept)
        self.entries.append([place, benchmark, clean(label), clean(model), kept])

    def told(self) -> str:
        """What a reader should know of what is searched."""
        told = f"{len(self.entries):,} conversations: their scenario, model and what was said."
        return f"{told} Of {self.cut:,} long ones only the beginning." if self.cut else told

    def text(self) -> str:
        """The file: a script that cannot end early, whatever was said."""
        rows = json.dumps(self.entries, ensure_ascii=False, separators=(",", ":"))
        safe = rows.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        return f"globalThis.INTERPLAY_INDEX = {safe};\n"
