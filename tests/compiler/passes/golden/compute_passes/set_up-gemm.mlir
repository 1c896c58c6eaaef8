tt.kernel compute @gemm_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "writer", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}, {index = 3 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}, {index = 4 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}], fp32_dest_acc_en, unpack_to_dest_fp32 = ["C_local"]} {
  %A_shared = tt.cb "A_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "writer", consumer = "compute", stages = 2 : i64, index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
  %B_shared = tt.cb "B_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", stages = 2 : i64, index = 1 : i64} : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
  %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
  %C_local_out = tt.cb "C_local_out" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 3 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  tt_compute.start %B_shared, %A_shared to %C_local : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
  tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  tt_compute.init_matmul %A_shared, %B_shared rows 2 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
  scf.for %ko = %0 to %2 step %1 {
    tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) {
      tt.cb_wait_front %A_shared, 8 : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
      tt.cb_wait_front %B_shared, 8 : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
      %3 = arith.cmpi ne, %ko, %0 : index
      tt_compute.accumulate %3
      %4 = arith.constant 0 : index
      %5 = arith.constant 2 : index
      %6 = arith.constant 1 : index
      scf.for %column = %4 to %5 step %6 {
        "tt_compute.dst"() <{slots = 2 : i64, wide = true}> ({
          %7 = arith.constant 0 : index
          %8 = arith.constant 4 : index
          %9 = arith.constant 1 : index
          scf.for %k = %7 to %8 step %9 {
            %10 = arith.constant 2 : index
            %11 = arith.muli %k, %10 : index
            %12 = arith.addi %11, %column : index
            %13 = arith.constant 0 : index
            tt_compute.matmul_block %A_shared[%k], %B_shared[%12] to %13 rows 2 : i64 columns 1 : i64 stride 4 : i64 transpose false : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
          }
        }, {
          %14 = arith.constant 0 : index
          tt_compute.pack_tile %14 to %C_local[%column] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          %15 = arith.constant 2 : index
          %16 = arith.addi %15, %column : index
          %17 = arith.constant 1 : index
          tt_compute.pack_tile %17 to %C_local[%16] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }) : () -> ()
      }
      %18 = arith.constant false
      tt_compute.accumulate %18
    }
    tt.cb_pop_front %A_shared, 8 : !tt.cb_of<!tile.buffer<[64, 128], bf16, shared, tiled, Float16_b>>
    tt.cb_pop_front %B_shared, 8 : !tt.cb_of<!tile.buffer<[128, 64], bf16, shared, tiled, Float16_b>>
  } {num_stages = 2 : i64}
  tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
  tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
    tt.cb_wait_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    tt.cb_reserve_back %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
      %19 = arith.constant 0 : index
      %20 = arith.constant 4 : index
      %21 = arith.constant 1 : index
      "tt_compute.reconfig"(%C_local) <{operandSegmentSizes = array<i32: 1, 0>}> : (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> ()
      tt_compute.init_move "copy" %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      scf.for %i = %19 to %20 step %21 {
        tt_compute.move_tile "copy" %C_local[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      }
    }, {
      %22 = arith.constant 0 : index
      %23 = arith.constant 4 : index
      %24 = arith.constant 1 : index
      tt_compute.pack_reconfig %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      scf.for %i_1 = %22 to %23 step %24 {
        tt_compute.pack_tile %i_1 to %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      }
    }) : () -> ()
    tt.cb_push_back %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  }
  tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
}
