"""Pages -> Markdown on disk: only what changed is written, what no page makes any more is removed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kvdocs import markup
from kvdocs.disk import IN_THE_WAY, files_below, make_room, read_file, replace_file
from kvdocs.markup import Dialect
from kvdocs.pages.page import DataFile, Page, Value
from kvdocs.project import Project
from kvdocs.two_parts import Chunk
from kvdocs.view import Block, Lines, Row, Rows, Section

if TYPE_CHECKING:
    from jinja2 import Environment


class Written(NamedTuple):
    """What writing a folder did, by paths relative to it."""

    written: tuple[str, ...]
    kept: int
    removed: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.written or self.removed)


def default_templates() -> Path:
    """The templates that kvdocs ships: inside the package, or beside it in a source checkout."""
    inside = Path(__file__).parent / "templates"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "templates"


SECTION = "documents/section.md.j2"
"""The template of a section that is laid out on its own."""

PARTS = "\ue000parts\ue001"
"""What a template gets for the parts of a page: it says where they stand, and does not see them."""


class TemplateFaultError(Exception):
    """A template cannot be read or laid out; the message says which one and where."""


class Renderer:
    """Templates of a project over those of kvdocs, for one dialect."""

    def __init__(self, templates: Sequence[Path], dialect: Dialect) -> None:
        self.templates, self.dialect = tuple(templates), dialect

    @cached_property
    def environment(self) -> Environment:
        """The templates as they are when the first page is laid out."""
        return _environment(self.templates, self.dialect, tuple(_stamps(self.templates)))

    @classmethod
    def of(cls, project: Project, dialect: Dialect) -> Renderer:
        """A project's own templates first, one by one, then the defaults."""
        return cls((project.templates, default_templates()), dialect)

    def render(self, page: Page) -> str:
        """The text of a page: a name that its context lacks is an error; it ends with one newline."""
        return self.encoded(page).decode()

    def encoded(self, page: Page) -> bytes:
        """The same as UTF-8."""
        return b"".join(self.chunks(page))

    def chunks(self, page: Page) -> list[Chunk]:
        """The same in the parts that are there already; put together they would be copied."""
        if page.parts is None:
            return [tidy(self._laid_out(page, page.context)).encode()]
        first, *others = tidy(self._laid_out(page, {**page.context, "parts": PARTS if page.parts else ""})).encode().split(PARTS.encode())
        parts = [self.section(part, page.path) if isinstance(part, Section) else part for part in page.parts]
        if parts:  # behind the last one there is no empty line
            parts[-1] = parts[-1][:-2]
        return [first, *(chunk for other in others for chunk in (*parts, other))]

    def section(self, section: Section, path: str) -> bytes:
        """A section of a page, laid out on its own, and an empty line behind it."""
        return self.encoded(Page(path, SECTION, {"section": section})) + b"\n"

    def _laid_out(self, page: Page, context: Mapping[str, Value]) -> str:
        from jinja2 import TemplateError, TemplateSyntaxError

        try:
            return self.environment.get_template(page.template).render(context)
        except TemplateSyntaxError as error:
            raise TemplateFaultError(f"{error.filename or error.name}:{error.lineno}: {error.message}") from None
        except TemplateError as error:
            raise TemplateFaultError(f"{page.template}, for {page.path}: {error}") from None
        except UnicodeDecodeError as error:
            raise TemplateFaultError(f"{page.template}, for {page.path}: a template is not UTF-8") from error
        except RecursionError as error:
            raise TemplateFaultError(f"{page.template}, for {page.path}: templates include each other without end") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise TemplateFaultError(f"{_place_of(error) or page.template}, for {page.path}: {error}") from error


def _place_of(error: BaseException) -> str | None:
    """The file and the line of the template whose expression raised an error."""
    from traceback import extract_tb

    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else None


def _stamps(folders: Iterable[Path]) -> Iterator[tuple[str, int, int]]:
    """What is another thing when a template was written."""
    for folder in folders:
        for path in files_below(folder):
            status = path.stat()
            yield os.fspath(path), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _environment(templates: tuple[Path, ...], dialect: Dialect, stamps: tuple[tuple[str, int, int], ...]) -> Environment:
    """One for each set of stamps."""
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

    # `kvdocs/NAME` is the shipped template, for one of the same name that only adds to it.
    loader = ChoiceLoader([FileSystemLoader([str(t) for t in templates]), PrefixLoader({"kvdocs": FileSystemLoader(str(default_templates()))})])
    # Markdown, not HTML: values are escaped for Markdown by the filters.
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=False, auto_reload=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters["cell"] = lambda value: markup.cell(value, dialect)
    environment.filters["cells"] = lambda row: _cells(row, dialect)
    environment.filters["rows"] = lambda rows: rows.joined("| ", " | ", " |\n") if isinstance(rows, Rows) else "".join([f"| {_cells(row, dialect)} |\n" for row in rows])
    environment.filters["code"] = markup.code
    environment.filters["shape"] = _shape
    environment.filters["quoted"] = _quoted
    return environment


def _cells(row: Row, dialect: Dialect) -> str:
    """The cells of a row, as they stand between the bars of a table."""
    return row.joined(" | ") if isinstance(row, Lines) else " | ".join([markup.cell(value, dialect) for value in row])


def _shape(block: Block) -> str:
    """The type of a block, by which a template chooses how to lay it out."""
    return type(block).__name__.lower()


_TAG = re.compile("<(?=[A-Za-z/!?])")


def _quoted(text: str) -> str:
    """Text between double quotes, as YAML and admonitions read it; engine and theme print titles as HTML."""
    return json.dumps(_TAG.sub("&lt;", markup.plain(text)).replace('"', "”"), ensure_ascii=False).replace("\\\\", "\\")


_FENCED = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,}).*?^(?P=indent)(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)


_SPACES_AT_END = re.compile(r"[ \t]+$", re.MULTILINE)


def tidy(text: str) -> str:
    """At most one empty line in a row and no spaces at the ends of lines; fenced code stays as it is."""
    parts, end = [], 0
    for found in _FENCED.finditer(text) if "```" in text or "~~~" in text else ():
        parts += [_squeeze(text[end : found.start()]), found[0]]
        end = found.end()
    parts.append(_squeeze(text[end:]))
    return "".join(parts).strip("\n") + "\n"


def _squeeze(text: str) -> str:
    # To look is much cheaper than to search and replace, and most texts are tidy.
    if " \n" in text or "\t\n" in text or text.endswith((" ", "\t")):
        text = _SPACES_AT_END.sub("", text)
    first, *others = text.split("\n\n\n")
    if not others:
        return text
    *middle, last = [other.lstrip("\n") for other in others]
    return "\n\n".join([first, *filter(None, middle), last])


def render_all(pages: Iterable[Page | DataFile], renderer: Renderer) -> dict[str, bytes]:
    """The bytes of each file by its path; two pages with one path are a fault of the program."""
    return {path: b"".join(chunks) for path, chunks in render_chunks(pages, renderer)}


def render_chunks(pages: Iterable[Page | DataFile], renderer: Renderer) -> Iterator[tuple[str, list[Chunk]]]:
    """The same in the parts that are there already."""
    paths: set[str] = set()
    for page in pages:
        if page.path in paths:
            raise ValueError(f"two pages are written to {page.path}")
        paths.add(page.path)
        yield page.path, [page.data] if isinstance(page, DataFile) else renderer.chunks(page)


def write_files(files: Mapping[str, bytes], folder: Path, *, remove_stale: bool, differing: Container[str] = (), make_way: bool = False) -> Written:
    """Write what differs, to a temporary name and then renamed; `differing` are paths of which it is known without reading them.

    With `remove_stale` the folder holds exactly these files afterwards; else other files are left alone.
    With `make_way` a folder in the place of a file is removed, and a file in that of a folder: the folder is the program's own.
    """
    written = []
    for path, data in files.items():
        target = os.path.join(folder, path)  # noqa: PTH118  # a Path for each of thousands
        if path in differing or read_file(target) != data:
            try:
                replace_file(target, data)
            except IN_THE_WAY:
                if not make_way:
                    raise
                make_room(os.fspath(folder), path)
                replace_file(target, data)
            written.append(path)
    removed = _remove_stale(files, folder) if remove_stale else []
    return Written(tuple(written), len(files) - len(written), tuple(removed))


def _remove_stale(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Delete the files that are not among `files`, and the folders that are empty then."""
    removed = []
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif (name := path.relative_to(folder).as_posix()) not in files:
            path.unlink()
            removed.append(name)
    return sorted(removed)
