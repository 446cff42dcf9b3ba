// A block barrier inside a warp-dependent branch, and its repair.
//
// Each block merges softmax statistics (maximum and sum) of `warps` warps in
// groups of NP warps. The first warp of a group is its leader: it merges the
// group's partial statistics and writes them back; a barrier separates the
// reads of all its lanes from the write of its first lane.
//
//   divergent  the leaders reach one __syncthreads(), the other warps reach a
//              textually different one in the complementary branch. The counts
//              balance, the guard does not evaluate identically across the
//              block: undefined by the CUDA C++ Programming Guide.
//   repaired   one __syncthreads() outside the branches, reached by all warps.
//
// Usage: divergent_barrier [--variant divergent|repaired] [--np 1|2|4|8] [--warps W]
// Without arguments every combination of the suite is run.
// Exit: 0 all results right, 1 a result is wrong, 2 usage, 3 a CUDA call failed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int kLanes = 32;
constexpr int kMaxWarps = 8;
constexpr int kPerLane = 4;  // values of one lane in one tile
constexpr int kBlocks = 1;  // the tool ends the kernel at the first block's error
constexpr int kTiles = 3;

struct Stats {
    float max;
    float sum;
};

__device__ Stats merge(Stats a, Stats b) {
    const float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

__device__ Stats warp_stats(const float* values) {
    Stats s{values[0], 1.0f};
    for (int i = 1; i < kPerLane; ++i) s = merge(s, {values[i], 1.0f});
    for (int offset = kLanes / 2; offset > 0; offset /= 2) {
        s = merge(s, {__shfl_xor_sync(0xffffffffu, s.max, offset),
                      __shfl_xor_sync(0xffffffffu, s.sum, offset)});
    }
    return s;
}

template <int NP>
__device__ Stats group_stats(const Stats* shared) {
    Stats s = shared[threadIdx.y];
    for (int i = 1; i < NP; ++i) s = merge(s, shared[threadIdx.y + i]);
    return s;
}

// The defect: leaders and the other warps of a block wait at different barriers.
template <int NP>
__device__ void share_divergent(Stats* shared) {
    if (NP > 1 && threadIdx.y % NP == 0) {
        const Stats merged = group_stats<NP>(shared);
        __syncthreads();  // divergent: reached by the leaders alone
        if (threadIdx.x == 0) shared[threadIdx.y] = merged;
    } else if (NP > 1) {
        __syncthreads();  // balancing: reached by the other warps alone
    }
}

// The repair: the same reads and the same write around one common barrier.
template <int NP>
__device__ void share_repaired(Stats* shared) {
    const bool leader = NP > 1 && threadIdx.y % NP == 0;
    Stats merged{};
    if (leader) merged = group_stats<NP>(shared);
    if (NP > 1) __syncthreads();  // common: NP is a constant of the whole block
    if (leader && threadIdx.x == 0) shared[threadIdx.y] = merged;
}

// in, out: [block][tile][warp][lane][kPerLane]; out = softmax within each group.
template <int NP, bool Repaired>
__global__ void group_softmax(const float* in, float* out) {
    __shared__ Stats shared[kMaxWarps];
    for (int tile = 0; tile < kTiles; ++tile) {
        const size_t warp = (size_t(blockIdx.x) * kTiles + tile) * blockDim.y + threadIdx.y;
        const size_t at = (warp * kLanes + threadIdx.x) * kPerLane;
        const Stats own = warp_stats(in + at);
        if (threadIdx.x == 0) shared[threadIdx.y] = own;
        __syncthreads();
        if constexpr (Repaired) {
            share_repaired<NP>(shared);
        } else {
            share_divergent<NP>(shared);
        }
        __syncthreads();
        const Stats group = shared[threadIdx.y - threadIdx.y % NP];
        for (int i = 0; i < kPerLane; ++i) out[at + i] = expf(in[at + i] - group.max) / group.sum;
        __syncthreads();
    }
}

using Kernel = void (*)(const float*, float*);

Kernel select(bool repaired, int np) {
    switch (np) {
        case 1: return repaired ? group_softmax<1, true> : group_softmax<1, false>;
        case 2: return repaired ? group_softmax<2, true> : group_softmax<2, false>;
        case 4: return repaired ? group_softmax<4, true> : group_softmax<4, false>;
        case 8: return repaired ? group_softmax<8, true> : group_softmax<8, false>;
        default: return nullptr;
    }
}

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::printf("%s failed: %s\n", what, cudaGetErrorString(status));
    std::exit(3);
}

std::vector<float> inputs(size_t count) {
    std::vector<float> values(count);
    unsigned state = 1234567u;
    for (float& v : values) {
        state = state * 1664525u + 1013904223u;
        v = float(state >> 8) / float(1u << 24) * 16.0f - 8.0f;
    }
    return values;
}

// Largest relative error of a group softmax against the host's double precision.
double worst_error(const std::vector<float>& in, const std::vector<float>& out, int np) {
    const size_t group = size_t(np) * kLanes * kPerLane;
    double worst = 0.0;
    for (size_t start = 0; start < in.size(); start += group) {
        double max = in[start], sum = 0.0;
        for (size_t i = 0; i < group; ++i) max = std::fmax(max, double(in[start + i]));
        for (size_t i = 0; i < group; ++i) sum += std::exp(double(in[start + i]) - max);
        for (size_t i = 0; i < group; ++i) {
            const double expected = std::exp(double(in[start + i]) - max) / sum;
            const double error = std::fabs(out[start + i] - expected) / expected;
            if (!(error <= worst)) worst = error;  // a NaN is never small
        }
    }
    return worst;
}

bool run(bool repaired, int np, int warps) {
    const size_t count = size_t(kBlocks) * kTiles * warps * kLanes * kPerLane;
    const std::vector<float> in = inputs(count);
    std::vector<float> out(count);
    float *device_in = nullptr, *device_out = nullptr;
    check(cudaMalloc(&device_in, count * sizeof(float)), "cudaMalloc");
    check(cudaMalloc(&device_out, count * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(device_in, in.data(), count * sizeof(float), cudaMemcpyHostToDevice), "copy in");
    check(cudaMemset(device_out, 0xff, count * sizeof(float)), "poison");
    select(repaired, np)<<<kBlocks, dim3(kLanes, warps)>>>(device_in, device_out);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost), "copy out");
    check(cudaFree(device_in), "cudaFree");
    check(cudaFree(device_out), "cudaFree");
    const double error = worst_error(in, out, np);
    const bool right = error < 1e-5;
    std::printf("%s np=%d warps=%d: largest relative error %.3g, %s\n", repaired ? "repaired" : "divergent",
                np, warps, error, right ? "right" : "WRONG");
    return right;
}

bool run_suite() {
    bool right = true;
    for (bool repaired : {false, true}) {
        for (int np : {1, 2, 4, 8}) right = run(repaired, np, kMaxWarps) && right;
        right = run(repaired, 4, 4) && right;
    }
    return right;
}

int main(int argc, char** argv) {
    if (argc == 1) return run_suite() ? 0 : 1;
    bool repaired = false;
    int np = 4, warps = kMaxWarps;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--variant")) {
            repaired = !std::strcmp(argv[i + 1], "repaired");
            if (!repaired && std::strcmp(argv[i + 1], "divergent")) np = 0;
        } else if (!std::strcmp(argv[i], "--np")) {
            np = std::atoi(argv[i + 1]);
        } else if (!std::strcmp(argv[i], "--warps")) {
            warps = std::atoi(argv[i + 1]);
        } else {
            np = 0;
        }
    }
    if (argc % 2 == 0 || !select(repaired, np) || warps < np || warps > kMaxWarps || warps % np) {
        std::printf("usage: divergent_barrier [--variant divergent|repaired] [--np 1|2|4|8] [--warps W]\n");
        return 2;
    }
    return run(repaired, np, warps) ? 0 : 1;
}
