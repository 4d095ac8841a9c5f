"""Links: where each page is, on a server or in a folder of files."""

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Links:
    """Addresses of pages. Of a folder of files, they are relative to the page that holds them."""

    up: str = "/"  # from the page to the top: "/" on a server, "../" times the page's depth in a folder
    is_static: bool = False

    def home(self) -> str:
        return self._page("")

    def board(self, benchmark: str) -> str:
        return self._page(f"boards/{_part(benchmark)}/")

    def run(self, run: str) -> str:
        return self._page(f"runs/{_part(run)}/")

    def conversations(self, run: str, **filters: object) -> str:
        return self._page(f"runs/{_part(run)}/conversations/", filters)

    def conversation(self, run: str, number: int, **view: object) -> str:
        """One conversation; `seat` is as whom it is seen."""
        return self._page(f"runs/{_part(run)}/conversations/{number}/", view)

    def number(self, run: str, model: str, column: str, **view: object) -> str:
        """The page that explains one number of a run's board."""
        return self._page(f"runs/{_part(run)}/numbers/{_part(model)}/{_part(column)}/", view)

    def compare(self, run: str, **view: object) -> str:
        return self._page(f"runs/{_part(run)}/compare/", view)

    def call(self, number: int) -> str:
        return self._page(f"calls/{number}/")

    def chart(self, place: str, name: str, *, dark: bool) -> str:
        """A chart of the board of a run (runs/ID) or of a benchmark (boards/NAME/GROUP)."""
        return f"{self.up}{place}/charts/{_part(name)}-{'dark' if dark else 'light'}.svg"

    def rounds(self) -> str:
        return self._page("labels/")

    def round(self, round: str) -> str:
        return self._page(f"labels/{_part(round)}/")

    def games(self) -> str:
        return self._page("games/")

    def game(self, run: str) -> str:
        return self._page(f"games/{_part(run)}/")

    def search(self) -> str:
        return self._page("search/")

    def asset(self, name: str) -> str:
        return f"{self.up}assets/{_part(name)}"

    def _page(self, path: str, query: dict[str, object] | None = None) -> str:
        given = {name: value for name, value in (query or {}).items() if value not in ("", None, 0)}
        address = f"{self.up}{path}{'index.html' if self.is_static else ''}"
        return f"{address}?{urlencode(given)}" if given else address


def _part(name: str) -> str:
    """One part of a path: a slash within it, and a part of nothing but dots, cannot lead elsewhere."""
    found = quote(name, safe="")
    return found.replace(".", "%2E") if set(found) == {"."} else found
