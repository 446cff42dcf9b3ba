"""`kvdocs compare` and `kvdocs show`: the arms of a measurement, its table, and a figure with what depends on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.conftest import MakeProject, Ran

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/probes/P1.yaml": """
        id: P1
        title: Never waits
        base_commit: 0123abc
        purpose: To see what waiting costs.
        output_correct: false
    """,
    "registry/measurements/M1.yaml": """
        id: M1
        title: Two arms, worth {{ M1.gain[4096] }}
        environment: box
        probes: [P1]
        key: depth
        columns:
          - {name: depth, title: Depth, unit: token, exact: true}
          - {name: before, title: Before, unit: token/s, better: higher}
          - {name: after, title: After, unit: token/s, better: higher}
          - {name: gain, title: Gain, unit: "%", better: higher, compute: mean(after) / mean(before) - 1, relative_to: before}
          - {name: remark, title: Remark, unit: text}
        rows:
          - {depth: 4096, before: {samples: [31.72, 31.70]}, after: {samples: [38.49, 38.50]}, gain: {published: 21.4}, remark: quiet}
          - {depth: 8192, before: {samples: [25.42, 25.41]}, after: {samples: [25.41, 25.42]}, gain: {published: 0.7}}
          - {depth: 16384, before: 19.69}
        order: [before, after, before, after]
        noise_floor: [M1, M2]
        comparisons:
          - {a: before, b: after}
        charts:
          - {type: bars, columns: [before, after], title: Both arms}
        rules_out: It is not noise.
    """,
    "registry/measurements/M2.yaml": """
        id: M2
        title: The same arm again and again
        key: depth
        columns:
          - {name: depth, title: Depth, unit: token, exact: true}
          - {name: rate, title: Rate, unit: token/s}
          - {name: doubled, title: Doubled gain, unit: "%", compute: "2 * M1.gain", relative_to: the arm before}
        rows:
          - {depth: 4096, rate: {samples: [31.74, 31.71, 31.70, 31.76, 31.73, 31.71, 31.68, 31.75, 31.71, 31.72]}}
    """,
    "registry/claims/K1.yaml": 'id: K1\ntitle: It is a fifth\nexpression: M1.gain[4096]\nat_least: 20\nunit: "%"\n',
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Never wait
        status: open
        owners: [ann]
        payoffs:
          - {what: Speed, figure: "M1.gain[4096]", gain: 21, basis: ceiling}
    """,
}


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


def told(ran: Ran) -> tuple[int, str, str]:
    """The exit code, what was printed, and what went to the error output."""
    return ran.code, ran.out, ran.err


def lines(text: str) -> str:
    """An answer as the test writes it: indented, without a first line break."""
    return dedent(text).lstrip("\n")


def test_the_arms_are_compared(root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert told(kvdocs("compare", "M1", at=root)) == (
        0,
        lines("""
        M1  Two arms, worth +21.4%  reported, box

        Row    Arms                  Pairs  Change   95%, noise floor            95%, pairs alone           Verdict
        4,096  after against before  2      +21.40%  +21.22% to +21.57% (13 df)  +20.71% to +22.09% (1 df)  gain
        8,192  after against before  2      +0.00%   −0.14% to +0.14% (13 df)    −0.50% to +0.50% (1 df)    equivalent within 0.12%

        In token/s, higher is better.
        Noise floor: 0.066% between processes, 13 degrees of freedom, from M1, M2.
        A change of up to 1.00% is of no practical use.
        warning: the program's output is wrong under P1: these are bounds, not results
        warning: the arms ran in the order before after before after, in which a steady drift does not cancel
        """),
        "",
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("M2", "error: M2 compares no arms\n  hint: name two columns with samples: `comparisons: [{a: before, b: after}]`\n"),
        ("R1", "error: R1 is a record of kind item: only the arms of a measurement can be compared\n  hint: measurements that compare arms: M1\n"),
        ("M11", "error: no record has the id 'M11'\n  hint: did you mean 'M1'?\n"),
        ("nothing", "error: no record has the id 'nothing'\n  hint: measurements that compare arms: M1\n"),
    ],
)
def test_what_cannot_be_compared_is_refused(name: str, error: str, root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert told(kvdocs("compare", name, at=root)) == (2, "", error)


def test_arms_without_samples_are_refused(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    text = """
        id: M1
        title: Two columns
        key: case
        columns:
          - {name: case, title: Case, unit: text}
          - {name: a, title: A, unit: s}
          - {name: b, title: B, unit: s}
        rows:
          - {case: one, a: 1.5, b: 1.25}
        comparisons:
          - {a: a, b: b}
    """
    ran = kvdocs("compare", "M1", at=make_project({"registry/measurements/M1.yaml": text}).root)
    assert told(ran) == (2, "", "error: no row of M1 has samples of both arms, all of them positive\n  hint: write `{samples: [31.7287, 31.7165]}`, one figure for each process\n")


def test_a_measurement_is_shown_with_its_computed_table_and_what_is_wrong_with_it(root: Path, kvdocs: Callable[..., Ran]) -> None:
    out = kvdocs("show", "M1", at=root).out
    assert out[: out.index("Comparison of the arms")] == lines("""
        M1  Two arms, worth +21.4%  measurement

        These figures are bounds, not results
          The program's output is wrong under P1.
        warning[published-differs]: M1.gain[8192]: +0.7% was published, and the inputs give 0.0% (with their
          rounding, −0.04% to +0.04%)
          hint: gain = mean(after) / mean(before) - 1
        warning[order-drifts]: in the order before after before after a steady drift does not cancel
          hint: run A B B A

        Basis              reported
        Environment        box
        Probes             P1
        Order of the arms  before, after, before, after
        Noise floor from   M1, M2

        Figures
          Depth (token)  Before (token/s)  After (token/s)                   Gain  Remark
                  4,096      31.72, 31.70     38.49, 38.50                 +21.4%  quiet
                  8,192      25.42, 25.41     25.41, 25.42  0.0%, published +0.7%  –
                 16,384             19.69                –                      –  –

        Claims about it
          Claim  Text           Verdict  Why
          K1     It is a fifth  holds    the value is 21.4%, and the claim is that it is at least 20%

        What it rules out
          It is not noise.

        """)


def test_a_claim_and_an_item_are_shown_with_what_is_computed(root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert kvdocs("show", "K1", at=root).out == lines("""
        K1  It is a fifth  claim  holds

        These figures are bounds, not results
          The program's output is wrong under P1.

        Verdict     holds
        Why         the value is 21.4%, and the claim is that it is at least 20%
        Rests on    reported
        Expression  M1.gain[4096]
        Claimed     is at least 20%

        Row by row
          Value  Rounding and uncertainty allow  Verdict
          21.4%                  21.2% to 21.6%  holds

        What it rests on
          Figure         Measurement
          M1.gain[4096]  M1

        registry/claims/K1.yaml:1
        """)
    item = kvdocs("show", "R1", at=root).out
    assert item[item.index("What it brings") : item.index("registry/")] == lines("""
        What it brings
          Payoff    Gain  Basis
          Speed   +21.4%  ceiling

        """)


def test_a_figure_is_shown_with_everything_that_depends_on_it(root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert told(kvdocs("show", "M1.before[4096]", at=root)) == (
        0,
        lines("""
        M1.before[4096]  31.71 token/s  reported
        samples: 31.72, 31.70
        with its rounding: 31.705 to 31.715

        Cells
          Cell              Figure  Formula
          M1.gain[4096]     +21.4%  mean(after) / mean(before) - 1
          M2.doubled[4096]  42.8%   2 * M1.gain

        Claims
          Claim  Verdict  Why
          K1     holds    the value is 21.4%, and the claim is that it is at least 20%

        Texts and fields
          Record  Field              Cites                Shows
          R1      payoffs[0].figure  M1.gain[4096]        +21.4%
          M1      title              {{ M1.gain[4096] }}  +21.4%

        Charts
          M1: Both arms

        Comparisons
          M1, row 4,096

        Noise floor of
          M1
        """),
        "",
    )


def test_a_computed_figure_tells_what_it_reads(root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert kvdocs("show", "M1.gain[8192]", at=root).out == lines("""
        M1.gain[8192]  0.0%  reported
        formula: mean(after) / mean(before) - 1
        reads: M1.after[8192], M1.before[8192]
        with its rounding: -0.0393391 to 0.0393546
        published: 0.7, not reproduced

        Nothing else rests on it.
        """)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("M1.gain", "error: no record has the id 'M1.gain'\n  hint: a figure is named with its row: `M1.gain[ROW]`\n"),
        ("M1[4096]", "error: M1 is a measurement, and a figure is in one of its columns\n  hint: such as `M1.before[4096]`\n"),
        ("M1.gain[5]", "error: M1 has no row 5\n  hint: its rows are 4096, 8192, 16384\n"),
        ("M1.gian[4096]", "error: M1 has no column 'gian'\n  hint: did you mean 'gain'?\n"),
        ("M11.gain[4096]", "error: there is no measurement 'M11'\n  hint: did you mean 'M1'?\n"),
        ("R1.gain[4096]", "error: R1 is a record of kind item: only a measurement has figures\n  hint: such as `M2.host[4096]`\n"),
        ("M1.gain[4096] + 1", "error: 'M1.gain[4096] + 1' is not the name of one figure\n  hint: such as `M2.host[4096]`\n"),
        ("M1.gain[:]", "error: 'M1.gain[:]' is not the name of one figure\n  hint: such as `M2.host[4096]`\n"),
        ("M1.__class__[1]", "error: a name does not begin with an underscore: '__class__'\n"),
    ],
)
def test_what_is_no_figure_is_said(name: str, error: str, root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert told(kvdocs("show", name, at=root)) == (2, "", error)
