#!/usr/bin/env python3
"""D2: serve one request under compute-sanitizer's synccheck, and count the barrier errors.

Needs KV_BUILD (with `-lineinfo`, so that the places are known), KV_MODEL and compute-sanitizer; about 40 minutes on the machine of the record.
KV_TOKENS is the length of the answer (900), KV_START_S and KV_REQUEST_S are limits for start and answer in seconds.
The exit code is 0 when the sanitizer told how many errors there were; the server may well have aborted, which is D3.
"""

from llama_server import COMMON, DRAFTING, HOST_CACHE, PROMPT, cache_type, started
from run_environment import Run, execute
from sanitizer import report_barriers, synccheck


def script(run: Run) -> int:
    run.program("llama-server")
    run.model()
    tokens, start_s, request_s = run.number("KV_TOKENS", 900), run.number("KV_START_S", 3600), run.number("KV_REQUEST_S", 7200)
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
