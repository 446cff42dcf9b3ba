"""What was built, with which options, from which commit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from executions import Execute

from kvdocs.evidence.build_tree import build_id, cmake_options, describe_build, describe_model, embedded_commit, matches
from kvdocs.evidence.canonical import sha256

COMMIT = "749f688fcd0123456789abcdef0123456789abcd"

CACHE = """
# This is the CMakeCache file.
CMAKE_BUILD_TYPE:STRING=Release
CMAKE_CUDA_ARCHITECTURES:STRING=90
CMAKE_CUDA_FLAGS:STRING=-lineinfo
CMAKE_C_COMPILER:FILEPATH=/usr/bin/cc
CMAKE_INSTALL_PREFIX:PATH=/usr/local
GGML_CUDA:BOOL=ON
GGML_CUDA_KVARN-ADVANCED:INTERNAL=1
GGML_CUDA_KVARN:BOOL=OFF
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build tree with a cache and a program that tells its version."""
    folder = tmp_path / "build"
    (folder / "bin").mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(CACHE)
    (folder / "bin" / "llama-cli").write_text(f"#!/bin/sh\necho 'version: 10615 ({COMMIT[:9]})' >&2\necho 'built with cc' >&2\n")
    (folder / "bin" / "llama-cli").chmod(0o755)
    return folder


def test_a_build_tree(build: Path) -> None:
    assert describe_build(build, ["bin/llama-cli", "bin/absent"], COMMIT) == {
        "dir": str(build),
        "cmake": {
            "CMAKE_BUILD_TYPE": "Release", "CMAKE_CUDA_ARCHITECTURES": "90", "CMAKE_CUDA_FLAGS": "-lineinfo", "CMAKE_C_COMPILER": "/usr/bin/cc",
            "GGML_CUDA": "ON", "GGML_CUDA_KVARN": "OFF",
        },
        "binaries": [
            {"path": "bin/llama-cli", "sha256": sha256((build / "bin" / "llama-cli").read_bytes()), "build_id": None},
            {"path": "bin/absent", "sha256": None, "build_id": None},
        ],
        "embedded_commit": {"commit": COMMIT[:9], "number": 10615, "dirty": False, "from": "llama-cli --version"},
        "matches_source": True,
    }  # fmt: skip


def test_the_generated_source_tells_the_commit_where_no_program_does(build: Path) -> None:
    (build / "common").mkdir()
    (build / "common" / "build-info.cpp").write_text('int LLAMA_BUILD_NUMBER = 1;\nchar const *LLAMA_COMMIT = "0000000aa-dirty";\n')
    described = describe_build(build, ["bin/test-backend-ops"], COMMIT)
    assert described["embedded_commit"] == {"commit": "0000000aa", "number": None, "dirty": True, "from": "common/build-info.cpp"}
    assert described["matches_source"] is False


@pytest.mark.parametrize(
    ("output", "commit", "number", "dirty"),
    [
        ("build: 749f688fc (10615)", "749f688fc", 10615, False),
        ("| table |\n\nbuild: 749f688fc-dirty (10615)\n", "749f688fc", 10615, True),
        ("version: 10615 (f280b2698)\nbuilt with cc 12", "f280b2698", 10615, False),
        ("build: 10615 (f280b2698) with cc", "f280b2698", 10615, False),
        ('    "build_commit": "749f688fc",\n', "749f688fc", None, False),
    ],
)
def test_the_forms_in_which_programs_tell_their_commit(output: str, commit: str, number: int | None, dirty: bool) -> None:
    assert embedded_commit(output) == {"commit": commit, "number": number, "dirty": dirty, "from": "output"}


@pytest.mark.parametrize("output", ["", "build: unknown (0)", "version: 10615 (none)", "rebuild 749f688fc"])
def test_what_tells_no_commit(output: str) -> None:
    assert embedded_commit(output) is None


def test_a_short_commit_matches_the_long_one_that_it_begins() -> None:
    assert matches({"commit": "749f688fc"}, COMMIT) is True
    assert matches({"commit": "749f688fd"}, COMMIT) is False
    assert matches(None, COMMIT) is None
    assert matches({"commit": "749f688fc"}, None) is None


def test_a_program_that_was_built_from_another_commit_is_labelled(execute: Execute, tmp_path: Path) -> None:
    from test_source_tree import commit

    from kvdocs.evidence.source_tree import git

    tree = tmp_path / "src"
    tree.mkdir()
    git(tree, "init", "-q")
    (tree / "a").write_text("a")
    head = commit(tree, "Start")
    other = "0" * 9 if head[0] != "0" else "1" * 9
    record = execute(f"echo 'build: {other} (1)'", settings={"KVDOCS_SOURCE": str(tree)}).record
    assert record["build"]["matches_source"] is False
    assert record["labels"] == ["the program was built from another commit than that of the source tree"]
    assert execute(f"echo 'build: {head[:9]} (1)'", settings={"KVDOCS_SOURCE": str(tree)}).record["build"]["matches_source"] is True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ELF files are Linux's")
def test_the_build_id_of_a_program_is_the_linkers(tmp_path: Path) -> None:
    assert build_id(tmp_path) is None
    (tmp_path / "text").write_text("no program")
    assert build_id(tmp_path / "text") is None
    note = b"\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00" + bytes(range(20))
    (tmp_path / "elf").write_bytes(b"\x7fELF" + b"\x00" * 700 + note + b"rest")
    assert build_id(tmp_path / "elf") == bytes(range(20)).hex()


def test_a_large_model_is_told_by_its_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "m.gguf"
    model.write_bytes(b"GGUF" + b"x" * 100)
    assert describe_model(model) == {"name": "m.gguf", "bytes": 104, "sha256": sha256(model.read_bytes())}
    monkeypatch.setattr("kvdocs.evidence.build_tree.SMALL_MODEL", 10)
    monkeypatch.setattr("kvdocs.evidence.build_tree.MODEL_END", 5)
    assert describe_model(model) == {"name": "m.gguf", "bytes": 104, "sha256": None, "head_sha256": sha256(b"GGUFx"), "tail_sha256": sha256(b"xxxxx"), "end_bytes": 5}
    assert describe_model(tmp_path / "absent")["why"] == "No such file or directory"


def test_options_of_a_folder_without_a_cache(tmp_path: Path) -> None:
    assert cmake_options(tmp_path) == {}
