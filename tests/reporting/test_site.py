"""A store as a folder of pages: every link leads to a file in it, nothing private is in it, it is replaced whole."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from interplay.core.failures import Mistake
from interplay.reporting.site import MARK, Published, check_folder, unnamed, write_site
from interplay.reporting.site_search import OF_ALL, OF_ONE, Index
from interplay.store.labels import Given, Labels
from interplay.store.passes import Passes
from interplay.store.records import Records
from tests.web.stocked import stock

POISON = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">\u2028'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose models say something nasty, with a rater and a link that nobody else should know."""
    path = tmp_path_factory.mktemp("stocked") / "runs.db"
    stock(path, lambda asked, said: said if asked.schema else f"{said} {POISON}")
    with Records(path) as records, Labels(path) as labels, Passes(path) as passes:
        run = next(one for one in records.runs() if one.benchmark == "role_play")
        number = records.numbers(run)[0]
        labels.add([Given(number, "rater-marigold", "fluency", 4.0, drawn="by hand", came_from="test")])
        passes.issue("rater", "round-1", "rater-marigold")
    return path


def written(store: Path, folder: Path, *runs: str, most: int = 2_000, names: bool = False) -> Published:
    with Records(store) as records:
        chosen = [records.find(run) for run in runs] or records.runs()
        return write_site(folder, records, chosen, most=most, names=names, tell=lambda line: None)


@pytest.fixture(scope="module")
def site(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "public"
    written(store, folder)
    return folder


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def addresses(page: Path) -> Iterator[str]:
    found = re.findall(r'\s(?:href|src|srcset|action)="([^"]*)"', page.read_text(encoding="utf-8"))
    yield from (html.unescape(one) for one in found)


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    checked = 0
    for page in pages(site):
        for address in addresses(page):
            target, _, anchor = address.partition("#")
            assert not target.startswith("/") and ":" not in target and "?" not in target, (page, address)
            found = (page.parent / unquote(target)).resolve() if target else page
            assert found.is_relative_to(site.resolve()), (page, address)
            assert found.is_file(), (page, address)
            if anchor and found.suffix == ".html":
                assert f'id="{anchor}"' in found.read_text(encoding="utf-8"), (page, address)
            checked += 1
    assert checked > 500


def test_every_run_board_and_conversation_has_a_page(store: Path, site: Path) -> None:
    with Records(store) as records:
        for run in records.runs():
            assert (site / "boards" / run.benchmark / "index.html").is_file()
            assert (site / "runs" / run.id / "index.html").is_file()
            for number in records.numbers(run):
                assert (site / "runs" / run.id / "conversations" / str(number) / "index.html").is_file()


def test_nothing_runs_but_our_own_scripts(site: Path) -> None:
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert "script-src 'self'" in text and "unsafe" not in text
        assert not re.search(r"<script(?! src=\"[^\"]*assets/)", text), page
        assert not re.search(r"\son\w+=|\sstyle=|javascript:", re.sub(r">[^<]*<", "><", text)), page
        assert "onerror" not in text or "&lt;img" in text


def test_the_index_is_one_list_whatever_was_said(site: Path) -> None:
    text = (site / "assets" / "search-index.js").read_text(encoding="utf-8")
    assert "<" not in text and "\u2028" not in text
    entries = json.loads(text.removeprefix("globalThis.INTERPLAY_INDEX = ").rstrip().removesuffix(";"))
    assert len(entries) == len(list(site.glob("runs/*/conversations/*/index.html")))
    for place, _, label, model, said in entries:
        assert (site / place).is_file()
        assert label and model
        assert len(said) <= OF_ONE
    assert any("</script>" in said for *_, said in entries)


def test_what_is_private_stays_at_home(store: Path, site: Path) -> None:
    with Records(store) as records, Passes(store) as passes:
        secret = passes.of("rater", "round-1")[0].secret
        keys = [run.secret.hex() for run in records.runs()]
    for file in site.rglob("*"):
        if file.is_file():
            body = file.read_bytes().decode("utf-8", "replace")
            for private in (
                secret,
                *keys,
                "rater-marigold",
                str(store.parent),
                "/calls/",
                "/labels/",
                "/games/",
            ):
                assert private not in body, (file, private)


def test_a_name_that_begins_with_another_goes_whole() -> None:
    assert unnamed("human/adam and human/ada", {"human/ada", "human/adam"}) == "human and human"


def test_names_are_there_where_they_are_wanted(store: Path, tmp_path: Path) -> None:
    written(store, tmp_path / "site", names=True)
    assert any("rater-marigold" in page.read_text(encoding="utf-8") for page in pages(tmp_path / "site"))


def test_the_same_records_make_the_same_site(store: Path, site: Path, tmp_path: Path) -> None:
    written(store, tmp_path / "again")

    def content(folder: Path) -> dict[str, bytes]:
        return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    assert content(tmp_path / "again") == content(site)


def test_some_runs_and_some_conversations_of_them(store: Path, tmp_path: Path) -> None:
    with Records(store) as records:
        run = next(one for one in records.runs() if one.benchmark == "role_play")
    found = written(store, tmp_path / "site", run.id, most=5)
    assert (found.runs, found.conversations) == (1, 5)
    assert found.left_out == 7
    assert [one.name for one in (tmp_path / "site" / "runs").iterdir()] == [run.id]
    listed = tmp_path / "site" / "runs" / run.id / "conversations" / "index.html"
    assert "7 are left out" in listed.read_text(encoding="utf-8")


def test_a_site_is_replaced_whole(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    with Records(store) as records:
        one, other = (run.id for run in records.runs()[:2])
    written(store, folder, one, most=1)
    written(store, folder, other, most=1)
    assert [each.name for each in (folder / "runs").iterdir()] == [other]
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_what_is_no_site_of_ours_is_left_alone(store: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("x")
    with pytest.raises(Mistake, match="name a new or an empty folder"):
        check_folder(tmp_path / "mine", store)
    with pytest.raises(Mistake, match="is a file"):
        check_folder(tmp_path / "file", store)
    with pytest.raises(Mistake, match="does not exist"):
        check_folder(tmp_path / "no" / "site", store)
    (store.parent / MARK).write_text("")
    with pytest.raises(Mistake, match=r"the store .* is in"):
        check_folder(store.parent, store)
    (store.parent / MARK).unlink()
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


def test_the_index_has_a_limit_and_says_so() -> None:
    index = Index()
    for number in range(3):
        index.add(f"runs/a/{number}/index.html", "role_play", "x", "y", "word " * 10_000)
    assert [len(entry[-1]) for entry in index.entries] == [OF_ONE] * 3
    assert "Of 3 long ones only the beginning" in index.told()
    index.size = OF_ALL
    index.add("runs/a/9/index.html", "role_play", "x", "y", "word")
    assert index.entries[-1][-1] == ""
