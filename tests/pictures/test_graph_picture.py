"""The drawing itself: well-formed, linked, readable without seeing it, and the same bytes each time."""

from __future__ import annotations

from pathlib import Path

from kvdocs.pictures.dependency_pictures import described, neighbourhood_pictures, whole_pictures
from kvdocs.pictures.graph_data import Arrow, Node, graph_of
from kvdocs.pictures.layered import layered_parts
from kvdocs.pictures.lettering import shortened, width_of, wrapped
from tests.pictures.conftest import SVG, graph, of_class, read, words

BESIDE = Path(__file__).parent


def test_the_picture_of_a_repair_and_what_waits_for_it() -> None:
    nodes = [
        Node("R1", "item", "Fix the divergent __syncthreads()", "actionable", "good", "../records/R1/", ("upstream",), rank=1),
        Node("Q1", "decision", "Where does the ring live?", "actionable", "good", "../records/Q1/", ("fork",), rank=2),
        Node("R5", "item", "Measure the crossover & set <it>", "waiting", "wait", "../records/R5/", ("fork",), ("R1", "Q1"), rank=3),
        Node("D2", "defect", "Divergent barrier", "confirmed", "bad", "../records/D2/", ("upstream",)),
        Node("pr-7", "reference", "The repair", "open", "wait"),
    ]
    arrows = [Arrow("R1", "R5", "blocks", True), Arrow("Q1", "R5", "blocks", True), Arrow("R1", "D2", "fixes"), Arrow("pr-7", "R1", "implements")]
    pictures = whole_pictures(graph_of(nodes, arrows), engine=layered_parts)
    assert pictures.all is not None
    assert pictures.all.text == "5 records: 2 actionable, 1 waiting, 1 confirmed, 1 open. R5 waits for R1 and Q1. R1 fixes D2."
    assert (pictures.important, pictures.remark) == (None, "")
    assert pictures.all.caption == (
        "Boxes with round corners are roadmap items; hexagons are decisions; pills are pull requests, issues and commits elsewhere; sheets with a folded corner are defects."
        " Thick red arrows are what holds somebody up today; dashed ones lead to the defect that an item fixes; dotted ones come from the pull request that implements an item."
    )
    assert pictures.all.svg + "\n" == (BESIDE / "repair.svg").read_text(encoding="utf-8")


def test_every_box_is_a_link_with_a_tooltip() -> None:
    g = graph("a>b b>c", done="a", nodes="d")
    pictures = whole_pictures(g)
    assert pictures.all is not None
    boxes = of_class(read(pictures.all.svg), "kv-node")
    assert {(box.tag, box.get("data-id"), box.get("href")) for box in boxes} == {(f"{SVG}a", name, f"../{name}/") for name in "abcd"}
    assert [words(box.find(f"{SVG}title")) for box in boxes if box.get("data-id") == "c"] == ["c: Title of c · item, waiting · waits for b · owner ann"]  # type: ignore[arg-type]  # every box has one


def test_what_holds_somebody_up_is_marked_and_what_is_done_is_not() -> None:
    pictures = whole_pictures(graph("a>b x>b", done="a"))
    assert pictures.all is not None
    arrows = {(a.get("data-from"), "kv-holds-up" in a.get("class", "")) for a in of_class(read(pictures.all.svg), "kv-arrow")}
    assert arrows == {("a", False), ("x", True)}


def test_ids_are_unique_and_start_with_the_name() -> None:
    g = graph("a>b")
    whole, near = whole_pictures(g).all, neighbourhood_pictures(g, ["a"])["a"]
    assert whole is not None
    ids = [element.get("id") for picture in (whole, near) for element in read(picture.svg).iter() if element.get("id")]
    assert ids == ["graph-title", "graph-desc", "near-title", "near-desc"]


def test_the_same_graph_gives_the_same_bytes() -> None:
    assert whole_pictures(graph("a>b b>c a>c", nodes="d")) == whole_pictures(graph("a>b b>c a>c", nodes="d"))


def test_a_picture_never_holds_an_empty_line() -> None:
    """An empty line would end the HTML block in Markdown, and the rest of the picture would become text."""
    node = Node("R1", "item", "First\n\nsecond\x00 line", "open\n\n", "good", "../R1/")
    pictures = whole_pictures(graph_of([node], []), engine=layered_parts)
    assert pictures.all is not None
    assert "" not in pictures.all.svg.split("\n")
    assert "First second\ufffd line" in words(read(pictures.all.svg))


def test_hostile_titles_stay_text() -> None:
    node = Node("R1", "item", '</text><script>alert("1")</script>', "open", "good", 'javascript:"x"')
    pictures = whole_pictures(graph_of([node], []), engine=layered_parts)
    assert pictures.all is not None
    assert {element.tag.removeprefix(SVG) for element in read(pictures.all.svg).iter()} == {"svg", "title", "desc", "g", "a", "rect", "text"}


def test_around_a_record_stands_what_lies_within_two_steps() -> None:
    near = neighbourhood_pictures(graph("a>b b>c c>d d>e", nodes="alone"), ["c", "alone", "unknown"])
    assert near.keys() == {"c"}
    root = read(near["c"].svg)
    assert [box.get("data-id") for box in of_class(root, "kv-node")] == ["a", "b", "c", "d", "e"]
    assert [box.get("data-id") for box in of_class(root, "kv-centre")] == ["c"]


def test_around_a_record_that_everything_refers_to_stand_the_most_important() -> None:
    nodes = [Node(f"M{n}", "measurement", "Measured", "measurement") for n in range(20)]
    g = graph_of([*nodes, Node("pr", "reference", "Founding", "open")], [Arrow(node.id, "pr", "refers") for node in nodes])
    picture = neighbourhood_pictures(g, ["pr"], engine=layered_parts)["pr"]
    assert picture.caption == "8 further links are not drawn."
    assert len(of_class(read(picture.svg), "kv-node")) == 13


def test_beyond_the_limit_finished_work_is_left_out_and_words_say_so() -> None:
    pictures = whole_pictures(graph("a>b b>c c>d", done="a b"), engine=layered_parts, limit=3)
    assert pictures.remark == "2 finished records are left out: there are 4 in all, and at most 3 are drawn. Each record's page shows what stands around it."
    assert pictures.all is not None
    assert [box.get("data-id") for box in of_class(read(pictures.all.svg), "kv-node")] == ["c", "d"]
    assert pictures.all.text == f"2 records: 1 actionable, 1 waiting. d waits for c. {pictures.remark}"


def test_beyond_the_limit_of_unfinished_work_there_are_words_alone() -> None:
    pictures = whole_pictures(graph("a>b b>c c>d", done="a"), engine=layered_parts, limit=2)
    assert pictures.all is None
    assert pictures.remark == "There are 4 records, 3 of them unfinished, and at most 2 can be drawn. The lists show all of them, and each record's page shows what stands around it."


def test_a_large_registry_gets_a_small_picture_of_what_matters() -> None:
    chain = " ".join(f"n{n}>n{n + 1}" for n in range(199))
    pictures = whole_pictures(graph(chain), engine=layered_parts)
    assert pictures.all is not None
    assert pictures.important is not None
    assert "kv-screen-only" in read(pictures.all.svg).get("class", "")
    assert len(of_class(read(pictures.important.svg), "kv-node")) == 40
    assert pictures.all.text == "200 records: 199 waiting, 1 actionable."


def test_the_picture_in_words() -> None:
    assert described(graph("a>b c>b", nodes="d")) == "4 records: 3 actionable, 1 waiting. b waits for a and c."


def test_a_title_is_broken_between_words_and_ends_in_an_ellipsis() -> None:
    assert wrapped("Host-resident KVarN: CPU fallback, 108x the host workspace", 160, 12, 2) == ["Host-resident KVarN: CPU", "fallback, 108x the host wo…"]
    assert wrapped("test-upstream-merge-keepers-static fails", 160, 12, 2) == ["test-upstream-merge-kee…", "fails"]
    assert wrapped("", 160, 12, 2) == []
    assert width_of(shortened("漢字" * 20, 100, 12), 12) <= 100
