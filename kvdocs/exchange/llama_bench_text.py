"""The forms of llama-bench in which every value is text: a Markdown table, csv and sql."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kvdocs.exchange.csv_lines import whole_cells
from kvdocs.exchange.remark import Remark, doubtful, lost, unknown


@dataclass(frozen=True, slots=True)
class Row:
    """One test as the file has it: field name to value, and the line where it begins."""

    values: Mapping[str, Any]
    line: int


Reading = tuple[list[Row], list[Remark], bool]
"""Rows, remarks, and whether the file is whole."""

HEADINGS = {
    "model": "model_type", "size": "model_size", "params": "model_n_params", "backend": "backends",
    "threads": "n_threads", "ngl": "n_gpu_layers", "ncmoe": "n_cpu_moe", "sm": "split_mode", "mg": "main_gpu",
    "nkvo": "no_kv_offload", "fa": "flash_attn", "dev": "devices", "ts": "tensor_split",
    "ot": "tensor_buft_overrides", "mmap": "use_mmap", "dio": "use_direct_io", "embd": "embeddings",
    "nopo": "no_op_offload", "noh": "no_host",
}  # fmt: skip
"""Headings of the Markdown table that abbreviate a field."""

_TEST = re.compile(r"(?:pp(\d+))?\+?(?:tg(\d+))?(?: @ d(\d+))?")
_BUILD = re.compile(r"^build: (\S+) \((\d+)\)", re.MULTILINE)
_COLUMNS_ONLY = unknown("settings at their default: the Markdown table shows only those that differ from it")
_QUOTED = unknown("digits beyond the printed ones: sizes and rates are rounded in the Markdown table")


def read_markdown(text: str) -> Reading:
    """The rows of every table with a `test` and a `t/s` column; each gets the `build:` line that follows it."""
    rows: list[Row] = []
    remarks: list[Remark] = [_COLUMNS_ONLY, _QUOTED]
    waiting: list[dict[str, Any]] = []
    headings: list[str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if (build := _BUILD.match(line)) is not None:
            for values in waiting:
                values.update(build_commit=build[1], build_number=build[2])
            waiting, headings = [], None
        cells = _cells(line)
        if cells is None:
            if line.strip().startswith("|"):
                remarks.append(lost("a row of the table was cut short", number))
            continue
        if "t/s" in cells and "test" in cells:
            headings = cells
        elif headings is not None and not set("".join(cells)) <= set("-: "):
            found = _markdown_row(headings, cells)
            if found is None:
                remarks.append(lost(f"a row that does not fit its headings: {line.strip()}", number))
                continue
            rows.append(Row(found, number))
            waiting.append(found)
    if headings is not None:
        remarks.append(lost("the `build:` line after the table: the commit is not known, and rows may be missing"))
    return rows, remarks, headings is None


def _cells(line: str) -> list[str] | None:
    stripped = line.strip()
    if len(stripped) < 2 or not stripped.startswith("|") or not stripped.endswith("|"):
        return None
    return [cell.strip() for cell in stripped[1:-1].split("|")]


def _markdown_row(headings: list[str], cells: list[str]) -> dict[str, Any] | None:
    if len(cells) != len(headings):
        return None
    values: dict[str, Any] = {HEADINGS.get(h, h): c for h, c in zip(headings, cells, strict=True)}
    test = _TEST.fullmatch(values.pop("test"))
    rate = re.fullmatch(r"([\d.]+)(?:\s*±\s*([\d.]+))?", values.pop("t/s"))
    if test is None or rate is None or not (test[1] or test[2]):
        return None
    values.update(n_prompt=test[1] or "0", n_gen=test[2] or "0", n_depth=test[3] or "0", avg_ts=rate[1])
    if rate[2] is not None:
        values["stddev_ts"] = rate[2]
    return values


def read_csv(text: str) -> Reading:
    """The rows below the heading line that begins with `build_commit`; a row with too few cells was cut off."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r'"?build_commit"?,', line))
    headings = whole_cells(lines[start]) or []
    rows: list[Row] = []
    remarks: list[Remark] = []
    for number, line in enumerate(lines[start + 1 :], start=start + 2):
        cells = whole_cells(line)
        if cells is not None and len(cells) == len(headings) and line.endswith('"'):
            rows.append(Row(dict(zip(headings, cells, strict=True)), number))
        elif line.strip():
            remarks.append(lost(f"a row that was cut short or does not fit its {len(headings)} headings", number))
    return rows, remarks, not remarks


_INSERT = re.compile(r"INSERT INTO llama_bench \((?P<names>[^)]*)\) VALUES \('(?P<values>.*)'\);\s*")


def read_sql(text: str) -> Reading:
    """The rows of the INSERT statements, split by their count of columns since quotes are printed unescaped."""
    rows: list[Row] = []
    remarks: list[Remark] = []
    whole = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("INSERT INTO llama_bench"):
            continue
        match = _INSERT.fullmatch(line)
        if match is None:
            whole = False
            remarks.append(lost("a statement that was cut short", number))
            continue
        names = [name.strip() for name in match["names"].split(",")]
        values = match["values"].split("', '")
        if len(values) != len(names):
            remarks.append(lost(f"a statement with {len(values)} values for {len(names)} columns", number))
            continue
        if any("'" in value for value in values):
            remarks.append(doubtful("a quote in a value is not escaped: SQL refuses this statement", number))
        rows.append(Row(dict(zip(names, values, strict=True)), number))
    return rows, remarks, whole
