"""Fixtures: this repository's site, built once, and a browser that looks at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kvdocs.project import find_project

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository's site, built strictly from a copy, so that a test never touches the working tree."""
    root = find_project(Path(__file__).parent).root
    copy = tmp_path_factory.mktemp("built") / "project"
    copy.mkdir()
    for name in ("registry", "site_src", "templates", "tests/problems"):
        shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "mkdocs.yml", copy / "mkdocs.yml")
    done = subprocess.run([sys.executable, "-m", "kvdocs", "build", "--strict"], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return copy / "site"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, below a folder as on a host of pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site.parent)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/site/"
    server.shutdown()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium; the tests that need it are skipped where there is none, and say so."""
    if BROWSER is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=QUIET)
        yield browser
        browser.close()
