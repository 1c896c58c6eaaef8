builtin.module attributes {partition = {kind = "mesh", extents = ["4", "4"], columns = #builtin.int<4>, rows = #builtin.int<4>, separate = []}} {
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
    tt.undef %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
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
      tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) {
        tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        %14 = arith.cmpi ne, %ko, %3 : index
        tt_compute.accumulate %14
        %15 = arith.constant 0 : index
        %16 = arith.constant 2 : index
        %17 = arith.constant 1 : index
        scf.for %column = %15 to %16 step %17 {
          "tt_compute.dst"() <{slots = 2 : i64, wide = true}> ({
            %18 = arith.constant 0 : index
            %19 = arith.constant 0 : index
            tt_compute.matmul_block %A_shared[%18], %B_shared[%column] to %19 rows 2 : i64 columns 1 : i64 stride 1 : i64 transpose false : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
          }, {
            %20 = arith.constant 0 : index
            tt_compute.pack_tile %20 to %C_local[%column] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
            %21 = arith.constant 2 : index
            %22 = arith.addi %21, %column : index
            %23 = arith.constant 1 : index
            tt_compute.pack_tile %23 to %C_local[%22] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          }) : () -> ()
        }
        %24 = arith.constant false
        tt_compute.accumulate %24
        tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      }
      tt.release %A_shared : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
      tt.release %B_shared : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    } {num_stages = 2 : i64}
    %25 = arith.constant 64 : index
    %26 = arith.muli %core_y, %25 : index
    %27 = arith.constant 64 : index
    %28 = arith.muli %core_x, %27 : index
    tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
      "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
        %29 = arith.constant 0 : index
        %30 = arith.constant 4 : index
        %31 = arith.constant 1 : index
        scf.for %i = %29 to %30 step %31 {
          tt_compute.move_tile "copy" %C_local[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }
      }, {
        %32 = arith.constant 0 : index
        %33 = arith.constant 4 : index
        %34 = arith.constant 1 : index
        scf.for %i_1 = %32 to %33 step %34 {
          tt_compute.pack_tile %i_1 to %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        }
      }) : () -> ()
    }
    tt.release %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    tile.store %C_local_out -> %C[%26, %28] sizes [64, 64] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    tt.release %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  }
}
