"""What is known of the pages and files that the engine wrote, from one build to the next, and what of it still stands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kvdocs.cache import Cache, Scan, digest_of, kept_digests
from kvdocs.disk import IN_THE_WAY, files_below, make_room, read_file
from kvdocs.site.known_pages import KnownPages
from kvdocs.site.left import Left, keep_left, read_left
from kvdocs.site.quick.files import SiteFiles
from kvdocs.site.stamps import Stamps, digest_of_stamps, stamp_of, take_stamps

DOCS = "build/docs"

SCANNED = "KVDOCS_SCANNED"
"""The environment variable with the time of the scan that says how the source of the site is now; without it the engine looks itself."""

SITE = "site"
"""Under this name it is kept how many pages the site has, how many of them the engine wrote, and under `left` how it left the site, by which versions; None there when something else than the source of the site tells how it looks."""


class EngineCache:
    """The files of one site. `config` is MkDocs' own; `versions` are those of the engine. Paths are relative to the site.

    `source` has the digests of the files that the site is made from, by their names.
    `now` is how the site looks before the build, and `left` how the last one left it: a file that was touched since is made again.
    """

    def __init__(self, config: Any, versions: Iterable[tuple[str, str]]) -> None:
        settings = Path(config.config_file_path).resolve()
        self.root = settings.parent.parent
        self.site = os.path.normpath(config.site_dir)
        self.cache = Cache(self.root / ".kvdocs" / "cache")
        self.source = self._digests()
        self.versions = dict(versions)
        self.custom = bool(config.theme.custom_dir)
        self.salt = self._salt(config, settings)
        left = read_left(self.cache) or Left()
        self.stamps = take_stamps(self.site, Stamps(left.stamps, left.folders))
        self.now = self.stamps.files
        self.left = left if left.salt == self.salt else left.without_pages()
        self.pages = KnownPages(self.left)
        self._made: dict[str, str] = {}
        self._wrote: dict[str, str] = {}

    def _digests(self) -> dict[str, str]:
        """The digests of the files of the source, by their names; from the scan of who made them, where it says so."""
        if (at := os.environ.get(SCANNED)) and (kept := kept_digests(self.cache, DOCS, int(at))) is not None:
            return kept
        scan = Scan(self.root, DOCS, self.cache)
        found = {name.removeprefix(f"{DOCS}/"): scan.digest(name) for name in scan.files}
        scan.save()
        return found

    def _salt(self, config: Any, settings: Path) -> str:
        """Everything that every page depends on: settings, versions, and the project's changes to the theme."""
        seen = blake2b(repr([sorted(self.versions.items()), sys.version]).encode(), digest_size=16)
        for path in (settings, self.root / "mkdocs.yml"):
            seen.update(path.read_bytes())
        custom = config.theme.custom_dir
        for path in files_below(Path(custom)) if custom else ():  # hidden ones too: there lie pictures
            seen.update(f"{path}\n".encode("utf-8", "surrogateescape") + path.read_bytes())
        return seen.hexdigest()

    @cached_property
    def has_same_files(self) -> bool:
        """Whether the source holds the files that it held before, so that MkDocs finds the same in it."""
        return self.left.levels.keys() == self.source.keys()

    def lost(self) -> set[str]:
        """The names of files that the source held before, and holds no more."""
        return self.left.levels.keys() - self.source.keys()

    def standing(self, outputs: Mapping[str, str]) -> set[str]:
        """The files of the source whose file in the site stands. `outputs` has the path of each."""
        now, stamps, made, source = self.now, self.left.stamps, self.left.made, self.source
        return {name for name, path in outputs.items() if (stamp := now.get(path)) is not None and stamp == stamps.get(path) and (digest := source.get(name)) and made.get(path) == digest}

    def stands(self, path: str, made: str | None) -> bool:
        """Whether a file of the site is as it was left, and would be made from the same again."""
        stamp = self.now.get(path)
        return stamp is not None and stamp == self.left.stamps.get(path) and self._would_be_same(path, made)

    def holds(self, path: str, made: str | None, digest: str) -> bool:
        """Whether a file would be made from the same again, and has content of this digest, whatever its times and inode, as after a copy to another machine."""
        data = read_file(self.at(path)) if path in self.now and self._would_be_same(path, made) else None
        return data is not None and digest_of(data) == digest

    def _would_be_same(self, path: str, made: str | None) -> bool:
        return bool(made) and self.left.made.get(path) == made

    def stay(self, paths: Iterable[str]) -> None:
        """Take it that files are left as they are."""
        made = self.left.made
        self._made.update((path, made[path]) for path in paths)

    def remove_odd(self) -> None:
        """Remove links, pipes and devices: who writes to them changes something else, or waits."""
        for path in self.stamps.odd:
            os.unlink(self.at(path))  # noqa: PTH108  # as elsewhere

    def write(self, path: str, how: Callable[[str], None]) -> None:
        """Have a file written; what is in its way goes, unless this build needs it."""
        try:
            how(self.at(path))
        except IN_THE_WAY:
            if any(f"{path}/".startswith(f"{other}/") or other.startswith(f"{path}/") for other in self._made):
                raise
            make_room(self.site, path)
            how(self.at(path))

    def wrote(self, path: str, made: str | None = None, content: bytes = b"") -> None:
        """Take it that a file was written, from what it was made, and what it holds where that is asked for later; nothing for `made` when it is to be written each time."""
        self._made[path] = made or ""
        self._wrote[path] = digest_of(content)

    def has_written(self, path: str) -> bool:
        """Whether this build wrote a file."""
        return path in self._wrote

    def built(self, page: Any, search: str) -> None:
        """Take it that a page was built, with these entries of the search index. One with empty HTML is not written."""
        name, path = page.file.src_uri, page.file.dest_uri
        self.pages.built(name, search, self._wrote.get(path, ""))
        if path in self._wrote and self.pages.facts(name) is not None:
            self._made[path] = self.source.get(name, "")

    def finish(self, files: SiteFiles, nav: str) -> None:
        """Remove what the site holds no more, and keep everything for the next build."""
        for path in self.now.keys() - self._made.keys():
            with suppress(*IN_THE_WAY):  # what was written now is in its place, or in that of its folder
                Path(self.at(path)).unlink(missing_ok=True)
            self._remove_empty(Path(self.at(path)).parent)
        stamps = {path: stamp_of(self.at(path)) if path in self._wrote else self.now[path] for path in self._made}
        links = {name: found for name in files.pages if (found := self.pages.links(name))}
        keep_left(self.cache, Left(self.salt, nav, files.theme, files.levels, files.outputs, stamps, self._made, self._folders(stamps), links, self.pages.lines(files.pages)))
        pages = [path for path in stamps if path.endswith(".html") and path.rpartition("/")[2] != "404.html"]
        left = {"versions": self.versions, "site": digest_of_stamps(stamps)} if not self.custom else None
        self.cache.write(SITE, {"pages": len(pages), "written": sum(map(self.has_written, pages)), "left": left})

    def _folders(self, stamps: Mapping[str, str]) -> Mapping[str, str]:
        """How the folders of the site looked when it was known what they hold: before the build, or, where nothing was known then, after it."""
        if self.left.folders:
            return self.stamps.folders
        taken = take_stamps(self.site)
        return taken.folders if taken.files == stamps else {}

    def at(self, path: str) -> str:
        """Where a file of the site is on this machine."""
        return f"{self.site}{os.sep}{path}"

    def path_at(self, place: str) -> str:
        """The path of a file of the site that is at this place."""
        return os.path.normpath(place)[len(self.site) + 1 :].replace(os.sep, "/")

    def _remove_empty(self, folder: Path) -> None:
        while str(folder) != self.site:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent
