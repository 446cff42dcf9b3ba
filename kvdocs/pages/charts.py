"""The drawings of a measurement for its page: the charts that its record asks for, and the plot of its comparisons."""

from __future__ import annotations

from kvdocs.kinds._measurement_view import Drawings
from kvdocs.kinds.measurement import Measurement
from kvdocs.ledger import Ledger
from kvdocs.pages.context import Provider
from kvdocs.pictures.measurement_charts import charts, comparison_plot


def drawings(ledger: Ledger) -> Provider:
    """Drawings by the id of a measurement, made when they are asked for; None for other records."""

    def drawn(record_id: str) -> Drawings | None:
        record = ledger.registry.record(record_id, Measurement)
        if record is None:
            return None
        figures = ledger.figures(record_id)
        return Drawings(charts(record, figures), comparison_plot(record, figures))

    return drawn
