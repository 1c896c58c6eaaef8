tt.kernel compute @gemm_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "writer", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}, {index = 3 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}, {index = 4 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}], fp32_dest_acc_en, unpack_to_dest_fp32 = ["C_local"]} {
  %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "writer", consumer = "compute", stages = 2 : i64, index = 0 : i64} : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
  %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", stages = 2 : i64, index = 1 : i64} : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
  %C_local = tt.cb "C_local" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 2 : i64} : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
  %C_local_out = tt.cb "C_local_out" {pages = 1 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 3 : i64} : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
  tt_compute.start %B_shared, %A_shared to %C_local : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
  tt.cb_reserve_back %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  tt_compute.init_matmul %A_shared, %B_shared rows 1 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
  scf.for %ko = %0 to %2 step %1 {
    tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) {
      tt.cb_wait_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
      tt.cb_wait_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
      %3 = arith.cmpi ne, %ko, %0 : index
      tt_compute.accumulate %3
      "tt_compute.dst"() <{slots = 1 : i64, wide = true}> ({
        %4 = arith.constant 0 : index
        %5 = arith.constant 4 : index
        %6 = arith.constant 1 : index
        scf.for %k = %4 to %5 step %6 {
          %7 = arith.constant 0 : index
          tt_compute.matmul_block %A_shared[%k], %B_shared[%k] to %7 rows 1 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
        }
      }, {
        %8 = arith.constant 0 : index
        %9 = arith.constant 0 : index
        tt_compute.pack_tile %8 to %C_local[%9] : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
      }) : () -> ()
      %10 = arith.constant false
      tt_compute.accumulate %10
    }
    tt.cb_pop_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[32, 128], bf16, shared, tiled, Float16_b>>
    tt.cb_pop_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[128, 32], bf16, shared, tiled, Float16_b>>
  } {num_stages = 2 : i64}
  tt.cb_push_back %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
  tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>) {
    tt.cb_wait_front %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
    tt.cb_reserve_back %C_local_out, 1 : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
    "tt_compute.dst"() <{slots = 1 : i64, wide = true}> ({
      %11 = arith.constant 0 : index
      %12 = arith.constant 0 : index
      "tt_compute.reconfig"(%C_local) <{operandSegmentSizes = array<i32: 1, 0>}> : (!tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>) -> ()
      tt_compute.init_move "copy" %C_local : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
      tt_compute.move_tile "copy" %C_local[%11] to %12 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
    }, {
      %13 = arith.constant 0 : index
      tt_compute.pack_reconfig %C_local_out : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
      tt_compute.pack_tile %13 to %C_local_out : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
    }) : () -> ()
    tt.cb_push_back %C_local_out, 1 : !tt.cb_of<!tile.buffer<[32, 32], bf16, fragment, tiled, Float16_b>>
  }
  tt.cb_pop_front %C_local, 1 : !tt.cb_of<!tile.buffer<[32, 32], f32, fragment, tiled, Float32>>
}
