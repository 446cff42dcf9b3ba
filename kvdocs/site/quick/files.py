"""The files of a site as MkDocs' own objects, each made when it is asked for: no folder is walked, no pattern is tried, and most pages are asked for by nobody."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import Any

from kvdocs.site.left import DRAFT, pages_of


class SiteFiles:
    """What a page is rendered with in place of MkDocs' collection of files.

    `levels` has the files of the source in MkDocs' order, each with the number that says whether it belongs to the site; `outputs` has their paths in the site.
    """

    def __init__(self, config: Any, levels: dict[str, int], outputs: dict[str, str], made: Mapping[str, Any] | None = None) -> None:
        module: Any = import_module("mkdocs.structure.files")
        self._file, self._inclusions = module.File, {level.value: level for level in module.InclusionLevel}
        self._config = config
        self._files = dict(made or {})
        self._asked: dict[str, Any] = {}
        self.levels, self.outputs = levels, outputs
        self.pages = pages_of(levels, outputs)
        self.theme: list[str] = []

    @classmethod
    def found(cls, config: Any, files: Any) -> SiteFiles:
        """Those that MkDocs found in the folder of the source."""
        made = {file.src_uri: file for file in files}
        return cls(config, {name: file.inclusion.value for name, file in made.items()}, {name: file.dest_uri for name, file in made.items()}, made)

    def get_file_from_path(self, path: str) -> Any:
        """The file of this name, or None; under the name by which MkDocs calls it."""
        if path not in self._asked:
            name = path if path in self._files or path in self.levels else PurePath(path).as_posix()
            if name not in self._files and name in self.levels:
                self._files[name] = self._make(name)
            self._asked[path] = self._files.get(name)
        return self._asked[path]

    def _make(self, name: str) -> Any:
        config = self._config
        return self._file(name, config.docs_dir, config.site_dir, config.use_directory_urls, dest_uri=self.outputs[name], inclusion=self._inclusions[self.levels[name]])

    def copies(self) -> list[str]:
        """The names of the files of the source that the site holds as they are."""
        return [name for name, path in self.outputs.items() if name == path and self.levels[name] > DRAFT]

    def append(self, file: Any) -> None:
        """Take a file of the theme, as MkDocs adds it."""
        self._files[file.src_uri] = file
        self._asked.clear()
        self.theme.append(file.src_uri)

    def add_theme(self, names: Iterable[str]) -> None:
        """Take the files of the theme that MkDocs added the last time."""
        for name in names:
            folder = next((folder for folder in self._config.theme.dirs if os.path.isfile(f"{folder}/{name}")), None)  # noqa: PTH113  # a Path for each of hundreds
            if folder is not None:
                self.append(self._file(name, folder, self._config.site_dir, self._config.use_directory_urls))


class NavFiles:
    """What the navigation is put together from: the pages that it may leave out are those that it has to speak of."""

    def __init__(self, files: SiteFiles) -> None:
        self.get_file_from_path = files.get_file_from_path

        self._pages = [file for name in files.pages if files.levels[name] > NOT_IN_NAV and (file := files.get_file_from_path(name))]

    def documentation_pages(self) -> list[Any]:
        """The pages that may stand in the navigation."""
        return self._pages


NOT_IN_NAV = -1
"""MkDocs' number for a page that the navigation need not show."""


class Pages(Sequence[Any]):
    """What a template sees of the pages of a site, in their order, each made when it is asked for."""

    def __init__(self, files: SiteFiles, page_of: Callable[[str], Any]) -> None:
        """`page_of` makes the page of a file, by its name."""
        self.get_file_from_path = files.get_file_from_path
        self._names, self._page_of = files.pages, page_of

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: Any) -> Any:
        return [self._page_of(name).file for name in self._names[number]] if isinstance(number, slice) else self._page_of(self._names[number]).file

    def documentation_pages(self) -> Pages:
        """The same: templates of the engine ask for them by this name."""
        return self
