"""llama-bench in its five forms, whole and as a killed run leaves them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange.benchmark import describe, varying
from kvdocs.exchange.llama_bench import parse
from kvdocs.exchange.llama_bench import test_name as name_of_test
from kvdocs.exchange.remark import UnreadableSourceError

SAMPLES = Path(__file__).parent / "samples"
JSON, JSONL, MD, CSV, SQL = ((SAMPLES / f"llama-bench.{form}").read_text() for form in ("json", "jsonl", "md", "csv", "sql"))
NEVER_TOLD = [
    "  unknown: the environment variables of the run: llama-bench does not print them",
    "  unknown: the command line: only the settings that it prints are known",
    "  unknown: whether the source tree was dirty: build_commit carries no mark of it",
]
NO_SAMPLES = "  unknown: the samples and how many there were: this form holds a mean and a standard deviation only"
NO_END = "  unknown: whether the run reached its end: this form has no end mark"


def one_test(**changes: object) -> str:
    """The first object of the JSON sample with some values changed or, when None, left out."""
    values = {**json.loads(JSON)[0], **changes}
    return json.dumps([{key: value for key, value in values.items() if value is not None}])


def test_json() -> None:
    assert describe(parse(JSON)) == [
        "llama-bench json: 4 benchmarks",
        "  pp64: 114016 ± 6739.81 token/s (n = 3)",
        "  tg16: 23471.1 ± 4100.35 token/s (n = 3)",
        "  pp64 @ d64: 104716 ± 4615.97 token/s (n = 3)",
        "  tg16 @ d64: 11511.5 ± 270.364 token/s (n = 3)",
        *NEVER_TOLD,
    ]


def test_json_rates_come_from_the_nanoseconds() -> None:
    test = parse(JSON).rows[1]
    assert test.raw == (818155, 691970, 576896)
    assert test.samples == tuple(16 * 1e9 / ns for ns in test.raw)
    assert test.printed == {"avg_ts": "23471.073758", "stddev_ts": "4100.353557"}
    assert test.mean == pytest.approx(23471.073758, abs=1e-6)
    assert test.stddev == pytest.approx(4100.353557, abs=1e-6)


def test_jsonl_is_read_as_json() -> None:
    assert describe(parse(JSONL))[:5] == [
        "llama-bench json: 4 benchmarks",
        "  pp64: 120489 ± 6359.33 token/s (n = 3)",
        "  tg16: 14932.5 ± 10293.1 token/s (n = 3)",
        "  pp64 @ d64: 92157.7 ± 14839.3 token/s (n = 3)",
        "  tg16 @ d64: 8561.32 ± 4945.55 token/s (n = 3)",
    ]


def test_markdown() -> None:
    report = parse(MD)
    assert describe(report) == [
        "llama-bench markdown: 4 benchmarks",
        "  pp64: 117188 ± 10797.4 token/s (n not known)",
        "  tg16: 16727.2 ± 11987.5 token/s (n not known)",
        "  pp64 @ d64: 81531.4 ± 12754.1 token/s (n not known)",
        "  tg16 @ d64: 10649.4 ± 1053.52 token/s (n not known)",
        *NEVER_TOLD,
        NO_SAMPLES,
        "  unknown: settings at their default: the Markdown table shows only those that differ from it",
        "  unknown: digits beyond the printed ones: sizes and rates are rounded in the Markdown table",
    ]
    assert report.rows[2].settings == {
        "model_type": "llama ?B all F32",
        "model_size": "0.44 MiB",
        "model_n_params": "0.12 M",
        "backends": "CPU",
        "n_threads": 1,
        "n_prompt": 64,
        "n_gen": 0,
        "n_depth": 64,
        "build_commit": "749f688fc",
        "build_number": 1,
    }


@pytest.mark.parametrize(("text", "form"), [(CSV, "csv"), (SQL, "sql")])
def test_csv_and_sql_hold_the_settings_of_json_and_no_samples(text: str, form: str) -> None:
    report = parse(text)
    assert report.source == f"llama-bench {form}"
    assert [str(remark) for remark in report.remarks] == [line.strip() for line in (*NEVER_TOLD, NO_SAMPLES, NO_END)]
    settings = [{k: v for k, v in row.settings.items() if k != "test_time"} for row in report.rows]
    assert settings == [{k: v for k, v in row.settings.items() if k != "test_time"} for row in parse(JSON).rows]
    assert [(row.samples, row.repetitions) for row in report.rows] == [((), None)] * 4


def test_markdown_as_pasted_into_an_issue() -> None:
    text = """\
        Here is what I see:

        | model         |     size | params | backend | ngl | fa |             test |          t/s |
        | ------------- | -------: | -----: | ------- | --: | -: | ---------------: | -----------: |
        | qwen IQ2_M    | 9.60 GiB | 27.0 B | CUDA    |  99 |  1 | pp512+tg128 @ d4096 | 13.03 ± 0.06 |
        | qwen IQ2_M    | 9.60 GiB | 27.0 B | CUDA    |  99 |  0 | tg128            | 31.60        |
    """
    report = parse(text)
    first, second = report.rows
    assert (first.name, first.mean, first.stddev, first.printed) == ("pp512+tg128 @ d4096", 13.03, 0.06, {"avg_ts": "13.03", "stddev_ts": "0.06"})
    assert (second.name, second.mean, second.stddev) == ("tg128", 31.6, None)
    assert varying(report.rows) == ["flash_attn", "n_prompt", "n_depth"]
    assert [str(r) for r in report.remarks][-2:] == [
        "lost: the `build:` line after the table: the commit is not known, and rows may be missing",
        "unknown: the commit of the build",
    ]
    assert not report.whole


def test_log_lines_before_the_array_are_skipped() -> None:
    noisy = "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: [0] RTX 4070\n{not json\n" + JSON + "[done]\n"
    assert describe(parse(noisy)) == describe(parse(JSON))


def test_a_killed_run_gives_its_whole_tests() -> None:
    cut = JSON[: JSON.rindex('"samples_ns"')]
    report = parse(cut)
    assert [row.name for row in report.rows] == ["pp64", "tg16", "pp64 @ d64"]
    assert [str(r) for r in report.remarks if r.line] == [
        "lost: line 134: the output was cut short: 3 whole tests taken; one that was begun is lost, and how many were still to come is not known"
    ]
    assert not report.whole


def test_a_run_killed_between_two_tests() -> None:
    cut = JSON[: JSON.rindex("},") + 2]
    report = parse(cut)
    assert [row.name for row in report.rows] == ["pp64", "tg16", "pp64 @ d64"]
    assert str(report.remarks[-1]) == "lost: the output was cut short: 3 whole tests taken, and how many were still to come is not known"
    assert not report.whole


def test_a_number_of_thousands_of_digits_was_a_traceback() -> None:
    report = parse(JSON.replace('"avg_ns": ', f'"avg_ns": {"9" * 5000}', 1))
    assert [row.name for row in report.rows] == ["tg16", "pp64 @ d64", "tg16 @ d64"]
    assert [str(r) for r in report.remarks if r.line] == [
        "lost: line 2: the output was cut short: 3 whole tests taken; one that was begun is lost, and how many were still to come is not known"
    ]


def test_keys_of_a_fork_are_kept() -> None:
    settings = parse(one_test(kv_cpu_pinned=1, kvarn_route_prefill="mma", cuda_graphs=True)).rows[0].settings
    assert (settings["kv_cpu_pinned"], settings["kvarn_route_prefill"], settings["cuda_graphs"]) == (1, "mma", True)


@pytest.mark.parametrize(("printed", "meant"), [(True, 1), (False, 0), (1, 1), (-1, -1), ("1", 1), ("auto", -1)])
def test_flash_attention_is_a_number_whichever_build_printed_it(printed: object, meant: int) -> None:
    assert parse(one_test(flash_attn=printed)).rows[0].settings["flash_attn"] == meant


def test_one_repetition_has_no_standard_deviation() -> None:
    report = parse(one_test(samples_ns=[575693], avg_ts=64e9 / 575693, stddev_ts=0.0))
    assert report.rows[0].stddev is None
    assert str(report.remarks[-1]) == "doubtful: line 1: pp64: one repetition, so its standard deviation is not known (0 is printed)"


def test_zero_deviation_without_samples_is_not_known_either() -> None:
    report = parse(MD.replace("± 1053.52", "± 0.00"))
    assert report.rows[3].stddev is None
    assert str(report.remarks[-1]) == "doubtful: line 6: tg16 @ d64: a standard deviation of 0 is printed, as for one repetition: not known"


def test_a_mean_that_is_not_that_of_the_samples_is_named() -> None:
    report = parse(one_test(avg_ts=120000.0))
    assert report.rows[0].mean == pytest.approx(114016.165051)
    assert str(report.remarks[-1]) == "doubtful: line 1: pp64: 120000.0 t/s is printed, and the samples give 114016.165051"


def test_an_old_build_without_depth() -> None:
    assert parse(one_test(n_depth=None)).rows[0].name == "pp64"


def test_a_quote_in_a_path_breaks_sql_and_is_read_all_the_same() -> None:
    report = parse(SQL.replace("models/tiny.gguf", "models/it's.gguf"))
    assert {row.settings["model_filename"] for row in report.rows} == {"models/it's.gguf"}
    assert str(report.remarks[-1]) == "doubtful: line 47: a quote in a value is not escaped: SQL refuses this statement"


@pytest.mark.parametrize("text", ["", "[\n", '[\n  {\n    "build_com'])
def test_a_run_that_was_killed_before_its_first_test(text: str) -> None:
    report = parse(text)
    assert (report.rows, report.whole) == ((), False)
    assert report.remarks[-1].shortfall == "lost"


@pytest.mark.parametrize("text", ["hello\n", "error: failed to load model [x]\n", "build,number\n1,2\n"])
def test_a_file_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(UnreadableSourceError, match="no llama-bench output"):
        parse(text)


@pytest.mark.parametrize(("numbers", "name"), [((512, 0, 0), "pp512"), ((0, 128, 4096), "tg128 @ d4096"), ((512, 128, 0), "pp512+tg128"), ((0, 0, 0), "empty")])
def test_names(numbers: tuple[int, int, int], name: str) -> None:
    assert name_of_test(*numbers) == name


@pytest.mark.parametrize(("text", "has_end_mark"), [(JSON, True), (MD, True), (JSONL, False), (CSV, False), (SQL, False)], ids=["json", "md", "jsonl", "csv", "sql"])
@given(data=st.data())
def test_any_cut_gives_a_prefix_of_the_tests(text: str, has_end_mark: bool, data: st.DataObject) -> None:
    """The commit of a Markdown table stands at its end, so a cut loses it; figures and names stay."""
    cut = data.draw(st.integers(min_value=0, max_value=len(text)))
    full = [(row.name, row.samples, row.mean, row.stddev) for row in parse(text).rows]
    try:
        report = parse(text[:cut])
    except UnreadableSourceError:
        assert cut < text.index("\n") + 1
        return
    assert [(row.name, row.samples, row.mean, row.stddev) for row in report.rows] == full[: len(report.rows)]
    assert not (has_end_mark and report.whole) or len(report.rows) == len(full)
