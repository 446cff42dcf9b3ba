"""How wide a text is, and what of it fits: an estimate, since nothing here has a font.

The widths are those of Helvetica (Adobe's font metrics, in thousandths of the font size) with a margin, because the page may use a wider sans-serif.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

MARGIN = 1.06
ELLIPSIS = "\u2026"

_GROUPS = {
    222: "ijl'\u2019\u2018",
    278: " .,:;!/\\ftI[]|\u00b7",
    333: "()-r`{}\"\u2013",
    500: "ckvxyzsJ",
    556: "abdeghnopqu0123456789_?#$L",
    584: "+<=>~^",
    611: "FTZ",
    667: "ABEKPSVXY&",
    722: "CDHNRUw",
    778: "GOQ",
    833: "mM",
    889: "%",
    944: "W",
    1000: "@\u2026\u2014",
}
_WIDTHS = {letter: thousandths / 1000 for thousandths, letters in _GROUPS.items() for letter in letters}


def width_of(text: str, size: float) -> float:
    """The width of a text in pixels at a font size."""
    return sum(_letter(c) for c in text) * size * MARGIN


def _letter(c: str) -> float:
    known = _WIDTHS.get(c)
    if known is not None:
        return known
    if combining(c):
        return 0
    return 1 if east_asian_width(c) in "WF" else 0.667


def shortened(text: str, width: float, size: float) -> str:
    """The text, or its start with an ellipsis where it is too wide."""
    if width_of(text, size) <= width:
        return text
    kept = text
    while kept and width_of(kept + ELLIPSIS, size) > width:
        kept = kept[:-1]
    return kept.rstrip() + ELLIPSIS


def wrapped(text: str, width: float, size: float, lines: int) -> list[str]:
    """The text in at most so many lines, broken between words; what does not fit any more ends in an ellipsis."""
    words, result = text.split(), list[str]()
    while words and len(result) < lines - 1:
        line = [words.pop(0)]
        while words and width_of(" ".join([*line, words[0]]), size) <= width:
            line.append(words.pop(0))
        result.append(shortened(" ".join(line), width, size))
    if words:
        result.append(shortened(" ".join(words), width, size))
    return result
