"""`kvdocs serve`: pages reload when a record changes, errors are shown with their place, the last good page stays."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest

from kvdocs.cli.serve import _end_on_interrupt
from kvdocs.site.watch import Watch
from tests.conftest import MakeProject, Ran

pytestmark = pytest.mark.slow
PATIENCE = 120
"""Seconds after which something that should have happened counts as hung."""


class Served:
    """A running `kvdocs serve`, what it prints, and what its pages are told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen([sys.executable, "-m", "kvdocs", "serve", "--port", "0"], cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.address = re.search(r"http://\S+/", self.until("serving")).group()  # type: ignore[union-attr]  # the line holds it or the wait has failed
        self.news: Queue[dict[str, object]] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.first = self.news.get(timeout=PATIENCE)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def _listen(self) -> None:
        with urllib.request.urlopen(self.address + "-/kvdocs", timeout=PATIENCE) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    self.news.put(json.loads(line[6:]))

    def until(self, start: str) -> str:
        """The next printed line that starts like this."""
        seen = []
        while True:
            try:
                line = self.lines.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"no line starts with {start!r}; seen: {seen}") from None
            seen.append(line)
            if line.startswith(start):
                return line

    def page(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return str(answer.read().decode())


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    root = tmp_path / "project"
    subprocess.run([sys.executable, "-m", "kvdocs", "init", str(root)], check=True, capture_output=True, timeout=PATIENCE)
    server = Served(root)
    yield server
    server.process.send_signal(signal.SIGINT)
    try:
        server.process.wait(timeout=PATIENCE)
    finally:
        server.process.kill()


def test_an_edit_an_error_and_its_repair(served: Served) -> None:
    assert served.first == {"built": 1, "error": ""}
    record = next((served.root / "registry" / "defects").glob("*.yaml"))
    text = record.read_text(encoding="utf-8")
    name = re.search(r"^id: (\S+)", text, re.MULTILINE).group(1)  # type: ignore[union-attr]  # every record has one
    assert "EventSource" in served.page(f"records/{name}/")

    record.write_text(re.sub(r"^title: .*", "title: A title that was not there before", text, flags=re.MULTILINE), encoding="utf-8")
    assert served.news.get(timeout=PATIENCE) == {"built": 2, "error": ""}
    assert "A title that was not there before" in served.page(f"records/{name}/")

    record.write_text(text + "titel: wrong\n", encoding="utf-8")
    told = served.news.get(timeout=PATIENCE)
    line = text.count("\n") + 1
    place = f"{record.relative_to(served.root).as_posix()}:{line}:1: error[unknown-key]: `titel` is not a field of a defect"
    assert told["built"] == 2
    assert str(told["error"]).startswith(place)
    served.until(place)
    assert "A title that was not there before" in served.page(f"records/{name}/")

    record.write_text(text, encoding="utf-8")
    assert served.news.get(timeout=PATIENCE) == {"built": 3, "error": ""}


def test_saving_a_file_unchanged_builds_nothing(served: Served) -> None:
    record = next((served.root / "registry" / "defects").glob("*.yaml"))
    text = record.read_text(encoding="utf-8")
    record.write_text(text, encoding="utf-8")
    (served.root / "build" / "docs" / "stray.md").write_text("written by something else\n", encoding="utf-8")
    record.write_text(text + "notes: More.\n", encoding="utf-8")
    assert served.news.get(timeout=PATIENCE) == {"built": 2, "error": ""}
    with pytest.raises(Empty):
        served.news.get(timeout=3)


def test_what_was_built_anew_is_said(served: Served) -> None:
    """After an edit of `mkdocs.yml`, which every page depends on, it said that no page had changed."""
    settings, page = served.root / "mkdocs.yml", served.root / "site_src" / "page.md"

    def built() -> str:
        return served.until("built in").partition(": ")[2]

    settings.write_text(settings.read_text(encoding="utf-8") + "site_author: ann\n", encoding="utf-8")
    assert re.fullmatch(r"([1-9][0-9]*) of \1 pages", built())
    page.write_text("# A page\n\nText.\n", encoding="utf-8")
    assert re.fullmatch(r"([1-9][0-9]*) of \1 pages", built()), "each page leads to the new one"
    page.write_text("# A page\n\nMore text.\n", encoding="utf-8")
    assert re.fullmatch(r"1 of [1-9][0-9]* pages", built())
    (served.root / "site_src" / "extra.txt").write_text("copied\n", encoding="utf-8")
    assert re.fullmatch(r"0 of [1-9][0-9]* pages, 1 other file", built())
    page.write_text("# A page\n\n[Nowhere](nowhere.md).\n", encoding="utf-8")
    built()
    assert served.until("WARNING") == "WARNING -  Doc file 'page.md' contains a link 'nowhere.md', but the target is not found among documentation files."


def test_a_first_start_with_an_error_in_the_registry_led_to_no_page(tmp_path: Path) -> None:
    root = tmp_path / "project"
    subprocess.run([sys.executable, "-m", "kvdocs", "init", str(root)], check=True, capture_output=True, timeout=PATIENCE)
    (root / "registry" / "roadmap" / "R9.yaml").write_text("id: R9\ntitle: A slip\nstatus: opne\nowners: [kernels]\n", encoding="utf-8")
    server = Served(root)
    try:
        assert "registry/roadmap/R9.yaml:3:9: error[wrong-value]" in str(server.first["error"])
        assert "EventSource" in server.page("")
        (root / "registry" / "roadmap" / "R9.yaml").unlink()
        server.until("built in")
        assert server.news.get(timeout=PATIENCE)["error"] == ""
    finally:
        server.process.terminate()
        server.process.wait(timeout=PATIENCE)


def test_a_port_that_is_taken_is_said(served: Served, kvdocs) -> None:  # type: ignore[no-untyped-def]  # the fixture's type is in conftest
    port = served.address.rsplit(":", 1)[1].strip("/")
    ran: Ran = kvdocs("serve", "--port", port, at=served.root)
    assert (ran.code, ran.err) == (2, f"error: cannot listen on 127.0.0.1:{port}: Address already in use\n  hint: choose another with --port, or --port 0 for a free one\n")


def test_an_interrupt_that_came_while_objects_were_cleared_away_was_lost(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops an exception that is raised there, and the site was served on."""
    watch = Watch(make_project({}))
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    before = signal.getsignal(signal.SIGINT)

    class Cleared:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    _end_on_interrupt(watch)
    try:
        Cleared()
        assert watch.changes() == []
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_in_the_instant_before_the_wait_was_heard_of_only_after_the_next_edit(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait for an edit had no end: what a signal had noted just before it was seen by nobody. Here another thread notes it, and wakes nobody either."""
    monkeypatch.setattr("kvdocs.site.watch.PULSE", 0.05)
    watch = Watch(make_project({}))
    noting = threading.Timer(0.2, lambda: setattr(watch, "stopped", True))
    noting.start()
    waiting = threading.Thread(target=watch.changes, daemon=True)
    waiting.start()
    waiting.join(timeout=PATIENCE)
    assert not waiting.is_alive()


def test_an_address_of_another_machine_was_answered_with_another_port(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    ran = kvdocs("serve", "--host", "192.0.2.1", "--port", "0", at=make_project({}).root)  # it is kept for documentation, and no machine has it
    assert (ran.code, ran.err) == (2, "error: cannot listen on 192.0.2.1:0: Cannot assign requested address\n  hint: name an address of this machine with --host\n")
