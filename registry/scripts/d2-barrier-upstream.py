#!/usr/bin/env python3
"""D2 with upstream code alone: one FlashAttention shape of test-backend-ops under compute-sanitizer's synccheck.

Needs KVDOCS_BUILD (any llama.cpp with CUDA, best with `-lineinfo`) and compute-sanitizer. The pattern is that of ggml-org/llama.cpp#27678.
The exit code is 0 when the sanitizer told how many errors there were: that of the sanitizer does not tell whether it found any.
"""

from run_environment import RefusalError, Run, execute
from sanitizer import report_barriers, synccheck

SHAPE = "hsk=192,hsv=128,nh=4,nr23=.8,1.,kv=512,nb=3,mask=1,sinks=0,max_bias=0.000000,logit_softcap=0.000000,prec=f32,type_K=f16,type_V=f16"


def script(run: Run) -> int:
    program = run.program("test-backend-ops")
    output = run.run_on_gpu([*synccheck(run), program, "test", "-b", "CUDA0", "-o", "FLASH_ATTN_EXT", "-p", SHAPE])
    if not output.matching(r"^ggml_cuda_init: found [1-9]\d* CUDA devices"):
        raise RefusalError("test-backend-ops found no CUDA device")
    report_barriers(run, output.lines)
    return 0


if __name__ == "__main__":
    execute(script)
