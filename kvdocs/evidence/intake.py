"""Results that were made elsewhere -> results of this project, each verified before and after it is copied."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .disk import move_folder, remove_folder, sync_folder, write_durably
from .journal import running_folder
from .recovery import recover
from .seals import RECORD_FILE, Damage, damages, load_result, results
from .store import Stored


@dataclass
class Intake:
    """What became of the results of a folder: taken in, known already, or refused with the reasons; `recovered` had no runner any more."""

    taken: list[Stored] = field(default_factory=list)
    known: list[Stored] = field(default_factory=list)
    refused: list[Damage] = field(default_factory=list)
    recovered: list[Stored] = field(default_factory=list)


def take_in(folder: Path, root: Path, flaws: Callable[[Path], Iterable[str]] = lambda source: ()) -> Intake:
    """Copy every whole result below `folder` (`ENVIRONMENT/SCRIPT/ID/`) to the same place below `root`.

    `flaws` tells what is wrong with the form of a sealed record, by its folder.
    A result with any damage or flaw is refused and left out as a whole; the others are taken. Doing it twice changes nothing.
    Runs in `folder` whose runner died become results that say so, when the folder can be written.
    """
    intake = Intake()
    if os.access(folder, os.W_OK):
        intake.recovered = recover(folder)
    for source in results(folder):
        found = damages(source) or [Damage(source / RECORD_FILE, what) for what in flaws(source)]
        if found:
            intake.refused += found
            continue
        record = load_result(source)
        target = root / source.relative_to(folder)
        if target.is_dir():
            there = damages(target)
            if there:
                intake.refused += there
            else:
                intake.known.append(Stored(target, record))
        elif (damage := _copy(source, target, root, record)) is not None:
            intake.refused.append(damage)
        else:
            intake.taken.append(Stored(target, record))
    return intake


def _copy(source: Path, target: Path, root: Path, record: dict[str, object]) -> Damage | None:
    """Copy one result under a hidden name, look at the copy, and give it its name."""
    staging = running_folder(root) / f".intake-{os.urandom(8).hex()}" / source.name
    staging.mkdir(parents=True)
    try:
        files = record["files"]
        assert isinstance(files, list)
        for name in [RECORD_FILE, *(file["path"] for file in files)]:
            write_durably(staging / name, (source / name).read_bytes())
        sync_folder(staging)
        found = damages(staging, named=False)
        if found:
            return Damage(source, f"it changed while it was copied: {found[0].what}")
        move_folder(staging, target)
    finally:
        remove_folder(staging.parent)
    return None
