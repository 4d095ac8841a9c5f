"""The site: the store that it shows, where its models are, and how its pages are drawn."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from starlette.responses import HTMLResponse, RedirectResponse, Response

from interplay.models.connecting import Directory
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.links import Links
from interplay.running.keeping import Keeper
from interplay.store.places import Store
from interplay.web.hosting import Host

LINKS = Links()


class Site:
    """One store as pages."""

    def __init__(self, store: Store, directory: Directory, tell: Callable[[str], None] = lambda line: None):
        self.store = store
        self.tell = tell  # a line for who runs the server
        self.directory = directory
        self.links = LINKS
        self.keeper = Keeper(store)
        self.host = Host(store, directory)

    def close(self) -> None:
        self.host.close()
        self.keeper.close()

    def page(self, template: str, status: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
        """A page of this template."""
        return HTMLResponse(draw(template, self.links, values), status)


def go_to(address: str) -> Response:
    """See another page now; whatever was sent is on disk."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)
