#!/usr/bin/env python3
"""D10: run the test that reads the documentation, in the source tree.

Needs KVDOCS_SOURCE. Neither a GPU nor a model nor a build.
The exit code is that of the test.
"""

import sys

from run_environment import Run, execute

TEST = "tests/test-upstream-merge-keepers-static.py"


def script(run: Run) -> int:
    tree = run.tree(TEST)
    output = run.run([sys.executable, TEST], folder=tree)
    failed = output.matching(r"^AssertionError: (?P<message>.+)$")
    run.report("exit_code", output.exit_code)
    run.report("message", failed[-1]["message"] if failed else "none")
    return output.exit_code


if __name__ == "__main__":
    execute(script)
