"""The arm that the founding record discarded, by the program's own rule: a sigma of 1.72 token/s where about 0.06 is normal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kvdocs.figures.spread import Spread, invalid_ratio, is_invalid
from kvdocs.ledger import ledger_of
from kvdocs.pipeline import Inspection, publication
from kvdocs.view import Table

NORMAL = """
    id: M2
    title: The same arm again and again
    key: depth
    columns:
      - {name: depth, title: Depth, unit: token, exact: true}
      - {name: rate, title: Rate, unit: token/s}
    rows:
      - {depth: 4096, rate: {samples: [31.64, 31.76, 31.64, 31.76, 31.70, 31.70, 31.64, 31.76, 31.64, 31.76, 31.70]}}
"""
ARMS = """
    id: M1
    title: Two arms
    key: depth
    columns:
      - {name: depth, title: Depth, unit: token, exact: true}
      - {name: ordered, title: Ordered, unit: token/s, better: higher}
      - {name: unordered, title: Unordered, unit: token/s, better: higher}
    rows:
      - {depth: 4096, ordered: {samples: [31.73, 31.66, 31.72, 31.69]}, unordered: {samples: SAMPLES}}
    order: [ordered, unordered, unordered, ordered, ordered, unordered, unordered, ordered]
    noise_floor: [M2]
    comparisons:
      - {a: ordered, b: unordered}
"""
DISTURBED, AGAIN = "[33.19, 30.21, 33.19, 30.21]", "[38.49, 38.50, 38.44, 38.47]"
EXCLUSIONS = """
    exclusions:
      - what: Both arms of the block that overlapped another job; the disturbed one spread by 1.72.
        arm: unordered
        row: 4096
        values: [33.19, 30.21, 33.19, 30.21]
        rule: An arm that spreads more than the noise floor allows at a risk of 0.1 % is left out with its whole block.
        decided: before-looking
"""


def inspected(inspect_files: Callable[[Mapping[str, str]], Inspection], samples: str, more: str = "") -> Inspection:
    files = {"registry/measurements/M1.yaml": ARMS.replace("SAMPLES", samples) + more, "registry/measurements/M2.yaml": NORMAL}
    return inspect_files(files)


def test_the_discarded_arm_is_found(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """Its standard deviation is 1.72, that of the floor 0.05: more than 30 times as much."""
    inspection = inspected(inspect_files, DISTURBED)
    assert [str(p) for p in inspection.problems] == [
        "registry/measurements/M1.yaml:9:69: warning[invalid-arm]: M1.unordered[4096] spreads 32.1 times as much as the noise floor, and 3.5 times is the most\n"
        "    hint: leave the whole block out, keep its data under `exclusions`, and run it again"
    ]
    assert [str(arm.name) for arm in ledger_of(inspection.registry).invalid_arms("M1")] == ["M1.unordered[4096]"]


def test_what_is_left_out_stays_in_the_record(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """The block was run again; the disturbed data stand on the page, with the rule, and count for nothing."""
    inspection = inspected(inspect_files, AGAIN, EXCLUSIONS)
    assert inspection.problems == ()
    (comparison,) = ledger_of(inspection.registry).comparisons("M1")
    assert (comparison.result.words, round(comparison.result.change, 3)) == ("gain", 0.214)
    entry = inspection.registry.entries["M1"]
    view = entry.kind.view(entry, publication(inspection).at("records/M1.md"))
    (left_out,) = [block for section in view.sections if section.title == "What was left out" for block in section.blocks]
    assert isinstance(left_out, Table)
    assert left_out.rows == (
        (
            "Both arms of the block that overlapped another job; the disturbed one spread by 1.72.",
            ("33.19", "30.21", "33.19", "30.21"),
            "An arm that spreads more than the noise floor allows at a risk of 0.1 % is left out with its whole block.",
            "before looking",
            None,
        ),
    )


def test_the_two_sigmas_of_the_record_are_far_beyond_the_rule() -> None:
    """1.72 against 0.06 is a ratio of 28.7; with ten degrees of freedom behind the normal spread, three repetitions allow 3.86 and five 3.36."""
    assert [round(invalid_ratio(repetitions, 10), 2) for repetitions in (3, 5)] == [3.86, 3.36]
    normal = Spread(0.06 / 31.7, 10)
    assert [is_invalid(sigma / 31.7, repetitions, normal) for sigma in (1.72, 0.06, 0.2) for repetitions in (3, 5)] == [True, True, False, False, False, False]


def test_an_order_counts_what_was_left_out(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """Of four runs one was left out: three samples fit the order with it, and not without it."""
    one_out = "\n    exclusions:\n      - {what: The first run., arm: unordered, values: [33.19], rule: It met another job., decided: before-looking}\n"
    not_kept = one_out.replace("values: [33.19], ", "")
    codes = {
        more: [p.code.name for p in inspected(inspect_files, "[38.49, 38.50, 38.44]", more).problems] for more in ("", one_out, not_kept, one_out.replace("unordered", "ordered"))
    }
    assert list(codes.values()) == [["order-miscounts"], [], [], ["order-miscounts"]]
