"""MkDocs that renders again only what has changed: `python -m kvdocs.site.cached_engine build …` takes what `mkdocs build …` takes.

It reaches into MkDocs and Material, so it does so only for the versions that it was compared with; others run as they are.
What is left alone: a page whose Markdown, link targets, navigation, settings and output are as they were; a copied file likewise.
The search index is whole, and what no page makes any more is removed: `tests/site/test_cached_engine.py` compares with a build without this, byte by byte.
Nothing else imports this module: it runs in the engine's own process.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from kvdocs.disk import read_file, write_file
from kvdocs.site.engine_cache import EngineCache
from kvdocs.site.quick.files import inclusions, quick_files, theme_files
from kvdocs.site.quick.markdown import quick_markdown
from kvdocs.site.quick.search import quick_search
from kvdocs.site.quick.stand_in import standing_in
from kvdocs.site.quick.theme import QuickTheme

COMPARED_WITH = {"mkdocs": "1.6.1", "mkdocs-material": "9.8.2", "markdown": "3.11.3", "pymdown-extensions": "13.1.2", "pygments": "2.21.0", "jinja2": "3.1.6"}
"""The versions whose builds were compared."""

PLUGINS = {"search", "material/search"}
"""Plugins that do nothing to a page but index it; with any other the engine runs as it is."""

EXTENSIONS = {
    "admonition", "attr_list", "def_list", "fenced_code", "md_in_html", "tables", "toc",
    "pymdownx.details", "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.superfences", "pymdownx.tabbed",
}  # fmt: skip
"""Markdown extensions that look at nothing but the text of a page; another one may read files, so with any other the engine runs as it is."""


def main() -> None:
    """Run MkDocs' command line, with builds that keep what they rendered where that is known to be right."""
    # As in `kvdocs.__main__`: a build makes many small objects, and collecting them costs more than it frees.
    gc.set_threshold(5_000_000, 20, 100)
    module: Any = import_module("mkdocs.commands.build")
    plain = module.build

    def build(config: Any, **options: Any) -> None:
        if not _is_known(config):
            plain(config, **options)
            return
        keeper = Keeper(EngineCache(config, sorted(COMPARED_WITH.items())))
        with keeper.in_place(), quick_markdown(), quick_search():
            plain(config, **options)
        keeper.finish()

    module.build = build
    import_module("mkdocs.__main__").cli()


def _is_known(config: Any) -> bool:
    """Whether this build is one of those that were compared: versions, plugins, Markdown extensions, no hooks, settings that nothing outside of the files changes."""
    from importlib.metadata import version

    known: bool = all(version(name) == compared for name, compared in COMPARED_WITH.items())
    settings = (Path(config.config_file_path).read_text(encoding="utf-8"), (Path(config.config_file_path).parent.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    indexed_by_material = all(type(plugin).__module__.startswith("material.plugins.") for plugin in config.plugins.values())
    known = known and set(config.plugins) <= PLUGINS and set(config.markdown_extensions) <= EXTENSIONS
    return known and indexed_by_material and not config.hooks and not any("!ENV" in text for text in settings) and "INHERIT" not in settings[1]


class Warned(logging.Handler):
    """Counts what is said while a page is rendered: a page with a remark is rendered each time, so that it is made each time."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002  # it is enough that there is one
        self.count += 1


class NotedFiles:
    """The files of a site, with a note of those that a page links to."""

    def __init__(self, files: Any, known: dict[str, Any]) -> None:
        """`known` are files by the paths that other pages asked for."""
        self._files = files
        self._known = known
        self.targets: dict[str, None] = {}

    def get_file_from_path(self, path: str) -> Any:
        if path not in self._known:
            self._known[path] = self._files.get_file_from_path(path)
        file = self._known[path]
        if file is not None:
            self.targets[file.src_uri] = None
        return file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)


class KeptEntries(dict[str, Any]):
    """The search entries of a page that was not built again, as they stand in the index."""

    def __init__(self, text: str) -> None:
        super().__init__(location="")
        self.text = text


class Keeper:
    """The steps of a build in place of MkDocs' own."""

    def __init__(self, cache: EngineCache) -> None:
        self.cache = cache
        self.nav = ""
        self.warned = Warned()
        self.theme = QuickTheme()
        self.files: Any = None
        self.known_files: dict[str, Any] = {}

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Put the steps in place for one build."""
        index: Any = import_module("material.plugins.search.plugin").SearchIndex
        utils: Any = import_module("mkdocs.utils")
        module: Any = import_module("mkdocs.commands.build")
        structure: Any = import_module("mkdocs.structure.files")
        File: Any = structure.File  # noqa: N806  # the name of the class

        self.plain = {"theme": structure.Files.add_files_from_theme, "files": module.get_files, "populate": module._populate_page, "page": module._build_page, "copy": File.copy_file, "index": index.generate_search_index}
        logger = logging.getLogger("mkdocs.structure.pages")
        logger.addHandler(self.warned)
        try:
            with standing_in(
                (module, "get_files", self.get_files),
                (structure.Files, "add_files_from_theme", lambda files, env, config: self.add_theme(files, env, config)),  # noqa: PLW0108  # a method of the class: it is given the files
                (module, "_populate_page", self.populate),
                (module, "_build_page", self.build_page),
                (File, "copy_file", lambda file, dirty=False: self.copy(file, dirty)),
                (utils, "write_file", self.write),
                (utils, "clean_directory", lambda directory: None),
                (index, "generate_search_index", lambda index, prev: self.search_index(index, prev)),  # noqa: PLW0108  # a method of the class: it is given the index
            ):
                yield
        finally:
            logger.removeHandler(self.warned)

    def get_files(self, config: Any) -> Any:
        """The files of the source; as they were found before, where these are the same."""
        known = self.cache.same_files()
        files = self.plain["files"](config) if known is None else quick_files(config, known)
        self.cache.found(inclusions(files) if known is None else known)
        return files

    def add_theme(self, files: Any, env: Any, config: Any) -> None:
        """Add the files of the theme; as they were found before, where the files of the source are the same."""
        names = self.cache.same_theme()
        if names is None:
            before = {file.src_uri for file in files}
            self.plain["theme"](files, env, config)
            names = [file.src_uri for file in files if file.src_uri not in before]
        else:
            theme_files(files, config, names)
        self.cache.found_theme(names)

    def populate(self, page: Any, config: Any, files: Any, dirty: bool = False) -> None:
        """Read and render a page, or take what is known of it."""
        self.files = files
        known = self.cache.page(page.file, files)
        if known is not None:
            page.markdown, page.content, page.meta = "", "", known["meta"]
            page._title_from_render = known["title"]
            page.present_anchor_ids = set(known["anchors"])
            page.links_to_anchors = {files.get_file_from_path(target): links for target, links in known["links"].items()}
            return
        noted, said = NotedFiles(files, self.known_files), self.warned.count
        self.plain["populate"](page, config, noted, dirty)
        if self.warned.count == said:
            self.cache.rendered(page, list(noted.targets))

    def build_page(self, page: Any, config: Any, doc_files: Any, nav: Any, env: Any, dirty: bool = False, excluded: bool = False) -> None:
        """Write a page and index it, or leave both as they are."""
        self.nav = self.nav or self.cache.digest(str(nav))
        index = next((plugin.search_index for plugin in config.plugins.values() if hasattr(plugin, "search_index")), None)
        text = self.cache.left_alone(page.file, self.nav)
        if text is not None and not excluded:
            if index is not None and text:
                index.entries.append(KeptEntries(text))
            return
        if self.cache.is_restored(page.file):
            self.plain["populate"](page, config, self.files)
        self.theme.for_page(page, nav, env)
        before = len(index.entries) if index is not None else 0
        self.plain["page"](page, config, doc_files, nav, env, dirty, excluded)
        self.cache.built(page.file, self.nav, ",".join(self._entry(entry) for entry in index.entries[before:]) if index is not None else "")

    def copy(self, file: Any, dirty: bool) -> None:
        """Copy a file unless it and its copy are as they were."""
        if not self.cache.is_copied(file):
            if file._content is None and (data := read_file(file.abs_src_path)) is not None:
                write_file(file.abs_dest_path, data)
            else:
                self.plain["copy"](file, dirty)
            self.cache.copied(file)

    def write(self, content: bytes, output_path: str) -> None:
        """Write a file, and note that the site holds it."""
        self.cache.wrote(output_path, content if output_path.endswith(".html") else None)
        if output_path.endswith("sitemap.xml"):
            self.cache.wrote(f"{output_path}.gz")
        write_file(output_path, content)

    def search_index(self, index: Any, prev: Any) -> str:
        """The index as Material writes it, with the entries of pages that were not built again in their places."""
        entries, index.entries = index.entries, []
        head: str = self.plain["index"](index, prev)
        index.entries = entries
        assert head.endswith("[]}")
        return f"{head[:-2]}{','.join(self._entry(entry) for entry in entries)}]}}"

    def _entry(self, entry: dict[str, Any]) -> str:
        import json

        return entry.text if isinstance(entry, KeptEntries) else json.dumps(entry, separators=(",", ":"), default=str)

    def finish(self) -> None:
        """Remove what no page makes any more, and keep what was rendered for the next build."""
        self.cache.finish()


if __name__ == "__main__":
    main()
