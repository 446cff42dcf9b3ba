"""What counts as reproduced: the shape of a script's expectations and needs (`kvdocs.evidence.expect` and `.requirements` give them their meaning)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from kvdocs.model import Number, Part, empty_list


def _regex(value: str) -> str:
    try:
        re.compile(value)
    except (re.error, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except RecursionError:
        raise ValueError("not a regular expression: nested too deep") from None
    return value


def _unit(value: str) -> str:
    from kvdocs.figures.units import unit

    unit(value)
    return value


def _total(value: str) -> str:
    if re.compile(_regex(value)).groups < 1:
        raise ValueError("the pattern of a total has a group around the number")
    return value


Pattern = Annotated[str, AfterValidator(_regex)]
"""A regular expression of Python, searched for in each line."""
Total = Annotated[str, AfterValidator(_total)]
Stream = Literal["any", "stdout", "stderr"]

SUBJECTS = ("exit", "signal", "pattern", "absent", "value", "any", "all")
RELATIONS = ("equals", "at_least", "at_most", "above", "below")


class Capture(Part):
    """A value taken from the output: the first group of the pattern, or the whole match; named groups become parts of it."""

    pattern: Pattern = Field(description="What to look for in each line.")
    stream: Stream = Field(default="any", description="Where to look.")
    take: Literal["first", "last", "count", "sum", "max", "min"] = Field(default="first", description="Which of the matches counts, or what is made of all of them.")
    capped_at: int | None = Field(default=None, ge=1, description="A count that reached this is `at least`, because the tool prints no more.")
    total: Total | None = Field(default=None, description="A line that tells the whole number; the largest counts.")
    unit: Annotated[str, AfterValidator(_unit)] | None = Field(default=None, description="The unit of the number, such as `ms`; without one it is a pure number to formulas and measurements.")


class Condition(Part):
    """One thing that an execution shows or does not."""

    exit: int | str | list[int | str] | None = Field(default=None, description="An exit code, several of them, or `nonzero`. 128 + N is death by signal N.")
    signal: str | list[str] | None = Field(default=None, description="The signal that ended it, such as `SIGABRT`.")
    pattern: Pattern | None = Field(default=None, description="A pattern that so many matches have; one at least when no relation is given.")
    absent: Pattern | None = Field(default=None, description="A pattern that no line has.")
    stream: Stream = Field(default="any", description="Where to look.")
    capped_at: int | None = Field(default=None, ge=1, description="A count that reached this is `at least`.")
    total: Total | None = Field(default=None, description="A line that tells the whole number.")
    value: str | None = Field(default=None, description="A capture, or a figure that the script wrote; dots lead into groups of figures.")
    equals: Number | str | None = Field(default=None, description="The relation: exactly this.")
    at_least: Number | None = Field(default=None, description="The relation: this or more.")
    at_most: Number | None = Field(default=None, description="The relation: this or less.")
    above: Number | None = Field(default=None, description="The relation: more than this.")
    below: Number | None = Field(default=None, description="The relation: less than this.")
    any: list[Condition] | None = Field(default=None, description="One of these holds.")
    all: list[Condition] | None = Field(default=None, description="All of these hold.")

    @model_validator(mode="after")
    def _one_subject(self) -> Condition:
        subjects = [name for name in SUBJECTS if getattr(self, name) is not None]
        if len(subjects) != 1:
            raise ValueError(f"a condition is about one of {', '.join(SUBJECTS)}, not {' and '.join(subjects) or 'none of them'}")
        if subjects == ["value"] and not any(getattr(self, relation) is not None for relation in RELATIONS):
            raise ValueError(f"a condition on a value has one of {', '.join(RELATIONS)}")
        return self


class Pool(Part):
    """What counts over several executions."""

    reproduced_at_least: int = Field(default=1, ge=1, description="How many executions have to reproduce.")
    clean_at_least: int = Field(default=1, ge=1, description="How many have to be clean, with none that reproduces.")


class Expect(Part):
    """What an execution has to show. When both lists hold, or neither does, it decides nothing."""

    exit_code_decides: bool = Field(default=True, description="False where the exit code tells nothing, as that of compute-sanitizer.")
    captures: dict[str, Capture] = Field(default_factory=dict, description="Values to take from the output, by name.")
    reproduced: list[Condition] = Field(default_factory=empty_list, description="All of these: reproduced.")
    not_reproduced: list[Condition] = Field(default_factory=empty_list, description="All of these: not reproduced.")
    pool: Pool | None = Field(default=None, description="What several executions mean together.")

    def as_mapping(self) -> dict[str, Any]:
        """Plain data as the runner takes it: only what was written, numbers as JSON has them."""
        plain = _plain(self)
        assert isinstance(plain, dict)
        return plain


def _plain(value: Any) -> Any:
    from decimal import Decimal

    if isinstance(value, Part):  # pydantic's own way would first make what writes this part when it stands alone
        value = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def conditions_of(expect: Expect) -> list[Condition]:
    """Every condition of the expectations, those inside `any` and `all` too."""
    found: list[Condition] = []
    todo = [*expect.reproduced, *expect.not_reproduced]
    while todo:
        condition = todo.pop(0)
        found.append(condition)
        todo += [*(condition.any or []), *(condition.all or [])]
    return found


class BuildNeed(Part):
    """A build tree and what must be in it."""

    tree: str | None = Field(default=None, description="Its name; `KVDOCS_BUILD_NAME` says where `build-name` is, and `KVDOCS_BUILD` where any is.")
    binaries: list[str] = Field(default_factory=empty_list, description="Programs in it, such as `bin/test-backend-ops`.")
    cmake: dict[str, Pattern] = Field(default_factory=dict, description="Options it was configured with: a regular expression for the whole value.")


def _comparisons(value: str) -> str:
    if not re.fullmatch(r"\s*(?:>=|<=|==|!=|>|<)?\s*\d+(?:\.\d+)?\s*(?:,\s*(?:>=|<=|==|!=|>|<)\s*\d+(?:\.\d+)?\s*)*", value):
        raise ValueError("a list of comparisons such as `>=8.0,<10`")
    return value


class Needs(Part):
    """What the machine must have. What is missing is said before anything is executed."""

    tools: list[str] = Field(default_factory=empty_list, description="Programs on the PATH.")
    source: bool = Field(default=False, description="A source tree, named by `KVDOCS_SOURCE`.")
    build: BuildNeed | None = Field(default=None, description="A build tree.")
    model: bool = Field(default=False, description="A model file, named by `KVDOCS_MODEL`.")
    gpu: int = Field(default=0, ge=0, description="How many GPUs at least.")
    compute_capability: Annotated[str, AfterValidator(_comparisons)] | None = Field(default=None, description="Of the first GPU, such as `>=8.0,<10`.")
    gpu_memory_mib: int | None = Field(default=None, ge=1, description="Memory of the first GPU, in MiB.")
    memory_mib: int | None = Field(default=None, ge=1, description="Memory of the machine, in MiB.")
    variables: list[str] = Field(default_factory=empty_list, description="Environment variables that must be set; the script is given them.")

    def as_mapping(self) -> dict[str, Any]:
        """Plain data as the runner takes it: only what is needed."""
        plain = _plain(self.model_dump(exclude_defaults=True))
        assert isinstance(plain, dict)
        if self.build is not None:
            plain.setdefault("build", {})
        return plain
