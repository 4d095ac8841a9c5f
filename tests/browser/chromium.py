"""A real browser that is watched: what its pages run, ask for and complain of."""

import os
import re
import shutil
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SCREENS = {"wide": (1280, 800), "phone": (390, 844)}
SCHEMES = ("light", "dark")
OF_THE_BROWSER = re.compile(
    r"\w+ (https?://)?[\w.-]+\.(google|googleapis|gstatic|gvt1)\.com[:/]"
)  # what it asks for itself
PATIENCE = 20_000  # milliseconds, on a machine that has much else to do
GRAVE = ("serious", "critical")
WATCH = """
addEventListener('securitypolicyviolation', found =>
  console.error('policy: ' + found.violatedDirective + ' forbids ' + found.blockedURI), true)
"""


def chromium_path() -> str:
    """Where Chromium is; CHROMIUM says so, or the path does."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not found:
        raise AssertionError(
            "tests in a browser need Chromium: apt-get install chromium, or set CHROMIUM to it"
        )
    return found


class Outside:
    """All that is not this machine, as the browser sees it: a proxy that lets nothing through and remembers calls."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._refuse, args=(connection,), daemon=True).start()

    def _refuse(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(10)
            line = connection.recv(4096).partition(b"\r\n")[0]
            if line:  # a socket that was opened in advance says nothing
                if not OF_THE_BROWSER.match(line.decode("latin-1")):
                    self.asked.append(line.decode("latin-1"))
                connection.sendall(
                    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )

    def close(self) -> None:
        self._socket.close()


@dataclass
class Seen:
    """What happened in a window."""

    errors: list[str] = field(default_factory=list)  # of console, scripts and policy
    dialogs: list[str] = field(default_factory=list)
    outbound: list[str] = field(default_factory=list)  # addresses asked for that are not the site's own
    hits: list[str] = field(default_factory=list)  # scripts that ran and called window.__hit

    def anything(self) -> list[str]:
        """All of it, as lines; a good page leaves nothing."""
        return [
            *(f"console: {one}" for one in self.errors),
            *(f"dialog: {one}" for one in self.dialogs),
            *(f"outbound: {one}" for one in self.outbound),
            *(f"executed: {one}" for one in self.hits),
        ]


class Window:
    """A page in a fresh context of its own, and what was seen in it."""

    def __init__(self, context: BrowserContext, home: str, outside: Outside):
        self.context = context
        self.home = home  # the site's own origin, or its folder
        self._outside = outside
        self._before = len(outside.asked)
        self._seen = Seen()
        context.add_init_script(WATCH)
        context.expose_binding("__hit", lambda source, what="": self._seen.hits.append(str(what)))
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", self._said)
        context.on("weberror", lambda found: self._seen.errors.append(str(found.error)))
        context.on("dialog", self._dialog)
        self.page: Page = context.new_page()

    def open(self, address: str) -> int:
        """Go to an address of the site; the answer's status, 0 where there is none."""
        answer = self.page.goto(self.home + address)
        return answer.status if answer else 0

    def look(self, scheme: str, screen: str) -> None:
        width, height = SCREENS[screen]
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme)

    @property
    def seen(self) -> Seen:
        """What was seen so far, calls to the outside among it."""
        self.page.evaluate("0")  # whatever was on its way has come in
        called = [line for line in self._outside.asked[self._before :] if line not in self._seen.outbound]
        self._seen.outbound.extend(called)
        return self._seen

    def forget(self) -> None:
        """Begin to watch anew."""
        self._seen = Seen()
        self._before = len(self._outside.asked)

    def is_too_wide(self) -> bool:
        """Can the document be scrolled sideways?"""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        )

    def grave_faults(self) -> list[str]:
        """What axe finds on the page as it is that keeps people out, one line each."""
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(_axe())  # not as an element of the page, which its policy would forbid
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
        return [
            f"{fault['id']} ({fault['impact']}): {' '.join(node['html'].split())[:200]} {_why(node)}"
            for fault in found["violations"]
            if fault["impact"] in GRAVE
            for node in fault["nodes"]
        ]

    def keep_picture(self, name: str) -> None:
        """Keep a picture of the whole page, where INTERPLAY_SCREENSHOTS names a folder for them."""
        folder = os.environ.get("INTERPLAY_SCREENSHOTS")
        if folder:
            path = Path(folder) / (re.sub(r"[^\w.=-]+", "_", name).strip("_") + ".png")
            path.parent.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=path, full_page=True)

    def _asked(self, url: str) -> None:
        if not self._is_own(url):
            self._seen.outbound.append(url)

    def _is_own(self, url: str) -> bool:
        if url.startswith(("about:", "blob:" + self.home)):
            return True
        if self.home.startswith("file:"):
            return url.startswith(self.home)
        return urlsplit(url)[:2] == urlsplit(self.home)[:2]

    def _said(self, said: ConsoleMessage) -> None:
        wanted_by_the_browser = str(said.location.get("url", "")).endswith("/favicon.ico")
        if said.type == "error" and not wanted_by_the_browser:
            self._seen.errors.append(said.text)

    def _dialog(self, dialog: Dialog) -> None:
        self._seen.dialogs.append(dialog.message)
        dialog.dismiss()


class Chromium:
    """The browser of some tests."""

    def __init__(self, browser: Browser, outside: Outside):
        self._browser = browser
        self._outside = outside

    @contextmanager
    def window(self, home: str, cookies: Sequence[dict[str, Any]] = (), **settings: Any) -> Iterator[Window]:
        """A window on the site that is at home there; settings are those of a context of Playwright."""
        context = self._browser.new_context(**settings)
        context.set_default_timeout(PATIENCE)
        try:
            context.add_cookies(list(cookies))
            yield Window(context, home, self._outside)
        finally:
            context.close()


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Start the browser; it can reach loopback, and is watched when it tries anything else."""
    outside = Outside()
    expect.set_options(timeout=PATIENCE)
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=chromium_path(), args=[*FLAGS, f"--proxy-server=http://{outside.address}"]
            )
            try:
                yield Chromium(browser, outside)
            finally:
                browser.close()
    finally:
        outside.close()


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def _why(node: dict[str, Any]) -> str:
    return "; ".join(check["message"] for check in [*node["any"], *node["all"], *node["none"]])[:300]
