#!/usr/bin/env python3
"""D4: run test-kvarn of a default build on a machine with a CUDA device.

Needs KVDOCS_BUILD, a build without GGML_CUDA_KVARN. It runs the program that `ctest -R test-kvarn` runs, so that its message is seen.
The exit code is that of test-kvarn.
"""

from backend_ops import report_end
from run_environment import RefusalError, Run, execute


def script(run: Run) -> int:
    program = run.program("test-kvarn")
    if run.build_option("GGML_CUDA_KVARN") == "ON":
        raise RefusalError("KVDOCS_BUILD enables GGML_CUDA_KVARN, and D4 is about a build that does not")
    output = run.run_on_gpu([program])
    if not output.matching(r"found [1-9]\d* CUDA devices"):
        raise RefusalError("test-kvarn found no CUDA device")
    report_end(run, output)
    unsupported = output.matching(r"op not supported\s+.*\((?P<op>\w+)\)$")
    run.report("unsupported_op", unsupported[0]["op"] if unsupported else "none")
    return output.exit_code


if __name__ == "__main__":
    execute(script)
