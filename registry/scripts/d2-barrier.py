#!/usr/bin/env python3
"""D2: serve one request under compute-sanitizer's synccheck, and count the barrier errors.

Needs KVDOCS_BUILD (with `-lineinfo`, so that the places are known), KVDOCS_MODEL and compute-sanitizer; about 40 minutes on the machine of the record.
KVDOCS_TOKENS is the length of the answer (900), KVDOCS_START_S and KVDOCS_REQUEST_S are limits for start and answer in seconds.
The exit code is 0 when the sanitizer told how many errors there were; the server may well have aborted, which is D3.
"""

from llama_server import COMMON, DRAFTING, HOST_CACHE, PROMPT, cache_type, started
from run_environment import Run, execute
from sanitizer import report_barriers, synccheck


def script(run: Run) -> int:
    run.program("llama-server")
    run.model()
    tokens, start_s, request_s = run.number("KVDOCS_TOKENS", 900), run.number("KVDOCS_START_S", 3600), run.number("KVDOCS_REQUEST_S", 7200)
    options = (*COMMON, *cache_type("q8_0"), *HOST_CACHE, *DRAFTING, "-c", "8192")
    with started(run, options, synccheck(run)) as server:
        if not server.ready(start_s):
            raise SystemExit("llama-server did not start under compute-sanitizer")
        answer = server.complete(PROMPT, tokens, request_s)
    run.report("request", "completed" if answer.timings is not None else answer.error)
    report_barriers(run, server.lines)
    return 0


if __name__ == "__main__":
    execute(script)
