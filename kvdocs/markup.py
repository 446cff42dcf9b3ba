"""Inline values as Markdown: escaping, links, code, badges, and the cells of tables."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from kvdocs.view import INLINE, Badge, Cell, Inline, Line, Link, Md

DASH = "—"
LONG = 24
"""A badge with more letters may be broken over lines."""

KEPT = 1 << 15
"""How many texts each step remembers: titles and states stand on many pages."""


class Dialect(StrEnum):
    """Whom the Markdown is for.

    SITE: Python-Markdown with attribute lists, read by MkDocs, ProperDocs and Zensical.
    PLAIN: what hosts of repositories show; no class names, no attributes.
    """

    SITE = "site"
    PLAIN = "plain"


_SPECIAL = re.compile(r"([\\`*\[\]<>|])|(?<![^\W_])(_)|(_)(?![^\W_])|(&)(?=#?\w+;)")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "|": "&#124;", "&": "&amp;"}
_BLOCK_START = re.compile(r"^(\s*)([#+-]|\d+(?=\.))(?=[\s.])", re.MULTILINE)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=KEPT)
def escape(text: str) -> str:
    """Plain text as Markdown that shows it as it is, also inside a table."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


_IN_HTML = re.compile(r"[|`*\\]|\](?=[(\[:])")
"""What Markdown reads inside of HTML too."""


def _html(text: str) -> str:
    """Text inside an element of HTML. The module of the standard library that has this loads the names of two thousand characters first."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Text as code inside a line; as HTML where backticks or table bars would break a code span."""
    if "`" in text or "|" in text or "\n" in text or not text.strip():
        shown = _IN_HTML.sub(lambda found: f"&#{ord(found[0])};", _html(text)).replace("\n", "<br>")
        return f"<code>{shown}</code>"
    return f"`{text}`"


def link(value: Link) -> str:
    """A link, or its text alone when it leads nowhere."""
    if not value.href:
        return escape(value.text)
    title = f' "{_title(value.title)}"' if value.title else ""
    return f"[{escape(value.text)}]({value.href.replace(' ', '%20').replace('(', '%28').replace(')', '%29')}{title})"


@lru_cache(maxsize=KEPT)
def _title(text: str) -> str:
    return _html(plain(text)).replace('"', "&quot;").replace("|", "&#124;")


def badge(value: Badge, dialect: Dialect) -> str:
    """A state in words, coloured on the site."""
    if dialect is Dialect.PLAIN:
        return escape(value.text)
    long = " kv-long" if len(value.text) > LONG else ""
    return f'<span class="kv-badge kv-{value.tone}{long}">{_html(value.text)}</span>'


def inline(value: Inline, dialect: Dialect) -> str:
    """One inline value as Markdown."""
    if isinstance(value, str):  # these are asked for by the hundred thousand; most are texts and links
        return str(value) if isinstance(value, Md) else escape(value)
    if isinstance(value, Link):
        return link(value)
    return badge(value, dialect) if isinstance(value, Badge) else code(value.text)


def cell(value: Cell, dialect: Dialect) -> str:
    """A value inside one line: several are joined by commas, paragraphs and lists become line breaks, nothing is a dash."""
    if not value:
        return "" if isinstance(value, Line) else DASH
    if isinstance(value, Md):
        return str(value) if isinstance(value, Line) else flat(value)
    if isinstance(value, INLINE):
        return inline(value, dialect).replace("\n", " ")
    return "".join([f"{_joint(value, number, dialect) if number else ''}{cell(part, dialect)}" for number, part in enumerate(value)])


def _joint(parts: tuple[Inline, ...], number: int, dialect: Dialect) -> str:
    """What stands before a part that is not the first: a comma, or on the site a space between a badge and the next one or the words that belong to it."""
    coloured = dialect is Dialect.SITE and isinstance(parts[number - 1], Badge)
    return " " if coloured and isinstance(parts[number], (Md, Badge)) else ", "


def flat(markdown: str) -> str:
    """Markdown in one line that a table's cell can hold."""
    if _IN_ONE_LINE(markdown):
        return " ".join(_BULLET.sub("• ", markdown.strip()).split())
    text = _FENCE.sub(lambda found: code(found[2].rstrip("\n")) + "\n", markdown.strip())
    text = _CODE_SPAN.sub(lambda found: code(found[2].strip()) if "|" in found[2] or len(found[1]) > 1 else " ".join(found[0].split()), text)
    text = text.replace("\\|", "&#124;").replace("|", "&#124;")
    lines = [" ".join(_BULLET.sub("• ", line).split()) for line in re.split(r"\n\s*\n|\n(?=\s*[-*]\s)", text)]
    return "<br>".join(line for line in lines if line)


_IN_ONE_LINE = re.compile(r"[^`|\n]*\Z").match
_BULLET = re.compile(r"^\s*[-*]\s+")


@lru_cache(maxsize=KEPT)
def plain(markdown: str) -> str:
    """Inline Markdown without its marks, for titles of pages and tooltips."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown) if "](" in markdown else markdown
    return " ".join(text.replace("**", "").replace("`", "").split())


_ACTIVE = re.compile(
    r"""
      (?P<kept> ^(?P<indent>[ \t]*)(?P<fence>```+|~~~+)[\w+\#.-]*[ ]*\n (?:(?![ \t]*\n)(?P=indent).*\n|[ \t]*\n)*? (?P=indent)(?P=fence)[ ]*$    # fenced code
      | (?<![`\\])(?P<ticks>`+)(?!`) [^\n]+? (?<!`)(?P=ticks)(?!`)                 # code inside a line
      | <https?://[^<>\s"']*> )                                                  # an address
    | (?P<opening> ^[ \t]*(?:[-*+>][ \t]+)* [`~] ) (?=(?<=`)``|(?<=~)~~)          # a fence that nothing closes takes what stands behind the prose
    | (?P<tag> < ) (?=[A-Za-z/!?])
    | (?P<attributes> \{ ) (?=:?[^{}\n]*=)                                        # `{: onclick=… }` behind a word
    | (?P<link> \]\( | ^[ ]{0,3}\[[^\]\n]*\]: ) (?=\s*<?(?P<address>[^<>)]*))
    """,
    re.VERBOSE | re.MULTILINE,
)
_EXECUTED = re.compile(r"(?:javascript|vbscript|data):", re.IGNORECASE)


@lru_cache(maxsize=KEPT)
def harmless(markdown: str) -> str:
    """Prose of a record in which HTML, attributes and addresses such as `javascript:…` stand as text: who reads a page does not execute what somebody wrote."""
    return _ACTIVE.sub(_disarmed, markdown) if _MAY_ACT(markdown) else markdown


_MAY_ACT = re.compile(r"```|~~~|<[A-Za-z/!?]|\{[^{}\n]*=|\]\(|\]:").search


def _disarmed(found: re.Match[str]) -> str:
    if found["tag"]:
        return "&lt;"
    if found["opening"]:
        return f"{found['opening'][:-1]}&#x{ord(found['opening'][-1]):x};"
    if found["attributes"]:
        return "&#x7b;"
    from html import unescape

    # Browsers leave out blanks and control characters in front of and inside the name of a scheme.
    if found["link"] and _EXECUTED.match(re.sub(r"[\x00-\x20]", "", unescape(found["address"]))):
        return "]&#x28;" if found["link"] == "](" else found["link"][:-1] + "&#x3a;"
    return found[0]


def sentence(text: str) -> Md:
    """A message of the program as Markdown: what stands in backticks is code, all else is text."""
    parts = re.split(r"`([^`\n]+)`", text)
    return Md("".join(code(part) if number % 2 else escape(part) for number, part in enumerate(parts)))


def paragraph(text: str) -> Md:
    """Plain text as Markdown of its own, so that no line of it starts a list or a heading."""
    return Md(_BLOCK_START.sub(r"\1\\\2", escape(text)))
