"""Whether the site stands as it was built, and nothing that it is made from has changed: then there is nothing to build.

It is kept only after a build by MkDocs without a remark, by the steps that were compared (`kvdocs.site.cached_engine`), of a registry that speaks of no file outside of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from time import gmtime, strftime
from typing import Any, NamedTuple

from kvdocs.cache import Scan
from kvdocs.disk import clear_abandoned, read_file
from kvdocs.history.git import GitError, Repository
from kvdocs.project import Project
from kvdocs.site.engine_cache import DOCS
from kvdocs.site.salt import contents_of, salt_of
from kvdocs.site.settings import PATH
from kvdocs.site.stamps import listing
from kvdocs.site.written import default_assets, written_files


class Counts(NamedTuple):
    """What a build has to tell: the pages and files of the source, the pages of the site, and the errors in the registry."""

    pages: int
    files: int
    built: int
    errors: int


class Standing:
    """What a build is made from, as it is now. `scan` is the look at the registry; `asked` is what was asked for on the command line."""

    def __init__(self, project: Project, scan: Scan, asked: tuple[str, ...]) -> None:
        self.project, self.scan, self.asked = project, scan, asked
        self.cache = scan.cache

    @cached_property
    def _inputs(self) -> str:
        """A text that is another one whenever a build could give something else; the engine's versions are left aside."""
        root = self.project.root
        folders = (self.project.site_src, default_assets(), root / "tests" / "problems", root / "tests" / "docs" / "documents")
        day = os.environ.get("SOURCE_DATE_EPOCH") or strftime("%Y-%m-%d", gmtime())  # the map of the site says when it was made
        seen = [self.scan.state(), salt_of(self.project, written_files(self.project)), *map(contents_of, folders), read_file(str(root / "mkdocs.yml")), day, self._commits()]
        return _digest([*self.asked, *seen])

    def _commits(self) -> str:
        try:
            return Repository(self.project.root).state()
        except GitError as error:
            return str(error)

    def counts(self) -> Counts | None:
        """What the last build had to tell, when everything stands as it left it; else None."""
        known: Any = self.cache.read("standing")
        if known is None or known["inputs"] != self._inputs or known["versions"] != _versions(known["versions"]):
            return None
        if known["settings"] != self._settings() or known["site"] != listing(str(self.project.root / "site")):
            return None
        docs = Scan(self.project.root, DOCS, self.cache)
        clear_abandoned(docs.hidden)
        if known["docs"] != docs.whole():
            return None
        for scan in (self.scan, docs):
            if scan.aged:
                scan.save()
        return Counts(*known["counts"])

    def keep(self, site: Mapping[str, Any], docs: str, counts: Counts) -> None:
        """Keep that everything stands: the site as the engine left it, and its source, which has this digest."""
        self.cache.write("standing", {**site, "inputs": self._inputs, "settings": self._settings(), "docs": docs, "counts": counts})

    def _settings(self) -> str:
        """A digest of the settings that the engine read."""
        return _digest([read_file(str(self.project.root / PATH))])


def _versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of packages that are installed."""
    try:
        return {name: version(name) for name in names}
    except PackageNotFoundError:
        return {}


def _digest(seen: list[object]) -> str:
    return blake2b(repr(seen).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
