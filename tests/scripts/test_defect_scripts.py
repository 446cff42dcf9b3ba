"""The scripts of the defects: what they run, and the figures that they read from its output."""

from __future__ import annotations

from textwrap import dedent

from stand_in import FOUND, SANITIZER, Machine, summary


def test_d1_names_the_place_of_the_abort_and_the_last_case_before_it(machine: Machine) -> None:
    machine.build()
    machine.program("build/bin/test-backend-ops", r"""
        print("Backend 1/2: CUDA0\n  FLASH_ATTN_EXT(hsk=40,hsv=40,nh=4 n_tail=0): \033[1;32mOK\033[0m\n"
              "  FLASH_ATTN_EXT(hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75,permute=[0,2,1,3] n_tail=0): not supported [CUDA0] \n"
              "../../ggml/src/ggml-cuda/fattn.cu:412: fatal error", flush=True)
        os.abort()
    """)  # fmt: skip
    ran = machine.run("d1-vector-d320")
    assert ran.code == 134
    assert ran.out.replace(" \n", "\n") == dedent("""\
        $ /path/taskset -c 0,2,4 /build/bin/test-backend-ops test -b CUDA0 -o FLASH_ATTN_EXT
        Backend 1/2: CUDA0
          FLASH_ATTN_EXT(hsk=40,hsv=40,nh=4 n_tail=0): \033[1;32mOK\033[0m
          FLASH_ATTN_EXT(hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75,permute=[0,2,1,3] n_tail=0): not supported [CUDA0]
        ../../ggml/src/ggml-cuda/fattn.cu:412: fatal error
        exit_code = 134
        abort_at = ggml/src/ggml-cuda/fattn.cu:412
        abort_message = fatal error
        last_case_printed = hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75,permute=[0,2,1,3]
        cases.passed = 1 cases
        cases.failed = 0 cases
        cases.not_supported = 1 cases
        """)
    assert machine.metrics() == {
        "exit_code": 134, "abort_at": "ggml/src/ggml-cuda/fattn.cu:412", "abort_message": "fatal error",
        "last_case_printed": "hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75,permute=[0,2,1,3]",
        "cases": {"passed": 1, "failed": 0, "not_supported": 1},
        "units": {"cases.passed": "cases", "cases.failed": "cases", "cases.not_supported": "cases"},
    }  # fmt: skip


def test_a_machine_without_a_device_is_no_success(machine: Machine) -> None:
    """test-backend-ops ends with exit code 0 when the backend it is asked for does not exist."""
    machine.build()
    machine.prints("build/bin/test-backend-ops", "Testing 1 devices\n\nBackend 1/1: CPU\n  Skipping\n1/1 backends passed")
    for script in ("d1-vector-d320", "d6-softcap", "d8-q2-fa64"):
        ran = machine.run(script)
        assert (ran.code, ran.err) == (77, f"{script} cannot run: test-backend-ops found no device CUDA0\n")


def test_d6_counts_the_quantized_cases(machine: Machine) -> None:
    machine.build()
    machine.prints("build/bin/test-backend-ops", """
        Backend 1/2: CUDA0
          FLASH_ATTN_EXT(hsk=128,logit_softcap=10.000000,type_K=f16,type_V=f16,permute=[0,1,2,3]): OK
          FLASH_ATTN_EXT(hsk=128,logit_softcap=10.000000,type_K=q4_0,type_V=q4_0,permute=[0,1,2,3]): OK
          2/2 tests passed""")  # fmt: skip
    ran = machine.run("d6-softcap")
    assert (ran.code, summary(ran)) == (
        0,
        "exit_code = 0\ncases.passed = 2 cases\ncases.failed = 0 cases\ncases.not_supported = 0 cases\nquantized.passed = 1 cases\nquantized.failed = 0 cases\n",
    )


def test_d8_reports_the_error_at_each_seed(machine: Machine) -> None:
    machine.build()
    machine.program("build/bin/test-backend-ops", """
        error = {"0": "1.748040631", "1": "2.112992357"}.get(sys.argv[-1], "1.703930844")
        case = "FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[2,1],kv=256,nb=2,type_K=q2_0s,type_V=q2_0s,permute=[0,1,2,3] n_tail=16)"
        print("Backend 1/2: CUDA0", f"  [FLASH_ATTN_EXT] ERR = {error} > 0.000500000   {case}: FAIL".strip(), "Failing tests:", "  " + case, sep="\\n")
        sys.exit(1)
    """)  # fmt: skip
    ran = machine.run("d8-q2-fa64", KVDOCS_SEEDS="0 1")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if line.startswith("$")] == [
        "$ /path/taskset -c 0,2,4 /build/bin/test-backend-ops test -b CUDA0 -o FLASH_ATTN_EXT -p hsk=64",
        "$ /path/taskset -c 0,2,4 /build/bin/test-backend-ops test -b CUDA0 -o FLASH_ATTN_EXT -p hsk=64,.*type_K=q2_0s --seed 0",
        "$ /path/taskset -c 0,2,4 /build/bin/test-backend-ops test -b CUDA0 -o FLASH_ATTN_EXT -p hsk=64,.*type_K=q2_0s --seed 1",
    ]
    assert summary(ran) == dedent("""\
        exit_code = 1
        cases.passed = 0 cases
        cases.failed = 1 cases
        cases.not_supported = 0 cases
        default_seed.q2_0s_failed = 1 cases
        default_seed.largest_error = 1.703930844
        seed_0.q2_0s_failed = 1 cases
        seed_0.largest_error = 1.748040631
        seed_1.q2_0s_failed = 1 cases
        seed_1.largest_error = 2.112992357
        """)


def test_d4_names_the_operation_that_is_not_there(machine: Machine) -> None:
    machine.build(GGML_CUDA_KVARN="OFF")
    machine.program("build/bin/test-kvarn", f"""
        print({FOUND!r}, "ggml_cuda_graph_evaluate_and_capture: op not supported  (view) (KVARN_STORE)",
              "ggml/src/ggml-cuda/ggml-cuda.cu:4425: GGML_ASSERT(ok) failed", sep="\\n", flush=True)
        os.abort()
    """)  # fmt: skip
    ran = machine.run("d4-test-kvarn")
    assert (ran.code, summary(ran)) == (
        134,
        "exit_code = 134\nabort_at = ggml/src/ggml-cuda/ggml-cuda.cu:4425\nabort_message = GGML_ASSERT(ok) failed\nunsupported_op = KVARN_STORE\n",
    )


def test_d2_with_upstream_code_takes_the_count_from_the_summary(machine: Machine) -> None:
    machine.build()
    machine.program("path/compute-sanitizer", SANITIZER)
    machine.prints("build/bin/test-backend-ops", FOUND, 6)
    ran = machine.run("d2-barrier-upstream")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == (
        "$ /path/taskset -c 0,2,4 /path/compute-sanitizer --tool synccheck --show-backtrace device /build/bin/test-backend-ops test -b CUDA0 -o FLASH_ATTN_EXT -p "
        "hsk=192,hsv=128,nh=4,nr23=.8,1.,kv=512,nb=3,mask=1,sinks=0,max_bias=0.000000,logit_softcap=0.000000,prec=f32,type_K=f16,type_V=f16"
    )
    assert summary(ran) == "errors = 4000 errors\nerrors_printed = 2 errors\nplaces = fattn-mma-f16.cuh:1732\n"


def test_d2_without_a_summary_knows_nothing(machine: Machine) -> None:
    machine.build()
    machine.prints("path/compute-sanitizer", FOUND + "\n========= Barrier error detected. Divergent thread(s) in block.")
    machine.prints("build/bin/test-backend-ops", "")
    ran = machine.run("d2-barrier-upstream")
    assert (ran.code, ran.err) == (1, "compute-sanitizer printed no summary, so nothing is known of the errors\n")


def test_d7_builds_from_clean_and_goes_on_after_errors(machine: Machine) -> None:
    tree, build = machine.root / "tree", machine.root / "build-kvarn"
    tree.mkdir()
    (tree / "CMakeLists.txt").touch()
    machine.prints("path/nvcc", "")
    machine.program("path/cmake", f"""
        if "-B" in sys.argv:
            os.makedirs({str(build)!r})
            open({str(build / "CMakeCache.txt")!r}, "w").write("GGML_CUDA_KVARN:BOOL=ON\\nCMAKE_GENERATOR:INTERNAL=Unix Makefiles\\n")
            sys.exit(0)
        for at in (178, 178, 245):
            print(f'/src/ggml/src/ggml-cuda/template-instances/../fattn-mma-kvarn-case.cuh({{at}}): error: no instance of function template "flash_attn_ext_f16_process_tile" matches')
        print("/src/common/arg.cpp:7:1: error: expected declaration")
        sys.exit(2)
    """)  # fmt: skip
    ran = machine.run("d7-kvarn-build", KVDOCS_SOURCE=str(tree), KVDOCS_BUILD=str(build), KVDOCS_JOBS="3", KVDOCS_CONFIGURE="-DCMAKE_CUDA_ARCHITECTURES=89")
    assert [line for line in ran.out.splitlines() if line.startswith("$")] == [
        "$ /path/cmake -S /tree -B /build-kvarn -DGGML_CUDA=ON -DGGML_CUDA_FA=ON -DGGML_CUDA_KVARN=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=89",
        "$ /path/cmake --build /build-kvarn --clean-first --parallel 3 -- -k",
    ]
    assert ran.code == 2
    assert summary(ran) == dedent("""\
        configured = yes
        exit_code = 2
        errors = 4 errors
        template_errors = 3 errors
        places = arg.cpp:7:1 fattn-mma-kvarn-case.cuh(178) fattn-mma-kvarn-case.cuh(245)
        """)


def test_d9_tells_a_refusal_from_a_failure(machine: Machine) -> None:
    machine.build(GGML_CUDA_KVARN="OFF")
    machine.program("build/bin/llama-bench", """
        import json
        if "kvarn4" in sys.argv and "99" in sys.argv and "-nkvo" not in sys.argv:
            sys.exit("llama_init_from_model: cannot enable kvarn_k4v4_g128: KVarN requires a backend with KVarN store and materialization support")
        if "q8_0" in sys.argv:
            sys.exit("CUDA error: out of memory")
        print("device log on the same stream")
        print(json.dumps({"samples_ns": [2_000_000_000 if "-nkvo" not in sys.argv else 250_000_000]}))
    """)  # fmt: skip
    ran = machine.run("d9-kvarn-device")
    assert ran.code == 1
    assert summary(ran) == dedent("""\
        kvarn4_on_device.outcome = refused
        kvarn4_on_device.message = KVarN requires a backend with KVarN store and materialization support
        kvarn4_without_layers.outcome = accepted
        kvarn4_without_layers.rate = 2 token/s
        kvarn4_in_host_memory.outcome = accepted
        kvarn4_in_host_memory.rate = 16 token/s
        q8_0_without_layers.outcome = failed
        q8_0_without_layers.message = exit code 1
        """)


PHRASE_TEST = """
    from pathlib import Path

    if "50 standard vector pairs" not in Path("AGENTS.md").read_text():
        raise AssertionError("AGENTS.md does not describe the v0.4.0 CUDA policy")
"""


def test_d10_runs_the_test_in_the_tree(machine: Machine) -> None:
    machine.program("tree/tests/test-upstream-merge-keepers-static.py", PHRASE_TEST)
    agents = machine.root / "tree" / "AGENTS.md"
    agents.write_text("It has 50 standard vector\npairs.\n")
    ran = machine.run("d10-agents-static", KVDOCS_SOURCE=str(machine.root / "tree"))
    assert (ran.code, summary(ran)) == (1, "exit_code = 1\nmessage = AGENTS.md does not describe the v0.4.0 CUDA policy\n")
    agents.write_text("It has 50 standard vector pairs.\n")
    ran = machine.run("d10-agents-static", KVDOCS_SOURCE=str(machine.root / "tree"))
    assert ran.out == "$ python3 tests/test-upstream-merge-keepers-static.py\nexit_code = 0\nmessage = none\n"
    assert ran.code == 0
