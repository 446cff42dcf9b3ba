"""llama-bench output (json, jsonl, md, csv, sql) -> benchmarks with their samples.

The fields are those of `tools/llama-bench/llama-bench.cpp` of llama.cpp; keys that are not known here, such as a
fork's own, are kept. The rate of a repetition is its tokens, `n_prompt + n_gen`, over its nanoseconds.
llama-bench's own mean is the mean of these rates, not tokens over the mean time, and so is the mean here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from kvdocs.exchange.benchmark import Benchmark, BenchmarkReport, Scalar, mean_of, stddev_of
from kvdocs.exchange.json_objects import find_objects
from kvdocs.exchange.llama_bench_text import Row, read_csv, read_markdown, read_sql
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.problems import counted

NEEDED = ("n_prompt", "n_gen")
INTEGERS = frozenset(
    [
        "build_number",
        "model_size",
        "model_n_params",
        "n_batch",
        "n_ubatch",
        "n_threads",
        "poll",
        "n_gpu_layers",
        "n_cpu_moe",
        "main_gpu",
        "fit_target",
        "fit_min_ctx",
        "n_prompt",
        "n_gen",
        "n_depth",
        "avg_ns",
        "stddev_ns",
    ]
)
BOOLEANS = frozenset(["cpu_strict", "no_kv_offload", "use_mmap", "use_direct_io", "embeddings", "no_op_offload", "no_host", "cuda", "metal", "vulkan"])
REALS = frozenset(("avg_ts", "stddev_ts"))
FIGURES = frozenset(("avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts"))
CONTEXT = ("build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename", "model_type")

NEVER_TOLD = (
    unknown("the environment variables of the run: llama-bench does not print them"),
    unknown("the command line: only the settings that it prints are known"),
    unknown("whether the source tree was dirty: build_commit carries no mark of it"),
)
NO_SAMPLES = unknown("the samples and how many there were: this form holds a mean and a standard deviation only")
NO_END = unknown("whether the run reached its end: this form has no end mark")


def parse(text: str) -> BenchmarkReport:
    """The tests of a llama-bench output in whichever form it has.

    Log lines before and between are skipped. A file that was cut short yields its whole tests, with a remark.
    Raises UnreadableSourceError when there is no test in it and nothing that begins one.
    """
    form = detect(text)
    if form == "json":
        rows, remarks, whole = _read_json(text)
    else:
        rows, remarks, whole = {"markdown": read_markdown, "csv": read_csv, "sql": read_sql}[form](text)
        remarks = [NO_SAMPLES, *([NO_END] if form != "markdown" else []), *remarks]
    tests = [_benchmark(row) for row in rows]
    for test in tests:
        remarks.extend(_doubts(test))
    return BenchmarkReport(
        source=f"llama-bench {form}",
        rows=tuple(tests),
        context=_context(tests, remarks),
        remarks=(*NEVER_TOLD, *remarks),
        whole=whole,
    )


def detect(text: str) -> str:
    """The form of a llama-bench output: `json` (json and jsonl alike), `sql`, `csv` or `markdown`."""
    if re.search(r"^\s*(CREATE TABLE IF NOT EXISTS|INSERT INTO) llama_bench\b", text, re.MULTILINE):
        return "sql"
    if re.search(r'^"?build_commit"?,', text, re.MULTILINE):
        return "csv"
    if re.search(r'"(build_commit|n_prompt|n_gen)"\s*:', text) or not text.strip():
        return "json"
    if re.search(r"^[ \t]*\|.*\|[ \t]*t/s[ \t]*\|", text, re.MULTILINE):
        return "markdown"
    if re.search(r"^\[\s*$|^\[?\s*\{", text, re.MULTILINE):
        return "json"
    raise UnreadableSourceError("no llama-bench output of any form in this file")


def test_name(n_prompt: int, n_gen: int, n_depth: int) -> str:
    """What llama-bench calls a test: `pp512`, `tg128 @ d4096`, `pp512+tg128`."""
    parts = [f"pp{n_prompt}"] if n_prompt else []
    parts += [f"tg{n_gen}"] if n_gen else []
    return ("+".join(parts) or "empty") + (f" @ d{n_depth}" if n_depth else "")


def _read_json(text: str) -> tuple[list[Row], list[Remark], bool]:
    array = re.search(r"^[ \t]*\[[ \t]*(?=\{|$)", text, re.MULTILINE)
    objects = find_objects(text, NEEDED, array.end() if array else 0)
    rows = [Row(found.value, found.line) for found in objects.whole]
    whole = not objects.broken and (array is None or re.search(r"(?:\A|^)\s*\]", objects.rest, re.MULTILINE) is not None)
    remarks = [NO_END] if array is None and rows else []
    if not whole:
        begun = "; one that was begun is lost" if objects.broken else ""
        remarks.append(
            lost(
                f"the output was cut short: {counted(len(rows), 'whole test')} taken{begun}, and how many were still to come is not known",
                objects.broken[0] if objects.broken else None,
            )
        )
    elif not rows:
        remarks.append(lost("no test in the output"))
    return rows, remarks, whole and bool(rows)


def _benchmark(row: Row) -> Benchmark:
    values = {key: _typed(key, value) for key, value in row.values.items()}
    n_prompt, n_gen, n_depth = (_integer(values.get(key)) for key in ("n_prompt", "n_gen", "n_depth"))
    durations = tuple(_integer(ns) for ns in _list(row.values.get("samples_ns")) if _integer(ns) > 0)
    rates = tuple((n_prompt + n_gen) * 1e9 / ns for ns in durations)
    if not rates:
        rates = tuple(float(rate) for rate in _list(row.values.get("samples_ts")) if _is_number(rate))
    printed_mean, printed_stddev = _real(values.get("avg_ts")), _real(values.get("stddev_ts"))
    return Benchmark(
        name=test_name(n_prompt, n_gen, n_depth),
        quantity="throughput",
        unit="token/s",
        direction="higher",
        samples=rates,
        mean=mean_of(rates) if rates else printed_mean,
        stddev=stddev_of(rates) if rates else (printed_stddev or None),
        repetitions=len(rates) or None,
        raw=durations,
        raw_unit="ns",
        settings=MappingProxyType({k: v for k, v in values.items() if k not in FIGURES}),
        printed=MappingProxyType({k: str(row.values[k]) for k in ("avg_ts", "stddev_ts") if k in row.values}),
        line=row.line,
    )


def _doubts(test: Benchmark) -> Iterable[Remark]:
    if test.repetitions == 1:
        yield doubtful(f"{test.name}: one repetition, so its standard deviation is not known (0 is printed)", test.line)
    elif test.repetitions is None and _real(test.printed.get("stddev_ts")) == 0:
        yield doubtful(f"{test.name}: a standard deviation of 0 is printed, as for one repetition: not known", test.line)
    printed = _real(test.printed.get("avg_ts"))
    if test.raw and printed is not None and test.mean is not None and not _same(printed, test.mean):
        yield doubtful(f"{test.name}: {printed} t/s is printed, and the samples give {test.mean:.6f}", test.line)
    if test.samples and not test.raw:
        yield doubtful(f"{test.name}: no nanoseconds; the rates as printed have six digits", test.line)
    if not test.samples and test.mean is None:
        yield lost(f"{test.name}: neither samples nor a mean", test.line)


def _context(tests: list[Benchmark], remarks: list[Remark]) -> Mapping[str, Scalar]:
    context: dict[str, Scalar] = {}
    for key in CONTEXT:
        seen = list(dict.fromkeys(test.settings[key] for test in tests if key in test.settings))
        if len(seen) == 1:
            context[key] = seen[0]
        elif key == "build_commit" and seen:
            remarks.append(doubtful(f"tests of several builds in one file: {', '.join(map(str, seen))}"))
    if tests and "build_commit" not in context and not any("build_commit" in t.settings for t in tests):
        remarks.append(unknown("the commit of the build"))
    return MappingProxyType(context)


def _typed(key: str, value: Any) -> Any:
    """A value in the type that all forms share: text forms write every value as text, old builds write bools."""
    if key == "flash_attn":
        return _flash_attention(value)
    if key in BOOLEANS and str(value) in ("0", "1", "True", "False"):
        return str(value) in ("1", "True")
    if isinstance(value, str):
        if key in INTEGERS and re.fullmatch(r"-?\d+", value):
            return int(value)
        if key in REALS and _is_number(value):
            return float(value)
    return value


def _flash_attention(value: Any) -> Any:
    """1, 0 or -1 (decided by the program), whichever way a build printed it."""
    words = {"true": 1, "on": 1, "1": 1, "false": 0, "off": 0, "0": 0, "auto": -1, "-1": -1}
    return words.get(str(value).lower(), value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _integer(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return 0


def _is_number(value: Any) -> bool:
    return _real(value) is not None


def _real(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _same(printed: float, computed: float) -> bool:
    return math.isclose(printed, computed, rel_tol=1e-9, abs_tol=1e-6)
