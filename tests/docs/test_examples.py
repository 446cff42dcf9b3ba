"""Every command of the documentation is carried out, and prints what the page says.

`KVDOCS_UPDATE=1 pytest tests/docs` writes the answers into the pages anew; read the difference before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.docs.conftest import NAMES
from tests.docs.conversations import Fence, agrees, carry_out, fences, rewritten, runs_in, silent_failures, steps, typed

RUN = [name for name in NAMES if runs_in((REPOSITORY / name).read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_page_prints_what_it_says(name: str, place: Callable[[str], Path], reader: dict[str, str], tmp_path: Path) -> None:
    path = REPOSITORY / name
    page = path.read_text(encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    answers = carry_out(page, place(runs_in(page)), scratch, reader)
    assert [a.output for a in answers if "Traceback (most recent call last)" in a.output] == []
    if os.environ.get("KVDOCS_UPDATE") and (new := rewritten(page, answers)) != page:
        path.write_text(new, encoding="utf-8")
        page = new
    commands = [step for step in steps(page) if not isinstance(step, Fence)]
    wrong = [f"$ {c.command}{a.output}" for c, a in zip(commands, answers, strict=True) if not agrees(c.answer, a.output)]
    assert "\n".join(wrong) == ""
    assert silent_failures(page, answers) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_terminal_stands_on_a_page_that_is_not_run(name: str) -> None:
    page = (REPOSITORY / name).read_text(encoding="utf-8")
    assert runs_in(page) or not any(fence.language == "console" for fence in fences(page))


PAGE = """\
---
runs_in: an empty folder
---

```sh title="say.sh"
echo "one $1"
echo two
echo three >&2
exit 3
```

```console
$ sh say.sh \\
> "1   2"
one …
three
$ echo $?
3
```

1.  A list.

    ```console
    $ printf 'a\\n\\nb\\nc\\nd\\n'
    a
    …
    d
    ```
"""


def test_a_page_is_a_conversation(tmp_path: Path, reader: dict[str, str]) -> None:
    """The harness itself: files are written, lines go on, failures are seen, gaps are gaps, and a wrong answer is found and repaired."""
    answers = carry_out(PAGE, tmp_path, tmp_path, reader)
    assert [(a.output, a.code) for a in answers] == [("one 1   2\ntwo\nthree\n", 3), ("3\n", 0), ("a\n\nb\nc\nd\n", 0)]
    shown = [step.answer for fence in fences(PAGE) for step in (typed(fence) if fence.language == "console" else [])]
    assert [agrees(s, a.output) for s, a in zip(shown, answers, strict=True)] == [False, True, True]
    assert rewritten(PAGE, answers) == PAGE.replace("one …\nthree\n", "one …\ntwo\nthree\n")
    assert silent_failures(PAGE, answers) == []
    assert silent_failures(PAGE.replace("$ echo $?\n3\n", "$ true\n"), answers) == ['sh say.sh \\\n"1   2" ended with 3']


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True), ("a\n", "a  \n", True), ("a\n", "a\nb\n", False), ("", "a\n", False), ("", "", True),
        ("…\n", "a\nb\n", True), ("…\n", "", False), ("a\n…\nd\n", "a\nd\n", False), ("a … c\n", "a b b c\n", True), ("a … c\n", "a b\nc\n", False), ("a.c\n", "abc\n", False),
    ],
)  # fmt: skip
def test_what_agrees(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same
