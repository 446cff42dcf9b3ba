"""One address for each kind of page that the site has: what is looked at by every test that looks at all of them."""

from __future__ import annotations

RECORDS = {
    "claim": "K6", "correction": "C1", "decision": "Q1", "defect": "D2", "environment": "h200", "experiment": "X1", "item": "R9", "measurement": "M3",
    "owner": "fork", "probe": "P1", "reference": "fork-34", "result": "e5a49458580e6467", "script": "d2-barrier",
}  # fmt: skip
"""A record of each kind."""

KINDS_OF_PAGES = (
    "", "graph/", "defects/", "roadmap/", "results/", "evidence/", "published/", "problems/", "counts/", "changes/", "explanation/order/", "explanation/few-runs/",
    "reference/records/", "reference/problems/", "reference/commands/", "tutorial/first-registry/", *(f"records/{name}/" for name in RECORDS.values()),
)  # fmt: skip
"""Home, the picture, lists, reports, what is made from the program, what is written by hand, and a record of each kind."""
