"""Drafts -> YAML as people write it: fields in their order, long text as a block, words quoted only where they must be."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any


def yaml_text(values: Mapping[str, Any]) -> str:
    """A record's YAML. Text of several lines becomes a literal block, a list of short words stands on one line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        """Numbers keep their digits as written."""

    Representer.add_representer(Decimal, lambda representer, number: representer.represent_scalar("tag:yaml.org,2002:float", str(number)))
    yaml = YAML()
    yaml.Representer = Representer
    yaml.width = 1_000_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump({key: _node(value) for key, value in values.items()}, out)
    return out.getvalue()


def _node(value: Any) -> Any:
    from ruamel.yaml.comments import CommentedSeq
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

    if isinstance(value, str):
        if "\n" in value and _fits_a_block(value):
            return LiteralScalarString(value)
        return DoubleQuotedScalarString(value) if "\n" in value or _needs_quotes(value) else value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _node(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        nodes = CommentedSeq([_node(inner) for inner in value])
        if all(isinstance(inner, str) and re.fullmatch(r"[A-Za-z0-9][\w./-]{0,39}", inner) for inner in value):
            nodes.fa.set_flow_style()
        return nodes
    return value


def _fits_a_block(text: str) -> bool:
    """A literal block keeps neither control characters nor a first line that begins with a space."""
    return not text.startswith((" ", "\n")) and all(c in "\n\t" or c.isprintable() for c in text)


def _needs_quotes(text: str) -> bool:
    """What the reader of records would take for something other than text."""
    from kvdocs.source import plain_scalar

    return not isinstance(plain_scalar(text), str) or not text.isprintable()
