"""A machine made by a test: stand-ins for the programs that the reproduction and measurement scripts run.

Each stand-in is a small Python program in a build tree, a source tree or on the PATH, and prints what the real program prints.
What tests with them show is that a script asks for what it needs, runs the right command, and reads its output rightly;
what the real programs do is shown by results.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

SCRIPTS = Path(__file__).resolve().parents[2] / "registry" / "scripts"
IDS = sorted(path.stem for path in SCRIPTS.glob("[dm][0-9]*-*.py"))

FOUND = "ggml_cuda_init: found 1 CUDA devices (Total VRAM: 11902 MiB):"


@dataclass(frozen=True)
class Ran:
    """What a script did."""

    code: int
    out: str
    err: str


class Machine:
    """A machine with nothing on it but what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"PATH": f"{root / 'path'}:/usr/bin:/bin", "KVDOCS_GPU_LOCK": str(root / "lock"), "KVDOCS_METRICS": str(root / "metrics.json")}
        (root / "path").mkdir()

    def program(self, name: str, body: str) -> None:
        """Put a program at a path below the machine's root."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\nimport os, signal, sys\n" + dedent(body))
        path.chmod(0o755)

    def prints(self, name: str, output: str, exit_code: int = 0) -> None:
        """Put a program there that prints this and ends so."""
        self.program(name, f"print({dedent(output).strip()!r})\nsys.exit({exit_code})\n")

    def build(self, **options: str) -> None:
        """A build tree with these options, a model, and pinned CPUs."""
        (self.root / "build" / "bin").mkdir(parents=True, exist_ok=True)
        (self.root / "build" / "CMakeCache.txt").write_text("".join(f"{name}:BOOL={value}\n" for name, value in options.items()))
        (self.root / "model.gguf").write_bytes(b"GGUF")
        self.prints("path/taskset", "")
        self.program("path/taskset", "os.execv(sys.argv[3], sys.argv[3:])\n")
        self.environ |= {"KVDOCS_BUILD": str(self.root / "build"), "KVDOCS_MODEL": str(self.root / "model.gguf"), "KVDOCS_CPUS": "0,2,4"}

    def run(self, script: str, **environ: str) -> Ran:
        """Execute a script here, with the folder of the machine and the port taken out of what it prints."""
        done = subprocess.run([sys.executable, SCRIPTS / f"{script}.py"], env={**self.environ, **environ}, capture_output=True, text=True, check=False, timeout=60)
        out, err = (re.sub(r"--port \d+", "--port N", text.replace(str(self.root), "").replace(sys.executable, "python3")) for text in (done.stdout, done.stderr))
        return Ran(done.returncode, out, err)

    def start(self, script: str, **environ: str) -> subprocess.Popen[str]:
        """Start a script here, with its output as pipes."""
        return subprocess.Popen([sys.executable, SCRIPTS / f"{script}.py"], env={**self.environ, **environ}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def metrics(self) -> Mapping[str, object]:
        """What the script wrote for its caller."""
        document: Mapping[str, object] = json.loads((self.root / "metrics.json").read_text())
        return document


def summary(ran: Ran) -> str:
    """The lines `name = value unit`, which come last."""
    return "".join(line for line in ran.out.splitlines(keepends=True) if re.match(r"[\w.]+ = ", line))


SANITIZER = r"""
    import subprocess
    print("========= COMPUTE-SANITIZER", flush=True)
    done = subprocess.run(sys.argv[5:])
    for thread in range(2):
        print("========= Barrier error detected. Divergent thread(s) in block.",
              f"=========     at void flash_attn_ext_f16_process_tile<(int)256>(const float2 *)+0x176b0 in fattn-mma-f16.cuh:1732",
              f"=========     by thread ({thread},0,0) in block (22,0,0)", sep="\n")
    print("========= ERROR SUMMARY: 4000 errors\n========= ERROR SUMMARY: 3998 errors were not printed. Use --print-limit option to adjust the number of printed errors")
    sys.exit(done.returncode)
"""


SERVER = r"""
    import http.server, json, pathlib, time
    count = pathlib.Path(os.environ["COUNT"]); number = int(count.read_text()) + 1 if count.exists() else 1; count.write_text(str(number))
    fate = os.environ.get("FATES", "").split()[number - 1 : number] or ["completes"]
    if fate == ["fails"]:
        sys.exit("error loading model")
    signal.signal(signal.SIGINT, lambda *_: (os.write(1, b"stopped\n"), os._exit(0)))
    size = "2195.90" if "kvarn5" in sys.argv else "20.28"
    print(f"sched_reserve:      CUDA0 compute buffer size =   142.27 MiB\nsched_reserve:  CUDA_Host compute buffer size =  {size} MiB", flush=True)

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments): pass

        def do_GET(self):
            self.send_response(200); self.end_headers()

        def do_POST(self):
            wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if fate == ["aborts"]:
                print("slot print: n_decoded = 477\nCUDA error: an illegal memory access was encountered\n  at ggml/src/ggml-cuda/ggml-cuda.cu:2752\n"
                      "ggml/src/ggml-cuda/ggml-cuda.cu:109: CUDA error", flush=True)
                os.abort()
            if fate == ["hangs"]:
                time.sleep(60)
            answer = {"timings": {"predicted_n": wanted["n_predict"], "predicted_per_second": 42.63, "draft_n": 391, "draft_n_accepted": 337}}
            self.send_response(200); self.end_headers(); self.wfile.write(json.dumps(answer).encode())

    server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler)
    server.serve_forever()
"""
