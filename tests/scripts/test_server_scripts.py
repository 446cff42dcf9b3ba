"""The scripts that start a server."""

from __future__ import annotations

from textwrap import dedent

from stand_in import SANITIZER, SERVER, Machine, summary


def test_d3_counts_what_completed_what_aborted_and_what_does_not_count(machine: Machine) -> None:
    machine.build()
    machine.program("build/bin/llama-server", SERVER)
    ran = machine.run("d3-mtp-abort", KVDOCS_RUNS="4", KVDOCS_REQUEST_S="1", COUNT=str(machine.root / "count"), FATES="completes aborts fails hangs")
    assert ran.code == 1
    assert ran.out.splitlines()[0] == (
        "$ /build/bin/llama-server -m /model.gguf -ngl 99 -sm none -mg 0 -t 3 -fa on -b 512 -ub 512 --parallel 1 -ctk q8_0 -ctv q8_0 "
        "-nkvo --kv-cpu-pinned --recurrent-state-offload --spec-type draft-mtp --spec-draft-n-max 5 -c 8192"
    )
    assert summary(ran) == dedent("""\
        run_1.outcome = completed
        run_1.rate = 42.63 token/s
        run_1.tokens = 900 tokens
        run_1.draft = 337/391
        run_2.outcome = aborted
        run_2.client_saw = RemoteDisconnected
        run_2.exit_code = 134
        run_2.error = an illegal memory access was encountered
        run_2.decoded = 477
        run_2.places = ggml-cuda.cu:2752 ggml-cuda.cu:109
        run_3.outcome = not started
        run_4.outcome = no answer (TimeoutError)
        runs = 4
        completed = 1 runs
        aborted = 1 runs
        ineligible = 2 runs
        """)


def test_d2_lets_the_server_end_so_that_the_sanitizer_can_print_its_summary(machine: Machine) -> None:
    machine.build()
    machine.program("path/compute-sanitizer", SANITIZER)
    machine.program("build/bin/llama-server", SERVER)
    ran = machine.run("d2-barrier", COUNT=str(machine.root / "count"))
    assert (ran.code, ran.err) == (0, "")
    assert "stopped\n========= Barrier error" in ran.out
    assert summary(ran) == "request = completed\nerrors = 4000 errors\nerrors_printed = 2 errors\nplaces = fattn-mma-f16.cuh:1732\n"


def test_d2_counts_also_when_the_server_aborts(machine: Machine) -> None:
    machine.build()
    machine.program("path/compute-sanitizer", SANITIZER)
    machine.program("build/bin/llama-server", SERVER)
    ran = machine.run("d2-barrier", COUNT=str(machine.root / "count"), FATES="aborts")
    assert (ran.code, summary(ran)) == (0, "request = RemoteDisconnected\nerrors = 4000 errors\nerrors_printed = 2 errors\nplaces = fattn-mma-f16.cuh:1732\n")


def test_d5_compares_the_host_workspace_of_two_servers(machine: Machine) -> None:
    machine.build(GGML_CUDA_KVARN="ON")
    machine.program("build/bin/llama-server", SERVER)
    ran = machine.run("d5-kvarn-workspace", COUNT=str(machine.root / "count"))
    assert (ran.code, ran.err) == (0, "")
    assert summary(ran) == dedent("""\
        context_8192.kvarn5.device = 142.27 MiB
        context_8192.kvarn5.host = 2195.9 MiB
        context_8192.q8_0.device = 142.27 MiB
        context_8192.q8_0.host = 20.28 MiB
        context_8192.host_ratio = 108.2790927
        """)


def test_d5_does_not_compare_what_it_does_not_have(machine: Machine) -> None:
    machine.build(GGML_CUDA_KVARN="ON")
    machine.program("build/bin/llama-server", SERVER)
    ran = machine.run("d5-kvarn-workspace", COUNT=str(machine.root / "count"), FATES="completes fails")
    assert (ran.code, ran.err) == (1, "a server did not tell its host compute buffer at context 8192\n")
    assert summary(ran) == "context_8192.kvarn5.device = 142.27 MiB\ncontext_8192.kvarn5.host = 2195.9 MiB\n"


def test_a_script_that_is_ended_ends_its_server(machine: Machine) -> None:
    machine.build()
    machine.program("build/bin/llama-server", SERVER)
    script = machine.start("d3-mtp-abort", COUNT=str(machine.root / "count"), FATES="hangs")
    assert script.stdout is not None
    for line in script.stdout:
        if "CUDA_Host" in line:
            break
    script.terminate()
    assert (script.stdout.read(), script.wait(30)) == ("stopped\n", 143)
