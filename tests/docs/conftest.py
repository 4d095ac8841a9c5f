"""The site that the tests of the documentation share."""

import json

import pytest
from filelock import FileLock

from tests.docs.site import Page, Site, build


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Site:
    """The site, built once, in however many processes the tests run."""
    base = tmp_path_factory.getbasetemp()
    place = (base if worker_id == "master" else base.parent) / "docs_site"
    told = place.with_suffix(".json")
    with FileLock(place.with_suffix(".lock")):
        if not told.exists():
            made = build(place)
            told.write_text(json.dumps([made.log, made.code]), encoding="utf-8")
    log, code = json.loads(told.read_text(encoding="utf-8"))
    return Site(place, log, code)


@pytest.fixture(scope="session")
def pages(site: Site) -> dict[str, Page]:
    return site.pages()
