// The decode-like model whose key/value cache lies in host memory: its sizes,
// its device state and its kernels. Every result is deterministic: no sum
// depends on which block ran first, so outputs can be compared byte for byte.
//
// One token, one layer:
//   project  normalises the state, makes the queries and the layer's newest
//            key/value row; the row goes to `fresh`, and to its host block now
//            or, with all layers' rows, when the token ends (store_rows)
//   attend   softmax attention of kQueries queries per head over all rows of
//            the layer that the device received, split by kSplitRows rows
//   combine  merges the splits in a fixed order and updates the state
//   dense    stands in for the rest of the layer; it reads no key/value data
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kHeads = 2;    // key/value heads
constexpr int kQueries = 8;  // query heads per key/value head
constexpr int kPairs = kHeads * kQueries;
constexpr int kDim = 128;
constexpr int kRowHalves = 2 * kHeads * kDim;  // keys of all heads, then values
constexpr size_t kRowBytes = kRowHalves * sizeof(__half);
constexpr int kSplitRows = 64;  // rows of one block's work
constexpr size_t kSplitBytes = kSplitRows * kRowBytes;
constexpr int kMaxSplits = 1024;  // of one layer
constexpr int kFresh = 2;         // newest rows of a layer that the device keeps
constexpr int kDenseBlocks = 128;
constexpr int kTileStride = kDim + 8;  // halves; the padding avoids bank conflicts

struct Shape {
    int layers, rows, tokens;  // rows: capacity of a layer, filled by the last token
    int rounds;                // passes of the attention over a split, each with turned queries
    int dense;                 // iterations of the dense stand-in, 0 leaves its kernel out
    int base() const { return rows - tokens; }
    int splits() const { return rows / kSplitRows; }
    size_t layer_bytes() const { return rows * kRowBytes; }
    size_t token_bytes() const { return layers * layer_bytes(); }
};

// A number and the token it belongs to, written and read as one.
struct alignas(8) Word {
    unsigned token, value;
};

// Device pointers of the model's state.
struct State {
    float *x, *norm, *queries;  // [kPairs][kDim]
    float* partial;             // [split][kPairs][kDim]
    float2* weights;            // [split][kPairs]: maximum, sum
    float* dense_out;           // [kDenseBlocks][kDim]
    __half* dense_weights;      // [kDim][kDim]
    __half* fresh;              // [token % kFresh][layer][kRowHalves]
    float* log;                 // [token][kPairs][kDim]
    unsigned* token;            // number of finished tokens
    Word *sampled, *chosen;     // in host memory: what the device sampled, what the host chose
};

// Where a layer's rows lie in the ring of staging slots. A token's bytes are
// one sequence of splits, layer after layer, cut into `per_token` pieces of
// `slot_splits`; piece n of the run lies in slot n % depth.
struct Window {
    char* ring;
    int depth, slot_splits, per_token;
    int layers, layer, splits, first_split;  // first_split: of this launch
    int base;                                // rows before the first token
    int newest;                              // rows taken from `fresh`, the others from the slots
    const unsigned* delivered;               // pieces delivered, or null: nothing to wait for
    unsigned* consumed;                      // pieces that no later layer reads, or null: nobody asks
    // Pieces from the start of the run to the end of the layer: touched, and whole.
    __device__ unsigned touched(unsigned token) const {
        return token * per_token + ((layer + 1) * splits - 1) / slot_splits + 1;
    }
    __device__ unsigned whole(unsigned token) const { return token * per_token + (layer + 1) * splits / slot_splits; }
};

__device__ inline unsigned mix(unsigned v) {
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ (v >> 16);
}

__device__ inline float uniform(unsigned v) { return float(mix(v) >> 8) * (2.0f / 16777216.0f) - 1.0f; }

// Sum over a block of kDim threads, in a fixed order.
__device__ inline float block_sum(float v) {
    __shared__ float sums[kDim / 32];
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffffu, v, offset);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.0f;
    for (int i = 0; i < kDim / 32; ++i) total += sums[i];
    return total;
}

__global__ void fill(__half* data, size_t halves, unsigned seed) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < halves; i += step) {
        data[i] = __float2half(uniform(seed + unsigned(i) * 2654435761u));
    }
}

__device__ inline Word read_word(const Word* p) {
    Word w;
    asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(w.token), "=r"(w.value) : "l"(p) : "memory");
    return w;
}

__device__ inline void write_word(Word* p, Word w) {
    asm volatile("st.volatile.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(w.token), "r"(w.value) : "memory");
}

// <<<1, 1024>>>: the state of the token that the host chose; waits for the choice.
__global__ void embed(State s) {
    __shared__ unsigned word;
    if (threadIdx.x == 0) {
        const unsigned token = *s.token;
        Word w = read_word(s.chosen);
        while (w.token != token) w = read_word(s.chosen);
        word = w.value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kPairs * kDim; i += blockDim.x) s.x[i] = uniform(mix(word) + i);
}

__device__ inline float state_value(const State& s, bool with_dense) {
    float v = s.x[blockIdx.x * kDim + threadIdx.x];
    if (with_dense) {
        for (int b = blockIdx.x; b < kDenseBlocks; b += kPairs) v += s.dense_out[b * kDim + threadIdx.x];
    }
    return v;
}

__device__ inline unsigned load_acquire(const unsigned* p) {
    unsigned v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// <<<kPairs + 1, kDim>>>; host_rows: the layer's row of the first token in host
// memory, or null. The last block waits for the layer's delivery.
__global__ void project(State s, Window w, bool with_dense, __half* host_rows) {
    const unsigned token = *s.token;
    if (blockIdx.x == kPairs) {
        if (w.delivered && threadIdx.x == 0) {
            while (load_acquire(w.delivered) < w.touched(token)) __nanosleep(100);
        }
        return;
    }
    const int pair = blockIdx.x, d = threadIdx.x, i = pair * kDim + d;
    const float v = state_value(s, with_dense);
    const float n = v * rsqrtf(block_sum(v * v) / kDim + 1e-6f);
    const unsigned at = w.layer * 65536u + i;
    s.norm[i] = n;
    s.queries[i] = n * (1.0f + 0.5f * uniform(at)) * rsqrtf(float(kDim));
    if (pair % kQueries) return;
    const int key = pair / kQueries * kDim + d, value = kHeads * kDim + key;
    const __half k = __float2half(n * uniform(at + 0x10000000u));
    const __half x = __float2half(n * uniform(at + 0x20000000u));
    __half* fresh = s.fresh + (token % kFresh * w.layers + w.layer) * kRowHalves;
    fresh[key] = k;
    fresh[value] = x;
    if (!host_rows) return;
    host_rows[size_t(token) * kRowHalves + key] = k;
    host_rows[size_t(token) * kRowHalves + value] = x;
}

// <<<layers, kRowBytes / 16>>>: the newest rows of all layers to their host blocks.
__global__ void store_rows(State s, int layers, char* host_rows, size_t layer_bytes) {
    const unsigned token = *s.token;
    const __half* fresh = s.fresh + (token % kFresh * layers + blockIdx.x) * kRowHalves;
    uint4* row = reinterpret_cast<uint4*>(host_rows + blockIdx.x * layer_bytes + token * kRowBytes);
    row[threadIdx.x] = reinterpret_cast<const uint4*>(fresh)[threadIdx.x];
}

struct Tile {
    __half keys[kSplitRows][kTileStride];
    __half values[kSplitRows][kTileStride];
    float queries[kQueries][kDim];
    float scores[kQueries][kSplitRows];
    float shrink[kQueries];
};

// Keys and values of one head and split, read past L1: slots are used again.
__device__ inline void load_tile(const State& s, const Window& w, const char* slot, int split, int head, int rows, Tile& tile) {
    constexpr int kVectors = kDim / 8;
    for (int i = threadIdx.x; i < kSplitRows * kVectors; i += blockDim.x) {
        const int r = i / kVectors, v = i % kVectors, row = split * kSplitRows + r;
        const char* from = slot + size_t(r) * kRowBytes;
        if (row >= rows - w.newest && row >= w.base) {
            from = reinterpret_cast<const char*>(s.fresh + ((row - w.base) % kFresh * w.layers + w.layer) * kRowHalves);
        }
        const uint4* vectors = reinterpret_cast<const uint4*>(from);
        uint4 k = __ldcg(vectors + head * kVectors + v);
        uint4 x = __ldcg(vectors + (kHeads + head) * kVectors + v);
        if (row >= rows) k = x = make_uint4(0, 0, 0, 0);
        *reinterpret_cast<uint4*>(&tile.keys[r][v * 8]) = k;
        *reinterpret_cast<uint4*>(&tile.values[r][v * 8]) = x;
    }
}

// Scores of two queries against one row; round r turns the queries by r vectors.
__device__ inline void score(Tile& tile, int round, int valid) {
    const int row = threadIdx.x % kSplitRows, q = threadIdx.x / kSplitRows * 2;
    float a = 0.0f, b = 0.0f;
    for (int v = 0; v < kDim / 8; ++v) {
        const uint4 packed = *reinterpret_cast<const uint4*>(&tile.keys[row][v * 8]);
        const __half2* k = reinterpret_cast<const __half2*>(&packed);
        const int at = (v + round) % (kDim / 8) * 8;
        for (int j = 0; j < 4; ++j) {
            const float2 key = __half22float2(k[j]);
            a += key.x * tile.queries[q][at + 2 * j] + key.y * tile.queries[q][at + 2 * j + 1];
            b += key.x * tile.queries[q + 1][at + 2 * j] + key.y * tile.queries[q + 1][at + 2 * j + 1];
        }
    }
    const float sharpness = 1.0f + round / 64.0f;
    tile.scores[q][row] = row < valid ? a * sharpness : -INFINITY;
    tile.scores[q + 1][row] = row < valid ? b * sharpness : -INFINITY;
}

// Online softmax of one query by one warp: scores become weights.
__device__ inline void soften(Tile& tile, float& max, float& sum) {
    const int q = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float s0 = tile.scores[q][lane], s1 = tile.scores[q][lane + 32];
    float top = fmaxf(s0, s1);
    for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
    top = fmaxf(top, max);
    const float p0 = __expf(s0 - top), p1 = __expf(s1 - top);
    float add = p0 + p1;
    for (int offset = 16; offset > 0; offset /= 2) add += __shfl_xor_sync(0xffffffffu, add, offset);
    const float shrink = __expf(max - top);
    sum = sum * shrink + add;
    max = top;
    tile.scores[q][lane] = p0;
    tile.scores[q][lane + 32] = p1;
    if (lane == 0) tile.shrink[q] = shrink;
}

__device__ inline void accumulate(const Tile& tile, float acc[4]) {
    const int d = threadIdx.x % 64 * 2, q = threadIdx.x / 64 * 2;
    for (int i = 0; i < 4; ++i) acc[i] *= tile.shrink[q + i / 2];
    for (int row = 0; row < kSplitRows; ++row) {
        const float2 v = __half22float2(*reinterpret_cast<const __half2*>(&tile.values[row][d]));
        const float a = tile.scores[q][row], b = tile.scores[q + 1][row];
        acc[0] += a * v.x;
        acc[1] += a * v.y;
        acc[2] += b * v.x;
        acc[3] += b * v.y;
    }
}

// <<<splits * kHeads, 256>>>: a block attends one head over one split.
__global__ void __launch_bounds__(256) attend(State s, Window w, int rounds) {
    __shared__ Tile tile;
    const unsigned token = *s.token;
    const int split = w.first_split + blockIdx.x / kHeads, head = blockIdx.x % kHeads;
    const int in_token = w.layer * w.splits + split, rows = w.base + token + 1;
    const unsigned slot = (token * w.per_token + in_token / w.slot_splits) % w.depth;
    const char* data = w.ring + (size_t(slot) * w.slot_splits + in_token % w.slot_splits) * kSplitBytes;
    for (int i = threadIdx.x; i < kQueries * kDim; i += blockDim.x) {
        tile.queries[i / kDim][i % kDim] = s.queries[head * kQueries * kDim + i];
    }
    load_tile(s, w, data, split, head, rows, tile);
    __syncthreads();
    const int valid = rows - split * kSplitRows;
    float max = -1e30f, sum = 0.0f, acc[4] = {};
    for (int round = 0; round < rounds; ++round) {
        score(tile, round, valid);
        __syncthreads();
        soften(tile, max, sum);
        __syncthreads();
        accumulate(tile, acc);
        __syncthreads();
    }
    const int d = threadIdx.x % 64 * 2, q = threadIdx.x / 64 * 2, out = split * kPairs + head * kQueries;
    for (int i = 0; i < 4; ++i) s.partial[size_t(out + q + i / 2) * kDim + d + i % 2] = acc[i];
    if (threadIdx.x % 32 == 0) s.weights[out + threadIdx.x / 32] = make_float2(max, sum);
}

// <<<kPairs, 1024>>>
__global__ void combine(State s, Window w) {
    __shared__ float scale[kMaxSplits], group_sum[1024 / kDim][kDim], group_weight[32], group_top[32];
    const int pair = blockIdx.x, d = threadIdx.x % kDim, group = threadIdx.x / kDim, splits = w.splits;
    // The kernel that read the pieces is done, so a plain store frees them: a
    // releasing one would cost a fence in each layer.
    if (w.consumed && pair == 0 && threadIdx.x == 0) *static_cast<volatile unsigned*>(w.consumed) = w.whole(*s.token);
    float top = -1e30f, weight = 0.0f;
    for (int i = threadIdx.x; i < splits; i += blockDim.x) top = fmaxf(top, s.weights[i * kPairs + pair].x);
    for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
    if (threadIdx.x % 32 == 0) group_top[threadIdx.x / 32] = top;
    __syncthreads();
    for (int i = 0; i < 32; ++i) top = fmaxf(top, group_top[i]);
    for (int i = threadIdx.x; i < splits; i += blockDim.x) {
        const float2 split = s.weights[i * kPairs + pair];
        scale[i] = __expf(split.x - top);
        weight += scale[i] * split.y;
    }
    for (int offset = 16; offset > 0; offset /= 2) weight += __shfl_xor_sync(0xffffffffu, weight, offset);
    if (threadIdx.x % 32 == 0) group_weight[threadIdx.x / 32] = weight;
    __syncthreads();
    float sum = 0.0f;
    for (int i = group; i < splits; i += 1024 / kDim) sum += scale[i] * s.partial[size_t(i * kPairs + pair) * kDim + d];
    group_sum[group][d] = sum;
    __syncthreads();
    if (group) return;
    float total = 0.0f, all = 0.0f;
    for (int i = 0; i < 1024 / kDim; ++i) total += group_sum[i][d];
    for (int i = 0; i < 32; ++i) all += group_weight[i];
    s.x[pair * kDim + d] = s.norm[pair * kDim + d] + 8.0f * total / all;
}

// <<<kDenseBlocks, kDim>>>
__global__ void dense(State s, int iterations) {
    __shared__ __half weights[kDim][kTileStride];
    __shared__ float y[kDim];
    for (int i = threadIdx.x; i < kDim * kDim; i += kDim) weights[i / kDim][i % kDim] = s.dense_weights[i];
    y[threadIdx.x] = s.x[blockIdx.x % kPairs * kDim + threadIdx.x] + 0.01f * blockIdx.x;
    __syncthreads();
    for (int n = 0; n < iterations; ++n) {
        float sum = 0.0f;
        for (int v = 0; v < kDim / 8; ++v) {
            const uint4 packed = *reinterpret_cast<const uint4*>(&weights[threadIdx.x][v * 8]);
            const __half2* w = reinterpret_cast<const __half2*>(&packed);
            for (int j = 0; j < 4; ++j) {
                const float2 f = __half22float2(w[j]);
                sum += f.x * y[v * 8 + 2 * j] + f.y * y[v * 8 + 2 * j + 1];
            }
        }
        __syncthreads();
        y[threadIdx.x] = sum / (1.0f + fabsf(sum));
        __syncthreads();
    }
    s.dense_out[blockIdx.x * kDim + threadIdx.x] = y[threadIdx.x];
}

// <<<1, kDim>>>: logs the token's final state, samples a word from it, ends the token.
__global__ void sample(State s, bool with_dense) {
    __shared__ unsigned hash;
    const unsigned token = *s.token;
    if (threadIdx.x == 0) hash = 0;
    __syncthreads();
    for (int pair = 0; pair < kPairs; ++pair) {
        const int i = pair * kDim + threadIdx.x;
        float v = s.x[i];
        if (with_dense) {
            for (int b = pair; b < kDenseBlocks; b += kPairs) v += s.dense_out[b * kDim + threadIdx.x];
        }
        s.log[size_t(token) * kPairs * kDim + i] = v;
        atomicXor(&hash, mix(__float_as_uint(v) + i));
    }
    __syncthreads();
    if (threadIdx.x) return;
    *s.token = token + 1;
    write_word(s.sampled, {token, hash});
}
