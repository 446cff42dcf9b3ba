// Copy/compute overlap for a decode loop whose key/value cache lies in host
// memory. Runs one point of a sweep: every arm of a list, in A/B/B/A order, and
// prints one JSON object per line (settings, calibration, raw samples).
//
// Usage: overlap --rows R [--layers 32] [--tokens 16] [--passes 4] --arms "a;b;c"
//                (--ratio C --share S | --rounds N --dense N)
//   --rows    key/value rows of a layer, 1 KiB each, a multiple of 64
//   --ratio   computation over copy to calibrate to; --share: the attention's part of it
//   --arms    see overlap_arms.cuh; `serial` must be among them
// Exit: 0 measured, 2 usage, 3 no usable device or a CUDA call failed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "overlap_runner.cuh"

struct Options {
    int rows = 0, layers = 32, tokens = 16, passes = 4, rounds = 1, dense = 0;
    double ratio = 0.0, share = 1.0;
    std::string arms;
};

[[noreturn]] void usage(const char* why) {
    std::fprintf(stderr, "overlap: %s (see the head of overlap.cu)\n", why);
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options o;
    if (argc % 2 == 0) usage("an option has no value");
    for (int i = 1; i < argc; i += 2) {
        const std::string key = argv[i];
        const char* value = argv[i + 1];
        if (key == "--rows") o.rows = std::atoi(value);
        else if (key == "--layers") o.layers = std::atoi(value);
        else if (key == "--tokens") o.tokens = std::atoi(value);
        else if (key == "--passes") o.passes = std::atoi(value);
        else if (key == "--rounds") o.rounds = std::atoi(value);
        else if (key == "--dense") o.dense = std::atoi(value);
        else if (key == "--ratio") o.ratio = std::atof(value);
        else if (key == "--share") o.share = std::atof(value);
        else if (key == "--arms") o.arms = value;
        else usage(("unknown option " + key).c_str());
    }
    if (o.rows <= 0 || o.rows % kSplitRows || o.rows / kSplitRows > kMaxSplits) usage("--rows does not fit");
    if (o.tokens < 1 || o.tokens >= o.rows || o.passes < 1) usage("a count does not fit");
    if (o.layers < 1 || o.layers > kMaxDepth) usage("--layers does not fit");
    return o;
}

std::vector<Arm> parse_arms(const std::string& list) {
    std::vector<Arm> arms;
    for (size_t at = 0; at < list.size();) {
        const size_t end = std::min(list.find(';', at), list.size());
        arms.push_back(parse_arm(list.substr(at, end - at)));
        at = end + 1;
    }
    return arms;
}

template <class T>
T* device_array(size_t count) {
    T* p = nullptr;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return p;
}

constexpr size_t kMiB = 1 << 20;

// The largest ring of the arms.
size_t ring_bytes(const std::vector<Arm>& arms, const Shape& shape) {
    size_t most = shape.token_bytes();
    for (const Arm& a : arms) most = std::max(most, a.depth * (a.slot_kib ? a.slot_kib * size_t(1024) : shape.layer_bytes()));
    return most;
}

class Host {  // pinned key/value blocks of all layers
  public:
    char *host = nullptr, *seen = nullptr;
    Host(const Shape& shape, bool combined) {
        const unsigned flags = cudaHostAllocMapped | (combined ? cudaHostAllocWriteCombined : 0);
        CHECK(cudaHostAlloc(reinterpret_cast<void**>(&host), shape.token_bytes(), flags));
        CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen), host, 0));
        char* layer = device_array<char>(shape.layer_bytes());
        for (int l = 0; l < shape.layers; ++l) {
            fill<<<256, 256>>>(reinterpret_cast<__half*>(layer), shape.layer_bytes() / 2, 77u + l);
            CHECK(cudaMemcpy(host + l * shape.layer_bytes(), layer, shape.layer_bytes(), cudaMemcpyDeviceToHost));
        }
        CHECK(cudaFree(layer));
    }
    ~Host() { cudaFreeHost(host); }
};

Bench make_bench(const Shape& shape, size_t ring) {
    Bench b{};
    b.shape = shape;
    b.ring = device_array<char>(ring);
    State& s = b.state;
    s.x = device_array<float>(kPairs * kDim);
    s.norm = device_array<float>(kPairs * kDim);
    s.queries = device_array<float>(kPairs * kDim);
    s.partial = device_array<float>(size_t(shape.splits()) * kPairs * kDim);
    s.weights = device_array<float2>(shape.splits() * kPairs);
    s.dense_out = device_array<float>(kDenseBlocks * kDim);
    s.dense_weights = device_array<__half>(kDim * kDim);
    fill<<<64, 256>>>(s.dense_weights, kDim * kDim, 5u);
    s.fresh = device_array<__half>(size_t(kFresh) * shape.layers * kRowHalves);
    s.log = device_array<float>(size_t(shape.tokens) * kPairs * kDim);
    s.token = device_array<unsigned>(1);
    Word* words = nullptr;
    CHECK(cudaHostAlloc(reinterpret_cast<void**>(&words), 64 * sizeof(Word), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&s.sampled), words, 0));
    s.chosen = s.sampled + 32;
    b.sampled = words;
    b.chosen = words + 32;
    b.counters.delivered = device_array<unsigned>(64);
    b.counters.consumed = b.counters.delivered + 32;
    b.counters.consumed_by_host = &s.sampled[16].token;
    b.counters.consumed_seen = &b.sampled[16].token;
    for (cudaStream_t* stream : {&b.compute, &b.copy, &b.signal}) {
        CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    for (int i = 0; i < kMaxDepth; ++i) {
        CHECK(cudaEventCreateWithFlags(&b.ready[i], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&b.freed[i], cudaEventDisableTiming));
    }
    return b;
}

// What an arm produced: each token's final state, and the rows it stored.
struct Output {
    std::vector<float> log;
    std::vector<char> rows;
};

class Measure {
  public:
    Measure(Bench& bench, size_t ring) : b(bench), ring_size(ring) {}

    // Ring, newest rows and counters as before the first token; ring and rows
    // hold finite values that no correct arm may read.
    void reset(Host& host) {
        b.host = host.host;
        b.host_seen = host.seen;
        fill<<<256, 256>>>(reinterpret_cast<__half*>(b.ring), ring_size / 2, 999u);
        CHECK(cudaMemset(b.counters.delivered, 0, 64 * sizeof(unsigned)));
        *b.counters.consumed_seen = 0;
        CHECK(cudaMemset(b.state.token, 0, sizeof(unsigned)));
        CHECK(cudaMemset(b.state.log, 0xff, size_t(b.shape.tokens) * kPairs * kDim * sizeof(float)));
        for (int l = 0; l < b.shape.layers; ++l) {
            std::memset(host.host + l * b.shape.layer_bytes() + b.shape.base() * kRowBytes, 0x35, b.shape.tokens * kRowBytes);
        }
        b.sampled->token = ~0u;
        b.chosen->value = 42u;
        b.chosen->token = 0;
        CHECK(cudaDeviceSynchronize());
    }
    long long nanoseconds(Runner& runner, int tokens) {
        const auto start = std::chrono::steady_clock::now();
        runner.run(tokens);
        const auto end = std::chrono::steady_clock::now();
        CHECK(cudaGetLastError());
        return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    }
    Output output(Host& host) {
        Output out;
        out.log.resize(size_t(b.shape.tokens) * kPairs * kDim);
        CHECK(cudaMemcpy(out.log.data(), b.state.log, out.log.size() * sizeof(float), cudaMemcpyDeviceToHost));
        const size_t bytes = b.shape.tokens * kRowBytes;
        for (int l = 0; l < b.shape.layers; ++l) {
            const char* rows = host.host + l * b.shape.layer_bytes() + b.shape.base() * kRowBytes;
            out.rows.insert(out.rows.end(), rows, rows + bytes);
        }
        return out;
    }
    double per_token(Host& host, const Arm& arm, int tokens) {
        reset(host);
        Runner runner(b, arm);
        runner.run(1);
        reset(host);
        return double(nanoseconds(runner, tokens)) / tokens;
    }

  private:
    Bench& b;
    size_t ring_size;
};

// Sets rounds and dense so that computation takes `ratio` of the copy's time and
// the attention about `share` of the computation.
void calibrate(const Options& o, const std::vector<Arm>& arms, Bench& b, Measure& m, Host& host) {
    const int tokens = std::min(o.tokens, 4);
    Arm compute = parse_arm("compute:graph=1:batch=1:ahead=1");
    compute.depth = b.shape.layers;
    for (int i = 0; i < 3; ++i) m.per_token(host, compute, tokens);  // clocks rise
    double fastest = m.per_token(host, parse_arm("copy"), tokens);
    for (const Arm& arm : arms) {
        if (arm.kind == "copy" && !arm.wc) fastest = std::min(fastest, m.per_token(host, arm, tokens));
    }
    const double target = o.ratio * fastest;
    auto measured = [&](int rounds, int dense) {
        b.shape.rounds = rounds;
        b.shape.dense = dense;
        return m.per_token(host, compute, tokens);
    };
    const double one = measured(1, 0), nine = measured(9, 0);
    const double round = (nine - one) / 8;
    int rounds = std::max(1, int(1 + (std::min(o.share, 0.97) * target - one) / round));
    int dense = 0;
    const double attention = measured(rounds, 0);
    if (attention < target) {
        const double low = measured(rounds, 8), high = measured(rounds, 72), step = (high - low) / 64;
        dense = std::max(0, int(8 + (target - low) / step));
        for (int i = 0; i < 2 && dense > 0; ++i) {
            dense = std::max(1, dense + int((target - measured(rounds, dense)) / step));
        }
    }
    if (dense == 0) rounds = std::max(1, int(1.5 + (target - one) / round));  // the attention alone fills it
    const double reached = measured(rounds, dense);
    std::printf("{\"event\":\"calibration\",\"target_ns\":%.0f,\"reached_ns\":%.0f,\"round_ns\":%.0f,"
                "\"rounds\":%d,\"dense\":%d}\n", target, reached, round, rounds, dense);
}

// Bandwidth of one large copy, bytes per nanosecond; the median of five.
double plain_copy(Bench& b, Host& host, size_t bytes) {
    char* to = device_array<char>(bytes);
    std::vector<double> rates;
    for (int i = 0; i < 6; ++i) {
        const auto start = std::chrono::steady_clock::now();
        CHECK(cudaMemcpyAsync(to, host.host, bytes, cudaMemcpyHostToDevice, b.copy));
        CHECK(cudaStreamSynchronize(b.copy));
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        if (i) rates.push_back(bytes / took.count());
    }
    CHECK(cudaFree(to));
    std::sort(rates.begin(), rates.end());
    return rates[2];
}

int differing(const std::vector<float>& a, const std::vector<float>& reference, int tokens) {
    const size_t one = kPairs * kDim;
    int count = 0;
    for (int t = 0; t < tokens; ++t) {
        count += std::memcmp(a.data() + t * one, reference.data() + t * one, one * sizeof(float)) != 0;
    }
    return count;
}

void passes(const Options& o, Bench& b, Measure& m, const std::vector<Arm>& arms, Host& plain, Host* combined) {
    auto host_of = [&](const Arm& arm) -> Host& { return arm.wc ? *combined : plain; };
    m.reset(plain);
    Runner serial(b, parse_arm("serial:depth=2"));
    serial.run(o.tokens);
    const Output reference = m.output(plain);
    std::vector<std::unique_ptr<Runner>> runners;
    for (const Arm& arm : arms) {
        m.reset(host_of(arm));  // also sets the host blocks that a graph captures
        runners.push_back(std::make_unique<Runner>(b, arm));
        runners.back()->run(std::min(2, o.tokens));
    }
    const auto start = std::chrono::steady_clock::now();
    int order = 0;
    for (int pass = 0; pass < o.passes; ++pass) {
        for (size_t n = 0; n < arms.size(); ++n, ++order) {
            const size_t i = pass % 2 ? arms.size() - 1 - n : n;
            Host& host = host_of(arms[i]);
            m.reset(host);
            const std::chrono::duration<double> at = std::chrono::steady_clock::now() - start;
            const long long ns = m.nanoseconds(*runners[i], o.tokens);
            const Output out = m.output(host);
            const bool computes = arms[i].kind != "copy";
            const int wrong = computes ? differing(out.log, reference.log, o.tokens) : 0;
            const bool rows = !computes || out.rows == reference.rows;
            std::printf("{\"event\":\"sample\",\"arm\":\"%s\",\"pass\":%d,\"order\":%d,\"at_s\":%.3f,\"ns\":%lld,"
                        "\"tokens\":%d,\"differing_tokens\":%d,\"rows_identical\":%s}\n",
                        arms[i].text.c_str(), pass, order, at.count(), ns, o.tokens, wrong, rows ? "true" : "false");
        }
    }
}

void print_clocks(const char* when) {
    const char* fields = "clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw,clocks_throttle_reasons.active,"
                         "pcie.link.gen.current,pcie.link.width.current,pstate";
    const std::string command = std::string("nvidia-smi --format=csv,noheader --query-gpu=") + fields;
    char line[256] = "";
    if (FILE* pipe = popen(command.c_str(), "r")) {
        if (!std::fgets(line, sizeof line, pipe)) line[0] = 0;
        pclose(pipe);
    }
    line[std::strcspn(line, "\r\n\"\\")] = 0;
    std::printf("{\"event\":\"clocks\",\"when\":\"%s\",\"fields\":\"%s\",\"values\":\"%s\"}\n", when, fields, line);
    std::fflush(stdout);
}

// Reads the clocks while the device is busy as in a measurement.
void print_clocks_under_load(Bench& b, Measure& m, Host& host, int tokens) {
    m.reset(host);
    Runner runner(b, parse_arm("pump:graph=1:batch=1:ahead=1"));
    std::atomic<bool> done{false};
    std::thread query([&done] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        print_clocks("load");
        done = true;
    });
    while (!done) {
        m.reset(host);
        runner.run(tokens);
    }
    query.join();
}

void print_device() {
    cudaDeviceProp p{};
    int runtime = 0, driver = 0;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("{\"event\":\"device\",\"name\":\"%s\",\"compute_capability\":\"%d.%d\",\"multiprocessors\":%d,"
                "\"l2_bytes\":%d,\"memory_bytes\":%zu,\"copy_engines\":%d,\"runtime\":%d,\"driver\":%d}\n",
                p.name, p.major, p.minor, p.multiProcessorCount, p.l2CacheSize, p.totalGlobalMem, p.asyncEngineCount,
                runtime, driver);
}

int main(int argc, char** argv) {
    const Options o = parse(argc, argv);
    const std::vector<Arm> arms = parse_arms(o.arms);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "overlap: no CUDA device can be used\n");
        return 3;
    }
    print_device();
    print_clocks("before");
    const Shape shape{o.layers, o.rows, o.tokens, o.rounds, o.dense};
    const size_t ring = ring_bytes(arms, shape);
    Bench b = make_bench(shape, ring);
    Host plain(shape, false);
    std::unique_ptr<Host> combined;
    if (std::any_of(arms.begin(), arms.end(), [](const Arm& a) { return a.wc; })) {
        combined = std::make_unique<Host>(shape, true);
    }
    Measure m(b, ring);
    const size_t large = std::min(shape.token_bytes(), 256 * kMiB);
    std::printf("{\"event\":\"point\",\"layers\":%d,\"rows\":%d,\"layer_bytes\":%zu,\"tokens\":%d,\"ring_bytes\":%zu,"
                "\"plain_copy_bytes\":%zu,\"plain_copy_gb_s\":%.3f}\n",
                o.layers, o.rows, shape.layer_bytes(), o.tokens, ring, large, plain_copy(b, plain, large));
    if (o.ratio > 0.0) calibrate(o, arms, b, m, plain);
    passes(o, b, m, arms, plain, combined.get());
    print_clocks_under_load(b, m, plain, o.tokens);
    print_clocks("after");
    std::printf("{\"event\":\"end\"}\n");
    return 0;
}
