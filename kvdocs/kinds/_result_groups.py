"""The groups of a result as far as anything here reads them: what they hold is the runner's to say, and has to have a form that can be shown, compared and exported."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema


@dataclass(frozen=True, slots=True)
class Holds:
    """Marks a mapping as one that holds at least what a model says: `Annotated[dict[str, Any], Holds(End)]`. The value stays the mapping that it is, with all that the model does not name."""

    model: type[BaseModel]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def checked(value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
            check(value)
            return value

        return core_schema.no_info_wrap_validator_function(checked, handler.generate_schema(self.model), serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))


class Group(BaseModel):
    """A mapping of which these fields are read, and others may stand in it; a field without a default is one that every runner and every import writes."""

    model_config = ConfigDict(extra="ignore", strict=True, arbitrary_types_allowed=True, defer_build=True)


FileName = Annotated[str, Field(pattern=r"^[^/\\\x00]+$")]
"""The name of a file that lies beside the record, and nowhere else: what it holds is published."""
PathText = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A path that can be asked for."""


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PydanticCustomError("number_type", "a number")
    return value


Number = Annotated[int | float | Decimal, BeforeValidator(_number)]
"""A number as the registry reads it, with its digits, or as JSON has it."""
Line = Annotated[str, Field(pattern=r"^\w+:[0-9]{1,18}$")]
"""Where something was found: `stdout:12`."""


class End(Group):
    reason: str
    duration_ns: Annotated[int, Field(ge=0, lt=1 << 63)] | None = None


class _Matcher(Group):
    id: str
    condition: dict[str, Any]
    observed: str
    hit: bool | None = None
    lines: list[Line] = []


class _Capture(Group):
    value: Number | str | None = None
    low: Number | None = None
    high: Number | None = None
    lines: list[Line] = []


class Judgement(Group):
    verdict: Literal["reproduced", "not-reproduced", "inconclusive"]
    reasons: list[str]
    matchers: list[_Matcher] = []
    captures: dict[str, _Capture] = {}


class Expectations(Group):
    captures: dict[str, dict[str, Any]] = {}


class _Hashed(Group):
    sha256: str | None = None


class _HashedPath(_Hashed):
    path: PathText | None = None


class Invocation(Group):
    argv: list[str]
    started: str | None = None
    env: dict[str, Any] | None = None
    script: _Hashed | None = None
    files: list[_HashedPath] | None = None
    expect_sha256: str | None = None


class _Patch(Group):
    id: str
    output_correct: bool | None = None


class Source(Group):
    repository: str | None = None
    commit: str | None = None
    patches: list[_Patch] | None = None


class _Binary(Group):
    path: str


class _Embedded(Group):
    commit: str


class Build(Group):
    cmake: dict[str, Any] | None = None
    binaries: list[_Binary] | None = None
    embedded_commit: _Embedded | None = None
    matches_source: bool | None = None


class _Model(Group):
    name: str
    bytes: int | None


class Inputs(Group):
    model: _Model | None = None


class _Gpu(Group):
    name: str | None = None
    memory_mib: int | None = None


class Machine(Group):
    gpu: list[_Gpu] = []


class _Lock(Group):
    waited_s: Number


class Exclusivity(Group):
    lock: _Lock | None = None
    violations: list[str] | None = None
    gpu_before: list[dict[str, Any]] | None = None
    gpu_during: list[dict[str, Any]] | None = None
    gpu_after: list[dict[str, Any]] | None = None


class Stream(Group):
    file: FileName | None
    sha256: str


class KeptFile(Group):
    path: FileName
    sha256: str


class Redacted(Group):
    rule: str
    count: int


class Lacking(Group):
    what: str
    why: str


class _ImportedFile(Group):
    name: str
    sha256: str


class Imported(Group):
    files: list[_ImportedFile] | None = None
    found: dict[str, Any] | None = None
    lossy: list[str] | None = None
