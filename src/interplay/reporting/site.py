"""A store as a folder of pages: boards, runs, conversations and a search, for any web host, without a server."""

import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.core.people import HUMAN, is_person
from interplay.core.wire import clean
from interplay.reporting.charts import Chart, svg
from interplay.reporting.pages import boards, homes, listing, pictures, runs
from interplay.reporting.pages.conversations import conversation
from interplay.reporting.pages.drawing import assets, draw
from interplay.reporting.pages.links import Links
from interplay.reporting.site_search import INDEX, Index
from interplay.reporting.writing import put_folder
from interplay.running.comparing import Group, groups_of
from interplay.running.keeping import Kept
from interplay.running.results import board_of
from interplay.store.browsing import Browsing, Page, Wanted
from interplay.store.closeup import CloseUp
from interplay.store.gaming import players_of
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.sums import sums_of

MARK = ".interplay-site"  # the file by which a folder is known as a site of ours
ON_A_PAGE = 200  # conversations in a list
OF_SERVER = ("label.js", "label.css", "play.js", "play.css", "live.js")  # what only a server's pages need
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Published:
    """What was written."""

    runs: int
    conversations: int
    left_out: int
    files: int
    bytes: int


def write_site(
    folder: Path,
    records: Records,
    chosen: Sequence[Run],
    *,
    most: int,
    names: bool = False,
    tell: Tell,
) -> Published:
    """Write the site beside its place, then put it there: a site that is there is replaced whole or not at all."""
    check_folder(folder, records.path)
    place = Path(os.path.realpath(folder))
    beside = place.with_name(f".{place.name}-{secrets.token_hex(6)}.part")
    try:
        beside.mkdir(parents=True)
        found = _Writing(beside, records, chosen, most, names, tell).all()
        put_folder(beside, place)
    except OSError as error:
        raise Mistake(f"the site cannot be written to {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return found


def check_folder(folder: Path, store: Store) -> None:
    """Raise a Mistake if a site cannot, or should not, be here."""
    if folder.exists() and not folder.is_dir():
        raise Mistake(f"{folder} is a file; a site is a folder: name another with --site")
    if not folder.parent.is_dir():
        raise Mistake(f"the folder of the site, {folder.parent}, does not exist")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise Mistake(f"{folder} has files that are no site of Interplay's; name a new or an empty folder")
    inside = isinstance(store, Path) and Path(os.path.realpath(store)).is_relative_to(
        os.path.realpath(folder)
    )
    if folder.is_dir() and inside:
        raise Mistake(f"the store {store} is in {folder}; name another folder")


class _Writing:
    """The site while it is written."""

    def __init__(
        self, folder: Path, records: Records, chosen: Sequence[Run], most: int, names: bool, tell: Tell
    ):
        self.folder, self.records, self.chosen, self.most = folder, records, chosen, most
        self.names, self.tell = names, tell
        self.index = Index()
        self.files = self.bytes = self.conversations = self.left_out = 0
        self._hidden = set() if names else {HUMAN + name for run in chosen for name in players_of(run)}

    def all(self) -> Published:
        self._write(MARK, "A site that Interplay wrote: the next export may replace this folder.\n")
        for name, (body, _) in assets().items():
            if name not in OF_SERVER:
                self._write(f"assets/{name}", body)
        self._page("", "home", self._home)
        for name in dict.fromkeys(run.benchmark for run in self.chosen):
            self._board(find(name), [run for run in self.chosen if run.benchmark == name])
        for run in self.chosen:
            self._run(run, find(run.benchmark))
        self._page(
            "search/",
            "search",
            self._search,
        )
        self._write(f"assets/{INDEX}", self._unnamed(self.index.text()))
        return Published(len(self.chosen), self.conversations, self.left_out, self.files, self.bytes)

    def _home(self, links: Links) -> dict[str, Any]:
        return homes.home(self.records, self._states, everything=True, chosen=self.chosen)

    def _search(self, links: Links) -> dict[str, Any]:
        return {"title": "Search", "here": "search", "told": self.index.told()}

    def _states(self, run: Run) -> Mapping[str, int]:
        return sums_of(self.records, run).states

    def _board(self, benchmark: Benchmark, mine: Sequence[Run]) -> None:
        self.tell(f"The board of {benchmark.name}")
        kept: Kept[list[Group]] = Kept(groups_of(self.records, mine, benchmark))
        place = f"boards/{benchmark.name}"

        def values(links: Links) -> dict[str, Any]:
            return boards.page(self.records, benchmark, kept, links)

        found = self._page(f"{place}/", "board", values)
        for group in (*found["leading"], *found["apart"]):
            self._charts(f"{place}/{group.id}", group.charts)

    def _run(self, run: Run, benchmark: Benchmark) -> None:
        board = board_of(self.records, run, benchmark)
        charts = pictures.of_run(self.records, run, benchmark, board)
        versions = self.records.totals(run).models
        sequels = [
            one for one in self.records.made_of(run.id) if any(one.id == other.id for other in self.chosen)
        ]

        def values(links: Links) -> dict[str, Any]:
            return runs.page(
                run, benchmark, Kept(board), links, charts=charts, versions=versions, sequels=sequels
            )

        self._page(f"runs/{run.id}/", "run", values)
        self._charts(f"runs/{run.id}", charts)
        self._lists(run, benchmark)

    def _charts(self, place: str, charts: Sequence[Chart]) -> None:
        for chart in charts:
            for dark in (False, True):
                self._write(
                    f"{place}/charts/{chart.name}-{'dark' if dark else 'light'}.svg",
                    self._unnamed(svg(chart, dark)),
                )

    def _lists(self, run: Run, benchmark: Benchmark) -> None:
        """The list of the run's conversations, page by page, and each of them."""
        measures = listing.first_measures(run, benchmark)
        sums = sums_of(self.records, run)
        self.left_out += max(0, sums.conversations - self.most)
        pages = list(self._pages(run))
        done = 0
        for number, page in enumerate(pages, 1):
            marks = listing.marks_of(
                self.records, run, benchmark, measures, [one.number for one in page.rows]
            )
            values = listing.conversations(run, measures, page, marks, Wanted(), sums)
            values |= {
                "newer": {"page": number - 1} if number > 1 else None,
                "older": {"page": number + 1} if number < len(pages) else None,
                "left_out": max(0, sums.conversations - self.most),
            }
            name = "" if number == 1 else f"page-{number}.html"
            self._page(f"runs/{run.id}/conversations/", "conversations", partial(_as_they_are, values), name)
            for one in page.rows:
                self._conversation(run, one.number)
                done += 1
                if done % 100 == 0:
                    self.tell(f"{run.id}: {done:,} of {min(sums.conversations, self.most):,} conversations")
        self.conversations += done

    def _pages(self, run: Run) -> Iterator[Page]:
        """The conversations that get a page, so many at a time."""
        after, left, browsing = 0, self.most, Browsing(self.records)
        while left > 0:
            page = browsing.page(run, Wanted(), after=after, size=min(ON_A_PAGE, left))
            if not page.rows:
                break
            yield page
            after, left = page.rows[-1].number, left - len(page.rows)
            if not page.has_after:
                break

    def _conversation(self, run: Run, number: int) -> None:
        place = f"runs/{run.id}/conversations/{number}/"

        def values(links: Links) -> dict[str, Any]:
            found = conversation(CloseUp(self.records, run, number), all_seats=True)
            return found if self.names else _without_people(found)

        found = self._page(place, "conversation", values)
        row, said = found["row"], "\n".join(seen.turn.text for seen in found["turns"] if seen.turn.seat)
        self.index.add(f"{place}index.html", run.benchmark, row.scenario.label, row.subject, said)

    def _page(
        self, place: str, template: str, values: Callable[[Links], dict[str, Any]], name: str = ""
    ) -> dict[str, Any]:
        links = Links("../" * place.count("/") or "./", is_static=True)
        found = values(links)
        self._write(f"{place}{name or 'index.html'}", self._unnamed(draw(template, links, found)))
        return found

    def _unnamed(self, text: str) -> str:
        """The text without the names of people who sat in seats."""
        return unnamed(text, self._hidden)

    def _write(self, place: str, body: str | bytes) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        content = body if isinstance(body, bytes) else clean(body).encode()
        path.write_bytes(content)
        self.files += 1
        self.bytes += len(content)


def unnamed(text: str, people: Collection[str]) -> str:
    """The text without these names; the longest go first, for one may be the beginning of another."""
    for person in sorted(people, key=lambda name: (-len(name), name)):
        text = text.replace(person, "human")
    return text


def _without_people(found: dict[str, Any]) -> dict[str, Any]:
    """A conversation's page without the names of raters and of people in seats."""
    raters = found["labels"]["raters"]
    labels = {**found["labels"], "raters": [f"rater {place}" for place, _ in enumerate(raters, 1)]}
    sitters = [replace(one, person="a person") if is_person(one.model) else one for one in found["sitters"]]
    views = [
        replace(one, sitter=replace(one.sitter, person="a person")) if one.sitter.person else one
        for one in found["seat_views"]
    ]
    waiting = ["a person" for _ in found["waiting"]]
    return {**found, "labels": labels, "sitters": sitters, "seat_views": views, "waiting": waiting}


def _as_they_are(values: dict[str, Any], links: Links) -> dict[str, Any]:
    return values
