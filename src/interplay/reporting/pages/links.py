"""Links: where each page is, on a server or in a folder of files."""

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Links:
    """Addresses of pages. Of a folder of files, they are relative to the page that holds them."""

    up: str = "/"  # from the page to the top: "/" on a server, "../" times the page's depth in a folder
    is_static: bool = False

    def home(self, **view: object) -> str:
        return self._page("", view)

    def board(self, benchmark: str) -> str:
        return self._page(f"boards/{_part(benchmark)}/")

    def run(self, run: str) -> str:
        return self._page(f"runs/{_part(run)}/")

    def conversations(self, run: str, **filters: object) -> str:
        """The list of conversations; in a folder of files it has pages instead of filters."""
        page = filters.pop("page", 1)
        found = self._page(f"runs/{_part(run)}/conversations/", filters)
        return found if page in (0, 1) else found.replace("index.html", f"page-{page}.html")

    def conversation(self, run: str, number: int, **view: object) -> str:
        """One conversation; `seat` is as whom it is seen."""
        return self._page(f"runs/{_part(run)}/conversations/{number}/", view)

    def number(self, run: str, model: str, column: str, **view: object) -> str:
        """The page that explains one number of a run's board."""
        return self._page(f"runs/{_part(run)}/numbers/{_part(model)}/{_part(column)}/", view)

    def compare(self, run: str, **view: object) -> str:
        return self._page(f"runs/{_part(run)}/compare/", view)

    def progress(self, run: str) -> str:
        """The part of a run's page that says where it stands."""
        return self._page(f"runs/{_part(run)}/progress/")

    def faults(self, run: str, **view: object) -> str:
        """Calls that failed, or verdicts that were not given."""
        return self._page(f"runs/{_part(run)}/faults/", view)

    def call(self, number: int) -> str:
        return self._page(f"calls/{number}/")

    def chart(self, place: str, name: str, *, dark: bool) -> str:
        """A chart of the board of a run (runs/ID) or of a benchmark (boards/NAME/GROUP)."""
        return f"{self.up}{place}/charts/{_part(name)}-{'dark' if dark else 'light'}.svg"

    def rounds(self) -> str:
        return self._page("labels/")

    def round(self, round: str) -> str:
        return self._page(f"labels/{_part(round)}/")

    def begin_round(self, run: str) -> str:
        return self._page("labels/", {"run": run})

    def of_round(self, round: str, part: str) -> str:
        """A part of a round's page, a form of it, or a file."""
        return f"{self.round(round)}{part}"

    def label(self, secret: str, place: int = 0, **view: object) -> str:
        """Where a rater labels; without a place, the page that raters begin with."""
        return self._page(f"label/{_part(secret)}/{f'{place}/' if place else ''}", view)

    def games(self) -> str:
        return self._page("games/")

    def new_game(self, **chosen: object) -> str:
        return self._page("games/new/", chosen)

    def game(self, run: str, **view: object) -> str:
        return self._page(f"games/{_part(run)}/", view)

    def invite_to_game(self, run: str) -> str:
        return f"{self.game(run)}invite/"

    def go_on_with_game(self, run: str) -> str:
        return f"{self.game(run)}go-on/"

    def play(self, secret: str, **view: object) -> str:
        """Where somebody plays who was invited."""
        return self._page(f"play/{_part(secret)}/", view)

    def search(self) -> str:
        return self._page("search/")

    def asset(self, name: str) -> str:
        return f"{self.up}assets/{_part(name)}"

    def _page(self, path: str, query: dict[str, object] | None = None) -> str:
        if self.is_static:
            return f"{self.up}{path}index.html"
        given = {name: value for name, value in (query or {}).items() if value not in ("", None, 0)}
        address = f"{self.up}{path}"
        return f"{address}?{urlencode(given)}" if given else address


def _part(name: str) -> str:
    """One part of a path: a slash within it, and a part of nothing but dots, cannot lead elsewhere."""
    found = quote(name, safe="")
    return found.replace(".", "%2E") if set(found) == {"."} else found
