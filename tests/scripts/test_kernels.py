"""The CUDA programs: what their scripts ask for and print, how their output is read, and that they compile. They run only on a GPU.

`recorded/` holds output of an execution on an NVIDIA H200.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stand_in import SCRIPTS, Machine, Ran

KERNELS = SCRIPTS / "kernels"
RECORDED = Path(__file__).parent / "recorded"
sys.path[:0] = [str(KERNELS), str(SCRIPTS)]

import run_barrier  # noqa: E402
import run_environment  # noqa: E402
import run_overlap  # noqa: E402
import toolchain  # noqa: E402
from overlap_results import Arm, read_point, summarise, table  # noqa: E402
from sanitizer_log import Findings, read_findings  # noqa: E402

CUDA_HERE = Path(run_environment.CUDA_TOOLS)
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path=str(CUDA_HERE))


def tail(ran: Ran, start: str) -> str:
    """What was printed from the last line that begins so."""
    return ran.out[ran.out.rindex(f"\n{start}") + 1 :]


# what the scripts ask for


@pytest.mark.parametrize("script", ["run_barrier", "run_overlap"])
def test_a_script_takes_no_arguments(script: str) -> None:
    done = subprocess.run([sys.executable, KERNELS / f"{script}.py", "--fast", "4"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{script} takes no arguments, and got --fast 4\n")


@pytest.mark.skipif((CUDA_HERE / "compute-sanitizer").exists(), reason="this machine has compute-sanitizer")
def test_the_barrier_needs_compute_sanitizer(machine: Machine) -> None:
    assert machine.run("kernels/run_barrier") == Ran(77, "", "run_barrier cannot run: compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin\n")


@pytest.mark.skipif((CUDA_HERE / "nvcc").exists(), reason="this machine has nvcc")
def test_the_overlap_needs_nvcc(machine: Machine) -> None:
    assert machine.run("kernels/run_overlap") == Ran(77, "", "run_overlap cannot run: nvcc is neither on the PATH nor in /usr/local/cuda/bin\n")


@pytest.mark.parametrize(
    ("answer", "exit_code", "why"),
    [
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 9, "nvidia-smi finds no GPU"),
        ("No devices were found", 6, "nvidia-smi finds no GPU"),
        ("", 0, "nvidia-smi finds no GPU"),
        ("[N/A]", 0, "nvidia-smi tells the compute capability as '[N/A]', and a number such as 8.9 was expected"),
    ],
    ids=["no-driver", "no-device", "nothing", "unknown"],
)
def test_a_gpu_is_needed(machine: Machine, answer: str, exit_code: int, why: str) -> None:
    machine.prints("path/nvcc", "never run")
    machine.prints("path/nvidia-smi", answer, exit_code)
    assert machine.run("kernels/run_overlap") == Ran(77, "", f"run_overlap cannot run: {why}\n")


def test_a_program_that_does_not_compile_is_no_result(machine: Machine) -> None:
    machine.prints("path/nvcc", "overlap.cu(1): error: expected a declaration", 2)
    machine.prints("path/nvidia-smi", "8.9")
    ran = machine.run("kernels/run_overlap", KVDOCS_SCRATCH=str(machine.root / "scratch"))
    assert (ran.code, ran.err) == (1, "nvcc could not compile overlap.cu for sm_89\n")
    command = f"-std=c++17 -O3 -lineinfo -Xcompiler -pthread -arch=sm_89 -o /scratch/overlap {KERNELS}/overlap.cu"
    assert ran.out == f"$ /path/nvcc {command}\noverlap.cu(1): error: expected a declaration\n"


def test_programs_are_compiled_for_the_capability_of_the_gpu() -> None:
    assert [toolchain.architecture(capability) for capability in ("7.5", "8.9", "9.0", "12.1")] == ["sm_75", "sm_89", "sm_90", "sm_121"]


# stand-ins for nvcc, the GPU and the programs


def install(machine: Machine, program: str) -> None:
    """A machine whose nvcc makes this program of any source."""
    machine.prints("path/nvidia-smi", "9.0")
    machine.program("compiled", program)
    machine.program("path/nvcc", "import shutil\nshutil.copy(os.environ['COMPILED'], sys.argv[sys.argv.index('-o') + 1])\n")
    machine.environ |= {"COMPILED": str(machine.root / "compiled"), "KVDOCS_SCRATCH": str(machine.root / "scratch")}


BARRIER = """
    for variant in ("divergent", "repaired"):
        for np, warps in ((1, 8), (2, 8), (4, 8), (8, 8), (4, 4)):
            wrong = os.environ.get("WRONG") == f"{variant} {np}"
            print(f"{variant} np={np} warps={warps}: largest relative error {0.5 if wrong else 2e-07}, {'WRONG' if wrong else 'right'}")
    sys.exit(1 if os.environ.get("WRONG") else 0)
"""

SANITIZER = """
    tool, variant, np, warps = sys.argv[2], sys.argv[-5], int(sys.argv[-3]), int(sys.argv[-1])
    assert sys.argv[1:7:2] == ["--tool", "--print-limit", "--show-backtrace"] and sys.argv[4] == "0", sys.argv
    print("========= COMPUTE-SANITIZER")
    if tool == "racecheck":
        print("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)")
        sys.exit(0)
    errors = 32 * warps // np if tool == "synccheck" and variant == "divergent" and np > 1 else 0
    for thread in range(errors):
        print("========= Barrier error detected. Divergent thread(s) in block.",
              f"=========     at void share_divergent<(int){np}>(Stats *)+0xef0 in divergent_barrier.cu:{os.environ['LINE']}",
              f"=========     by thread ({thread % 32},{thread // 32 * np},0) in block (0,0,0)", sep="\\n")
    print(f"========= ERROR SUMMARY: {errors} errors")
    sys.exit(3 if errors else 0)
"""

BARRIER_TABLE = """\
case                       synccheck    memcheck   racecheck  where
divergent.np1_of_8                 0           0           0  -
divergent.np2_of_8               128           0           0  divergent_barrier.cu:63
divergent.np4_of_8                64           0           0  divergent_barrier.cu:63
divergent.np8_of_8                32           0           0  divergent_barrier.cu:63
divergent.np4_of_4                32           0           0  divergent_barrier.cu:63
repaired.np1_of_8                  0           0           0  -
repaired.np2_of_8                  0           0           0  -
repaired.np4_of_8                  0           0           0  -
repaired.np8_of_8                  0           0           0  -
repaired.np4_of_4                  0           0           0  -
"""

BARRIER_TOTALS = {
    "divergent_cases": 4,
    "divergent_cases_found": 4,
    "divergent_cases_at_the_barrier": 4,
    "divergent_errors_of_other_tools": 0,
    "clean_cases": 6,
    "clean_cases_with_errors": 0,
    "barrier_line": 63,
}


def test_the_barrier_script_tells_errors_and_places_by_case_and_tool(machine: Machine) -> None:
    install(machine, BARRIER)
    machine.program("path/compute-sanitizer", SANITIZER)
    ran = machine.run("kernels/run_barrier", LINE="63")
    assert (ran.code, ran.err) == (0, "")
    assert re.sub(r"(?m)^[\w.]+ = .*\n", "", tail(ran, "case ")) == BARRIER_TABLE
    metrics = machine.metrics()
    assert {name: metrics[name] for name in BARRIER_TOTALS} == BARRIER_TOTALS
    assert metrics["divergent"]["np8_of_8"] == {  # type: ignore[index]
        "plain_right": 1,
        "plain_error": 2e-07,
        "synccheck_errors": 32,
        "synccheck_places": ["divergent_barrier.cu:63 x32"],
        "memcheck_errors": 0,
        "racecheck_errors": 0,
    }
    assert metrics["repaired"]["np4_of_4"] == {"plain_right": 1, "plain_error": 2e-07, "synccheck_errors": 0, "memcheck_errors": 0, "racecheck_errors": 0}  # type: ignore[index]


def test_an_error_elsewhere_than_at_the_divergent_barrier_is_not_counted_as_found_there(machine: Machine) -> None:
    install(machine, BARRIER)
    machine.program("path/compute-sanitizer", SANITIZER)
    assert machine.run("kernels/run_barrier", LINE="66").code == 0
    assert [machine.metrics()[name] for name in ("divergent_cases_found", "divergent_cases_at_the_barrier")] == [4, 0]


def test_a_wrong_result_of_the_plain_run_ends_with_exit_code_1(machine: Machine) -> None:
    install(machine, BARRIER)
    machine.program("path/compute-sanitizer", SANITIZER)
    assert machine.run("kernels/run_barrier", LINE="63", WRONG="repaired 4").code == 1


def test_a_sanitizer_without_a_summary_is_not_taken_for_a_clean_one(machine: Machine) -> None:
    install(machine, BARRIER)
    machine.prints("path/compute-sanitizer", "========= COMPUTE-SANITIZER\n========= Device not supported.", 255)
    ran = machine.run("kernels/run_barrier")
    assert (ran.code, ran.err) == (1, "compute-sanitizer printed no summary, so nothing is known of the errors\n")


def test_the_lines_of_the_two_barriers_are_found_in_the_source() -> None:
    source = run_barrier.program_source()
    lines = source.splitlines()
    found = {variant: lines[run_barrier.line_of(source, variant) - 1].strip() for variant in run_barrier.VARIANTS}
    assert found == {
        "divergent": "__syncthreads();  // divergent: reached by the leaders alone",
        "repaired": "if (NP > 1) __syncthreads();  // common: NP is a constant of the whole block",
    }


# logs of compute-sanitizer


def test_a_recorded_log_has_as_many_errors_printed_as_counted() -> None:
    lines = (RECORDED / "synccheck-divergent-np8.log").read_text().splitlines()
    assert read_findings(lines) == Findings(errors=32, printed=32, places={"divergent_barrier.cu:63": 32})


@pytest.mark.parametrize(
    ("log", "findings"),
    [
        (["========= ERROR SUMMARY: 0 errors"], Findings(0, 0, {})),
        (["========= ERROR SUMMARY: 1 error"], Findings(1, 0, {})),
        (["=========     at f()+0x10 in a.cu:5", "========= ERROR SUMMARY: 64 errors", "========= ERROR SUMMARY: 63 errors were not printed."], Findings(64, 1, {"a.cu:5": 1})),
        (["========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"], Findings(2, 0, {})),
    ],
    ids=["clean", "one", "capped", "racecheck"],
)
def test_the_count_is_the_summary_s(log: list[str], findings: Findings) -> None:
    assert read_findings(log) == findings


def test_a_log_without_a_summary_is_refused() -> None:
    with pytest.raises(SystemExit, match="printed no summary"):
        read_findings(["========= COMPUTE-SANITIZER"])


# what the overlap program prints

SMALL_HALF = """\
small_half: 32 layers of 2 MiB, 96 tokens a sample; copy 1.216 ms, compute 0.646 ms (ratio 0.53), link 55.2 GB/s, one large copy 54.9 GB/s
  arm                                 ms/token      low     high     gain   share  ceiling  output
  copy_layer                             1.295    1.294    1.295    86.2%   93.9%    94.3%  -
  copy_slot                              1.221    1.220    1.223    97.4%   99.6%   100.0%  -
  copy_two_slots                         1.216    1.215    1.217    98.3%  100.0%   100.5%  -
  compute_stream                         0.755    0.754    0.755   219.4%  161.1%   161.8%  -
  compute_graph                          0.646    0.645    0.647   273.3%  188.2%   189.1%  -
  compute_in_cache                       0.584    0.584    0.584   312.9%  208.2%   209.3%  -
  serial                                 2.411    2.407    2.429     0.0%   50.4%    50.7%  identical
  async                                  2.239    2.236    2.240     7.7%   54.3%    54.6%  identical
  unordered_layer                        1.299    1.296    1.302    85.5%   93.5%    94.0%  differs 4/4 (wrong by construction)
  unordered_slot                         1.221    1.221    1.224    97.3%   99.5%   100.0%  differs 8/8 (wrong by construction)
  ring_of_layers                         1.349    1.347    1.350    78.7%   90.1%    90.6%  identical
  ring_across_tokens                     1.302    1.298    1.304    85.2%   93.4%    93.8%  identical
  ring_late_rows                         1.301    1.299    1.304    85.3%   93.5%    93.9%  identical
  pipeline                               1.223    1.222    1.224    97.1%   99.4%    99.9%  identical
  no_wait_for_delivery                   1.222    1.221    1.223    97.3%   99.5%   100.0%  differs 4/4 (wrong by construction)
  no_wait_for_slot                       1.223    1.222    1.225    97.0%   99.4%    99.8%  identical (wrong by construction)
  newest_row_from_slot                   1.224    1.223    1.225    96.9%   99.3%    99.8%  differs 4/4 (wrong by construction)"""


def test_a_recorded_point_gives_its_table() -> None:
    place = next(place for place in run_overlap.SMALL if place.name == "small_half")
    point = read_point((RECORDED / "overlap-small_half.jsonl").read_text().splitlines())
    assert point.complete
    assert table(place.name, point, summarise(point, run_overlap.arms(place))) == SMALL_HALF
    assert point.facts["clocks"]["load"]["clocks_throttle_reasons.active"] == "0x0000000000000000"


def sample(arm: str, order: int, ns: int, differing: int = 0) -> str:
    """A line of the program: two tokens."""
    return f'{{"event":"sample","arm":"{arm}","pass":0,"order":{order},"at_s":0.1,"ns":{ns},"tokens":2,"differing_tokens":{differing},"rows_identical":true}}'


def test_shares_are_ratios_of_medians_to_the_fastest_bounds() -> None:
    arms = [Arm(kind, kind, kind) for kind in ("copy", "compute", "hot", "serial", "ceiling", "correct", "control")]
    arms.append(Arm("slow copy", "copy", "slow"))
    times = {"copy": 8, "slow": 9, "compute": 6, "hot": 2, "serial": 16, "ceiling": 9, "correct": 10, "control": 10}
    lines = [sample(arm, order, ms * 2_000_000 + shift, int(arm == "control" and shift > 0)) for arm, ms in times.items() for order, shift in enumerate((-2000, 0, 600_000))]
    summary = summarise(read_point(["not a line of the program", *lines]), arms)
    assert (summary.copy, summary.compute, summary.ceiling, summary.cached) == (8.0, 6.0, 9.0, 8.0)
    row = summary.rows["correct"]
    assert (row.ms, row.low, row.high, row.gain, row.share, row.of_ceiling, row.exact) == (10.0, 9.999, 10.3, pytest.approx(0.6), 0.8, 0.9, True)
    assert [(name, r.exact, r.differing) for name, r in summary.rows.items() if r.exact is not None] == [
        ("serial", True, 0),
        ("ceiling", True, 0),
        ("correct", True, 0),
        ("control", False, 1),
    ]


def test_a_program_that_was_stopped_is_seen() -> None:
    assert not read_point([sample("serial", 0, 1)]).complete


# the sweep

PLACES = [*run_overlap.DEPTHS, *run_overlap.LARGE, *run_overlap.SMALL]


@pytest.mark.parametrize("place", PLACES, ids=[place.name for place in PLACES])
def test_every_slot_divides_a_token_and_every_ring_fits_into_one(place: run_overlap.Place) -> None:
    arms = run_overlap.arms(place) + run_overlap.variants(place)
    assert len({arm.name for arm in arms}) == len(arms) == len({arm.spec for arm in arms})
    for arm in arms:
        options = dict(part.split("=") for part in arm.spec.split(":")[1:])
        slot, depth = int(options.get("slot", place.rows)), int(options.get("depth", 4))
        assert place.rows * run_overlap.LAYERS % slot == 0
        assert max(slot, place.rows) % min(slot, place.rows) == 0
        assert slot % 64 == 0
        assert depth * slot <= place.rows * run_overlap.LAYERS, arm


def test_the_core_stands_at_both_ends_of_a_pass() -> None:
    names = [arm.name for arm in run_overlap.in_order(run_overlap.arms(PLACES[0]))]
    core = ["copy_slot", "copy_two_slots", "compute_graph", "unordered_slot", "pipeline"]
    assert names[:5] == names[-5:] == core
    assert names[5:-5] == [
        *("copy_layer", "compute_stream", "compute_in_cache", "serial", "async", "unordered_layer"),
        *("ring_of_layers", "ring_across_tokens", "ring_late_rows", "no_wait_for_delivery", "no_wait_for_slot", "newest_row_from_slot"),
    ]


OVERLAP = """
    import json
    given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    if given["--rows"] == os.environ.get("FAILS_AT"):
        print("overlap: cudaMalloc failed: out of memory", file=sys.stderr)
        sys.exit(3)
    event = lambda kind, **facts: print(json.dumps({"event": kind, **facts}, separators=(",", ":")))
    event("device", name="Stand-in", copy_engines=2)
    event("point", layers=32, layer_bytes=int(given["--rows"]) * 1024, tokens=4, plain_copy_gb_s=55.0)
    if "--ratio" in given:
        event("calibration", rounds=7, dense=3)
    for when in ("before", "load", "after"):
        event("clocks", when=when, fields="clocks.sm,clocks_throttle_reasons.active", values="1980 MHz, 0x0000000000000000")
    for order, arm in enumerate(given["--arms"].split(";")):
        kind = arm.split(":")[0]
        ms = {"copy": 9.0, "compute": 9.5, "serial": 19.0, "async": 19.0, "unordered": 9.5, "ring": 10.0, "pump": 9.55, "flags": 9.6}[kind]
        if kind == "pump" and given["--rows"] == os.environ.get("SLOW_AT"):
            ms = 10.0
        broken = kind in ("copy", "compute", "unordered") or "=0" in arm.replace("cross=0", "") or arm == os.environ.get("BROKEN")
        event("sample", arm=arm, order=order, ns=ms * 4e6, tokens=4, differing_tokens=int(broken), rows_identical=True)
    event("end")
"""

REACHED = """\
pipeline: 10 of 10 points at 99% of max(copy, compute) and of the ceiling, output identical
arms that had to be right and were not: none
controls that some sample did not show as wrong (the race was not lost there): none
"""


def words(ran: Ran) -> str:
    """The sentences after the tables."""
    return re.sub(r"(?m)^[\w.]+ = .*\n", "", tail(ran, "pipeline: "))


TOTALS = ("points", "points_reached", "lowest_share", "arms_wrong", "controls", "controls_seen_wrong")


def test_the_overlap_script_measures_all_points_and_says_what_was_reached(machine: Machine) -> None:
    install(machine, OVERLAP)
    ran = machine.run("kernels/run_overlap")
    assert (ran.code, ran.err, words(ran)) == (0, "", REACHED)
    metrics = machine.metrics()
    assert [metrics[name] for name in TOTALS] == [10, 10, pytest.approx(9.5 / 9.55), 0, 30, 30]
    assert list(metrics)[:12] == [
        *("depth_16384", "depth_4096", "depth_8192", "depth_32768", "large_half", "large_equal", "large_equal_variants"),
        *("large_double", "small_half", "small_equal", "small_equal_variants", "small_double"),
    ]
    assert metrics["small_half"]["pipeline"] == {  # type: ignore[index]
        "samples_ms": [9.55, 9.55],
        "share": pytest.approx(9.5 / 9.55),
        "of_ceiling": pytest.approx(9.5 / 9.55),
        "gain": pytest.approx(19 / 9.55 - 1),
        "differing": 0,
    }
    assert metrics["small_half"]["sm_clock"] == "1980 MHz"  # type: ignore[index]
    assert metrics["small_half"]["order"] == [arm.name for arm in run_overlap.in_order(run_overlap.arms(PLACES[0]))]  # type: ignore[index]
    assert metrics["device"] == {"name": "Stand-in", "copy_engines": 2}
    kept = (machine.root / "scratch" / "overlap.json").read_text()
    assert '"at' not in kept
    assert kept.count('"facts"') == 12
    sized = re.findall(r"--rows (\d+) .*?--passes (\d) (--r\w+ \S+ --\w+ \S+)", ran.out)
    assert [given for given in sized if given[0] in ("4096", "16384")] == [
        ("16384", "4", "--ratio 1.0 --share 0.3"),
        ("4096", "4", "--rounds 7 --dense 3"),
        ("16384", "4", "--ratio 0.5 --share 1.0"),
        ("16384", "4", "--ratio 1.0 --share 1.0"),
        ("16384", "2", "--rounds 7 --dense 3"),
        ("16384", "4", "--ratio 2.0 --share 1.0"),
    ]


def test_a_point_that_was_not_reached_is_named_and_is_no_failure(machine: Machine) -> None:
    install(machine, OVERLAP)
    ran = machine.run("kernels/run_overlap", SLOW_AT="4096")
    first, rest = REACHED.split("\n", 1)
    assert (ran.code, words(ran)) == (0, f"{first.replace('10 of', '9 of', 1)}\n  not reached at depth_4096: share 95.00%, of the ceiling 95.00%\n{rest}")


def test_an_arm_that_had_to_be_right_and_was_not_ends_with_exit_code_1(machine: Machine) -> None:
    install(machine, OVERLAP)
    ran = machine.run("kernels/run_overlap", BROKEN="ring:wc=1")
    assert (ran.code, words(ran)) == (1, REACHED.replace("were not: none", "were not: large_equal_variants.ring_combined, small_equal_variants.ring_combined"))


def test_a_program_that_fails_ends_the_script_and_keeps_the_figures_so_far(machine: Machine) -> None:
    install(machine, OVERLAP)
    ran = machine.run("kernels/run_overlap", FAILS_AT="32768")
    assert (ran.code, ran.err) == (1, "overlap ended with exit code 3 at depth_32768\n")
    assert list(machine.metrics()) == ["depth_16384", "depth_4096", "depth_8192", "units"]


# the programs themselves


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both programs, compiled for Ada and for Hopper; the latter can be started."""
    if NVCC is None:
        pytest.skip("this machine has no nvcc")
    folder = tmp_path_factory.mktemp("programs")
    for name in ("divergent_barrier", "overlap"):
        for arch in ("sm_89", "sm_90"):
            command = [NVCC, *toolchain.FLAGS, "-Werror", "all-warnings", f"-arch={arch}", "-o", folder / name, KERNELS / f"{name}.cu"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
    return folder


BARRIER_USAGE = "usage: divergent_barrier [--variant divergent|repaired] [--np 1|2|4|8] [--warps W]\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--np 3", "--variant fixed", "--np", "--np 4 --warps 6", "--np 8 --warps 4", "--warps 16", "--size 2"])
def test_the_barrier_program_says_how_it_is_used(programs: Path, arguments: str) -> None:
    done = subprocess.run([programs / "divergent_barrier", *arguments.split()], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, BARRIER_USAGE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("--rows", "an option has no value (see the head of overlap.cu)"),
        ("--speed 2", "unknown option --speed (see the head of overlap.cu)"),
        ("--rows 100", "--rows does not fit (see the head of overlap.cu)"),
        ("--rows 64 --tokens 64", "a count does not fit (see the head of overlap.cu)"),
        ("--rows 1024 --layers 65", "--layers does not fit (see the head of overlap.cu)"),
        ("--rows 1024 --arms serial;warp", "arm 'warp' is not understood"),
        ("--rows 1024 --arms ring:deep=4", "arm 'ring:deep=4' is not understood"),
        ("--rows 1024 --arms ring:depth", "arm 'ring:depth' is not understood"),
    ],
)
def test_the_overlap_program_says_what_is_wrong_with_its_arguments(programs: Path, arguments: str, why: str) -> None:
    done = subprocess.run([programs / "overlap", *arguments.split()], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"overlap: {why}\n")


@pytest.mark.slow
@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="this machine has a GPU")
def test_without_a_gpu_the_programs_say_so(programs: Path) -> None:
    done = subprocess.run([programs / "overlap", "--rows", "1024", "--arms", "serial"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "overlap: no CUDA device can be used\n")
    done = subprocess.run([programs / "divergent_barrier"], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stdout.startswith("cudaMalloc failed: ")
