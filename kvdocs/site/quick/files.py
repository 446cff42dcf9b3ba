"""The files of the site's source as MkDocs' own objects, from the names that the last build found: no folder is walked, and no pattern is tried."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any


def quick_files(config: Any, known: Mapping[str, int]) -> Any:
    """What MkDocs finds in the folder of the source, where it holds the files that it held before; `known` is what `inclusions` gave of these."""
    module: Any = import_module("mkdocs.structure.files")
    is_markdown: Any = import_module("mkdocs.utils").is_markdown_file
    levels = {level.value: level for level in module.InclusionLevel}
    docs, site = (f"{os.path.normpath(folder)}/" for folder in (config.docs_dir, config.site_dir))
    files = []
    for name, level in known.items():
        file = module.File.__new__(module.File)
        values = {"src_uri": name, "src_dir": config.docs_dir, "dest_dir": config.site_dir, "use_directory_urls": config.use_directory_urls, "inclusion": levels[level]}
        if os.sep == "/" and not is_markdown(name):
            values |= {"dest_uri": name, "abs_src_path": docs + name, "abs_dest_path": site + name}
        file.__dict__.update(values)
        files.append(file)
    return module.Files(files)


def theme_files(files: Any, config: Any, names: Iterable[str]) -> None:
    """Add to the files of the source those of the theme that MkDocs added the last time."""
    file: Any = import_module("mkdocs.structure.files").File
    for name in names:
        folder = next((folder for folder in config.theme.dirs if os.path.isfile(f"{folder}/{name}")), None)  # noqa: PTH113  # a Path for each of hundreds
        if folder is not None:
            files.append(file(name, folder, config.site_dir, config.use_directory_urls))


def inclusions(files: Any) -> dict[str, int]:
    """The names of files in MkDocs' order, each with the number that says whether it belongs to the site."""
    return {file.src_uri: file.inclusion.value for file in files}
