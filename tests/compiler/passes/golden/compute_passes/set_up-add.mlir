tt.kernel compute @add_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local[i, j] = A_shared[i, j] + B_shared[i, j]", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}], unpack_to_dest_fp32 = []} {
  %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
  %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
  %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  %first_block = tt.arg "core" "first_block"
  %block_count = tt.arg "core" "block_count"
  tt_compute.start %A_shared, %B_shared to %C_local : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  %end_block = arith.addi %first_block, %block_count : index
  %0 = arith.constant 1 : index
  tt_compute.init_eltwise "add" %A_shared, %B_shared : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
  scf.for %block = %first_block to %end_block step %0 {
    tt.stage "compute" "C_local[i, j] = A_shared[i, j] + B_shared[i, j]" ins(%A_shared, %B_shared) outs(%C_local) : (!tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
      tt.cb_wait_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      tt.cb_wait_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      "tt_compute.dst"() <{slots = 4 : i64, wide = false}> ({
        %1 = arith.constant 0 : index
        %2 = arith.constant 4 : index
        %3 = arith.constant 1 : index
        scf.for %i = %1 to %2 step %3 {
          tt_compute.eltwise_tiles "add" %A_shared[%i], %B_shared[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        }
      }, {
        %4 = arith.constant 0 : index
        %5 = arith.constant 4 : index
        %6 = arith.constant 1 : index
        scf.for %i_1 = %4 to %5 step %6 {
          tt_compute.pack_tile %i_1 to %C_local : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        }
      }) : () -> ()
      tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    }
    tt.cb_pop_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    tt.cb_pop_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
  }
}
