builtin.module attributes {partition = {strategy = "mesh", extents = ["8", "8"], columns = #builtin.int<8>, rows = #builtin.int<8>, separate = []}} {
  tile.func @gemm(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "writer", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
    %C_local_out = tt.cb "C_local_out" {pages = 1 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer"} : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
    %A_1 = tt.accessor %A : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %B_1 = tt.accessor %B : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %C_1 = tt.accessor %C : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 8 : index
    %3 = arith.constant 8 : index
    %core_y = tt.arg "core" "core_y" {below = 8 : i64}
    %core_x = tt.arg "core" "core_x" {below = 8 : i64}
    %4 = arith.constant 32 : index
    %5 = arith.muli %core_y, %4 : index
    %6 = arith.constant 32 : index
    %7 = arith.muli %core_x, %6 : index
    %8 = arith.constant 0.000000e+00 : f32
    tt.undef %C_local : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
    %9 = arith.constant 0 : index
    %10 = arith.constant 1 : index
    %11 = arith.constant 2 : index
    scf.for %ko = %9 to %11 step %10 {
      %12 = arith.constant 128 : index
      %13 = arith.muli %ko, %12 : index
      tile.load %A[%5, %13] -> %A_shared sizes [32, 128] dims [0, 1] multicast "row" {role = "writer"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
      tile.load %B[%13, %7] -> %B_shared sizes [128, 32] dims [0, 1] multicast "column" {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
      tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) {
        tt.cb_pop_front %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
        tt.cb_reserve_back %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
        %14 = arith.cmpi ne, %ko, %9 : index
        tt_compute.accumulate %14
        "tt_compute.dst"() <{slots = 1 : i64, wide = true}> ({
          %15 = arith.constant 0 : index
          %16 = arith.constant 4 : index
          %17 = arith.constant 1 : index
          scf.for %k = %15 to %16 step %17 {
            %18 = arith.constant 0 : index
            tt_compute.matmul_block %A_shared[%k], %B_shared[%k] to %18 rows 1 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
          }
        }, {
          %19 = arith.constant 0 : index
          %20 = arith.constant 0 : index
          tt_compute.pack_tile %19 to %C_local[%20] : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
        }) : () -> ()
        %21 = arith.constant false
        tt_compute.accumulate %21
        tt.cb_push_back %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
      }
      tt.release %A_shared : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
      tt.release %B_shared : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
    } {num_stages = 2 : i64}
    tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>) {
      "tt_compute.dst"() <{slots = 1 : i64, wide = true}> ({
        %22 = arith.constant 0 : index
        %23 = arith.constant 0 : index
        tt_compute.move_tile "copy" %C_local[%22] to %23 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
      }, {
        %24 = arith.constant 0 : index
        tt_compute.pack_tile %24 to %C_local_out : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
      }) : () -> ()
    }
    tt.release %C_local : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
    tile.store %C_local_out -> %C[%5, %7] sizes [32, 32] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    tt.release %C_local_out : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
  }
}
