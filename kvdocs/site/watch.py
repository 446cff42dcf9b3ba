"""Watching a project's files: one call after each burst of edits, and none for what a build itself writes."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from kvdocs.cache import Scan
from kvdocs.project import Project

CALM = 0.15
"""Seconds without a further event after which a burst of edits has ended: an editor writes, renames and sets times."""

PULSE = 1.0
"""Seconds after which who waits for an edit looks up: Python hears of a signal that came in the instant before the wait began only when the wait ends."""

GRACE = 5.0
"""Seconds that the watch has to end; what is left of it ends with the process."""


PASSING = ("~", ".swp", ".tmp")
"""How the names of files end that editors write beside the one that is edited."""


class Watch:
    """The project's sources. `changes` waits for the next real change of content."""

    def __init__(self, project: Project) -> None:
        self.project = project
        # A queue without locks of Python's: an interrupt that comes while one is held would leave it so, and `stop` would wait for it for ever.
        self._events: SimpleQueue[None] = SimpleQueue()
        self.stopped = False
        self._seen = self.state()

    def folders(self) -> list[Path]:
        """What is watched: registry, templates and hand-written pages."""
        return [folder for folder in (self.project.registry, self.project.templates, self.project.site_src) if folder.is_dir()]

    def state(self) -> dict[str, str]:
        """Every source file with a digest of its content: saving a file unchanged is no change."""
        root, cache = self.project.root, self.project.open_cache()
        scans = [Scan(root, folder.relative_to(root).as_posix(), cache) for folder in self.folders()]  # it reads only what was written since a build
        found = {str(root / name): scan.digest(name) for scan in scans for name in scan.files if not name.endswith(PASSING)}
        settings = root / "mkdocs.yml"
        return {**found, str(settings): _digest(settings)}

    def start(self) -> None:
        """Begin to watch."""
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        events = self._events

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event_: Any) -> None:
                # Reading a file is an event too, and a build reads them all.
                if event_.event_type not in ("opened", "closed_no_write"):
                    events.put(None)

        self._observer = Observer()
        for folder in self.folders():
            self._observer.schedule(Handler(), str(folder), recursive=True)
        self._observer.schedule(Handler(), str(self.project.root), recursive=False)
        self._observer.start()

    def changes(self) -> list[str]:
        """Wait for the next change; the paths that changed, relative to the project, or nothing when the watch was stopped."""
        while not self.stopped:
            if not self._comes(PULSE):
                continue
            while self._comes(CALM) and not self.stopped:
                continue
            now = self.state()
            changed = sorted(path for path in now.keys() | self._seen.keys() if now.get(path) != self._seen.get(path))
            self._seen = now
            if changed:
                return [str(Path(path).relative_to(self.project.root)) for path in changed]
        return []

    def _comes(self, within_s: float) -> bool:
        """Whether an event comes in this time."""
        try:
            self._events.get(timeout=within_s)
        except Empty:
            return False
        return True

    def end(self) -> None:
        """Have `changes` return nothing from now on. A handler of a signal may call it."""
        self.stopped = True
        self._events.put(None)

    def stop(self) -> None:
        """End the watch."""
        self.end()
        self._observer.stop()
        self._observer.join(GRACE)


def _digest(path: Path) -> str:
    try:
        return blake2b(path.read_bytes(), digest_size=12).hexdigest()
    except OSError:
        return ""
