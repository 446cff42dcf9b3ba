"""The live site: files of a built site over HTTP, with a line to each open page that tells it to reload or what is wrong.

A rebuild holds back requests until it has ended, so no reader meets a half-built site.
When there is something wrong the last good pages stay, and a bar on each of them says what and where.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

EVENTS = "/-/kvdocs"
"""The address that pages ask for news; no record has such a path."""

BEAT = 15.0
"""Seconds after which a quiet line says that it is still there."""

SCRIPT = """<script>(() => {
  const bar = document.createElement("pre");
  bar.setAttribute("role", "alert");
  bar.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:9999;margin:0;padding:1rem;max-height:45vh;overflow:auto;background:#7a1020;color:#fff;font:13px/1.5 monospace;white-space:pre-wrap";
  let seen = null;
  new EventSource("%s").onmessage = event => {
    const news = JSON.parse(event.data);
    if (news.error) { bar.textContent = news.error; document.body.append(bar); } else { bar.remove(); }
    if (seen !== null && news.built !== seen) location.reload();
    seen = news.built;
  };
})();</script>"""


NOTHING = b'<!doctype html><html lang="en"><meta charset="utf-8"><title>No page yet</title><body><p>There is no page here yet: it comes when the site can be built.</p>'
"""What is shown before there is a site."""


@dataclass
class News:
    """What pages are told: how often the site was built, and what is wrong now."""

    built: int = 0
    error: str = ""
    closed: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def tell(self, *, error: str = "") -> None:
        """The site was built anew, or could not be for this reason; every open page hears of it."""
        with self.changed:
            self.built += not error
            self.error = error
            self.changed.notify_all()

    def close(self) -> None:
        """End all lines."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()


class LiveHandler(SimpleHTTPRequestHandler):
    """Serves the site's files; pages get the script that listens for news."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, site: LiveSite, **kwargs: object) -> None:
        self.site = site
        super().__init__(*args, directory=str(site.folder), **kwargs)  # type: ignore[arg-type]  # handed through to the base as it came

    def do_GET(self) -> None:
        """A file, a page with the script, or the line of news."""
        path = urlsplit(self.path).path
        if path == EVENTS:
            self._events()
            return
        with self.site.quiet:
            page = self._page(path)
            if page is None:
                super().do_GET()
            else:
                self._send(200 if page[0] else 404, page[1])

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not printed: the terminal is for what changed."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def _page(self, path: str) -> tuple[bool, bytes] | None:
        """The HTML behind an address and whether it exists; None when it is no page."""
        file = Path(self.translate_path(path))
        if file.is_dir():
            if not path.endswith("/"):
                return None
            file /= "index.html"
        found = file.is_file()
        if not found:
            file = self.site.folder / "404.html"
            if not file.is_file():
                return (False, NOTHING + (SCRIPT % EVENTS).encode()) if path.endswith(("/", ".html")) else None
        if file.suffix != ".html":
            return None
        html = file.read_bytes()
        script = (SCRIPT % EVENTS).encode()
        head, mark, tail = html.rpartition(b"</body>")
        return found, head + script + mark + tail if mark else html + script

    def _send(self, status: int, html: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(html)))
        self.end_headers()
        self.wfile.write(html)

    def _events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        news = self.site.news
        told = None
        try:
            while not news.closed:
                with news.changed:
                    if told == (news.built, news.error):
                        news.changed.wait(BEAT)
                    now = (news.built, news.error)
                    closed = news.closed
                if closed:
                    return
                text = f"data: {json.dumps({'built': now[0], 'error': now[1]})}\n\n" if now != told else ": still here\n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
                told = now
        except (BrokenPipeError, ConnectionResetError):
            return


class LiveSite:
    """A folder with a built site, served on one address."""

    def __init__(self, folder: Path, host: str, port: int) -> None:
        self.folder = folder
        self.news = News()
        self.quiet = threading.RLock()
        self.server = ThreadingHTTPServer((host, port), partial(LiveHandler, site=self))
        self.server.daemon_threads = True

    @property
    def address(self) -> str:
        """Where the site is."""
        host, port = self.server.server_address[:2]
        return f"http://{host!s}:{port}/"

    def rebuild(self, build: Callable[[], str]) -> None:
        """Build with all requests held back; `build` gives what is wrong, or nothing."""
        with self.quiet:
            error = build()
        self.news.tell(error=error)

    def start(self) -> None:
        """Serve in the background."""
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """End the lines and the server."""
        self.news.close()
        self.server.shutdown()
        self.server.server_close()
