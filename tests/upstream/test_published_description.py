"""`kvdocs sync` against a server that answers from GitHub's published OpenAPI description, so that what it asks and reads is GitHub's and not ours.

`npm ci --prefix tests/upstream` brings the description and the server. A forwarder in between asks the server for other answers than 200,
by its `Prefer` header, and adds what the description does not describe: redirects and rate limits are headers.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest

from kvdocs.project import Project

Kvdocs = Callable[..., Any]
HERE = Path(__file__).resolve().parent
DESCRIPTION = HERE / "node_modules/@octokit/openapi/generated/api.github.com.json"
SERVER = HERE / "node_modules/@stoplight/prism-cli/dist/index.js"
PATHS = (
    "/repos/{owner}/{repo}/pulls/{pull_number}",
    "/repos/{owner}/{repo}/issues/{issue_number}",
    "/repos/{owner}/{repo}/commits/{ref}",
    "/repos/{owner}/{repo}/releases/tags/{tag}",
    "/repos/{owner}/{repo}/git/ref/{ref}",
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(not DESCRIPTION.is_file() or not SERVER.is_file(), reason="the packages are not installed: npm ci --prefix tests/upstream"),
]


def excerpt(description: dict[str, Any]) -> dict[str, Any]:
    """The paths that are asked for, with all that they refer to: the whole description takes the server half a minute to read."""
    wanted: dict[str, Any] = {**{k: description[k] for k in ("openapi", "info", "servers")}, "paths": {p: {"get": description["paths"][p]["get"]} for p in PATHS}, "components": {}}
    todo = [wanted["paths"]]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            for name, example in node.get("examples", {}).items():
                value = example.get("value") if isinstance(example, dict) else None
                if isinstance(value, dict) and "$ref" in value:  # GitHub's description has a whole example where the value of one belongs
                    node["examples"][name] = value
            todo += list(node.values())
            if isinstance(reference := node.get("$ref"), str):
                section, name = reference.removeprefix("#/components/").split("/", 1)
                place = wanted["components"].setdefault(section, {})
                if name not in place:
                    place[name] = description["components"][section][name]
                    todo.append(place[name])
    return wanted


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server. It says in a header what of a question the description does not allow."""
    path = tmp_path_factory.mktemp("description") / "api.github.com.json"
    path.write_text(json.dumps(excerpt(json.loads(DESCRIPTION.read_bytes()))))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(["node", str(SERVER), "mock", "--host", "127.0.0.1", "--port", str(port), str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/repos/us/ours/issues/1", timeout=5).close()
                break
            except HTTPError:
                break
            except URLError:
                assert server.poll() is None, "the server ended"
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)


@contextmanager
def forwarding(behind: str, prefer: dict[str, str], headers: dict[str, dict[str, str]], moved: dict[str, str]) -> Iterator[str]:
    """A forwarder: `prefer` names the answer wanted for a path, `headers` are added to it, `moved` redirects a path to another one.

    It fails when a question was not as the description has it. (That GitHub's own examples are not is none of our business.)
    """
    faults: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path in moved:
                self._send(301, {"location": moved[self.path]}, b'{"message": "Moved Permanently"}')
                return
            question = urllib.request.Request(behind + self.path, headers={"Accept": self.headers["Accept"], **({"Prefer": prefer[self.path]} if self.path in prefer else {})})
            try:
                with urllib.request.urlopen(question, timeout=60) as response:
                    faults.extend(f for f in json.loads(response.headers.get("sl-violations", "[]")) if f["location"][0] == "request")
                    self._send(response.status, headers.get(self.path, {}), response.read())
            except HTTPError as error:
                self._send(error.code, headers.get(self.path, {}), error.read())

        def _send(self, status: int, more: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **more, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert faults == []


def reference(name: str, **fields: Any) -> dict[str, str]:
    lines = {"id": name, "title": name, "repository": "octocat/Hello-World", "state_on": "2026-08-24", **fields}
    return {f"registry/references/{name}.yaml": "".join(f"{key}: {value}\n" for key, value in lines.items())}


EVERYTHING = {
    **reference("pull", type="pull-request", number=1347, state="not-recorded"),
    **reference("bug", type="issue", number=1347, state="not-recorded"),
    **reference("base", type="commit", commit="6dcb09b5b", state="exists"),
    **reference("v1", type="release", tag="v1.0.0", state="exists"),
}


def seen(kvdocs: Kvdocs, root: Path, address: str) -> dict[str, Any]:
    ran = kvdocs("sync", "--json", "--api", address, "--timeout", "60", at=root)
    document = json.loads(ran.out)
    return {"code": ran.code, "stopped": document["stopped"], **{r["id"]: r for r in document["references"]}}


def test_every_type_of_reference_is_read_from_the_described_answers(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project], described: str) -> None:
    with forwarding(described, {}, {}, {}) as address:
        answers = seen(kvdocs, make_project(EVERYTHING).root, address)
    assert (answers["code"], answers["stopped"]) == (0, None)
    assert {name: (answers[name]["after"], answers[name]["title"], answers[name]["remark"]) for name in ("pull", "bug", "base", "v1")} == {
        "pull": ("open", "Amazing new feature", None),
        "bug": ("open", "Found a bug", "it is a pull request there"),
        "base": ("exists", None, None),
        "v1": ("exists", "v1.0.0", None),
    }


def test_the_described_answers_for_what_is_missing_gone_and_refused(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project], described: str) -> None:
    base = "/repos/octocat/Hello-World"
    prefer = {f"{base}/pulls/1347": "code=404", f"{base}/issues/1347": "code=410", f"{base}/commits/6dcb09b5b": "code=422", f"{base}/releases/tags/v1.0.0": "code=404"}
    with forwarding(described, prefer, {}, {}) as address:
        answers = seen(kvdocs, make_project(EVERYTHING).root, address)
    host = address.removeprefix("http://")
    assert {name: answers[name]["remark"] for name in ("pull", "bug", "base")} == {
        "pull": f"{host} knows nothing of that name, or not for you (404)",
        "bug": f"{host} knows nothing of that name, or not for you (410)",
        "base": f"{host} knows nothing of that name, or not for you (422)",
    }
    assert answers["v1"]["after"] == "exists"  # the tag is there, only no release was made of it


def test_a_described_server_fault_costs_only_its_own_reference(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project], described: str) -> None:
    with forwarding(described, {"/repos/octocat/Hello-World/pulls/1347": "code=503"}, {}, {}) as address:
        answers = seen(kvdocs, make_project(EVERYTHING).root, address)
    assert answers["pull"]["after"] is None
    assert answers["pull"]["remark"].startswith(f"{address.removeprefix('http://')} answered 503")
    assert answers["bug"]["after"] == "open"


def test_a_move_to_another_repository_is_followed_to_the_described_answer(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project], described: str) -> None:
    files = reference("old", type="pull-request", number=1347, state="open", repository="octocat/Hello")
    with forwarding(described, {}, {}, {"/repos/octocat/Hello/pulls/1347": "/repos/octocat/Hello-World/pulls/1347"}) as address:
        answers = seen(kvdocs, make_project(files).root, address)
    assert (answers["old"]["after"], answers["old"]["moved_to"]) == ("open", "octocat/Hello-World#1347")


def test_the_etag_of_a_described_answer_is_sent_and_its_304_understood(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project], described: str) -> None:
    path = "/repos/octocat/Hello-World/issues/1347"
    root = make_project(reference("bug", type="issue", number=1347, state="not-recorded")).root
    headers = {path: {"etag": 'W/"described"'}}
    prefer: dict[str, str] = {}
    with forwarding(described, prefer, headers, {}) as address:
        first = seen(kvdocs, root, address)
        prefer[path] = "code=304"
        second = seen(kvdocs, root, address)
    assert (first["bug"]["after"], first["bug"]["from_cache"]) == ("open", False)
    assert (second["bug"]["after"], second["bug"]["from_cache"]) == ("open", True)
