"""The GPUs that an environment records against those of a machine -> a sentence when the machine cannot be that environment.

A GPU of the record is a mapping of
    name: NVIDIA H200            as people write it: "H200" is enough, and "RTX 4070" is no "RTX 4070 Ti"
    count: 1                     how many at least
    compute_capability: "9.0"    when it is known
    memory_mib: 143771           nominal, when it is known
Only GPUs that NVML and nvidia-smi tell of can be compared; an environment that records none, or those of other makers, fits every machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

SAID_OR_NOT = frozenset({"nvidia", "geforce", "tesla", "quadro"})
"""Words that people leave out of a name."""

VARIANTS = frozenset({"ti", "super", "laptop", "mobile", "max-q", "d"})
"""Words that make another GPU of a name."""

OTHER_MAKERS = frozenset({"amd", "radeon", "instinct", "intel", "arc", "apple"})

SAYS_SO = "the machine is not the one on record: "
"""How the label of an execution begins that was filed under an environment all the same."""

MEMORY_TOLERANCE = 0.1
"""By how much the memory that a driver tells may differ from the nominal one."""


def unlikeness(environment: str, recorded: Sequence[Mapping[str, Any]], present: Sequence[Mapping[str, Any]], machine: str = "this machine") -> str | None:
    """What contradicts that a machine with the GPUs `present` is the environment, in a sentence that calls it `machine`; None when nothing does."""
    known = [gpu for gpu in recorded if not OTHER_MAKERS & set(_words(gpu["name"]))]
    left = list(present)
    for gpu in known:
        for _ in range(int(gpu.get("count") or 1)):
            found = next((other for other in left if _is(gpu, other)), None)
            if found is None:
                return f"{machine} has {_told(present)}, and {environment} has {_told(known)}"
            left.remove(found)
    return None


def _is(recorded: Mapping[str, Any], present: Mapping[str, Any]) -> bool:
    name = present.get("name")  # a driver may refuse to tell it, which contradicts nothing
    wanted, has = set(_words(recorded["name"])), set(_words(name or ""))
    if name and (not wanted <= has or VARIANTS & (has - wanted)):
        return False
    memory, other = recorded.get("memory_mib"), present.get("memory_mib")
    if memory and other and abs(other - memory) > MEMORY_TOLERANCE * memory:
        return False
    return _same(recorded.get("compute_capability"), present.get("compute_capability"))


def _same(one: str | None, other: str | None) -> bool:
    return not one or not other or one == other


def _words(name: str) -> list[str]:
    return [word for word in re.findall(r"[\w.-]+", name.lower()) if word not in SAID_OR_NOT]


def _told(gpus: Sequence[Mapping[str, Any]]) -> str:
    """GPUs in words: `2 × NVIDIA H200 (sm_90, 143771 MiB)`."""
    counts: dict[str, int] = {}
    for gpu in gpus:
        facts = [f"sm_{str(gpu['compute_capability']).replace('.', '')}"] if gpu.get("compute_capability") else []
        facts += [f"{gpu['memory_mib']} MiB"] if gpu.get("memory_mib") else []
        name = gpu.get("name") or "a GPU without a name"
        words = f"{name} ({', '.join(facts)})" if facts else name
        counts[words] = counts.get(words, 0) + int(gpu.get("count") or 1)
    return " and ".join(f"{f'{count} × ' if count > 1 else ''}{words}" for words, count in counts.items()) or "no GPU that its driver tells of"
