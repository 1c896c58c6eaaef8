builtin.module attributes {partition = {strategy = "linear", extents = ["4", "4"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
  tt.kernel reader @add_reader(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local[i, j] = A_shared[i, j] + B_shared[i, j]", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}], common_args = ["address_A", "address_B"], core_args = ["first_block", "block_count"]} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %A_1 = tt.accessor %A {compile_time_offset = 0 : i64, address = 0 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %B_1 = tt.accessor %B {compile_time_offset = 2 : i64, address = 1 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %first_block = tt.arg "core" "first_block" {position = 0 : i64}
    %block_count = tt.arg "core" "block_count" {position = 1 : i64}
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %block = %first_block to %end_block step %1 {
      %bx = arith.remsi %block, %0 {below = 4 : i64} : index
      %by = arith.divsi %block, %0 {below = 4 : i64} : index
      %2 = arith.constant 2 : index
      %first_row = arith.muli %by, %2 : index
      %3 = arith.constant 2 : index
      %first_col = arith.muli %bx, %3 : index
      tt.stage "reader" "load A_shared from A" ins() outs(%A_shared) : () -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>) {
        tt.cb_reserve_back %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        %4 = arith.constant 0 : index
        %5 = arith.constant 2 : index
        %6 = arith.constant 1 : index
        scf.for %row = %4 to %5 step %6 {
          %7 = arith.constant 0 : index
          %8 = arith.constant 2 : index
          %9 = arith.constant 1 : index
          scf.for %col = %7 to %8 step %9 {
            %10 = arith.addi %first_row, %row : index
            %11 = arith.addi %first_col, %col : index
            %12 = arith.constant 8 : index
            %13 = arith.muli %10, %12 : index
            %page = arith.addi %13, %11 : index
            %14 = arith.constant 2 : index
            %15 = arith.muli %row, %14 : index
            %tile = arith.addi %15, %col : index
            tt_dataflow.read_page %A_1[%page] -> %A_shared[%tile] : !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
          }
        }
        tt_dataflow.read_barrier
        tt.cb_push_back %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      }
      tt.stage "reader" "load B_shared from B" ins() outs(%B_shared) : () -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>) {
        tt.cb_reserve_back %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        %16 = arith.constant 0 : index
        %17 = arith.constant 2 : index
        %18 = arith.constant 1 : index
        scf.for %row_1 = %16 to %17 step %18 {
          %19 = arith.constant 0 : index
          %20 = arith.constant 2 : index
          %21 = arith.constant 1 : index
          scf.for %col_1 = %19 to %20 step %21 {
            %22 = arith.addi %first_row, %row_1 : index
            %23 = arith.addi %first_col, %col_1 : index
            %24 = arith.constant 8 : index
            %25 = arith.muli %22, %24 : index
            %page_1 = arith.addi %25, %23 : index
            %26 = arith.constant 2 : index
            %27 = arith.muli %row_1, %26 : index
            %tile_1 = arith.addi %27, %col_1 : index
            tt_dataflow.read_page %B_1[%page_1] -> %B_shared[%tile_1] : !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
          }
        }
        tt_dataflow.read_barrier
        tt.cb_push_back %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      }
    }
  }
  tt.kernel compute @add_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local[i, j] = A_shared[i, j] + B_shared[i, j]", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}], unpack_to_dest_fp32 = [], common_args = [], core_args = ["first_block", "block_count"], math_fidelity = "HiFi4"} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %first_block = tt.arg "core" "first_block" {position = 0 : i64}
    %block_count = tt.arg "core" "block_count" {position = 1 : i64}
    tt_compute.start %A_shared, %B_shared to %C_local : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %end_block = arith.addi %first_block, %block_count : index
    %0 = arith.constant 1 : index
    tt_compute.init_eltwise "add" %A_shared, %B_shared : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    scf.for %block = %first_block to %end_block step %0 {
      tt.stage "compute" "C_local[i, j] = A_shared[i, j] + B_shared[i, j]" ins(%A_shared, %B_shared) outs(%C_local) : (!tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
        tt.cb_wait_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        tt.cb_wait_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        tt_compute.acquire
        %1 = arith.constant 0 : index
        %2 = arith.constant 4 : index
        %3 = arith.constant 1 : index
        scf.for %i = %1 to %2 step %3 {
          tt_compute.eltwise_tiles "add" %A_shared[%i], %B_shared[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
        }
        tt_compute.commit
        tt_compute.wait
        %4 = arith.constant 0 : index
        %5 = arith.constant 4 : index
        %6 = arith.constant 1 : index
        scf.for %i_1 = %4 to %5 step %6 {
          tt_compute.pack_tile %i_1 to %C_local : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        }
        tt_compute.release
        tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      }
      tt.cb_pop_front %A_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
      tt.cb_pop_front %B_shared, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    }
  }
  tt.kernel writer @add_writer(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 2 : i64, step = "C_local[i, j] = A_shared[i, j] + B_shared[i, j]", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}, {index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}], common_args = ["address_C"], core_args = ["first_block", "block_count"]} {
    %A_shared = tt.cb "A_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 4 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %C_1 = tt.accessor %C {compile_time_offset = 0 : i64, address = 0 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 4 : index
    %first_block = tt.arg "core" "first_block" {position = 0 : i64}
    %block_count = tt.arg "core" "block_count" {position = 1 : i64}
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %block = %first_block to %end_block step %1 {
      %bx = arith.remsi %block, %0 {below = 4 : i64} : index
      %by = arith.divsi %block, %0 {below = 4 : i64} : index
      %2 = arith.constant 2 : index
      %first_row = arith.muli %by, %2 : index
      %3 = arith.constant 2 : index
      %first_col = arith.muli %bx, %3 : index
      tt.stage "writer" "store C_local to C" ins(%C_local) outs() : (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) -> () {
        tt.cb_wait_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        %4 = arith.constant 0 : index
        %5 = arith.constant 2 : index
        %6 = arith.constant 1 : index
        scf.for %row = %4 to %5 step %6 {
          %7 = arith.constant 0 : index
          %8 = arith.constant 2 : index
          %9 = arith.constant 1 : index
          scf.for %col = %7 to %8 step %9 {
            %10 = arith.addi %first_row, %row : index
            %11 = arith.addi %first_col, %col : index
            %12 = arith.constant 8 : index
            %13 = arith.muli %10, %12 : index
            %page = arith.addi %13, %11 : index
            %14 = arith.constant 2 : index
            %15 = arith.muli %row, %14 : index
            %tile = arith.addi %15, %col : index
            tt_dataflow.write_page %C_local[%tile] -> %C_1[%page] : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>, !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
          }
        }
        tt_dataflow.writes_flushed
      }
      tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    }
    tt_dataflow.write_barrier
  }
}
