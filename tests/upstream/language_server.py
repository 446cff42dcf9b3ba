"""The YAML language server that editors use, spoken to as an editor does (LSP over standard input and output)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parent / "node_modules/yaml-language-server/bin/yaml-language-server"


class Editor:
    """An editor with one folder open, whose settings are those of a `.vscode/settings.json`."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, settings: dict[str, Any]) -> None:
        self.process, self.folder = process, folder
        self.sections = _nested(settings)
        self.number = 0
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "workspaceFolders": [{"uri": folder.as_uri(), "name": "x"}], "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}}})
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": self.sections})

    def open(self, path: str, text: str) -> list[str]:
        """Open a file with this text; what the server complains of, with line and column from 1."""
        uri = (self.folder / path).as_uri()
        self.diagnostics.pop(uri, None)
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        while uri not in self.diagnostics:
            self._read()
        return [f"{d['range']['start']['line'] + 1}:{d['range']['start']['character'] + 1}: {d['message']}" for d in self.diagnostics[uri]]

    def complete(self, path: str, line: int, column: int) -> list[str]:
        """The words that are offered at a place, counted from 1."""
        answer = self.ask("textDocument/completion", {"textDocument": {"uri": (self.folder / path).as_uri()}, "position": {"line": line - 1, "character": column - 1}})
        return [item["label"] for item in (answer or {}).get("items", [])]

    def hover(self, path: str, line: int, column: int) -> str:
        """What is shown when the pointer rests on a place."""
        answer = self.ask("textDocument/hover", {"textDocument": {"uri": (self.folder / path).as_uri()}, "position": {"line": line - 1, "character": column - 1}})
        return str(answer["contents"]["value"]) if answer else ""

    def ask(self, method: str, parameters: Any) -> Any:
        self.number += 1
        mine = self.number
        self._send({"id": mine, "method": method, "params": parameters})
        while True:
            message = self._read()
            if message.get("id") == mine and "method" not in message:
                return message.get("result")

    def tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            asked = message.get("params") or {}
            result = [self.sections.get(item.get("section", "")) for item in asked.get("items", [])] if message["method"] == "workspace/configuration" else None
            self._send({"id": message["id"], "result": result})
        return message


def _nested(settings: dict[str, Any]) -> dict[str, Any]:
    """`{"yaml.schemas": …}` as the sections that a server asks for."""
    sections: dict[str, Any] = {}
    for name, value in settings.items():
        section, _, key = name.partition(".")
        sections.setdefault(section, {})[key] = value
    return sections


@contextmanager
def editing(folder: Path, settings: dict[str, Any]) -> Iterator[Editor]:
    """An editor while the block runs."""
    process = subprocess.Popen(["node", str(PROGRAM), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield Editor(process, folder, settings)
    finally:
        process.kill()
        process.wait()
