"""Kernels and calls with a mistake in them. The error gallery shows each with what it raises."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"
# ruff: noqa: F841

import tilelang.language as T
import torch

import tilesmith


def block_larger_than_l1():
    """A block that does not fit into a core's memory"""

    @T.prim_func
    def double(x: T.Tensor((2048, 2048), "float32"), y: T.Tensor((2048, 2048), "float32")):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            block = T.alloc_shared((1024, 1024), "float32")
            T.copy(x[by * 1024, bx * 1024], block)
            T.copy(block, y[by * 1024, bx * 1024])

    tilesmith.compile(double, "wormhole")


def more_than_32_buffers():
    """More buffers than there are circular buffers"""

    @T.prim_func
    def sums(x: T.Tensor((40, 32, 32), "bfloat16"), y: T.Tensor((32, 32), "bfloat16")):
        with T.Kernel(1, threads=128) as bx:
            parts = [T.alloc_shared((32, 32), "bfloat16") for _ in range(40)]
            total = T.alloc_fragment((32, 32), "float32")
            for number in T.unroll(0, 1):
                for part in parts:
                    T.copy(x[number, 0, 0], part)
            for i, j in T.Parallel(32, 32):
                total[i, j] = sum(part[i, j] for part in parts)
            T.copy(total, y)

    tilesmith.compile(sums, "wormhole")


def no_grid():
    """A kernel without a grid of blocks"""

    @T.prim_func
    def nothing(x: T.Tensor((32, 32), "bfloat16"), y: T.Tensor((32, 32), "bfloat16")):
        for i, j in T.grid(32, 32):
            y[i, j] = x[i, j]

    tilesmith.compile(nothing, "wormhole")


def cuda_source():
    """A call of a function written in CUDA"""

    @T.prim_func
    def scaled(x: T.Tensor((32, 32), "float32"), y: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as bx:
            block = T.alloc_fragment((32, 32), "float32")
            T.copy(x, block)
            for i, j in T.Parallel(32, 32):
                block[i, j] = T.call_extern("float32", "my_device_function", block[i, j])
            T.copy(block, y)

    tilesmith.compile(scaled, "wormhole")


def barrier():
    """A barrier of a GPU's asynchronous copies"""

    @T.prim_func
    def waits(x: T.Tensor((32, 32), "bfloat16"), y: T.Tensor((32, 32), "bfloat16")):
        with T.Kernel(1, threads=128) as bx:
            block = T.alloc_shared((32, 32), "bfloat16")
            ready = T.alloc_barrier(128)
            T.copy(x, block)
            T.mbarrier_arrive(ready)
            T.mbarrier_wait_parity(ready, 0)
            T.copy(block, y)

    tilesmith.compile(waits, "wormhole")


def tensor_memory():
    """A gemm of another vendor's newest matrix unit"""

    @T.prim_func
    def product(
        A: T.Tensor((64, 64), "bfloat16"),
        B: T.Tensor((64, 64), "bfloat16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128) as bx:
            A_shared = T.alloc_shared((64, 64), "bfloat16")
            B_shared = T.alloc_shared((64, 64), "bfloat16")
            C_tmem = T.alloc_tmem((64, 64), "float32")
            done = T.alloc_barrier(1)
            T.copy(A, A_shared)
            T.copy(B, B_shared)
            T.tcgen05_gemm(A_shared, B_shared, C_tmem, mbar=done, clear_accum=True)
            T.copy(C_tmem, C)

    tilesmith.compile(product, "wormhole")


def whole_grid_barrier():
    """A barrier across all blocks"""

    @T.prim_func
    def two_phases(x: T.Tensor((64, 32), "float32"), y: T.Tensor((64, 32), "float32")):
        with T.Kernel(2, threads=128) as bx:
            block = T.alloc_shared((32, 32), "float32")
            T.copy(x[bx * 32, 0], block)
            T.copy(block, y[bx * 32, 0])
            T.sync_grid()
            T.copy(y[(1 - bx) * 32, 0], block)

    tilesmith.compile(two_phases, "wormhole")


def random_numbers():
    """Random numbers made inside the kernel"""

    @T.prim_func
    def noise(y: T.Tensor((32, 32), "uint32")):
        with T.Kernel(1, threads=128) as bx:
            T.rng_init(7)
            for i, j in T.Parallel(32, 32):
                y[i, j] = T.rng_rand()

    tilesmith.compile(noise, "wormhole")


def element_type_without_counterpart():
    """Elements of a type the chip does not have"""

    @T.prim_func
    def double(x: T.Tensor((32, 32), "float64"), y: T.Tensor((32, 32), "float64")):
        with T.Kernel(1, threads=128) as bx:
            block = T.alloc_fragment((32, 32), "float64")
            T.copy(x, block)
            T.copy(block, y)

    tilesmith.compile(double, "wormhole")


def buffer_of_unknown_size():
    """A buffer whose size comes with the call"""
    m = T.dynamic("m")

    @T.prim_func
    def rows(x: T.Tensor((m, 32), "bfloat16"), y: T.Tensor((m, 32), "bfloat16")):
        with T.Kernel(1, threads=128) as bx:
            block = T.alloc_shared((m, 32), "bfloat16")
            T.copy(x, block)
            T.copy(block, y)

    tilesmith.compile(rows, "wormhole")


def shapes_that_do_not_fit():
    """A copy between a region and a buffer of another shape"""

    @T.prim_func
    def crooked(x: T.Tensor((64, 64), "bfloat16"), y: T.Tensor((64, 64), "bfloat16")):
        with T.Kernel(1, threads=128) as bx:
            block = T.alloc_shared((32, 64), "bfloat16")
            T.copy(x[0:64, 0:32], block)
            T.copy(block, y[0:32, 0:64])

    tilesmith.compile(crooked, "wormhole")


def read_before_written():
    """An accumulator that nobody cleared"""

    @T.prim_func
    def product(
        A: T.Tensor((32, 32), "bfloat16"),
        B: T.Tensor((32, 32), "bfloat16"),
        C: T.Tensor((32, 32), "bfloat16"),
    ):
        with T.Kernel(1, threads=128) as bx:
            A_shared = T.alloc_shared((32, 32), "bfloat16")
            B_shared = T.alloc_shared((32, 32), "bfloat16")
            C_local = T.alloc_fragment((32, 32), "float32")
            T.copy(A, A_shared)
            T.copy(B, B_shared)
            T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C)

    tilesmith.compile(product, "wormhole")


def _copy(m=64, n=64, block=(32, 32), dtype="bfloat16") -> object:
    block_m, block_n = block

    @T.prim_func
    def copied(x: T.Tensor((m, n), dtype), y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            part = T.alloc_shared(block, dtype)
            T.copy(x[by * block_m, bx * block_n], part)
            T.copy(part, y[by * block_m, bx * block_n])

    return copied


def unknown_format():
    """A format that does not exist"""
    tilesmith.compile(_copy(), "wormhole", formats={"x": "Bfp9_b"})


def format_of_unknown_parameter():
    """A format for a parameter that does not exist"""
    tilesmith.compile(_copy(), "wormhole", formats={"weights": "Bfp8_b"})


def block_format_in_rows():
    """A block format where the kernel reads parts of tiles"""
    tilesmith.compile(_copy(block=(16, 32)), "wormhole", formats={"x": "Bfp8_b"})


def unknown_chip():
    """A chip that does not exist"""
    tilesmith.compile(_copy(), "greyskull")


def unknown_fidelity():
    """A fidelity that does not exist"""
    tilesmith.compile(_copy(), "wormhole", fidelity="HiFi9")


def unknown_pass():
    """The IR after a pass that does not exist"""
    tilesmith.compile(_copy(), "wormhole").ir(after="fuse-everything")


def wrong_shape():
    """A call with a tensor of another shape"""
    tilesmith.compile(_copy(), "wormhole")(torch.zeros(64, 65).bfloat16(), torch.zeros(64, 64).bfloat16())


def wrong_type():
    """A call with a tensor of another type"""
    tilesmith.compile(_copy(), "wormhole")(torch.zeros(64, 64), torch.zeros(64, 64).bfloat16())


def too_many_arguments():
    """A call with too many tensors"""
    x, y, z = (torch.zeros(64, 64).bfloat16() for _ in range(3))
    tilesmith.compile(_copy(), "wormhole")(x, y, z)


def sizes_that_disagree():
    """Two tensors that give one size two values"""
    m = T.dynamic("m")
    x, y = torch.zeros(64, 64).bfloat16(), torch.zeros(96, 64).bfloat16()
    tilesmith.compile(_copy(m=m), "wormhole")(x, y)


def not_a_kernel():
    """Something that is no kernel"""
    tilesmith.compile(lambda x: x, "wormhole")


def profile_before_the_first_call():
    """Figures of a run that has not happened"""
    tilesmith.compile(_copy(), "wormhole").profile()
