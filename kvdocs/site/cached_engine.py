"""MkDocs that renders again only what has changed: `python -m kvdocs.site.cached_engine build …` takes what `mkdocs build …` takes.

It reaches into MkDocs and Material, so it does so only for the versions that it was compared with; others run as they are.
`tests/site/test_cached_engine.py` compares with a build without this, byte by byte.
Nothing else imports this module: it runs in the engine's own process.
"""

from __future__ import annotations

import gc
from importlib import import_module
from pathlib import Path
from typing import Any

from kvdocs.disk import files_below
from kvdocs.leaving import leave
from kvdocs.site.engine_cache import EngineCache
from kvdocs.site.progress import to_parent
from kvdocs.site.quick.build import SiteBuild
from kvdocs.site.quick.markdown import quick_markdown
from kvdocs.site.quick.search import quick_search

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
        with quick_markdown(), quick_search():
            SiteBuild(config, EngineCache(config, sorted(COMPARED_WITH.items())), to_parent()).run()

    module.build = build
    try:
        import_module("mkdocs.__main__").cli()
    except SystemExit as ended:
        leave(ended.code)
        raise


def _is_known(config: Any) -> bool:
    """Whether this build is one of those that were compared: versions, plugins, Markdown extensions, no hooks, no templates of the project for the theme, settings that nothing outside of the files changes."""
    from importlib.metadata import version

    known: bool = all(version(name) == compared for name, compared in COMPARED_WITH.items())
    settings = (Path(config.config_file_path).read_text(encoding="utf-8"), (Path(config.config_file_path).parent.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    known = known and not (config.theme.custom_dir and any(path.suffix == ".html" for path in files_below(Path(config.theme.custom_dir))))  # a template sees all pages, and the page that it is for
    indexed_by_material = all(type(plugin).__module__.startswith("material.plugins.") for plugin in config.plugins.values())
    known = known and set(config.plugins) <= PLUGINS and set(config.markdown_extensions) <= EXTENSIONS
    return known and indexed_by_material and not config.hooks and not any("!ENV" in text for text in settings) and "INHERIT" not in settings[1]


if __name__ == "__main__":
    main()
