"""What is known of the pages and files that the engine wrote, from one build to the next. Their HTML is in the site and nowhere else."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kvdocs.cache import Cache, Scan, scan_files

DOCS = "build/docs"

SITE = "site"
"""Under this name it is kept how the engine left the site, how many pages it has, and by which versions; None when something else than the source of the site tells how it looks."""


class EngineCache:
    """The pages and copied files of one site. `config` is MkDocs' own; `versions` are those of the engine."""

    def __init__(self, config: Any, versions: Iterable[tuple[str, str]]) -> None:
        settings = Path(config.config_file_path).resolve()
        self.root = settings.parent.parent
        self.site = str(config.site_dir)
        self.docs = str(config.docs_dir)
        folder = self.root / ".kvdocs" / "cache"
        self.cache = Cache(folder)
        self.source = Scan(self.root, DOCS, self.cache)
        self.outputs = _stamps(self.site)
        self.versions = dict(versions)
        self.salt = self._salt(config, settings)
        old = self.cache.read("engine", decimals=False) or {}
        known = old.get("salt") == self.salt
        self._old: dict[str, Any] = old["pages"] if known else {}
        self._old_copies: dict[str, Any] = old.get("copies", {})
        self._search = self.cache.read_lines("engine-search") if known else None
        if self._search is not None and self._search[-1].decode() != old["mark"]:
            self._search = None
        self._new: dict[str, Any] = {}
        self._copies: dict[str, Any] = {}
        self._lines: list[str] = []
        self._held: set[str] = set()
        self._wrote: set[str] = set()
        self._custom = bool(config.theme.custom_dir)

    @staticmethod
    def digest(text: str) -> str:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _salt(self, config: Any, settings: Path) -> str:
        """Everything that every page depends on: settings, versions, and the project's changes to the theme."""
        seen = blake2b(repr([sorted(self.versions.items()), sys.version]).encode(), digest_size=16)
        for path in (settings, self.root / "mkdocs.yml"):
            seen.update(path.read_bytes())
        custom = config.theme.custom_dir
        for name, _ in sorted(scan_files(str(custom)), key=lambda pair: pair[0]) if custom else ():
            seen.update(name.encode() + Path(name).read_bytes())
        return seen.hexdigest()

    def _source_digest(self, file: Any) -> str | None:
        name = f"{DOCS}/{file.src_uri}"
        return self.source.digest(name) if name in self.source.files else None

    def page(self, file: Any, files: Any) -> dict[str, Any] | None:
        """What is known of a page whose Markdown and link targets are as they were; None when it has to be rendered."""
        known: Any = self._old.get(file.src_uri)
        if known is None or known["source"] != self._source_digest(file) or not files.src_uris.keys() >= set(known["targets"]):
            return None
        self._new[file.src_uri] = known
        return dict(known)

    def rendered(self, page: Any, targets: list[str]) -> None:
        """Keep a page that was rendered without a remark, unless its front matter holds what JSON does not."""
        digest = self._source_digest(page.file)
        try:
            meta = json.loads(json.dumps(page.meta))
        except (TypeError, ValueError):
            return
        if digest is None or meta != page.meta:
            return
        links = {target.src_uri: anchors for target, anchors in (page.links_to_anchors or {}).items()}
        self._new[page.file.src_uri] = {
            "source": digest, "targets": targets, "meta": meta, "title": page._title_from_render,
            "anchors": sorted(page.present_anchor_ids or ()), "links": links, "nav": "", "stamp": None, "search": None,
        }  # fmt: skip

    def left_alone(self, file: Any, nav: str) -> str | None:
        """The search entries of a page whose output is right as it is; None when it has to be written."""
        if not self.is_restored(file) or self._search is None:
            return None
        known: dict[str, Any] = self._new[file.src_uri]
        if known["nav"] != nav or known["stamp"] is None:
            return None
        if self.outputs.get(file.abs_dest_path) != known["stamp"]:
            return None
        self.holds(file.abs_dest_path)
        text: str = self._search[known["search"]].decode()
        self._new[file.src_uri] = {**known, "search": self._line(text)}
        return text

    def _line(self, text: str) -> int:
        self._lines.append(text)
        return len(self._lines) - 1

    def is_restored(self, file: Any) -> bool:
        """Whether a page was not rendered in this build."""
        known: Any = self._new.get(file.src_uri)
        return known is not None and known is self._old.get(file.src_uri)

    def built(self, file: Any, nav: str, search: str) -> None:
        """Keep how a page was written and indexed."""
        known: Any = self._new.get(file.src_uri)
        if known is not None and Path(file.abs_dest_path).exists():
            self._new[file.src_uri] = {**known, "nav": nav, "stamp": _stamp(file.abs_dest_path), "search": self._line(search)}

    def _copy_key(self, file: Any) -> Any:
        if file._content is not None or file.abs_src_path is None:
            return None
        digest = self._source_digest(file) if file.abs_src_path.startswith(self.docs) else None
        return digest or _stamp(file.abs_src_path)

    def is_copied(self, file: Any) -> bool:
        """Whether a file is in the site as it is in its source."""
        self.holds(file.abs_dest_path)
        old = self._old_copies.get(file.abs_dest_path)
        if old is None or old[1] != self.outputs.get(file.abs_dest_path) or old[0] != self._copy_key(file):
            return False
        self._copies[file.abs_dest_path] = old
        return True

    def copied(self, file: Any) -> None:
        """Keep that a file was copied."""
        key = self._copy_key(file)
        if key is not None:
            self._copies[file.abs_dest_path] = [key, _stamp(file.abs_dest_path)]
        self.wrote(file.abs_dest_path)

    def holds(self, path: str) -> None:
        """Note that the site holds a file."""
        self._held.add(os.path.normpath(path))

    def wrote(self, path: str) -> None:
        """Note that a file of the site was written."""
        self.holds(path)
        self._wrote.add(os.path.normpath(path))

    def finish(self) -> None:
        """Remove what the site holds no more, and keep everything for the next build."""
        for path in self.outputs:
            if os.path.normpath(path) not in self._held:
                Path(path).unlink(missing_ok=True)
                self._remove_empty(Path(path).parent)
        mark = self.digest("".join(self._lines[-1:]) + str(len(self._lines)) + os.urandom(8).hex())
        self.cache.write_lines("engine-search", [*(line.encode() for line in self._lines), mark.encode()])
        self.cache.write("engine", {"salt": self.salt, "mark": mark, "pages": self._new, "copies": self._copies})
        self.source.save()
        stamps = {path: _stamp(path) if path in self._wrote else self.outputs[path] for path in self._held}
        pages = sum(path.endswith(".html") and os.path.basename(path) != "404.html" for path in stamps)  # noqa: PTH119  # a Path for each of thousands
        self.cache.write(SITE, {"versions": self.versions, "site": _digest_of(stamps), "pages": pages} if not self._custom else None)

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


def _stamps(folder: str) -> dict[str, list[int]]:
    return {path: [status.st_mtime_ns, status.st_size, status.st_ino] for path, status in scan_files(folder)}


def _digest_of(stamps: Mapping[str, list[int]]) -> str:
    return EngineCache.digest(repr(sorted(stamps.items())))


def _stamp(path: str) -> list[int]:
    status = os.stat(path)  # noqa: PTH116  # a Path for each of thousands
    return [status.st_mtime_ns, status.st_size, status.st_ino]
