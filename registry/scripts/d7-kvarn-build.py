#!/usr/bin/env python3
"""D7: build the source with KVarN on CUDA, from clean, and count the errors.

Needs KVDOCS_SOURCE, cmake and nvcc. KVDOCS_BUILD is a folder for the build: new, or a build tree with GGML_CUDA_KVARN already on.
KVDOCS_CONFIGURE adds options (such as `-DCMAKE_CUDA_ARCHITECTURES=89`), KVDOCS_JOBS is the number of parallel jobs (all CPUs).
The build goes on after an error, so that the count does not depend on what was compiled first. No GPU is used.
The exit code is that of the build, or of the configuration when that fails.
"""

import os
import shlex
from pathlib import Path

from run_environment import RefusalError, Run, execute

OPTIONS = ("-DGGML_CUDA=ON", "-DGGML_CUDA_FA=ON", "-DGGML_CUDA_KVARN=ON", "-DCMAKE_BUILD_TYPE=Release")


def script(run: Run) -> int:
    tree, cmake = run.tree("CMakeLists.txt"), run.tool("cmake")
    run.tool("nvcc")
    if not run.environ.get("KVDOCS_BUILD"):
        raise RefusalError("KVDOCS_BUILD is not set: it names the folder to build in")
    folder = Path(run.environ["KVDOCS_BUILD"]).absolute()
    if (folder / "CMakeCache.txt").exists() and run.build_option("GGML_CUDA_KVARN") != "ON":
        raise RefusalError(f"KVDOCS_BUILD names {folder}, which is a build without GGML_CUDA_KVARN: name another folder")
    configured = run.run([cmake, "-S", tree, "-B", folder, *OPTIONS, *shlex.split(run.setting("KVDOCS_CONFIGURE", ""))])
    if configured.exit_code:
        run.report("configured", "no")
        return configured.exit_code
    go_on = ["-k", "0"] if run.build_option("CMAKE_GENERATOR").startswith("Ninja") else ["-k"]
    jobs = run.number("KVDOCS_JOBS", os.cpu_count() or 1)
    built = run.run([cmake, "--build", folder, "--clean-first", "--parallel", str(jobs), "--", *go_on])
    errors = built.matching(r"(?P<place>[\w.-]+\(\d+\)|[\w.-]+:\d+(?::\d+)?): error\b")
    run.report("configured", "yes")
    run.report("exit_code", built.exit_code)
    run.report("errors", len(errors), "errors")
    run.report("template_errors", len(built.matching(r'error: no instance of function template "?flash_attn_ext_f16_process_tile')), "errors")
    run.report("places", sorted({error["place"] for error in errors}) or "none")
    return built.exit_code


if __name__ == "__main__":
    execute(script)
