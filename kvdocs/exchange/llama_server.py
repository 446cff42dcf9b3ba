"""llama-server log -> requests with their speeds and draft acceptance, and how the server died if it did."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kvdocs.exchange.ggml_abort import Abort, find_abort
from kvdocs.exchange.remark import Remark, UnreadableSourceError, lost, unknown


@dataclass(frozen=True, slots=True)
class Timing:
    """A phase of a request: milliseconds and tokens as printed; the rate is computed from them."""

    milliseconds: float
    tokens: int

    @property
    def rate(self) -> float | None:
        """Tokens per second; None when no time was measured."""
        return self.tokens * 1000 / self.milliseconds if self.milliseconds > 0 else None


@dataclass(frozen=True, slots=True)
class Request:
    """One completed request: slot and task, prompt and generation, and (accepted, drafted) tokens."""

    slot: int | None = None
    task: int | None = None
    prompt: Timing | None = None
    generation: Timing | None = None
    draft: tuple[int, int] | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ServerReport:
    """What a server log tells. `decoded` is the last number of decoded tokens that it named before its end."""

    requests: tuple[Request, ...]
    remarks: tuple[Remark, ...]
    abort: Abort | None = None
    decoded: int | None = None


_START = re.compile(r"print_timing: id +(?P<slot>\d+) \| task +(?P<task>-?\d+)")
_EVAL = re.compile(r"(?P<prompt>prompt )?eval time = +(?P<ms>[\d.]+) ms / +(?P<tokens>\d+) (?:tokens|runs)")
_ACCEPTED = re.compile(r"draft acceptance rate = +[\d.]+%? \( *(?P<accepted>\d+) (?:accepted )?/ +(?P<drafted>\d+)")
_SHORT = re.compile(r"\bdraft=(?P<accepted>\d+)/(?P<drafted>\d+)")
_DECODED = re.compile(r"\bn_decoded *= *(\d+)")
_KNOWN = re.compile(r"print_timing|eval time =|update_slots|llama_server|srv +|slot +|\bdraft=\d+/\d+")


def parse(text: str) -> ServerReport:
    """The requests of a llama-server log. Raises UnreadableSourceError when no line is of one."""
    lines = text.splitlines()
    if not any(_KNOWN.search(line) for line in lines):
        raise UnreadableSourceError("no line of llama-server in this file")
    requests: list[Request] = []
    decoded: int | None = None
    for number, line in enumerate(lines, start=1):
        if (start := _START.search(line)) is not None:
            requests.append(Request(int(start["slot"]), int(start["task"]), line=number))
        if (timing := _EVAL.search(line)) is not None:
            _open(requests, "prompt" if timing["prompt"] else "generation", number)
            _take_timing(requests, timing)
        if (draft := _ACCEPTED.search(line) or _SHORT.search(line)) is not None:
            _open(requests, "draft", number)
            requests[-1] = replace(requests[-1], draft=(int(draft["accepted"]), int(draft["drafted"])))
        if (count := _DECODED.search(line)) is not None:
            decoded = int(count[1])
    abort = find_abort(lines)
    remarks = [unknown("the command line and the environment variables, unless the log was begun with them")]
    if abort is not None:
        remarks.append(lost("the timings of the request in flight: they are printed when it ends", abort.log_line))
    return ServerReport(tuple(requests), tuple(remarks), abort, decoded)


def _open(requests: list[Request], field: str, number: int) -> None:
    """Begin a request where a timing comes without its heading line, or for the second time."""
    if not requests or getattr(requests[-1], field) is not None:
        requests.append(Request(line=number))


def _take_timing(requests: list[Request], match: re.Match[str]) -> None:
    timing = Timing(float(match["ms"]), int(match["tokens"]))
    if match["prompt"]:
        requests[-1] = replace(requests[-1], prompt=timing)
    else:
        requests[-1] = replace(requests[-1], generation=timing)
