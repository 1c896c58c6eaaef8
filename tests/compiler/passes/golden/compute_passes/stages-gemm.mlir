builtin.module attributes {partition = {strategy = "mesh", extents = ["4", "4"], columns = #builtin.int<4>, rows = #builtin.int<4>, separate = []}} {
  tile.func @gemm(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %A_shared = tt.cb "A_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "writer", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", stages = 2 : i64} : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
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
    %6 = arith.constant 2 : index
    scf.for %ko = %3 to %6 step %5 {
      %7 = arith.constant 4 : index
      %ko_1 = arith.muli %ko, %7 : index
      %8 = arith.constant 64 : index
      %9 = arith.muli %core_y, %8 : index
      %10 = arith.constant 32 : index
      %11 = arith.muli %ko_1, %10 : index
      tile.load %A[%9, %11] -> %A_shared sizes [64, 128] dims [0, 1] multicast "row" {role = "writer"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
      %12 = arith.constant 32 : index
      %13 = arith.muli %ko_1, %12 : index
      %14 = arith.constant 64 : index
      %15 = arith.muli %core_x, %14 : index
      tile.load %B[%13, %15] -> %B_shared sizes [128, 64] dims [0, 1] multicast "column" {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
      tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) {
        tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        %16 = arith.cmpi ne, %ko, %3 : index
        tt_compute.accumulate %16
        %17 = arith.constant 0 : index
        %18 = arith.constant 2 : index
        %19 = arith.constant 1 : index
        scf.for %column = %17 to %18 step %19 {
          "tt_compute.dst"() <{slots = 2 : i64, wide = true}> ({
            %20 = arith.constant 0 : index
            %21 = arith.constant 4 : index
            %22 = arith.constant 1 : index
            scf.for %k = %20 to %21 step %22 {
              %23 = arith.constant 2 : index
              %24 = arith.muli %k, %23 : index
              %25 = arith.addi %24, %column : index
              %26 = arith.constant 0 : index
              tt_compute.matmul_block %A_shared[%k], %B_shared[%25] to %26 rows 2 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
            }
          }, {
            %27 = arith.constant 0 : index
            tt_compute.pack_tile %27 to %C_local[%column] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
            %28 = arith.constant 2 : index
            %29 = arith.addi %28, %column : index
            %30 = arith.constant 1 : index
            tt_compute.pack_tile %30 to %C_local[%29] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          }) : () -> ()
        }
        %31 = arith.constant false
        tt_compute.accumulate %31
        tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      }
      tt.release %A_shared : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
      tt.release %B_shared : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
    } {num_stages = 2 : i64}
    %32 = arith.constant 64 : index
    %33 = arith.muli %core_y, %32 : index
    %34 = arith.constant 64 : index
    %35 = arith.muli %core_x, %34 : index
    tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
      "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
        %36 = arith.constant 0 : index
        %37 = arith.constant 4 : index
        %38 = arith.constant 1 : index
        scf.for %i = %36 to %37 step %38 {
          tt_compute.move_tile "copy" %C_local[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }
      }, {
        %39 = arith.constant 0 : index
        %40 = arith.constant 4 : index
        %41 = arith.constant 1 : index
        scf.for %i_1 = %39 to %40 step %41 {
          tt_compute.pack_tile %i_1 to %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        }
      }) : () -> ()
    }
    tt.release %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    tile.store %C_local_out -> %C[%33, %35] sizes [64, 64] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    tt.release %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  }
}
