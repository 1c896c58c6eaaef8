#include "pending.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "matmul_rows.h"
#include "workers.h"

namespace ts::num {

// ---- batches ----

void Batch::start(uint32_t rows, uint32_t cols, TileSource in0, TileSource in1) {
    if (rows + cols > capacity_) {
        delete[] operands.bytes;
        capacity_ = rows + cols;
        operands.bytes = new uint8_t[size_t{capacity_} * Operands::most_bytes];
    }
    operands.rows = static_cast<uint8_t>(rows), operands.cols = static_cast<uint8_t>(cols);
    operands.source[0] = in0, operands.source[1] = in1;
}

void Batch::copy(uint32_t tile, const uint8_t* l1) { std::memcpy(operands.at(tile), l1, operands.size(tile)); }

void Batch::prefetch() const {
    for (uint32_t tile = 0; tile < operands.tiles(); ++tile)
        for (uint32_t byte = 0; byte < operands.size(tile); byte += 64)
            __builtin_prefetch(operands.at(tile) + byte, 1, 3);
}

void Operands::prefetch() const {
    for (uint32_t tile = 0; tile < tiles(); ++tile)
        for (uint32_t byte = 0; byte < size(tile); byte += 64) __builtin_prefetch(at(tile) + byte, 0, 2);
}

void Operands::unpack(uint32_t tile, uint32_t* words) const {
    const TileSource& how = source[tile >= rows];
    num::unpack(how.format, how.as, how.fast, at(tile), {}, words);
    if (!how.transposed) return;
    transpose_within_faces(words, 4);
    transpose_faces(words);
}

namespace {

// ---- one product ----

// All of it in one line of the cache.
struct alignas(64) Product {
    Operands in;
    FpuMode mode;
    bool fast = false;
    Destination to;
    Batch* batch = nullptr;  // holds the operands
};
static_assert(sizeof(Product) == 64);

// How DST is cut into parts: tiles by their place, modulo `groups`, and each into `row_parts`. With few threads parts are
// large, and a tile that was prepared serves longer.
struct Cut {
    uint16_t groups = 1, row_parts = 1;

    static Cut for_threads(uint32_t threads) {
        return threads <= 2 ? Cut{2, 2} : threads <= 4 ? Cut{4, 2} : threads <= 8 ? Cut{4, 4} : Cut{8, 4};
    }
    uint32_t parts() const { return uint32_t{groups} * row_parts; }
    uint32_t rows() const { return tile_side / row_parts; }
};
constexpr uint32_t most_parts = 32;

using PartSet = uint32_t;  // a bit each
uint32_t first_of(PartSet parts) { return static_cast<uint32_t>(__builtin_ctz(parts)); }

// The tiles of a batch as one thread needs them. Each thread prepares them for itself: they are five times as large as
// the bytes, and would come from the cache of another processor.
class Prepared {
public:
    void start(const Product& product) {
        product_ = &product;
        const uint32_t count = product.in.tiles();
        splits_ = !product.fast && takes_usual_way(product.mode);
        if (ready_.size() < count) ready_.resize(count);
        if (splits_ && operands_.size() < count) operands_.resize(count);
        if (!splits_ && words_.size() < count) words_.resize(count);
        for (uint32_t i = 0; i < count; ++i) ready_[i] = 0;
    }

    // Rows `from` to `to` of the product of two tiles of the batch.
    void multiply(uint32_t left, uint32_t right, uint32_t from, uint32_t to, uint32_t* dst) {
        if (product_->fast) return fast_rows(words(left), words(right), from, to, dst);
        if (!splits_) return general::multiply(words(left), words(right), from, to, product_->mode, dst);
        split(left, from, to);
        split(right, 0, tile_side);
        Words in0, in1;
        usual_rows(operands_[left], operands_[right], from, to, product_->mode, dst, [&] {
            product_->in.unpack(left, in0.word);
            product_->in.unpack(right, in1.word);
            return TileWords{in0.word, in1.word};
        });
    }

private:
    struct Words {
        alignas(64) uint32_t word[tile_words];
    };

    const uint32_t* words(uint32_t tile) {
        if (!ready_[tile]) product_->in.unpack(tile, words_[tile].word);
        ready_[tile] = ~0u;
        return words_[tile].word;
    }

    void split(uint32_t tile, uint32_t from, uint32_t to) {
        const uint32_t rows = static_cast<uint32_t>(((uint64_t{1} << (to - from)) - 1) << from);
        if ((ready_[tile] & rows) == rows) return;
        phases::Operand& operand = operands_[tile];
        const bool fitted = !ready_[tile] || operand.fits;
        Words words;
        product_->in.unpack(tile, words.word);
        const bool five_bit = product_->mode.five_bit_exponent;
        if (tile < product_->in.rows) phases::split<false>(WordsOf{words.word}, five_bit, from, to, operand);
        else phases::split<true>(WordsOf{words.word}, five_bit, from, to, operand);
        operand.fits = operand.fits && fitted;
        ready_[tile] |= rows;
    }

    const Product* product_ = nullptr;
    bool splits_ = false;
    std::vector<uint32_t> ready_;  // a bit for each row
    std::vector<phases::Operand> operands_;
    std::vector<Words> words_;
};

void clear_rows(uint32_t* tile, uint32_t from, uint32_t to) {
    for (uint32_t row = from; row < to; ++row)
        for (uint32_t col = 0; col < tile_side; col += 16)
            std::memset(tile + word_at(row, col), 0, 16 * sizeof(uint32_t));
}

void compute(const Product& product, Cut cut, PartSet parts) {
    static thread_local Prepared tiles;
    const uint32_t cols = product.in.cols, count = product.in.rows * cols;
    tiles.start(product);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t* dst = product.to.dst + i * tile_words;
        uint32_t mine = parts >> ((product.to.place + i) % cut.groups * cut.row_parts) & ((1u << cut.row_parts) - 1);
        while (mine) {  // neighbours at once
            const uint32_t first = first_of(mine), end = first + first_of(~(mine >> first));
            mine &= ~((1u << end) - 1);
            const uint32_t from = first * cut.rows(), to = end * cut.rows();
            if (product.to.fresh >> i & 1) clear_rows(dst, from, to);  // pack leaves zeros behind
            tiles.multiply(i / cols, product.in.rows + i % cols, from, to, dst);
        }
    }
}

}  // namespace

// ---- queues ----

constexpr uint32_t queue_count = 8, most_pending = 16;
constexpr uint32_t worth_waking = 8;  // products
constexpr uint32_t worth_helping = 4;  // fewer are left to their own thread, which has them in its cache

struct alignas(64) Progress {
    std::atomic<uint32_t> done{0};  // products, of all that the queue has ever had
};

struct ProductQueue {
    std::atomic<uint32_t> published{0};
    std::atomic<Cut> cut{Cut{}};
    std::atomic<bool> large{false};  // has products of several tiles
    Product ring[most_pending];
    alignas(64) std::atomic<PartSet> taken{0};
    std::atomic<bool> hungry{false};  // its thread has come to wait: it could compute too
    Progress parts[most_parts];
    // The rest is its own thread's.
    uint32_t weight = 0;  // products since a worker was called
    uint32_t all_done = 0;  // so many at least, when it looked last
};

namespace {

ProductQueue queues[queue_count];
std::atomic<uint32_t> in_use{0};  // a bit each
constexpr uint32_t all_queues = (1u << queue_count) - 1;

// This thread's, the oldest first.
thread_local Pending* holders[queue_count];
thread_local uint32_t held = 0;

PartSet all_parts(Cut cut) { return static_cast<PartSet>((uint64_t{1} << cut.parts()) - 1); }

// Of the part that has come least far.
uint32_t least_done(const ProductQueue& queue) {
    const uint32_t published = queue.published.load(std::memory_order_relaxed);
    uint32_t most_left = 0;
    for (uint32_t i = 0; i < queue.cut.load(std::memory_order_relaxed).parts(); ++i) {
        const uint32_t left = published - queue.parts[i].done.load(std::memory_order_acquire);
        most_left = most_left < left ? left : most_left;
    }
    return published - most_left;
}

// Parts that nobody computes and that have come equally far, the least.
PartSet choose(const ProductQueue& queue, uint32_t limit, uint32_t least) {
    const uint32_t published = queue.published.load(std::memory_order_acquire);
    const PartSet free = all_parts(queue.cut.load(std::memory_order_relaxed)) & ~queue.taken.load();
    PartSet chosen = 0;
    uint32_t most_left = 0, count = 0;
    for (PartSet rest = free; rest; rest &= rest - 1) {
        const uint32_t left = published - queue.parts[first_of(rest)].done.load(std::memory_order_relaxed);
        if (left > most_pending || left < most_left || left < least) continue;
        if (left > most_left) chosen = 0, count = 0;
        most_left = left;
        if (count++ < limit) chosen |= rest & -rest;
    }
    return chosen;
}

// Those of the parts that are where the first of them is.
PartSet in_step(const ProductQueue& queue, PartSet parts) {
    const uint32_t done = queue.parts[first_of(parts)].done.load(std::memory_order_relaxed);
    PartSet same = 0;
    for (PartSet rest = parts; rest; rest &= rest - 1)
        if (queue.parts[first_of(rest)].done.load(std::memory_order_relaxed) == done) same |= rest & -rest;
    return same;
}

PartSet every_second(PartSet parts) {
    PartSet half = 0;
    for (bool mine = false; parts; parts &= parts - 1, mine = !mine)
        if (mine) half |= parts & -parts;
    return half;
}

void release(ProductQueue& queue, PartSet parts) {
    if (parts) queue.taken.fetch_and(~parts, std::memory_order_release);
}

// Compute what is left of up to `limit` parts, also what comes meanwhile, if `least` products are left.
bool help(ProductQueue& queue, uint32_t limit, uint32_t least) {
    PartSet mine = choose(queue, limit, least);
    if (!mine) return false;
    mine &= ~queue.taken.fetch_or(mine, std::memory_order_acquire);
    bool any = false;
    while (mine) {
        const uint32_t published = queue.published.load(std::memory_order_acquire);
        // Only now: the queue may have been taken anew since the parts were chosen, and cut into fewer.
        const Cut cut = queue.cut.load(std::memory_order_relaxed);
        PartSet kept = mine & all_parts(cut);
        if (kept) kept = in_step(queue, kept);
        if (any && queue.hungry.load(std::memory_order_relaxed)) kept &= ~every_second(kept);
        release(queue, mine & ~kept);
        mine = kept;
        if (!mine) break;
        const uint32_t done = queue.parts[first_of(mine)].done.load(std::memory_order_relaxed);
        if (done == published) break;
        if (done + 1 != published) queue.ring[(done + 1) % most_pending].in.prefetch();
        compute(queue.ring[done % most_pending], cut, mine);
        for (PartSet rest = mine; rest; rest &= rest - 1)
            queue.parts[first_of(rest)].done.store(done + 1, std::memory_order_release);
        any = true;
    }
    release(queue, mine);
    return any;
}

// Until all parts have come to this product; says how far they have come.
uint32_t help_until(ProductQueue& queue, uint32_t number) {
    Waiting waiting;
    for (;;) {
        const uint32_t done = least_done(queue);
        const bool enough = static_cast<int32_t>(done - number) >= 0;
        const bool helped = !enough && help(queue, most_parts, 1);
        queue.hungry.store(!enough && !helped, std::memory_order_relaxed);
        if (enough) return done;
        if (helped) waiting = {};
        else waiting.briefly();
    }
}

ProductQueue* take_queue(Pending& pending) {
    start_workers();
    for (;;) {
        uint32_t used = in_use.load(std::memory_order_relaxed);
        while (used != all_queues) {
            const int index = __builtin_ctz(~used);
            if (!in_use.compare_exchange_weak(used, used | 1u << index, std::memory_order_acquire)) continue;
            ProductQueue& queue = queues[index];
            queue.cut.store(Cut::for_threads(used_threads()), std::memory_order_relaxed);
            for (Progress& part : queue.parts)
                part.done.store(queue.published.load(std::memory_order_relaxed), std::memory_order_relaxed);
            queue.weight = 0;
            queue.all_done = queue.published.load(std::memory_order_relaxed);
            holders[held++] = &pending;
            return &queue;
        }
        if (held == 0) return nullptr;  // other programs have them all
        holders[0]->settle();
    }
}

void give_back(Pending& pending) {
    uint32_t at = 0;
    while (holders[at] != &pending) ++at;
    for (--held; at < held; ++at) holders[at] = holders[at + 1];
    in_use.fetch_and(~(1u << (pending.queue - queues)), std::memory_order_release);
    pending.queue = nullptr;
}

}  // namespace

bool defers() { return used_threads() > 1 && !workers_rest(); }

bool help_anyone() {
    bool any = false;
    const uint32_t threads = used_threads();
    for (uint32_t left = in_use.load(std::memory_order_acquire); left; left &= left - 1) {
        ProductQueue& queue = queues[__builtin_ctz(left)];
        const uint32_t parts = queue.cut.load(std::memory_order_relaxed).parts();
        // A block is worth it alone.
        const uint32_t least = queue.large.load(std::memory_order_relaxed) ? 1 : worth_helping;
        any = help(queue, threads > 2 ? (parts + threads - 2) / (threads - 1) : parts, least) || any;
    }
    return any;
}

void forget_pending() {
    in_use = 0;
    held = 0;
    for (ProductQueue& queue : queues) queue.taken = 0;
}

void Pending::add(Batch*& batch, FpuMode mode, bool fast, const Destination& to) {
    if (!queue) queue = take_queue(*this);
    if (!queue) return compute({batch->operands, mode, fast, to, batch}, {}, 1);
    const uint32_t number = queue->published.load(std::memory_order_relaxed);
    const uint32_t products = uint32_t{batch->operands.rows} * batch->operands.cols;
    if (number - queue->all_done >= most_pending) queue->all_done = help_until(*queue, number - (most_pending - 1));
    Product& product = queue->ring[number % most_pending];
    Batch* free = product.batch;
    product = {batch->operands, mode, fast, to, batch};
    queue->large.store(products > 1, std::memory_order_relaxed);
    queue->published.store(number + 1, std::memory_order_release);
    queue->weight += products;
    if (queue->weight >= worth_waking) {
        queue->weight = 0;
        wake_worker();
    }
    batch = free ? free : new Batch;
    batch->prefetch();
}

void Pending::finish() {
    help_until(*queue, queue->published.load(std::memory_order_relaxed));
    give_back(*this);
}

}  // namespace ts::num
