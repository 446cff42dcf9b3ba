"""Reference pages about the program itself: its commands from their own help, its modules from their own docstrings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kvdocs import markup
from kvdocs.pages.page import Nav, Page
from kvdocs.view import Cell, Code, CodeBlock, Md, Section, Table

PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A command and what its `--help` prints."""

    name: str
    summary: str
    text: str


def commands_page(commands: Sequence[CommandHelp]) -> Page:
    """Every command with its help, whole."""
    table = Table(("Command", "What it gives"), tuple((markup_link(c.name), c.summary) for c in commands))
    sections = (Section("All commands", (table,)), *(Section(f"kvdocs {c.name}", (CodeBlock(c.text.rstrip(), "text", f"kvdocs {c.name} --help"),), _anchor(c.name)) for c in commands))
    return Page(
        "reference/commands.md",
        "page.md.j2",
        {"title": "Commands", "lead": Md("Each command ends with 0 when all is well, 1 when it found something wrong, 2 when it was called wrongly or the project is not usable."), "sections": sections, "boost": 0.5},
        Nav("Reference", 20, "Commands"),
    )


def markup_link(name: str) -> Md:
    """A command as a link to its section."""
    return Md(f"[{markup.code(f'kvdocs {name}')}](#{_anchor(name)})")


def _anchor(name: str) -> str:
    return f"command-{name.replace(' ', '-')}"


@dataclass(frozen=True, slots=True)
class Room:
    """A module or folder of the package: what it is for, its modules, and the rooms that it imports."""

    name: str
    purpose: str
    modules: tuple[tuple[str, str], ...]
    imports: frozenset[str]


def modules_page() -> Page:
    """The program by floors, the ground floor first; a room imports only what stands on its own floor or below."""
    sections = tuple(
        Section(f"Floor {number}", (Table(("Module", "What it is for"), tuple(_module_rows(rooms))),), f"floor-{number}") for number, rooms in enumerate(floors())
    )
    lead = Md("Made from the modules' own first lines and their imports, so it says what the program is and not what it was meant to be. Floor 0 imports nothing of kvdocs; each floor imports from the floors below it.")
    return Page("reference/modules.md", "page.md.j2", {"title": "Modules", "lead": lead, "sections": sections, "boost": 0.25}, Nav("Reference", 50, "Modules"))


def _module_rows(rooms: Sequence[Room]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for room in rooms:
        if len(room.modules) == 1:
            rows.append((Code(room.name), markup.sentence(room.purpose)))
        else:
            rows.append((Md(f"**{markup.code(room.name + '/')}**"), Md(f"**{markup.sentence(room.purpose)}**")))
            rows += [(Code(name), markup.sentence(text)) for name, text in room.modules if not name.endswith("__init__")]
    return rows


@lru_cache(maxsize=1)
def floors() -> tuple[tuple[Room, ...], ...]:
    """The rooms of the package by the longest way down; rooms that import each other share a floor."""
    rooms = {room.name: room for room in _rooms()}
    levels: dict[str, int] = {}
    for _ in rooms:
        for name, room in rooms.items():
            below = [levels.get(other, 0) for other in room.imports if other in rooms and name not in _reach(rooms, other)]
            levels[name] = max((level + 1 for level in below), default=0)
    top = max(levels.values(), default=0)
    return tuple(tuple(room for name, room in rooms.items() if levels[name] == level) for level in range(top + 1))


def _reach(rooms: Mapping[str, Room], start: str) -> set[str]:
    """Everything that a room imports, directly or through others."""
    found: set[str] = set()
    todo = list(rooms[start].imports) if start in rooms else []
    while todo:
        name = todo.pop()
        if name not in found and name in rooms:
            found.add(name)
            todo += rooms[name].imports
    return found


def _rooms() -> list[Room]:
    texts: dict[str, list[tuple[str, str]]] = {}
    imports: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        room = parts[0]
        if room.startswith("__") or room == "starter":
            continue
        source = path.read_text(encoding="utf-8")
        texts.setdefault(room, []).append(("/".join(parts), _first_line(source)))
        imports.setdefault(room, set()).update(_imported(source) - {room})
    return [Room(name, _purpose(name, modules), tuple(modules), frozenset(imports[name])) for name, modules in texts.items()]


def _purpose(name: str, modules: Sequence[tuple[str, str]]) -> str:
    return next((text for module, text in modules if module in (name, f"{name}/__init__")), "")


def _first_line(source: str) -> str:
    """The first line of a module's docstring."""
    return source.partition('"""')[2].partition('"""')[0].partition("\n")[0] if source.startswith('"""') else ""


_ONLY_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:(?:[ \t].*)?\n)+", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from kvdocs\.(\w+)[\w.]* import|import kvdocs\.(\w+)|from kvdocs import (.+))", re.MULTILINE)


def _imported(source: str) -> set[str]:
    """The rooms that a module imports when it is loaded or when a function of it runs; what only types need is left out.

    Read line by line: parsing every module would cost each build half a second.
    """
    found: set[str] = set()
    for module, plain, names in _IMPORT.findall(_ONLY_FOR_TYPES.sub("", source)):
        found.update([module or plain] if module or plain else re.findall(r"\w+", names))
    return found - {"__version__"}
