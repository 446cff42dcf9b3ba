"""The documents that this registry renders, read back as a register: the same defects and items, owners and blockers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.kinds.defect import Defect
from kvdocs.kinds.item import Item
from kvdocs.pipeline import Inspection, inspect
from kvdocs.project import find_project


@pytest.mark.slow
def test_the_overview_gives_back_its_defects_and_items(this_registry: Inspection, kvdocs: Callable[..., object], tmp_path: Path) -> None:
    rendered, root = tmp_path / "rendered", tmp_path / "project"
    assert kvdocs("render", "--out", str(rendered), at=this_registry.project.root).code == 0
    (root / "registry").mkdir(parents=True)
    (root / "mkdocs.yml").write_text("site_name: test\n")
    shutil.copy(this_registry.project.registry / "project.yaml", root / "registry")
    shutil.copytree(this_registry.project.registry / "owners", root / "registry" / "owners")
    done = kvdocs("import", "register", str(rendered / "overview.md"), at=root)
    assert done.code == 0, done.err
    read = inspect(find_project(root)).registry
    here = this_registry.registry
    assert len(read.of("defect")) == 10
    assert len(read.of("item")) == 12
    assert {d.id: (d.status, d.owners, d.owner_open) for d in read.records("defect", Defect)} == {d.id: (d.status, d.owners, d.owner_open) for d in here.records("defect", Defect)}
    wanted = {i.id: (i.status, set(i.owners), i.size, i.blast_radius, set(i.blocked_by), i.reason, i.next_step) for i in here.records("item", Item)}
    assert {i.id: (i.status, set(i.owners), i.size, i.blast_radius, set(i.blocked_by), i.reason, i.next_step) for i in read.records("item", Item)} == wanted
