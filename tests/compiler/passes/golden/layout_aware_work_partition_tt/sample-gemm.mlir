builtin.module {
  tile.func @gemm(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %0 = arith.constant 4 : index
    %1 = arith.constant 4 : index
    tile.grid (%bx, %by) in (%0, %1) attributes {partition = {strategy = "mesh", extents = ["4", "4"], columns = #builtin.int<4>, rows = #builtin.int<4>, separate = []}} {
      %A_shared = tile.alloc "A_shared" : !tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>
      %B_shared = tile.alloc "B_shared" : !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>
      %C_local = tile.alloc "C_local" : !tile.buffer<[64, 64], f32, fragment, tiled, Float32>
      %2 = arith.constant 0.000000e+00 : f32
      tile.fill %C_local, %2 : !tile.buffer<[64, 64], f32, fragment, tiled, Float32>, f32
      %3 = arith.constant 0 : index
      %4 = arith.constant 8 : index
      %5 = arith.constant 1 : index
      scf.for %ko = %3 to %4 step %5 {
        %6 = arith.constant 64 : index
        %7 = arith.muli %by, %6 : index
        %8 = arith.constant 32 : index
        %9 = arith.muli %ko, %8 : index
        tile.load %A[%7, %9] -> %A_shared sizes [64, 32] dims [0, 1] multicast "row" : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>
        %10 = arith.constant 32 : index
        %11 = arith.muli %ko, %10 : index
        %12 = arith.constant 64 : index
        %13 = arith.muli %bx, %12 : index
        tile.load %B[%11, %13] -> %B_shared sizes [32, 64] dims [0, 1] multicast "column" : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>
        tile.gemm %A_shared, %B_shared, %C_local transposed[false, false] : !tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>, !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>, !tile.buffer<[64, 64], f32, fragment, tiled, Float32>
      } {num_stages = 2 : i64}
      %14 = arith.constant 64 : index
      %15 = arith.muli %by, %14 : index
      %16 = arith.constant 64 : index
      %17 = arith.muli %bx, %16 : index
      tile.store %C_local -> %C[%15, %17] sizes [64, 64] dims [0, 1] accumulate "" : !tile.buffer<[64, 64], f32, fragment, tiled, Float32> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    }
  }
}
