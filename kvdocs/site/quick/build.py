"""The steps of MkDocs' build in its order, each taken only for what something has changed for.

What is left alone: a page whose Markdown, link targets, navigation, settings and output are as they were; a copied file and a page of the theme likewise.
The search index is whole, and what no page makes any more is removed.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from kvdocs.cache import digest_of
from kvdocs.disk import copy_file, write_file
from kvdocs.site.engine_cache import EngineCache
from kvdocs.site.progress import Tell
from kvdocs.site.quick.files import NavFiles, Pages, SiteFiles
from kvdocs.site.quick.stand_in import standing_in
from kvdocs.site.quick.theme import QuickTheme
from kvdocs.site.stamps import stamp_of

SITEMAP = "sitemap.xml"

SHOWN = ("icon", "status", "subtitle")
"""What the navigation shows of the front matter of a page."""


class Warned(logging.Handler):
    """Counts what is said while a page is rendered: a page with a remark is rendered each time, so that it is made each time."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002  # it is enough that there is one
        self.count += 1


class NotedFiles:
    """The files of a site, with a note of those that a page links to; `missed` is whether one of them is not there."""

    def __init__(self, files: SiteFiles) -> None:
        self._files = files
        self.targets: dict[str, None] = {}
        self.missed = False

    def get_file_from_path(self, path: str) -> Any:
        """What MkDocs asks for each link."""
        file = self._files.get_file_from_path(path)
        if file is None:
            self.missed = True
        else:
            self.targets[file.src_uri] = None
        return file


class SiteBuild:
    """One build. `config` is MkDocs' own; `tell` is told how far it is."""

    def __init__(self, config: Any, cache: EngineCache, tell: Tell) -> None:
        self.config, self.cache, self.tell = config, cache, tell
        self.mkdocs: Any = import_module("mkdocs.commands.build")
        self.theme = QuickTheme()
        self.files: SiteFiles
        self.nav: Any = None
        self.todo: set[str] = set()
        """The names of the pages that are made; the others are left alone."""

    def run(self) -> None:
        """Bring the site up to date. What goes wrong is said as MkDocs says it.

        A site that a strict build refuses is whole all the same, as MkDocs leaves it: it shows what is to be mended, and no page of before.
        """
        errors: Any = import_module("mkdocs.exceptions")
        log = logging.getLogger("mkdocs.commands.build")
        try:
            with self._counted_warnings() as warnings:
                self._build()
                self.cache.finish(self.files, self.shown)
                if counts := warnings():
                    raise errors.Abort(f"Aborted with {', '.join(f'{number} {level.lower()}s' for level, number in counts)} in strict mode!")
        except Exception as error:
            self.config.plugins.on_build_error(error=error)
            if isinstance(error, errors.BuildError):
                log.error(str(error))
                raise errors.Abort("Aborted with a BuildError!") from None
            raise

    @contextmanager
    def _counted_warnings(self) -> Iterator[Any]:
        """How many warnings there were, by level, where they are to end the build."""
        counter: Any = import_module("mkdocs.utils").CountHandler()
        counter.setLevel(logging.WARNING)
        logger = logging.getLogger("mkdocs")
        if self.config.strict:
            logger.addHandler(counter)
        try:
            yield counter.get_counts
        finally:
            logger.removeHandler(counter)

    def _build(self) -> None:
        env = self.config.theme.get_env()
        env.optimized = False  # most templates are rendered for a few pages, and are read sooner as they are
        with standing_in((self.config.theme, "get_env", lambda: env)):
            self._build_with(env)

    def _build_with(self, env: Any) -> None:
        """The steps, with one environment of Jinja for all."""
        self.cache.remove_odd()
        plugins = self.config.plugins
        self.config = plugins.on_config(self.config)
        plugins.on_pre_build(config=self.config)
        self.files = self._found_files()
        self._add_theme(env)
        plugins.on_files(self.files, config=self.config)
        self.nav = plugins.on_nav(import_module("mkdocs.structure.nav").get_navigation(NavFiles(self.files), self.config), config=self.config, files=self.files)
        self._read_pages()
        env = plugins.on_env(env, config=self.config, files=self.files)
        index: Any = import_module("material.plugins.search.plugin").SearchIndex
        plain = index.generate_search_index
        with standing_in(
            (import_module("mkdocs.utils"), "write_file", self._write),
            (index, "generate_search_index", lambda index, prev: self._search_index(plain(index, prev))),
        ):
            self._copy()
            self._write_templates(env)
            self._write_pages(env)
            self._check_anchors()
            plugins.on_post_build(config=self.config)

    def _found_files(self) -> SiteFiles:
        """The files of the source; as they were found before, where these are the same."""
        left = self.cache.left
        return SiteFiles(self.config, left.levels, left.outputs) if self.cache.has_same_files else SiteFiles.found(self.config, self.mkdocs.get_files(self.config))

    def _add_theme(self, env: Any) -> None:
        """Add the files of the theme; as they were found before, where the files of the source are the same."""
        structure: Any = import_module("mkdocs.structure.files")
        if self.cache.has_same_files and not self.cache.custom:
            self.files.add_theme(self.cache.left.theme)
        else:
            structure.Files.add_files_from_theme(self.files, env, self.config)
        self.mkdocs.set_exclusions([self.files.get_file_from_path(name) for name in self.files.theme], self.config)

    def page(self, name: str) -> Any:
        """The page of a file: as it was rendered, or with what is known of it, where that is still right."""
        page = self._bare_page(name)
        known = self.cache.pages.facts(name) if page.markdown is None and name not in self.todo else None
        if known is not None:
            page.markdown, page.content, page.meta = "", "", known["meta"]
            page._title_from_render = known["title"]
            page.present_anchor_ids = set(known["anchors"])
            page.links_to_anchors = {self.files.get_file_from_path(target): links for target, links in self.cache.pages.links(name).items()}
        return page

    def _bare_page(self, name: str) -> Any:
        """The page of a file, with an address and nothing else where nobody asked for more."""
        file = self.files.get_file_from_path(name)
        return file.page or self.mkdocs.Page(None, file, self.config)

    def _read_pages(self) -> None:
        """Render the pages that something has changed for: all of them, where it is the navigation."""
        standing = {name for name in self.standing & self.cache.pages.names if self.files.outputs[name] not in self.shared}
        self.todo = {name for name in self.files.pages if name not in standing and not self._is_held(name)} | self.cache.pages.that_link_to(self.cache.lost())
        warned, logger = Warned(), logging.getLogger("mkdocs.structure.pages")
        logger.addHandler(warned)
        try:
            self._render(self.todo, warned)
            if self.shown != self.cache.left.nav:
                others = set(self.files.pages) - self.todo
                self.todo |= others
                self._render(others, warned)
        finally:
            logger.removeHandler(warned)

    @cached_property
    def standing(self) -> set[str]:
        """The files of the source that are in the site as the last build left them, from what they are now."""
        return self.cache.standing(self.files.outputs)

    @cached_property
    def shared(self) -> set[str]:
        """The paths of the site that more than one file is written to: each is written every time, so that the last one wins."""
        paths = [*self.files.outputs.values(), *self.config.theme.static_templates]
        return {path for path, number in Counter(paths).items() if number > 1} if len(set(paths)) < len(paths) else set()

    def _is_held(self, name: str) -> bool:
        """Whether the site holds a page as it would be made, although its file does not look as it was left."""
        path = self.files.outputs[name]
        known = self.cache.pages.facts(name) if path in self.cache.now and path not in self.shared else None
        return known is not None and self.cache.holds(path, self.cache.source.get(name), known["output"])

    def _render(self, names: set[str], warned: Warned) -> None:
        for name in self._in_order(names, "mkdocs reads pages"):
            page, noted, said = self._bare_page(name), NotedFiles(self.files), warned.count
            self.mkdocs._populate_page(page, self.config, noted)
            self.cache.pages.rendered(page, noted.targets if warned.count == said and not noted.missed else None)

    def _in_order(self, names: set[str], what: str) -> Iterator[str]:
        """These pages in the order of the site, while it is told how many of them are done."""
        done = 0
        for name in self.files.pages if names else ():
            if name in names:
                self.tell(what, done, len(names))
                yield name
                done += 1

    @cached_property
    def shown(self) -> str:
        """A digest of what the navigation shows, on every page."""
        shown = [[str(self.page(page.file.src_uri).meta.get(field)) for field in SHOWN] for page in self.nav.pages]
        return digest_of(repr([str(self.nav), shown]).encode("utf-8", "surrogatepass"))

    def _copy(self) -> None:
        """Copy the files of the source and of the theme that are not in the site as they are there."""
        copies = self.files.copies()
        standing = self.standing - self.shared
        self.cache.stay(name for name in copies if name in standing)
        for name in copies:
            if name in standing:
                continue
            digest = self.cache.source.get(name)
            if digest and name not in self.shared and self.cache.holds(name, digest, digest):
                self.cache.stay([name])
            else:
                self.cache.write(name, partial(copy_file, self._source(name)))
                self.cache.wrote(name, digest)
        for name in self.files.theme:
            stamp = stamp_of(self._source(name))
            if self.cache.stands(name, stamp):
                self.cache.stay([name])
            elif self.files.get_file_from_path(name).inclusion.is_included():
                self.cache.write(name, partial(copy_file, self._source(name)))
                self.cache.wrote(name, stamp)

    def _source(self, name: str) -> str:
        path: str = self.files.get_file_from_path(name).abs_src_path
        return path

    def _write_templates(self, env: Any) -> None:
        """Write what the theme has beside pages: where it is MkDocs' own or Material's, only when what it shows has changed."""
        for name in self.config.theme.static_templates:
            made = self._made_of_template(name)
            paths = (name, f"{name}.gz") if name == SITEMAP else (name,)
            if made and all(self.cache.stands(path, made) for path in paths):
                self.cache.stay(paths)
                continue
            page_of = self._bare_page if made else self.page
            self.mkdocs._build_theme_template(name, env, Pages(self.files, page_of), self.config, self.nav)
            for path in paths if self.cache.has_written(name) else ():
                self.cache.wrote(path, made)
        for name in self.config.extra_templates:
            self.mkdocs._build_extra_template(name, Pages(self.files, self.page), self.config, self.nav)

    def _made_of_template(self, name: str) -> str:
        """What a template of the theme is made from: settings and navigation, or settings, day and addresses. Nothing for any other."""
        if self.cache.custom or name in self.shared or name not in ("404.html", SITEMAP):
            return ""
        seen = [self.files.pages, import_module("mkdocs.utils").get_build_date()] if name == SITEMAP else [self.shown]
        return digest_of(repr([self.cache.salt, *seen]).encode("utf-8", "surrogatepass"))

    def _write_pages(self, env: Any) -> None:
        """Write and index the pages that were rendered."""
        index = next((plugin.search_index for plugin in self.config.plugins.values() if hasattr(plugin, "search_index")), None)
        entries: list[Any] = index.entries if index is not None else []
        pages = Pages(self.files, self.page)
        for name in self._in_order(self.todo, "mkdocs writes pages"):
            page = self.page(name)
            self.theme.for_page(page, self.nav, env)
            entries.clear()
            self.mkdocs._build_page(page, self.config, pages, self.nav, env)
            self.cache.built(page, ",".join(json.dumps(entry, separators=(",", ":"), default=str) for entry in entries))
        entries.clear()
        self.cache.stay(self.files.outputs[name] for name in self.files.pages if name not in self.todo)

    def _check_anchors(self) -> None:
        """Say which links lead to headings that are not there."""
        pages = set(self.files.pages)
        for name in self.files.pages:
            if links := self.cache.pages.links(name):
                for target in links.keys() & pages:
                    self.page(target)
                self.page(name).validate_anchor_links(files=self.files, log_level=self.config.validation.links.anchors)

    def _write(self, content: bytes, output_path: str) -> None:
        """Write a file, and note that the site holds it."""
        path = self.cache.path_at(output_path)
        self.cache.write(path, lambda place: write_file(place, content))
        self.cache.wrote(path, content=content)

    def _search_index(self, empty: str) -> str:
        """The index as Material writes it, with the entries of all pages in their order."""
        assert empty.endswith("[]}")
        return f"{empty[:-2]}{','.join(text for name in self.files.pages if (text := self.cache.pages.search(name).decode()))}]}}"
