"""compute-sanitizer's synccheck, and what its output says."""

from __future__ import annotations

from collections.abc import Sequence

from run_environment import Run, matching


def synccheck(run: Run) -> tuple[str, ...]:
    """The command that the program under test is put behind; it adds the place in the source to each error."""
    return (run.tool("compute-sanitizer"), "--tool", "synccheck", "--show-backtrace", "device")


def report_barriers(run: Run, lines: Sequence[str]) -> None:
    """How many barrier errors there are, and where. The tool prints 100 at most unless told otherwise; its summary has them all."""
    summary = matching(lines, r"=+ ERROR SUMMARY: (?P<errors>\d+) errors?$")
    if not summary:
        raise SystemExit("compute-sanitizer printed no summary, so nothing is known of the errors")
    run.report("errors", int(summary[-1]["errors"]), "errors")
    run.report("errors_printed", len(matching(lines, r"Barrier error detected\. Divergent thread\(s\) in block")), "errors")
    places = [m["place"] for m in matching(lines, r"^=+ +at .* in (?P<place>[\w.-]+:\d+)$")]
    run.report("places", sorted(set(places)) or "none")
