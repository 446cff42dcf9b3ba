"""Fixtures: a headless Chromium, the built site on a server of this machine, and a wall around both that records what would get out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
REQUIRED = os.environ.get("CI") == "true" or os.environ.get("KVDOCS_REQUIRE_BROWSER") == "1"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}

Open = Callable[..., Any]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, below a folder as on a host of pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site.parent)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
    server.shutdown()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium. Without one the tests are skipped with the reason; where it is required they fail."""
    if BROWSER is None:
        reason = "no Chromium on this machine: apt-get install chromium"
        pytest.fail(reason) if REQUIRED else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=QUIET)
        yield browser
        browser.close()


@dataclass
class Traffic:
    """What pages asked for: of this machine with the size of each answer, and of others, which they did not get."""

    home: str
    answers: list[Any] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, context: Any) -> None:
        """Let nothing but the site through, and note everything."""
        context.route("**/*", self._answer)
        context.on("response", self._note)
        context.on("page", self._listen)

    def _answer(self, route: Any) -> None:
        if route.request.url.startswith((self.home, "file:", "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def _note(self, response: Any) -> None:
        self.answers.append(response)

    def _listen(self, page: Any) -> None:
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
        page.on("console", lambda message: self.errors.append(f"{page.url}: {message.text}") if message.type == "error" else None)


@pytest.fixture
def traffic(address: str) -> Traffic:
    """What the pages of a test ask for."""
    return Traffic(address.rsplit("/", 2)[0])


@pytest.fixture
def open_page(chromium: Any, address: str, traffic: Traffic) -> Iterator[Open]:
    """Open a page of the site in a fresh profile; a request to another host, or an error of a script, fails the test."""
    contexts = []

    def opened(path: str = "", **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": WIDE, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        traffic.watch(context)
        page = context.new_page()
        answer = page.goto(path if path.startswith("file:") else address + path)
        assert answer is not None
        assert answer.ok, f"{path}: {answer.status}"
        return page

    yield opened
    for context in contexts:
        context.close()
    assert traffic.foreign == []
    assert traffic.errors == []
