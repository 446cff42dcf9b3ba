// The arms: ways to order the delivery of key/value blocks against the kernels
// that consume them. All run the same kernels over the same bytes.
//
//   copy       deliveries alone, back to back
//   compute    kernels alone; with depth = layers each reads its own block
//   serial     per layer: the host waits for the copy, then launches the kernels
//   async      copies and kernels on one stream, the host does not wait
//   unordered  copies on their own stream, nothing waits for anything: the
//              ceiling, wrong by construction
//   ring       staging slots; an event says that a slot is delivered, another
//              that it is free again
//   flags      counters in device memory: `project` waits until the layer's pieces
//              are counted as delivered, `combine` counts those consumed, the copy
//              stream waits (a stream memory operation) for a free slot
//   pump       as flags, but the count of consumed pieces lies in host memory, and
//              the host enqueues a copy only when its slot is free
//
// After each token the host waits for what the device sampled and chooses the
// next token from it, in every arm but `copy`.
//
// Which rows a delivery must hold. A piece is delivered while the token before
// is still computed, so it may lack the newest rows: those come from `fresh`.
//   batch=0  each layer's row is stored at once. A slot is filled again only after
//            piece n - depth was consumed, and depth <= pieces of a token, so the
//            previous token's row is stored: one newest row is enough.
//   batch=1  rows are stored when the token ends, and the host enqueues the
//            deliveries of token t + 1 after it saw the end of token t - 1: the
//            two newest rows come from `fresh`.
#pragma once
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "overlap_model.cuh"

inline void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "overlap: %s failed: %s\n", what, cudaGetErrorString(status));
    std::exit(3);
}
#define CHECK(call) check((call), #call)

struct Arm {
    std::string text, kind;
    int slot_kib = 0;       // bytes of a piece in KiB; 0: one layer
    int depth = 4;          // slots of the ring
    bool cross = true;      // ring: deliver across the token's boundary
    bool whole = false;     // ring: attend a layer in one launch however many pieces it has
    bool graph = false;     // one graph launch per token
    bool batch = false;     // store the rows of all layers when the token ends
    bool ahead = false;     // launch a token before the host chose it; its first kernel waits
    bool wc = false;        // write-combined host memory
    bool ready = true;      // false, a bad control: kernels do not wait for the delivery
    bool freed = true;      // false, a bad control: copies do not wait for a free slot
    bool fresh = true;      // false, a bad control: the newest rows are taken from the slot
};

inline bool set_option(Arm& arm, const std::string& key, int value) {
    const struct {
        const char* name;
        bool* flag;
    } flags[] = {{"cross", &arm.cross}, {"whole", &arm.whole}, {"graph", &arm.graph}, {"batch", &arm.batch},
                 {"ahead", &arm.ahead}, {"wc", &arm.wc},       {"ready", &arm.ready}, {"freed", &arm.freed},
                 {"fresh", &arm.fresh}};
    for (const auto& f : flags) {
        if (key == f.name) return *f.flag = value, true;
    }
    if (key == "slot") return arm.slot_kib = value, true;
    if (key == "depth") return arm.depth = value, true;
    return false;
}

// "kind:key=value:key=value"; ends the program with a sentence on anything else.
inline Arm parse_arm(const std::string& text) {
    Arm arm;
    arm.text = text;
    size_t at = text.find(':');
    arm.kind = text.substr(0, at);
    const char* kinds[] = {"copy", "compute", "serial", "async", "unordered", "ring", "flags", "pump"};
    bool known = false;
    for (const char* kind : kinds) known = known || arm.kind == kind;
    while (known && at != std::string::npos) {
        const size_t end = text.find(':', at + 1), equals = text.find('=', at);
        if (equals == std::string::npos) known = false;
        else known = set_option(arm, text.substr(at + 1, equals - at - 1), std::atoi(text.c_str() + equals + 1));
        at = end;
    }
    if (known) return arm;
    std::fprintf(stderr, "overlap: arm '%s' is not understood\n", text.c_str());
    std::exit(2);
}

constexpr int kMaxDepth = 64;

// Counters of the protocol of `flags` and `pump`.
struct Counters {
    unsigned *delivered, *consumed;  // in device memory
    unsigned* consumed_by_host;      // in host memory, as the device addresses it
    volatile unsigned* consumed_seen;  // the same, as the host addresses it
};

// Everything an arm needs: streams, the model's state, the ring, the host blocks.
struct Bench {
    Shape shape;
    State state;
    char* ring;
    Counters counters;
    char *host, *host_seen;  // key/value blocks as the host and as the device address them
    cudaStream_t compute, copy, signal;
    cudaEvent_t ready[kMaxDepth], freed[kMaxDepth];
    volatile Word *sampled, *chosen;  // as the host addresses them
};

// Stream memory operations, by the driver's entry points: no driver library is linked.
class MemOps {
  public:
    void wait_at_least(cudaStream_t stream, unsigned* at, unsigned value) {
        require(wait && wait(stream, reinterpret_cast<CUdeviceptr>(at), value, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
    }
    void write_value(cudaStream_t stream, unsigned* at, unsigned value) {
        require(write && write(stream, reinterpret_cast<CUdeviceptr>(at), value, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_SUCCESS);
    }

  private:
    using Operation = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    Operation wait = entry("cuStreamWaitValue32"), write = entry("cuStreamWriteValue32");
    static Operation entry(const char* name) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
        cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
        cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
        return reinterpret_cast<Operation>(found);
    }
    static void require(bool done) {
        if (done) return;
        std::fprintf(stderr, "overlap: this device or driver has no stream memory operations\n");
        std::exit(3);
    }
};
