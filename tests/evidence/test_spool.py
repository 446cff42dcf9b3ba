"""A stream of any length is kept as its head and tail, on disk that does not grow."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kvdocs.evidence.spool import Kept, Spool, SpoolSize, read_spool


def spooled(chunks: list[bytes], size: SpoolSize) -> tuple[Kept, str, int]:
    """What is kept of a stream written in these chunks, the hash that the spool told, and the most bytes that lay on disk."""
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(Path(folder), "stdout", size)
        most = 0
        for chunk in chunks:
            spool.write(chunk)
            most = max(most, sum(path.stat().st_size for path in Path(folder).iterdir()))
        return read_spool(Path(folder), "stdout", size), spool.close(), most


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=60)), st.integers(1, 40), st.integers(1, 40))
def test_what_is_kept_is_the_beginning_and_the_end_of_what_was_written(chunks: list[bytes], head: int, tail: int) -> None:
    stream = b"".join(chunks)
    kept, told, most = spooled(chunks, SpoolSize(head, tail))
    assert told == hashlib.sha256(stream).hexdigest()
    assert kept.total == len(stream)
    assert most <= head + 2 * tail
    assert stream.startswith(kept.head)
    assert stream.endswith(kept.tail)
    assert kept.lost == len(stream) - len(kept.head) - len(kept.tail)
    assert (kept.lost == 0) or len(stream) > head + tail
    if len(stream) <= head + tail:
        assert kept == Kept(stream, b"", len(stream))


def test_the_cuts_fall_on_line_ends() -> None:
    lines = [b"line %03d\n" % number for number in range(100)]
    kept, _, _ = spooled(lines, SpoolSize(head=30, tail=30))
    assert kept == Kept(b"line 000\nline 001\nline 002\n", b"line 097\nline 098\nline 099\n", 900)


def test_a_cut_within_a_line_gives_up_what_stands_beside_it() -> None:
    """Half of a secret that the cut went through would not be recognised any more."""
    kept, _, _ = spooled([b"x" * 5000], SpoolSize(head=1000, tail=1000))
    assert kept == Kept(b"x" * 744, b"x" * 744, 5000)


def test_a_stream_that_never_began_is_empty(tmp_path: Path) -> None:
    assert read_spool(tmp_path, "stderr", SpoolSize()) == Kept(b"", b"", 0)
