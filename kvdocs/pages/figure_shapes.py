"""The documents about figures: what is computed for a record, a figure with what depends on it, the comparisons of a measurement."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kvdocs.model import Part


class Document(Part):
    """A document for programs. `schema` names its form; a change that could break a reader gets a new number."""

    model_config = ConfigDict(populate_by_name=True, strict=False)


Basis = Literal["reported", "executed", "executed and reported", "counted"]


class FigureEntry(Document):
    """A figure as it is computed."""

    name: str = Field(description="`M3.gain[16384]`; of a field that cites a figure, its place in the record.")
    text: str | None = Field(description="With its unit, as pages show it.")
    value: float | None = Field(description="In its unit, from the inputs as they are written.")
    low: float | None = Field(description="What the rounding of the inputs allows at least; null where no lower bound is known.")
    high: float | None = Field(description="What it allows at most; null where only a lower bound is known, such as a count that a tool capped.")
    uncertainty: float | None = Field(description="The standard uncertainty, where samples tell one.")
    unit: str
    formula: str | None
    samples: list[float]
    published: float | None = Field(description="What was published for it.")
    reproduction: Literal["reproduced", "not reproduced", "undecided", "no inputs on record"] | None
    rests_on: Basis | None
    error: str | None = Field(description="Why it cannot be computed.")


class Computed(Document):
    """What is computed for a record."""

    rests_on: Basis | None
    figures: list[FigureEntry] = Field(description="Every cell of a measurement, or the payoffs and outcomes that cite a figure.")
    verdict: Literal["holds", "fails", "undecided"] | None = Field(description="Of a claim.")
    reason: str | None = Field(description="Why, in words.")


class DependentClaim(Document):
    """A claim that a figure decides."""

    id: str
    verdict: Literal["holds", "fails", "undecided"]
    reason: str


class DependentText(Document):
    """A text or a field that cites a figure."""

    record: str
    field: str = Field(description="As `kvdocs set` takes it.")
    cites: str
    shows: str


class DependentChart(Document):
    """A chart that shows a figure."""

    measurement: str
    title: str


class DependentComparison(Document):
    """A comparison of which a figure is an arm."""

    measurement: str
    row: int | str


class Dependents(Document):
    """Everything that changes when a figure does."""

    cells: list[FigureEntry] = Field(description="Nearest first.")
    claims: list[DependentClaim]
    texts: list[DependentText]
    charts: list[DependentChart]
    comparisons: list[DependentComparison]
    noise_floors: list[str] = Field(description="Measurements whose noise floor its samples belong to.")


class FigureDocument(Document):
    """One figure, what it reads, and what depends on it."""

    schema_: Literal["kvdocs/figure/v1"] = Field(alias="schema")
    figure: FigureEntry
    reads: list[str] = Field(description="The cells and executions that its formula reads.")
    dependents: Dependents


class ChangeInterval(Document):
    """A 95% interval of a change, as a fraction."""

    low: float
    high: float
    df: int = Field(description="The degrees of freedom behind it.")


class NoiseFloor(Document):
    """The spread between processes of a machine."""

    from_: list[str] = Field(alias="from", description="The measurements whose replicated arms tell it.")
    sd: float = Field(description="Standard deviation of logarithms.")
    df: int


class ArmSamples(Document):
    """The samples of both arms, one for each process."""

    a: list[float]
    b: list[float]


class ComparedArms(Document):
    """Arm `b` against arm `a` in one row."""

    row: int | str
    a: str
    b: str
    unit: str
    better: Literal["higher", "lower", "neither"]
    samples: ArmSamples
    pairs: int
    change: float = Field(description="The geometric mean of b / a, less one: 0.213 is +21.3%.")
    noise_floor: NoiseFloor | None
    pooled: ChangeInterval | None = Field(description="By the noise floor; null when it has too few degrees of freedom.")
    paired: ChangeInterval | None = Field(description="By the pairs alone.")
    basis: Literal["pooled", "paired", "none"] = Field(description="The interval that decided.")
    threshold: float = Field(description="The smallest change of practical use.")
    equivalent_within: float | None = Field(description="The smallest bound within which the arms are shown to be equivalent.")
    verdict: Literal["gain", "loss", "equivalent", "no difference shown"]
    words: str


class ArmOrder(Document):
    """The order in which the arms ran."""

    arms: list[str] | None
    drift: Literal["cancels drift", "does not cancel drift", "unknown"]


class SpreadArm(Document):
    """An arm whose samples spread more than the noise floor allows."""

    name: str
    ratio: float = Field(description="Its spread over that of the noise floor.")
    limit: float = Field(description="The most that is allowed.")


class ComparisonDocument(Document):
    """The arms of a measurement against each other."""

    schema_: Literal["kvdocs/comparison/v1"] = Field(alias="schema")
    id: str
    title: str
    rests_on: Basis | None
    environment: str | None
    wrong_output_under: list[str] = Field(description="Probes under which the program's output is wrong: the figures are bounds, not results.")
    order: ArmOrder
    comparisons: list[ComparedArms]
    invalid_arms: list[SpreadArm]
