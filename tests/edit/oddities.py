"""Record files as people write them, drawn by hypothesis: every quoting, comments everywhere, odd indents, non-ASCII, CRLF, no last line end."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = st.text(
    st.sampled_from("abcdeXYZ019 .,:;-#'\"[]{}()!?&*%@`|>\\/=~éßżЖ中あ😀"),
    min_size=1,
    max_size=30,
).map(str.strip).filter(bool)
LONG = st.lists(WORDS, min_size=15, max_size=60).map(" ".join)
LINES = st.lists(WORDS.filter(lambda line: not line.startswith("#")), min_size=2, max_size=4).map("\n".join)
REMARK = st.text(st.sampled_from("abc é中#'\"[]{}: "), max_size=12).map(lambda text: ("# " + text).rstrip())
IDS = st.sampled_from(["R1", "R2", "Q1", "fork", "h200", "upstream-27678"])


def single_quoted(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def double_quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@st.composite
def text_nodes(draw: st.DrawFn, column: int, texts: st.SearchStrategy[str] = WORDS) -> str:
    """What stands behind a key whose value is a text, the blank included."""
    text = draw(texts)
    pad = "\n" + " " * (column + draw(st.sampled_from([1, 2, 4])))
    style = draw(st.sampled_from(["single", "double", "literal", "folded"]))
    remark = draw(st.sampled_from(["", "", "  # why", " # it's: \"so\""]))
    if style in ("literal", "folded"):
        head = {"literal": "|", "folded": ">"}[style] + draw(st.sampled_from(["", "-", "+"]))
        lines = [line for line in text.split("\n") if line.strip()]
        if not lines[0].startswith((" ", "\t")):
            return f" {head}{remark}" + "".join(pad + line for line in lines)
    if style == "double" or "\n" in text:
        return f" {double_quoted(text)}{remark}"
    return f" {single_quoted(text)}{remark}"


@st.composite
def list_nodes(draw: st.DrawFn, column: int) -> str:
    """What stands behind a key whose value is a list of ids."""
    ids = draw(st.lists(IDS, max_size=4, unique=True))
    if not ids or draw(st.booleans()):
        inside = draw(st.sampled_from([", ", ",", ",  # inside\n" + " " * (column + 3)]))
        return " [" + inside.join(ids) + "]" + draw(st.sampled_from(["", "  # flow"]))
    dash = " " * (column + draw(st.sampled_from([0, 2, 4]))) + draw(st.sampled_from(["- ", "-   "]))
    lines = []
    for name in ids:
        lines += draw(st.sampled_from([[], [], [" " * len(dash) + "# deep"], [dash[: dash.index("-")] + "# above"]]))
        lines.append(dash + draw(st.sampled_from([name, single_quoted(name)])) + draw(st.sampled_from(["", "  # who"])))
    return draw(st.sampled_from(["", "  # many"])) + "\n" + "\n".join(lines)


@st.composite
def payoff_nodes(draw: st.DrawFn, column: int) -> str:
    """What stands behind `payoffs:`: a list of mappings."""
    pad = " " * (column + draw(st.sampled_from([2, 3])))
    items = []
    for _ in range(draw(st.integers(1, 3))):
        entries = [
            f"what:{draw(text_nodes(len(pad) + 2))}",
            f"gain: {draw(st.sampled_from(['3', '11.590', '-0.5', '1e1']))}{draw(st.sampled_from(['', '  # pct']))}",
            f"basis: {draw(st.sampled_from(['measured', 'estimate']))}",
        ]
        entries = draw(st.permutations(entries))
        between = [draw(st.sampled_from(["", "", f"\n{pad}  # inside"])) for _ in entries]
        items.append(f"{pad}- " + f"\n{pad}  ".join(entry + remark for entry, remark in zip(entries, between, strict=True)))
    return "\n" + "\n".join(items)


@st.composite
def item_files(draw: st.DrawFn) -> bytes:
    """The bytes of a file with one item, valid for the strict reader."""
    fields = {
        "title": draw(text_nodes(0)),
        "status": draw(st.sampled_from([" open", " 'open'", "   open # s", " done"])),
        "owners": draw(list_nodes(0)),
        "blocked_by": draw(list_nodes(0)),
        "summary": draw(text_nodes(0, st.one_of(WORDS, LONG, LINES))),
        "payoffs": draw(payoff_nodes(0)),
        "next_step": draw(text_nodes(0)),
        "size": draw(st.sampled_from([" S", ' "M-L"', " XS   # small"])),
    }
    chosen = draw(st.permutations(["title", "status", *draw(st.lists(st.sampled_from(list(fields)[2:]), unique=True))]))
    blocks = [draw(st.sampled_from(["", "# head\n", "# head\n\n", "---\n"])) + "id: R5" + draw(st.sampled_from(["", "  # id"]))]
    for name in chosen:
        above = draw(st.sampled_from(["", "", "", "\n"])) + "".join(f"{remark}\n" for remark in draw(st.lists(REMARK, max_size=2)))
        blocks.append(f"{above}{name}:{fields[name]}")
    text = "\n".join(blocks) + draw(st.sampled_from(["\n", "", "\n\n", "\n# end\n", "\n# end"]))
    text = draw(st.sampled_from(["", "\ufeff"])) + text
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text).encode()
