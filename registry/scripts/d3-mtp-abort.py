#!/usr/bin/env python3
"""D3: start a server with MTP drafting and a host-resident cache, ask for 900 tokens, and do that several times.

Needs KVDOCS_BUILD, a default build, and KVDOCS_MODEL.
KVDOCS_RUNS is how often (3; a gate wants 10), KVDOCS_TOKENS the length of the answer (900), KVDOCS_CONTEXT the context (8192),
KVDOCS_CACHE_PLACE where the cache is (host or device), KVDOCS_PROMPT a file with another prompt,
KVDOCS_START_S and KVDOCS_REQUEST_S are limits for start and answer in seconds.
A run counts when the answer came or the server died; a server that did not start or did not answer in time is neither.
The exit code is 0 when every run counts.
"""

from __future__ import annotations

import re
from pathlib import Path

from llama_server import COMMON, DRAFTING, HOST_CACHE, PROMPT, Server, cache_type, started
from run_environment import RefusalError, Run, execute, matching


def script(run: Run) -> int:
    run.program("llama-server")
    run.model()
    runs, counted = run.number("KVDOCS_RUNS", 3), {"completed": 0, "aborted": 0, "ineligible": 0}
    prompt, options = prompt_of(run), (*COMMON, *cache_type("q8_0"), *cache_place(run), *DRAFTING, "-c", str(run.number("KVDOCS_CONTEXT", 8192)))
    for number in range(1, runs + 1):
        with started(run, options) as server:
            word = outcome(run, server, prompt, f"run_{number}")
        counted[word] += 1
    run.report("runs", runs)
    for word, times in counted.items():
        run.report(word, times, "runs")
    return 1 if counted["ineligible"] else 0


def prompt_of(run: Run) -> str:
    """The prompt of KVDOCS_PROMPT, or the one that comes with the scripts."""
    path = run.setting("KVDOCS_PROMPT", "")
    try:
        return Path(path).read_text() if path else PROMPT
    except OSError as error:
        raise RefusalError(f"KVDOCS_PROMPT names {path}: {error.strerror}") from None


def cache_place(run: Run) -> tuple[str, ...]:
    """The options for a cache in host memory or on the device."""
    where = run.setting("KVDOCS_CACHE_PLACE", "host")
    if where not in ("host", "device"):
        raise RefusalError(f"KVDOCS_CACHE_PLACE is host or device, not {where!r}")
    return HOST_CACHE if where == "host" else ()


def outcome(run: Run, server: Server, prompt: str, name: str) -> str:
    """Make one request, report what became of it, and say whether the run completed, aborted, or does not count."""
    if not server.ready(run.number("KVDOCS_START_S", 600)):
        run.report(f"{name}.outcome", "not started")
        return "ineligible"
    answer = server.complete(prompt, run.number("KVDOCS_TOKENS", 900), run.number("KVDOCS_REQUEST_S", 900))
    if answer.timings is not None:
        run.report(f"{name}.outcome", "completed")
        run.report(f"{name}.rate", answer.timings.get("predicted_per_second", "unknown"), "token/s")
        run.report(f"{name}.tokens", answer.timings.get("predicted_n", "unknown"), "tokens")
        run.report(f"{name}.draft", f"{answer.timings.get('draft_n_accepted', '?')}/{answer.timings.get('draft_n', '?')}")
        return "completed"
    exit_code = server.ended(0.1 if answer.error == "TimeoutError" else 60)  # a broken connection means that it is dying
    if exit_code is None:
        run.report(f"{name}.outcome", f"no answer ({answer.error})")
        return "ineligible"
    run.report(f"{name}.outcome", "aborted")
    run.report(f"{name}.client_saw", answer.error)
    run.report(f"{name}.exit_code", exit_code)
    report_death(run, server.lines, name)
    return "aborted"


def report_death(run: Run, lines: list[str], name: str) -> None:
    """What the server said last: the error, the source lines, and how many tokens it had decoded."""
    for key, pattern in (("error", r"CUDA error: (.+)$"), ("decoded", r"n_decoded\s*=\s*(\d+)")):
        found = matching(lines, pattern)
        if found:
            run.report(f"{name}.{key}", found[-1][1])
    places = [re.sub(r"^.*/", "", m[0]) for m in matching(lines, r"[\w./-]+\.(?:cu|cuh|cpp):\d+")]
    if places:
        run.report(f"{name}.places", list(dict.fromkeys(places)))


if __name__ == "__main__":
    execute(script)
