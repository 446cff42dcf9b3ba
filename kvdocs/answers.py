"""Answers kept whole: as long as no file of the registry changes, what was printed before is printed again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from kvdocs.cache import Scan
from kvdocs.project import Project


class Answers:
    """One look at a project's registry, and the answers that were kept for exactly this state of it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.scan = Scan(project.root, "registry", project.open_cache())

    @cached_property
    def _key(self) -> str:
        return self.scan.state()

    def get(self, name: str, work_out: Callable[[], tuple[Any, bool]]) -> Any:
        """The answer of this name for the registry as it is now.

        `work_out` gives the answer as plain data, and whether it depends on nothing but the registry's files:
        only then is it kept.
        """
        kept = self.scan.cache.read(f"answer-{name}")
        if kept is not None and kept["key"] == self._key:
            if self.scan.aged:
                self.scan.save()
            return kept["answer"]
        answer, lasting = work_out()
        self.scan.save()
        if lasting:
            self.scan.cache.write(f"answer-{name}", {"key": self._key, "answer": answer})
        return answer
