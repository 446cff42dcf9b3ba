"""Remarks: what a file of another program did not tell, lost, or says in a way that cannot be taken at its word."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Shortfall(StrEnum):
    """Why a reader cannot give the whole truth."""

    LOST = "lost"
    """It was in the run or in the file, and it could not be taken over."""
    UNKNOWN = "unknown"
    """The format has no place for it."""
    DOUBTFUL = "doubtful"
    """It is there, and does not mean what it seems to mean."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One shortfall of a file, in a sentence, with the line it is about where there is one."""

    shortfall: Shortfall
    text: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{self.shortfall}: {where}{self.text}"


def lost(text: str, line: int | None = None) -> Remark:
    """A remark on something that was there and is gone."""
    return Remark(Shortfall.LOST, text, line)


def unknown(text: str) -> Remark:
    """A remark on something that the format never tells."""
    return Remark(Shortfall.UNKNOWN, text)


def doubtful(text: str, line: int | None = None) -> Remark:
    """A remark on something that must not be taken at its word."""
    return Remark(Shortfall.DOUBTFUL, text, line)


class UnreadableSourceError(ValueError):
    """Raised when nothing of a file is of the format that it was read as."""
