#!/usr/bin/env python3
"""D5: start a server with a host-resident KVarN cache and one with q8_0, and compare the compute buffers that they reserve.

Needs KVDOCS_BUILD, a build with GGML_CUDA_KVARN (on the base of the record that takes the repair of D7), and KVDOCS_MODEL.
KVDOCS_CONTEXTS are the context sizes (8192; the record also has 32768 65536 262144), KVDOCS_START_S is the limit for a start in seconds.
The exit code is 0 when both servers told their buffers at every size.
"""

from __future__ import annotations

from llama_server import COMMON, HOST_CACHE, buffer_sizes, cache_type, started
from run_environment import RefusalError, Run, execute


def script(run: Run) -> int:
    run.program("llama-server")
    if run.build_option("GGML_CUDA_KVARN") != "ON":
        raise RefusalError("KVDOCS_BUILD does not enable GGML_CUDA_KVARN, and D5 is about a build that does")
    run.model()
    contexts = run.setting("KVDOCS_CONTEXTS", "8192").split()
    if not all(context.isascii() and context.isdigit() for context in contexts):
        raise RefusalError(f"KVDOCS_CONTEXTS holds whole numbers, not {' '.join(contexts)!r}")
    for context in contexts:
        kvarn, standard = host_buffer(run, context, "kvarn5"), host_buffer(run, context, "q8_0")
        if kvarn is None or standard is None:
            raise SystemExit(f"a server did not tell its host compute buffer at context {context}")
        run.report(f"context_{context}.host_ratio", kvarn / standard)
    return 0


def host_buffer(run: Run, context: str, kind: str) -> float | None:
    """The host compute buffer in MiB of a server with this context and type of cache; None when it did not tell."""
    with started(run, (*COMMON, *cache_type(kind), *HOST_CACHE, "-c", context, "-v")) as server:
        server.ready(run.number("KVDOCS_START_S", 600))
    sizes = buffer_sizes(server.lines)
    for place, backend in (("device", "CUDA0"), ("host", "CUDA_Host")):
        if backend in sizes:
            run.report(f"context_{context}.{kind}.{place}", sizes[backend], "MiB")
    return sizes.get("CUDA_Host")


if __name__ == "__main__":
    execute(script)
