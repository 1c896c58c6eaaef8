builtin.module attributes {partition = {kind = "linear", extents = ["4", "4"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
  tt.kernel reader @add_reader(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local from A_shared, B_shared, element by element", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}]} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %A_1 = tt.accessor %A : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %B_1 = tt.accessor %B : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %block = %first_block to %end_block step %1 {
      %bx = arith.remsi %block, %0 {below = 4 : i64} : index
      %by = arith.divsi %block, %0 {below = 4 : i64} : index
      %2 = arith.constant 64 : index
      %3 = arith.muli %by, %2 : index
      %4 = arith.constant 64 : index
      %5 = arith.muli %bx, %4 : index
      tile.load %A[%3, %5] -> %A_shared sizes [64, 64] dims [0, 1] {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      tile.load %B[%3, %5] -> %B_shared sizes [64, 64] dims [0, 1] {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    }
  }
  tt.kernel compute @add_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local from A_shared, B_shared, element by element", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}]} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %0 = arith.constant 1 : index
    scf.for %block = %first_block to %end_block step %0 {
      tt.stage "compute" "C_local from A_shared, B_shared, element by element" ins(%A_shared, %B_shared) outs(%C_local) : (!tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
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
      }
      tt.release %A_shared : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      tt.release %B_shared : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    }
  }
  tt.kernel writer @add_writer(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local from A_shared, B_shared, element by element", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}]} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %C_1 = tt.accessor %C : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %block = %first_block to %end_block step %1 {
      %bx = arith.remsi %block, %0 {below = 4 : i64} : index
      %by = arith.divsi %block, %0 {below = 4 : i64} : index
      %2 = arith.constant 64 : index
      %3 = arith.muli %by, %2 : index
      %4 = arith.constant 64 : index
      %5 = arith.muli %bx, %4 : index
      tile.store %C_local -> %C[%3, %5] sizes [64, 64] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
      tt.release %C_local : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    }
  }
}
