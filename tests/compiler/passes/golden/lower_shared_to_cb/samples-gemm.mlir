builtin.module attributes {partition = {strategy = "mesh", extents = ["4", "4"], columns = #builtin.int<4>, rows = #builtin.int<4>, separate = []}} {
  tile.func @gemm(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %A_shared = tt.cb "A_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "writer", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    %C_local_out = tt.cb "C_local_out" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer"} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %A_1 = tt.accessor %A : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %B_1 = tt.accessor %B : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %C_1 = tt.accessor %C : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %1 = arith.constant 4 : index
    %core_y = tt.arg "core" "core_y" {below = 4 : i64}
    %core_x = tt.arg "core" "core_x" {below = 4 : i64}
    %2 = arith.constant 0.000000e+00 : f32
    tile.fill %C_local, %2 {role = "compute"} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>, f32
    %3 = arith.constant 0 : index
    %4 = arith.constant 8 : index
    %5 = arith.constant 1 : index
    scf.for %ko = %3 to %4 step %5 {
      %6 = arith.constant 64 : index
      %7 = arith.muli %core_y, %6 : index
      %8 = arith.constant 32 : index
      %9 = arith.muli %ko, %8 : index
      tile.load %A[%7, %9] -> %A_shared sizes [64, 32] dims [0, 1] multicast "row" {role = "writer"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
      %10 = arith.constant 32 : index
      %11 = arith.muli %ko, %10 : index
      %12 = arith.constant 64 : index
      %13 = arith.muli %core_x, %12 : index
      tile.load %B[%11, %13] -> %B_shared sizes [32, 64] dims [0, 1] multicast "column" {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
      tile.gemm %A_shared, %B_shared, %C_local transposed[false, false] {role = "compute"} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      tt.release %A_shared : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
      tt.release %B_shared : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    } {num_stages = 2 : i64}
    %14 = arith.constant 64 : index
    %15 = arith.muli %core_y, %14 : index
    %16 = arith.constant 64 : index
    %17 = arith.muli %core_x, %16 : index
    tile.copy %C_local[] -> %C_local_out[] sizes [64, 64] dims [0, 1] {role = "compute"} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>> -> !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    tt.release %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    tile.store %C_local_out -> %C[%15, %17] sizes [64, 64] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    tt.release %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  }
}
