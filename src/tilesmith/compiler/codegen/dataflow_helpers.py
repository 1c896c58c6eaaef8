"""Small C++ functions that dataflow kernels print above themselves when they need them."""

from __future__ import annotations

from tilesmith.compiler.codegen.cpp import Emitter
from tilesmith.compiler.codegen.float8 import need_float8
from tilesmith.compiler.dialects.float8 import FLOAT8, Float8

ZERO_BYTES = """
// Zeros, copied from the core's own block of them: as with any read, a barrier must follow.
inline void zero_bytes(uint32_t target, uint32_t bytes) {
    while (bytes > 0) {
        const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), target, piece);
        target += piece;
        bytes -= piece;
    }
}
"""

SEMAPHORE_WORD = """
inline volatile tt_l1_ptr uint32_t* semaphore_word(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}
"""

RECTANGLE = """
// In the order in which the NoC runs through it.
struct Rectangle {
    int32_t x_start, y_start, x_end, y_end;

    uint64_t at(uint32_t address) const {
        return get_noc_multicast_addr(x_start, y_start, x_end, y_end, address);
    }
};
"""

SEND_BLOCK = """
// Sends a block to the same address on other cores, once all have room. It may be reused here afterwards.
inline void send_block(
    uint32_t block,
    uint32_t bytes,
    const Rectangle& cores,
    uint32_t receivers,
    uint32_t ready,
    uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(ready), receivers);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast(block, cores.at(block), bytes, receivers);
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // data and signals leave from different command buffers
#endif
    noc_semaphore_set(semaphore_word(arrived), 1);
    noc_semaphore_set_multicast(arrived, cores.at(arrived), receivers);
    noc_async_writes_flushed();
}
"""

SEND_STAGED = """
// Sends what is staged to a block of other cores and of this one, once all have room.
inline void send_staged(
    uint32_t staged,
    uint32_t block,
    uint32_t bytes,
    const Rectangle& cores,
    uint32_t others,
    uint32_t ready,
    uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(ready), others);
    noc_semaphore_set(semaphore_word(ready), 0);
    noc_async_write_multicast_loopback_src(staged, cores.at(block), bytes, others + 1, true);
#ifdef ARCH_BLACKHOLE
    noc_async_writes_flushed();  // data and signals leave from different command buffers
#endif
    noc_semaphore_set(semaphore_word(arrived), 1);
    noc_semaphore_set_multicast_loopback_src(arrived, cores.at(arrived), others + 1);
    noc_async_write_barrier();
}
"""

TELL_SENDER = """
// Tells the sender that this core has room for its block.
inline void tell_sender(uint32_t sender_x, uint32_t sender_y, uint32_t ready, uint32_t arrived) {
    noc_semaphore_set(semaphore_word(arrived), 0);
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
}
"""

RECEIVE_BLOCK = """
// Waits for the block of a sender that was told to go ahead.
inline void receive_block(uint32_t arrived) {
    noc_semaphore_wait(semaphore_word(arrived), 1);
    noc_async_atomic_barrier();
}
"""

DATUM = """
// Where an element lies in a grid of tiles, each of which has four faces of 16x16.
inline uint32_t datum(uint32_t row, uint32_t col, uint32_t tiles_across) {
    const uint32_t tile = row / 32 * tiles_across + col / 32;
    const uint32_t face = row / 16 % 2 * 2 + col / 16 % 2;
    return tile * 1024 + face * 256 + row % 16 * 16 + col % 16;
}
"""

L1_LOAD = """
// Element `index` of an array in L1.
template <typename Storage>
inline auto l1_load(uint32_t address, uint32_t index) {
    return Storage::value(reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index]);
}
"""

L1_STORE = """
template <typename Storage, typename Value>
inline void l1_store(uint32_t address, uint32_t index, Value value) {
    reinterpret_cast<volatile tt_l1_ptr typename Storage::Word*>(address)[index] = Storage::word(value);
}
"""

LINES = """
// Single elements of a row-major tensor that nobody writes. The last line read is kept in scratch memory.
template <typename Storage, typename Accessor>
struct Lines {
    static constexpr uint32_t line_bytes = 256;
    const Accessor& tensor;
    const int32_t scratch;
    const int32_t page_bytes;
    uint32_t page = 0;
    uint32_t start = ~0u;

    auto read(uint32_t wanted_page, uint32_t index) {
        const uint32_t offset = index * sizeof(typename Storage::Word);
        const uint32_t wanted_start = offset / line_bytes * line_bytes;
        if (wanted_page != page || wanted_start != start) {
            page = wanted_page;
            start = wanted_start;
            const uint32_t rest = page_bytes - start;
            noc_async_read(tensor.get_noc_addr(page, start), scratch, rest < line_bytes ? rest : line_bytes);
            noc_async_read_barrier();
        }
        return l1_load<Storage>(scratch + offset - start, 0);
    }
};
"""

EXACT = """
// Single elements of a row-major tensor that others write to as well: no byte beside them is touched.
// Elements that are written one after the other leave together.
template <typename Storage, typename Accessor>
struct Exact {
    static constexpr uint32_t bytes = sizeof(typename Storage::Word);
    static constexpr uint32_t line_bytes = 256;
    const Accessor& tensor;
    const int32_t scratch;
    const int32_t page_bytes;
    uint32_t page = 0;
    uint32_t start = 0;
    uint32_t stop = 0;

    auto read(uint32_t wanted_page, uint32_t index) {
        flush();
        const uint32_t offset = index * bytes;
        const uint32_t target = scratch + offset % line_bytes;
        noc_async_read(tensor.get_noc_addr(wanted_page, offset), target, bytes);
        noc_async_read_barrier();
        return l1_load<Storage>(target, 0);
    }

    template <typename Value>
    void write(uint32_t wanted_page, uint32_t index, Value value) {
        const uint32_t offset = index * bytes;
        if (wanted_page != page || offset != stop || offset % line_bytes == 0) {
            flush();
            page = wanted_page;
            start = offset;
        }
        l1_store<Storage>(scratch + offset % line_bytes, 0, value);
        stop = offset + bytes;
    }

    void flush() {
        if (start < stop) {
            noc_async_write(scratch + start % line_bytes, tensor.get_noc_addr(page, start), stop - start);
            noc_async_write_barrier();
        }
        start = stop = 0;
    }
};
"""

_FLOAT32 = """
struct Float32 {
    using Word = uint32_t;
    static float value(Word word) { return __builtin_bit_cast(float, word); }
    static Word word(float value) { return __builtin_bit_cast(uint32_t, value); }
};
"""

_HALF = """
// float16 in the word of a float: rounded to nearest even, infinite beyond 65504.
struct Half {
    using Word = uint32_t;
    static float value(Word word) { return __builtin_bit_cast(float, word); }
    static Word word(float value) {
        const uint32_t bits = __builtin_bit_cast(uint32_t, value);
        if (value != value) return bits | 0x400000;
        const uint32_t rounded = (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000;
        const uint32_t infinity = 0x7F800000;
        return (rounded & infinity) < 0x47800000 ? rounded : (bits & 0x80000000) | infinity;
    }
};
"""

_BFLOAT16 = """
// The upper half of a float, rounded to nearest even.
struct Bfloat16 {
    using Word = uint16_t;
    static float value(Word word) { return __builtin_bit_cast(float, static_cast<uint32_t>(word) << 16); }
    static Word word(float value) {
        const uint32_t bits = __builtin_bit_cast(uint32_t, value);
        if (value != value) return (bits >> 16) | 0x40;
        return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    }
};
"""


def _float8(format: Float8) -> str:
    return f"""
// float8 in the word of a float.
struct {format.storage} {{
    using Word = uint32_t;
    static float value(Word word) {{ return __builtin_bit_cast(float, word); }}
    static Word word(float value) {{ return __builtin_bit_cast(uint32_t, to_{format.function}(value)); }}
}};
"""


def _integer(name: str, word: str, value: str = "int32_t") -> str:
    return f"""
struct {name} {{
    using Word = {word};
    static {value} value(Word word) {{ return static_cast<{value}>(word); }}
    static Word word({value} value) {{ return static_cast<Word>(value); }}
}};
"""


STORAGES = {
    "Float32": _FLOAT32,
    "Half": _HALF,
    **{float8.storage: _float8(float8) for float8 in FLOAT8.values()},
    "Bfloat16": _BFLOAT16,
    "Int32": _integer("Int32", "int32_t"),
    "UInt32": _integer("UInt32", "uint32_t", "uint32_t"),
    "UInt16": _integer("UInt16", "uint16_t"),
    "UInt8": _integer("UInt8", "uint8_t"),
    "Int8": _integer("Int8", "int8_t"),
}
"""How elements are stored in L1: `value` reads the word, `word` rounds to it."""


def need_storage(e: Emitter, name: str) -> None:
    for float8 in FLOAT8.values():
        if name == float8.storage:
            need_float8(e, float8)
    e.helper(name, STORAGES[name])
