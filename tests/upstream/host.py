"""A small host of repositories on this machine, for what a real one does rarely: limits, moves, silence."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the host answers to one path."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Host:
    """Replies by path, and the questions that came, with their headers. An ETag makes a reply conditional, as GitHub's are."""

    address: str
    replies: dict[str, Reply]
    questions: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def serving(make: Callable[[str], dict[str, Reply]]) -> Iterator[Host]:
    """A host while the block runs; `make` gets its address and gives the replies."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            host.questions.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            reply = host.replies.get(self.path, Reply(404, {"message": "Not Found"}))
            time.sleep(reply.delay)
            status, body = reply.status, json.dumps(reply.body).encode() if reply.body is not None else b""
            if "etag" in reply.headers and self.headers.get("If-None-Match") == reply.headers["etag"]:
                status, body = 304, b""
            self.send_response(status)
            for name, value in {**reply.headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError):  # a client that does not wait so long
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    host = Host(address, {})
    host.replies = make(address)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pull(number: int = 7, **more: Any) -> dict[str, Any]:
    """The fields of a pull request that matter, as GitHub has them."""
    return {
        "number": number, "state": "open", "merged": False, "merged_at": None, "merge_commit_sha": "f" * 40, "closed_at": None,
        "title": "Two lines", "html_url": f"https://github.com/us/ours/pull/{number}", **more,
    }  # fmt: skip
