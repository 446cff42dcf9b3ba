"""The YAML language server with this repository's settings: it completes and complains as `kvdocs check` would."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kvdocs.edit.schema import SETTINGS
from kvdocs.kinds import all_kinds
from tests.upstream.language_server import PROGRAM, Editor, editing

REPOSITORY = Path(__file__).resolve().parent.parent.parent
RECORD_FILES = sorted(p for kind in all_kinds() if kind.pattern == "*.yaml" for p in (REPOSITORY / "registry" / kind.folder).rglob("*.yaml"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(not PROGRAM.is_file(), reason="the packages are not installed: npm ci --prefix tests/upstream"),
]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor with a copy of this registry open, set up by one command."""
    import subprocess
    import sys

    root = tmp_path_factory.mktemp("record")
    for name in ("registry", "mkdocs.yml"):
        (shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy)(REPOSITORY / name, root / name)
    subprocess.run([sys.executable, "-m", "kvdocs", "schema", "--settings"], cwd=root, check=True, capture_output=True)
    settings = json.loads((root / SETTINGS).read_text())
    with editing(root, {**settings, "yaml.validate": True, "yaml.completion": True, "yaml.hover": True}) as opened:
        yield opened


def test_no_file_of_the_registry_is_complained_of(editor: Editor) -> None:
    complaints = {}
    for path in RECORD_FILES:
        found = editor.open(path.relative_to(REPOSITORY).as_posix(), path.read_text())
        if found:
            complaints[path.name] = found
    assert complaints == {}


def test_a_wrong_word_and_an_unknown_field_are_marked(editor: Editor) -> None:
    text = "id: R77\ntitle: Wrong\nstatus: opne\nsice: S\nowners: [fork]\n"
    assert editor.open("registry/roadmap/R77.yaml", text) == [
        '3:9: Value is not accepted. Valid values: "open", "implemented", "done", "not-planned".',
        "4:1: Property sice is not allowed.",
    ]


def test_ids_words_and_fields_are_offered(editor: Editor) -> None:
    editor.open("registry/roadmap/R78.yaml", "id: R78\nblocked_by:\n  - \nstatus: \n\n")
    assert {"R1", "R9", "Q1", "fork-34"} <= set(editor.complete("registry/roadmap/R78.yaml", 3, 5))
    assert editor.complete("registry/roadmap/R78.yaml", 4, 9) == ["open", "implemented", "done", "not-planned"]
    assert {"owners", "size", "gates"} <= set(editor.complete("registry/roadmap/R78.yaml", 5, 1))


def test_the_description_of_a_field_is_shown(editor: Editor) -> None:
    editor.open("registry/roadmap/R79.yaml", "id: R79\nsize: S\n")
    assert "How much work" in editor.hover("registry/roadmap/R79.yaml", 2, 2)


