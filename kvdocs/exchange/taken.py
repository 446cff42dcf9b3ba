"""What an importer proposes -> changed files of the registry, drafted and not written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kvdocs.edit.drafts import Draft as Edit
from kvdocs.edit.lookup import Found, all_records, find_record
from kvdocs.edit.operations import Append, Assign, Operation
from kvdocs.edit.setting import apply
from kvdocs.edit.text import EditError
from kvdocs.exchange.draft_yaml import yaml_text
from kvdocs.exchange.drafts import DraftSet
from kvdocs.exchange.remark import Remark, lost
from kvdocs.kind import Kind
from kvdocs.model import Loc


def draft_records(edit: Edit, found: DraftSet, kinds: Iterable[Kind]) -> None:
    """Draft a new file for each record. EditError when a file of that name is there already."""
    by_name = {kind.name: kind for kind in kinds}
    for draft in found.drafts:
        _add(edit, by_name[draft.kind], draft.values)


def draft_measurement(edit: Edit, values: Mapping[str, Any], kinds: tuple[Kind, ...]) -> list[Remark]:
    """Draft a measurement, or its samples, rows and columns into the measurement that has its id.

    A cell that holds a figure without samples is left alone, with a remark. EditError when the key columns differ.
    """
    measurement = next(kind for kind in kinds if kind.name == "measurement")
    if not any(found.id == values["id"] for found in all_records(edit.project, kinds)):
        _add(edit, measurement, values)
        return []
    found = find_record(edit.project, kinds, str(values["id"]))
    if found.kind is not measurement:
        raise EditError(f"{found.id} is a {found.kind.name}, not a measurement")
    steps, remarks = _merge(found, values)
    apply(edit, found, steps)
    return remarks


def _add(edit: Edit, kind: Kind, values: Mapping[str, Any]) -> None:
    path = f"{edit.project.registry.relative_to(edit.project.root).as_posix()}/{kind.folder}/{values['id']}.yaml"
    if edit.read(path) is not None:
        raise EditError(f"there is a file {path} already", "rename or remove it first")
    edit.write(path, yaml_text(values, kind.model).encode())


def _merge(found: Found, values: Mapping[str, Any]) -> tuple[list[Operation], list[Remark]]:
    data, key = found.raw.data, values["key"]
    if data.get("key") != key:
        raise EditError(f"the rows of {found.id} are named by {data.get('key')!r}, and those of the file by {key!r}", "import it into a measurement of its own")
    steps: list[Operation] = []
    remarks: list[Remark] = []
    known = {str(column.get("name")) for column in data.get("columns", []) if isinstance(column, dict)}
    steps += [Append(("columns",), column) for column in values["columns"] if column["name"] not in known]
    rows = [row for row in data.get("rows", []) if isinstance(row, dict)]
    for new in values["rows"]:
        position = next((i for i, row in enumerate(rows) if str(row.get(key)) == str(new[key])), None)
        if position is None:
            steps.append(Append(("rows",), new))
            continue
        for name, cell in new.items():
            if name != key:
                steps += _merge_cell(rows[position].get(name), cell, ("rows", position, name), f"{found.id}, {key} {new[key]}, {name}", remarks)
    return steps, remarks


def _merge_cell(old: Any, new: Mapping[str, Any], loc: Loc, where: str, remarks: list[Remark]) -> list[Operation]:
    """The samples of a cell behind those that are there already."""
    if old is None:
        return [Assign(loc, new)]
    if isinstance(old, dict) and isinstance(old.get("samples"), list):
        if old.get("repetitions") != new.get("repetitions"):
            remarks.append(lost(f"{where}: samples of {new.get('repetitions')} repetitions beside samples of {old.get('repetitions')}; left alone"))
            return []
        return [Append((*loc, "samples"), sample) for sample in new["samples"]]
    remarks.append(lost(f"{where}: there is a figure without samples already; left alone"))
    return []
