"""Record files into their stable form, all of them or those that are named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from kvdocs.edit.drafts import Draft
from kvdocs.edit.layout import formatted
from kvdocs.edit.text import EditError, YamlText
from kvdocs.kind import Kind
from kvdocs.problems import UNREADABLE, YAML_SYNTAX, Place, Problem
from kvdocs.source import SourceError, natural_key


def record_files(draft: Draft, kinds: Iterable[Kind], wanted: Iterable[Path] = ()) -> Iterator[tuple[str, Kind]]:
    """The files that hold records people write, with their kind; of `wanted` files and folders only those below, when there are any."""
    root = draft.project.root.resolve()
    chosen = [Path(os.path.realpath(path)) for path in wanted]
    for kind in kinds:
        folder = root / "registry" / kind.folder
        if kind.pattern != "*.yaml" or not folder.is_dir():
            continue
        for path in sorted(folder.rglob("*"), key=lambda p: natural_key(p.as_posix())):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.suffix not in (".yaml", ".yml") or hidden or not path.is_file():
                continue
            if not chosen or any(path == c or c in path.parents for c in chosen):
                yield path.relative_to(root).as_posix(), kind


def format_files(draft: Draft, kinds: Iterable[Kind], wanted: Iterable[Path] = ()) -> list[Problem]:
    """Draft the stable form of record files, and give the problems of those that cannot have it."""
    problems = []
    for path, kind in record_files(draft, kinds, wanted):
        try:
            content = draft.read(path) or b""
        except EditError as error:
            problems.append(Problem(UNREADABLE, error.message, Place(path), hint="give yourself the right to read it"))
            continue
        try:
            draft.write(path, formatted(YamlText.read(content), kind).encode())
        except SourceError as error:
            problems.append(Problem(error.code, error.message, Place(path, error.line, error.col)))
        except EditError as error:
            problems.append(Problem(YAML_SYNTAX, error.message, Place(path), hint="write it in a plainer way"))
    return problems
