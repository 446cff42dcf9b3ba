"""What is known of the pages and files that the engine wrote, from one build to the next. Their HTML is in the site and nowhere else."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kvdocs.cache import Cache, Scan, kept_digests, scan_files
from kvdocs.disk import read_file

DOCS = "build/docs"

SCANNED = "KVDOCS_SCANNED"
"""The environment variable with the time of the scan that says how the source of the site is now; without it the engine looks itself."""

SITE = "site"
"""Under this name it is kept how the engine left the site, how many pages it has, and by which versions; None when something else than the source of the site tells how it looks."""


class EngineCache:
    """The pages and copied files of one site. `config` is MkDocs' own; `versions` are those of the engine."""

    def __init__(self, config: Any, versions: Iterable[tuple[str, str]]) -> None:
        settings = Path(config.config_file_path).resolve()
        self.root = settings.parent.parent
        self.site = os.path.normpath(config.site_dir)
        self.docs = str(config.docs_dir)
        folder = self.root / ".kvdocs" / "cache"
        self.cache = Cache(folder)
        self.source = self._digests()
        self.outputs = _stamps(self.site)
        self.versions = dict(versions)
        self.salt = self._salt(config, settings)
        old = self.cache.read("engine") or {}
        known = old.get("salt") == self.salt
        self._old: dict[str, Any] = old["pages"] if known else {}
        self._old_copies: dict[str, Any] = old.get("copies", {})
        self._old_files: dict[str, int] = old["files"] if known else {}
        self._old_theme: list[str] | None = old["theme"] if known else None
        self._theme: list[str] = []
        self._search, self._targets = (self._recall(name, old["mark"]) if known else None for name in ("engine-search", "engine-targets"))
        self._new: dict[str, Any] = {}
        self._copies: dict[str, str] = {}
        self._files: dict[str, int] = {}
        self._lines: list[bytes] = []
        self._target_lines: list[bytes] = []
        self._held: set[str] = set()
        self._wrote: set[str] = set()
        self._written: dict[str, str] = {}
        self._custom = bool(config.theme.custom_dir)

    def _digests(self) -> dict[str, str]:
        """The digests of the files of the source, by their names; from the scan of who made them, where it says so."""
        if (at := os.environ.get(SCANNED)) and (kept := kept_digests(self.cache, DOCS, int(at))) is not None:
            return kept
        scan = Scan(self.root, DOCS, self.cache)
        found = {name.removeprefix(f"{DOCS}/"): scan.digest(name) for name in scan.files}
        scan.save()
        return found

    def _recall(self, name: str, mark: str) -> list[bytes] | None:
        lines = self.cache.read_lines(name)
        return lines if lines is not None and lines[-1].decode() == mark else None

    def same_files(self) -> dict[str, int] | None:
        """What `found` was told of the files of the source the last time, when they are the same now."""
        return self._old_files if self._old_files.keys() == self.source.keys() else None

    def same_theme(self) -> list[str] | None:
        """What `found_theme` was told the last time, when the theme adds the same files now."""
        return self._old_theme if self._files is self._old_files and not self._custom else None

    def found_theme(self, names: list[str]) -> None:
        """Take the names of the files that the theme adds."""
        self._theme = names

    def found(self, files: dict[str, int]) -> None:
        """Take the files of the source in their order, each with a number of the engine's."""
        self._files = files

    @staticmethod
    def digest(text: str) -> str:
        return _digest_of_bytes(text.encode("utf-8", "surrogatepass"))

    def _salt(self, config: Any, settings: Path) -> str:
        """Everything that every page depends on: settings, versions, and the project's changes to the theme."""
        seen = blake2b(repr([sorted(self.versions.items()), sys.version]).encode(), digest_size=16)
        for path in (settings, self.root / "mkdocs.yml"):
            seen.update(path.read_bytes())
        custom = config.theme.custom_dir
        for name, _ in sorted(scan_files(str(custom)), key=lambda pair: pair[0]) if custom else ():
            seen.update(name.encode() + Path(name).read_bytes())
        return seen.hexdigest()

    def page(self, file: Any, files: Any) -> dict[str, Any] | None:
        """What is known of a page whose Markdown and link targets are as they were; None when it has to be rendered."""
        known: Any = self._old.get(file.src_uri)
        if known is None or known["source"] != self.source.get(file.src_uri) or not self._are_there(known, files):
            return None
        self._new[file.src_uri] = known
        return dict(known)

    def _are_there(self, known: dict[str, Any], files: Any) -> bool:
        """Whether everything that a page links to is there."""
        if self._targets is None:
            return False
        return self._files is self._old_files or files.src_uris.keys() >= set(json.loads(self._targets[known["targets"]]))

    def rendered(self, page: Any, targets: list[str]) -> None:
        """Keep a page that was rendered without a remark, unless its front matter holds what JSON does not."""
        digest = self.source.get(page.file.src_uri)
        try:
            meta = json.loads(json.dumps(page.meta))
        except (TypeError, ValueError):
            return
        if digest is None or meta != page.meta:
            return
        anchors = sorted(page.present_anchor_ids or ())
        # Links of a page to headings of its own that are there are not looked at again.
        links = {target.src_uri: places for target, places in (page.links_to_anchors or {}).items() if target is not page.file or not places.keys() <= set(anchors)}
        self._new[page.file.src_uri] = {
            "source": digest, "targets": json.dumps(targets), "meta": meta, "title": page._title_from_render,
            "anchors": anchors, "links": links, "nav": "", "stamp": None, "output": None, "search": None,
        }  # fmt: skip

    def left_alone(self, file: Any, nav: str) -> str | None:
        """The search entries of a page whose output is right as it is; None when it has to be written."""
        if not self.is_restored(file) or self._search is None:
            return None
        known: dict[str, Any] = self._new[file.src_uri]
        if known["nav"] != nav or known["stamp"] is None:
            return None
        stamp = self.outputs.get(file.abs_dest_path)
        if stamp != known["stamp"] and not self._is_written(file.abs_dest_path, known["output"]):
            return None
        self.holds(file.abs_dest_path)
        line: bytes = self._search[known["search"]]
        self._new[file.src_uri] = {**known, "stamp": stamp, "search": self._line(line)}
        return line.decode()

    def _is_written(self, path: str, digest: str | None) -> bool:
        """Whether a file with other times or another inode holds what was written there, as after a copy to another machine."""
        data = read_file(path) if path in self.outputs else None
        return data is not None and _digest_of_bytes(data) == digest

    def _line(self, line: bytes) -> int:
        self._lines.append(line)
        return len(self._lines) - 1

    def is_restored(self, file: Any) -> bool:
        """Whether a page was not rendered in this build."""
        known: Any = self._new.get(file.src_uri)
        return known is not None and known is self._old.get(file.src_uri)

    def built(self, file: Any, nav: str, search: str) -> None:
        """Keep how a page was written and indexed."""
        known: Any = self._new.get(file.src_uri)
        if known is None:
            return
        with suppress(FileNotFoundError):  # an empty page is not written
            self._new[file.src_uri] = {**known, "nav": nav, "stamp": _stamp(file.abs_dest_path), "output": self._written.get(file.abs_dest_path), "search": self._line(search.encode())}

    def _copy_key(self, file: Any) -> str | None:
        if file._content is not None or file.abs_src_path is None:
            return None
        digest = self.source.get(file.src_uri) if file.src_dir == self.docs else None
        return digest or _stamp(file.abs_src_path)

    def is_copied(self, file: Any) -> bool:
        """Whether a file is in the site as it is in its source."""
        path = file.abs_dest_path
        self._held.add(path)
        old = self._old_copies.get(path)
        if old is None or path not in self.outputs or old != f"{self._copy_key(file)} {self.outputs[path]}":
            return False
        self._copies[path] = old
        return True

    def copied(self, file: Any) -> None:
        """Keep that a file was copied."""
        key = self._copy_key(file)
        if key is not None:
            self._copies[file.abs_dest_path] = f"{key} {_stamp(file.abs_dest_path)}"
        self.wrote(file.abs_dest_path)

    def holds(self, path: str) -> None:
        """Note that the site holds a file."""
        self._held.add(os.path.normpath(path))

    def wrote(self, path: str, page: bytes | None = None) -> None:
        """Note that a file of the site was written; what it holds, where it is a page."""
        self.holds(path)
        self._wrote.add(os.path.normpath(path))
        if page is not None:
            self._written[path] = _digest_of_bytes(page)

    def finish(self) -> None:
        """Remove what the site holds no more, and keep everything for the next build."""
        for path in self.outputs.keys() - self._held:
            Path(path).unlink(missing_ok=True)
            self._remove_empty(Path(path).parent)
        mark = os.urandom(8).hex()
        pages = {name: {**page, "targets": self._target_line(page["targets"])} for name, page in self._new.items()}
        self.cache.write_lines("engine-search", [*self._lines, mark.encode()])
        self.cache.write_lines("engine-targets", [*self._target_lines, mark.encode()])
        self.cache.write("engine", {"salt": self.salt, "mark": mark, "files": self._files, "theme": self._theme, "pages": pages, "copies": self._copies})
        stamps = {path: _stamp(path) if path in self._wrote else self.outputs[path] for path in self._held}
        number = sum(path.endswith(".html") and os.path.basename(path) != "404.html" for path in stamps)  # noqa: PTH119  # a Path for each of thousands
        self.cache.write(SITE, {"versions": self.versions, "site": _digest_of(stamps), "pages": number} if not self._custom else None)

    def _target_line(self, targets: str | int) -> int:
        """The number of the line with the targets of a page: those of a page that was rendered, or a line of the last time."""
        assert self._targets is not None or isinstance(targets, str)
        self._target_lines.append(targets.encode() if isinstance(targets, str) else (self._targets or [])[targets])
        return len(self._target_lines) - 1

    def _remove_empty(self, folder: Path) -> None:
        while str(folder) != self.site:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent


def listing(folder: str) -> str:
    """A digest of the names of all files of a folder, with their times, sizes and inodes."""
    return _digest_of(_stamps(folder))


def _digest_of_bytes(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _stamps(folder: str) -> dict[str, str]:
    return {path: f"{status.st_mtime_ns} {status.st_size} {status.st_ino}" for path, status in scan_files(folder)}


def _digest_of(stamps: Mapping[str, str]) -> str:
    return EngineCache.digest(repr(sorted(stamps.items())))


def _stamp(path: str) -> str:
    status = os.stat(path)  # noqa: PTH116  # a Path for each of thousands
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
