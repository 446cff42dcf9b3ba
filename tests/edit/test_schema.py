"""JSON Schema for editors: what it offers and refuses, where editors find it, and that it follows the registry."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kvdocs.edit.schema import SETTINGS, editor_settings, modeline
from kvdocs.kinds import all_kinds

Kvdocs = Callable[..., Any]
REPOSITORY = Path(__file__).resolve().parent.parent.parent


def schema_of(kvdocs: Kvdocs, root: Path, kind: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(kvdocs("schema", kind, at=root).out)
    return document


def test_a_link_offers_the_ids_that_it_may_name_and_takes_others(kvdocs: Kvdocs, small: Path) -> None:
    fields = schema_of(kvdocs, small, "item")["$defs"]["Item"]["properties"]
    assert list(fields)[:5] == ["id", "title", "owners", "owner_open", "status"]
    assert fields["id"]["pattern"] == "^R[1-9][0-9]*$"
    assert fields["owners"] == {"default": [], "description": "Who takes care of it.", "items": {"anyOf": [{"enum": ["ann", "bob"]}, {"type": "string"}]}, "type": "array"}
    assert fields["blocked_by"]["items"] == {"anyOf": [{"enum": ["R1", "R2"]}, {"type": "string"}]}
    assert fields["status"]["enum"] == ["open", "implemented", "done", "not-planned"]


def test_a_file_holds_one_record_or_a_list(kvdocs: Kvdocs, small: Path) -> None:
    document = schema_of(kvdocs, small, "owner")
    assert {key: document[key] for key in ("$schema", "title", "if", "then", "else")} == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "owner",
        "if": {"type": "array"},
        "then": {"type": "array", "items": {"$ref": "#/$defs/Owner"}},
        "else": {"$ref": "#/$defs/Owner"},
    }


def test_a_number_is_not_offered_as_text(kvdocs: Kvdocs, small: Path) -> None:
    payoff = schema_of(kvdocs, small, "item")["$defs"]["Payoff"]["properties"]
    assert {"type": "string"} not in payoff["gain"]["anyOf"]


def test_the_schemas_follow_the_registry_once_they_are_there(kvdocs: Kvdocs, small: Path) -> None:
    kvdocs("schema", at=small)
    path = small / ".kvdocs/schema/defect.json"
    offered = lambda: json.loads(path.read_text())["$defs"]["Defect"]["properties"]["fixed_by"]["items"]["anyOf"][0]["enum"]  # noqa: E731
    assert offered() == ["R1", "R2"]
    kvdocs("new", "item", "--set", "title=One more", "--set", "status=open", "--set", "owners=[ann]", at=small)
    assert offered() == ["R1", "R2", "R3"]


def test_the_settings_of_this_repository_name_every_kind() -> None:
    committed = json.loads((REPOSITORY / SETTINGS).read_text())
    assert committed == editor_settings(all_kinds())


def test_settings_of_the_user_stay(kvdocs: Kvdocs, small: Path) -> None:
    (small / ".vscode").mkdir()
    (small / ".vscode/settings.json").write_text('{"editor.rulers": [120], "yaml.schemas": {"other.json": "other/*.yaml"}}')
    assert kvdocs("schema", "--settings", at=small).code == 0
    settings = json.loads((small / ".vscode/settings.json").read_text())
    assert settings["editor.rulers"] == [120]
    assert settings["yaml.schemas"]["other.json"] == "other/*.yaml"
    assert settings["yaml.schemas"]["./.kvdocs/schema/defect.json"] == ["registry/defects/**/*.yaml", "registry/defects/**/*.yml"]
    assert kvdocs("schema", "--settings", at=small).out.endswith("the editor's settings are as they should be\n")


def test_settings_with_comments_are_left_to_their_author(kvdocs: Kvdocs, small: Path) -> None:
    (small / ".vscode").mkdir()
    (small / ".vscode/settings.json").write_text('{\n  // mine\n  "editor.rulers": [120]\n}\n')
    ran = kvdocs("schema", "--settings", at=small)
    assert ran.code == 2
    assert ran.err.startswith('error: .vscode/settings.json is not plain JSON (it may have comments)\n  hint: add this to it by hand: {"yaml.schemas": ')


def test_every_file_can_name_its_schema_itself(kvdocs: Kvdocs, small: Path) -> None:
    assert kvdocs("schema", "--modelines", at=small).code == 0
    assert (small / "registry/roadmap/R2.yaml").read_text().startswith("# yaml-language-server: $schema=../../.kvdocs/schema/item.json\nid: R2\n")
    assert kvdocs("schema", "--modelines", at=small).out.endswith("the editor's settings are as they should be\n")
    assert kvdocs("check", "--quiet", at=small).code == 0
    kvdocs("fmt", at=small)
    assert (small / "registry/roadmap/R2.yaml").read_text().startswith("# yaml-language-server: $schema=../../.kvdocs/schema/item.json\nid: R2\n")


def test_a_modeline_leads_from_the_file_to_its_schema() -> None:
    item = next(kind for kind in all_kinds() if kind.name == "item")
    assert modeline("registry/roadmap/later/R9.yaml", item) == "# yaml-language-server: $schema=../../../.kvdocs/schema/item.json"
