// Runs one arm: enqueues its copies and kernels, and plays the host's part.
#pragma once
#include <atomic>

#include "overlap_arms.cuh"

inline unsigned choose(unsigned sampled) { return sampled * 1664525u + 1013904223u; }

class Runner {
  public:
    Runner(Bench& bench, const Arm& arm) : b(bench), arm(arm) {
        const int slot = arm.slot_kib ? int(size_t(arm.slot_kib) * 1024 / kSplitBytes) : b.shape.splits();
        window.ring = b.ring;
        window.depth = arm.depth;
        window.slot_splits = slot;
        window.per_token = slot ? b.shape.layers * b.shape.splits() / slot : 0;
        window.layers = b.shape.layers;
        window.splits = b.shape.splits();
        window.base = b.shape.base();
        const bool own_rows = arm.kind == "serial" || arm.kind == "async" || !arm.fresh;
        window.newest = own_rows ? 0 : arm.batch ? kFresh : 1;
        const bool counted = arm.kind == "flags" || arm.kind == "pump";
        if (counted && arm.ready) window.delivered = b.counters.delivered;
        if (counted) window.consumed = arm.kind == "pump" ? b.counters.consumed_by_host : b.counters.consumed;
        require_fit();
        if (arm.graph) capture();
    }
    ~Runner() {
        if (executable) cudaGraphExecDestroy(executable);
    }
    Runner(const Runner&) = delete;

    // Enqueues and finishes `tokens` tokens; all streams are idle on return.
    void run(int tokens) {
        if (arm.kind == "copy") copies(0, tokens * window.per_token);
        else if (arm.kind == "serial" || arm.kind == "async") one_stream(tokens);
        else if (arm.kind == "ring") ring(tokens);
        else if (arm.kind == "pump") pump(tokens);
        else free_running(tokens);
        CHECK(cudaStreamSynchronize(b.copy));
        CHECK(cudaStreamSynchronize(b.signal));
        CHECK(cudaStreamSynchronize(b.compute));
    }

  private:
    Bench& b;
    Arm arm;
    Window window{};
    MemOps ops;
    cudaGraphExec_t executable = nullptr;

    // Pieces divide layers or the other way round, all whole; one launch reads a
    // whole layer, except in a ring of pieces.
    void require_fit() const {
        const int slot = window.slot_splits, splits = window.splits;
        bool fits = slot && (slot % splits == 0 || splits % slot == 0) && b.shape.layers * splits % slot == 0;
        fits = fits && arm.depth >= 1 && arm.depth <= kMaxDepth && arm.depth <= window.per_token;
        fits = fits && (arm.depth * slot >= splits || (arm.kind == "ring" && !arm.whole));
        if (fits) return;
        std::fprintf(stderr, "overlap: slot and depth of arm '%s' do not fit the layers\n", arm.text.c_str());
        std::exit(2);
    }

    // Kernels.
    Window layer_window(int layer) const {
        Window w = window;
        w.layer = layer;
        return w;
    }
    char* first_rows() const { return b.host_seen + b.shape.base() * kRowBytes; }
    void begin_token() { embed<<<1, 1024, 0, b.compute>>>(b.state); }
    void begin_layer(int layer) {
        char* rows = arm.batch ? nullptr : first_rows() + layer * b.shape.layer_bytes();
        project<<<kPairs + 1, kDim, 0, b.compute>>>(b.state, layer_window(layer), layer > 0 && b.shape.dense,
                                                    reinterpret_cast<__half*>(rows));
    }
    void attend_splits(int layer, int first, int count) {
        Window w = layer_window(layer);
        w.first_split = first;
        attend<<<count * kHeads, 256, 0, b.compute>>>(b.state, w, b.shape.rounds);
    }
    void end_layer(int layer) {
        combine<<<kPairs, 1024, 0, b.compute>>>(b.state, layer_window(layer));
        if (b.shape.dense) dense<<<kDenseBlocks, kDim, 0, b.compute>>>(b.state, b.shape.dense);
    }
    void end_token() {
        if (arm.batch) {
            store_rows<<<b.shape.layers, kRowBytes / 16, 0, b.compute>>>(b.state, b.shape.layers, first_rows(),
                                                                       b.shape.layer_bytes());
        }
        sample<<<1, kDim, 0, b.compute>>>(b.state, b.shape.dense > 0);
    }
    void token_kernels() {
        begin_token();
        for (int layer = 0; layer < b.shape.layers; ++layer) {
            begin_layer(layer);
            attend_splits(layer, 0, window.splits);
            end_layer(layer);
        }
        end_token();
    }
    void capture() {
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(b.compute, cudaStreamCaptureModeThreadLocal));
        token_kernels();
        CHECK(cudaStreamEndCapture(b.compute, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        CHECK(cudaGraphDestroy(graph));
    }
    void launch_token() {
        if (executable) CHECK(cudaGraphLaunch(executable, b.compute));
        else token_kernels();
    }

    // The host's part after token t; `meanwhile` runs as long as it waits.
    template <class Meanwhile>
    void await_sample(unsigned t, Meanwhile meanwhile) {
        for (long spins = 1; b.sampled->token != t; ++spins) {
            meanwhile();
            if (spins % 10000000 == 0 && cudaStreamQuery(b.compute) != cudaErrorNotReady) CHECK(cudaGetLastError());
        }
        b.chosen->value = choose(b.sampled->value);
        std::atomic_thread_fence(std::memory_order_release);
        b.chosen->token = t + 1;
    }
    void await_sample(unsigned t) {
        if (!arm.ahead) CHECK(cudaStreamSynchronize(b.compute));
        await_sample(t, [] {});
    }

    // Copies.
    void deliver(unsigned piece, cudaStream_t stream) {
        const size_t bytes = window.slot_splits * kSplitBytes;
        CHECK(cudaMemcpyAsync(b.ring + piece % arm.depth * bytes, b.host + piece % window.per_token * bytes, bytes,
                              cudaMemcpyHostToDevice, stream));
    }
    void copies(unsigned begin, unsigned end) {
        for (unsigned piece = begin; piece < end; ++piece) {
            if (arm.kind == "flags" && arm.freed && piece >= unsigned(arm.depth)) {
                ops.wait_at_least(b.copy, b.counters.consumed, piece - arm.depth + 1);
            }
            deliver(piece, b.copy);
            if (arm.kind == "flags") ops.write_value(b.copy, b.counters.delivered, piece + 1);
        }
    }

    void one_stream(int tokens) {
        for (int t = 0; t < tokens; ++t) {
            begin_token();
            for (int layer = 0; layer < b.shape.layers; ++layer) {
                begin_layer(layer);
                deliver(t * b.shape.layers + layer, b.compute);
                if (arm.kind == "serial") CHECK(cudaStreamSynchronize(b.compute));
                attend_splits(layer, 0, window.splits);
                end_layer(layer);
            }
            end_token();
            await_sample(t);
        }
    }

    // compute, unordered, flags: the copies of a token are enqueued while the
    // token before it is computed, and what has to wait waits on the device.
    void free_running(int tokens) {
        const unsigned per = arm.kind == "compute" ? 0 : window.per_token;
        if (!arm.graph) copies(0, per);
        launch_token();
        if (arm.graph) copies(0, per);
        for (int t = 0; t < tokens; ++t) {
            const bool more = t + 1 < tokens;
            if (more && arm.ahead) launch_token();
            if (more) copies((t + 1) * per, (t + 2) * per);
            await_sample(t);
            if (more && !arm.ahead) launch_token();
        }
    }

    // Enqueues each copy as soon as its slot is free, at most into the next token.
    void pump(int tokens) {
        unsigned next = 0, end = 0;
        auto fill = [&] {
            const unsigned room = *b.counters.consumed_seen + arm.depth;
            while (next < end && (next < room || !arm.freed)) {
                deliver(next, b.copy);
                CHECK(cudaEventRecord(b.ready[next % arm.depth], b.copy));
                CHECK(cudaStreamWaitEvent(b.signal, b.ready[next % arm.depth], 0));
                ops.write_value(b.signal, b.counters.delivered, ++next);
            }
        };
        launch_token();
        for (int t = 0; t < tokens; ++t) {
            const bool more = t + 1 < tokens;
            end = (t + (more ? 2 : 1)) * window.per_token;
            fill();
            if (more && arm.ahead) launch_token();
            await_sample(t, fill);
            if (more && !arm.ahead) launch_token();
        }
    }

    // Delivers pieces up to `end`, each into a slot whose last use is recorded.
    void fill_ring(unsigned& next, unsigned end) {
        for (; next < end; ++next) {
            const unsigned slot = next % arm.depth;
            if (arm.freed && next >= unsigned(arm.depth)) CHECK(cudaStreamWaitEvent(b.copy, b.freed[slot], 0));
            deliver(next, b.copy);
            CHECK(cudaEventRecord(b.ready[slot], b.copy));
        }
    }
    // One layer's attention, piece by piece, with deliveries up to `limit` kept ahead of it.
    void attend_pieces(unsigned token_start, int layer, unsigned& next, unsigned limit) {
        const int slot = window.slot_splits, splits = window.splits, first = layer * splits;
        const int step = slot < splits ? slot : splits;
        for (int split = 0; split < splits; split += step) {
            const unsigned piece = token_start + (first + split) / slot;
            const unsigned done = arm.whole ? token_start + first / slot : piece;  // pieces before it are consumed
            if ((first + split) % slot == 0) {
                fill_ring(next, done + arm.depth < limit ? done + arm.depth : limit);
                if (arm.ready) CHECK(cudaStreamWaitEvent(b.compute, b.ready[piece % arm.depth], 0));
            }
            if (!arm.whole) attend_splits(layer, split, step);
            if (!arm.whole && (first + split + step) % slot == 0) {
                CHECK(cudaEventRecord(b.freed[piece % arm.depth], b.compute));
            }
        }
        if (!arm.whole) return;
        attend_splits(layer, 0, splits);
        for (int split = 0; split < splits; split += step) {
            const unsigned piece = token_start + (first + split) / slot;
            if ((first + split + step) % slot == 0) CHECK(cudaEventRecord(b.freed[piece % arm.depth], b.compute));
        }
    }
    void ring(int tokens) {
        const unsigned per = window.per_token, all = tokens * per;
        unsigned next = 0;
        for (int t = 0; t < tokens; ++t) {
            const unsigned start = t * per, after = start + per, limit = arm.cross ? all : after;
            begin_token();
            for (int layer = 0; layer < b.shape.layers; ++layer) {
                begin_layer(layer);
                attend_pieces(start, layer, next, limit);
                end_layer(layer);
            }
            end_token();
            if (arm.cross) fill_ring(next, after + arm.depth < all ? after + arm.depth : all);
            await_sample(t);
        }
    }
};
