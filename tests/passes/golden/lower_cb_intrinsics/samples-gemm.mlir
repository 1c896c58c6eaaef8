builtin.module attributes {partition = {kind = "mesh", extents = ["4", "4"], columns = #builtin.int<4>, rows = #builtin.int<4>, separate = []}} {
  tt.kernel reader @gemm_reader(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "C_local = a number everywhere", role = "compute", reads = [], writes = ["C_local"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 2 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 3 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}, {index = 4 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}, {index = 5 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}], semaphores = ["row_ready", "row_arrived", "column_ready", "column_arrived"]} {
    %A_shared = tt.cb "A_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    %C_local_out = tt.cb "C_local_out" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 3 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %A_1 = tt.accessor %A {compile_time_offset = 0 : i64, address = 0 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %B_1 = tt.accessor %B {compile_time_offset = 2 : i64, address = 1 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %core_y = tt.arg "core" "core_y" {below = 4 : i64}
    %core_x = tt.arg "core" "core_x" {below = 4 : i64}
    %0 = arith.constant 0 : index
    %1 = arith.constant 8 : index
    %2 = arith.constant 1 : index
    scf.for %ko = %0 to %1 step %2 {
      tt.stage "reader" "load A_shared from A, once for the row of cores" ins() outs(%A_shared) : () -> (!tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>) {
        tt.cb_reserve_back %A_shared, 2 : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
        %3 = arith.constant 0 : index
        %4 = arith.cmpi eq, %core_x, %3 : index
        scf.if %4 {
          %5 = arith.constant 2 : index
          %first_row = arith.muli %core_y, %5 : index
          %6 = arith.constant 0 : index
          %7 = arith.constant 2 : index
          %8 = arith.constant 1 : index
          scf.for %row = %6 to %7 step %8 {
            %tile_row = arith.addi %first_row, %row : index
            %9 = arith.constant 8 : index
            %10 = arith.muli %tile_row, %9 : index
            %page = arith.addi %10, %ko : index
            tt_dataflow.read_page %A_1[%page] -> %A_shared[%row] : !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
          }
          tt_dataflow.read_barrier
          tt_dataflow.multicast_send "row" %A_shared {first = 19 : i64, last = 21 : i64, receivers = 3 : i64, ready = 0 : i64, arrived = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
        } else {
          tt_dataflow.multicast_receive "row" %A_shared {sender = 18 : i64, ready = 0 : i64, arrived = 1 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
        }
        tt.cb_push_back %A_shared, 2 : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
      }
      tt.stage "reader" "load B_shared from B, once for the column of cores" ins() outs(%B_shared) : () -> (!tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>) {
        tt.cb_reserve_back %B_shared, 2 : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
        %11 = arith.constant 0 : index
        %12 = arith.cmpi eq, %core_y, %11 : index
        scf.if %12 {
          %13 = arith.constant 2 : index
          %first_col = arith.muli %core_x, %13 : index
          %14 = arith.constant 0 : index
          %15 = arith.constant 2 : index
          %16 = arith.constant 1 : index
          scf.for %col = %14 to %15 step %16 {
            %tile_col = arith.addi %first_col, %col : index
            %17 = arith.constant 8 : index
            %18 = arith.muli %ko, %17 : index
            %page_1 = arith.addi %18, %tile_col : index
            tt_dataflow.read_page %B_1[%page_1] -> %B_shared[%col] : !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
          }
          tt_dataflow.read_barrier
          tt_dataflow.multicast_send "column" %B_shared {first = 19 : i64, last = 21 : i64, receivers = 3 : i64, ready = 2 : i64, arrived = 3 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
        } else {
          tt_dataflow.multicast_receive "column" %B_shared {sender = 18 : i64, ready = 2 : i64, arrived = 3 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
        }
        tt.cb_push_back %B_shared, 2 : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
      }
    } {num_stages = 2 : i64}
    tt_dataflow.write_barrier
  }
  tt.kernel compute @gemm_compute(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "C_local = a number everywhere", role = "compute", reads = [], writes = ["C_local"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 2 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 3 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}, {index = 4 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}, {index = 5 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}]} {
    %A_shared = tt.cb "A_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    %C_local_out = tt.cb "C_local_out" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 3 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %0 = arith.constant 0.000000e+00 : f32
    tt.stage "compute" "C_local = a number everywhere" ins() outs(%C_local) : () -> (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) {
      tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      "tt_compute.dst"() <{slots = 1 : i64, wide = true}> ({
        %1 = arith.constant 0 : index
        "tt_compute.vector"(%1, %0) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
      }, {
        %2 = arith.constant 0 : index
        %3 = arith.constant 4 : index
        %4 = arith.constant 1 : index
        scf.for %tile = %2 to %3 step %4 {
          %5 = arith.constant 0 : index
          tt_compute.pack_tile %5 to %C_local : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }
      }) : () -> ()
      tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    }
    %6 = arith.constant 0 : index
    %7 = arith.constant 8 : index
    %8 = arith.constant 1 : index
    scf.for %ko = %6 to %7 step %8 {
      tt.stage "compute" "C_local += A_shared @ B_shared" ins(%A_shared, %B_shared, %C_local) outs(%C_local) {rotates} : (!tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) {
        tt.cb_wait_front %A_shared, 2 : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
        tt.cb_wait_front %B_shared, 2 : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
        tt.cb_wait_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        tt.cb_reserve_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        %9 = arith.constant true
        tt_compute.accumulate %9
        "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
          %10 = arith.constant 0 : index
          %11 = arith.constant 0 : index
          %12 = arith.constant 0 : index
          tt_compute.matmul_block %A_shared[%10], %B_shared[%11] to %12 rows 2 : i64 columns 2 : i64 stride 1 : i64 transpose false : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
        }, {
          %13 = arith.constant 0 : index
          %14 = arith.constant 0 : index
          tt_compute.pack_tile %13 to %C_local[%14] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          %15 = arith.constant 1 : index
          %16 = arith.constant 1 : index
          tt_compute.pack_tile %15 to %C_local[%16] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          %17 = arith.constant 2 : index
          %18 = arith.constant 2 : index
          tt_compute.pack_tile %17 to %C_local[%18] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
          %19 = arith.constant 3 : index
          %20 = arith.constant 3 : index
          tt_compute.pack_tile %19 to %C_local[%20] : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }) : () -> ()
        %21 = arith.constant false
        tt_compute.accumulate %21
        tt.cb_push_back %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      }
      tt.cb_pop_front %A_shared, 2 : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
      tt.cb_pop_front %B_shared, 2 : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    } {num_stages = 2 : i64}
    tt.stage "compute" "C_local_out = C_local" ins(%C_local) outs(%C_local_out) : (!tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) {
      tt.cb_wait_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
      tt.cb_reserve_back %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
        %22 = arith.constant 0 : index
        %23 = arith.constant 4 : index
        %24 = arith.constant 1 : index
        scf.for %i = %22 to %23 step %24 {
          tt_compute.move_tile "copy" %C_local[%i] to %i : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
        }
      }, {
        %25 = arith.constant 0 : index
        %26 = arith.constant 4 : index
        %27 = arith.constant 1 : index
        scf.for %i_1 = %25 to %26 step %27 {
          tt_compute.pack_tile %i_1 to %C_local_out : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
        }
      }) : () -> ()
      tt.cb_push_back %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    }
    tt.cb_pop_front %C_local, 4 : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
  }
  tt.kernel writer @gemm_writer(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "C_local = a number everywhere", role = "compute", reads = [], writes = ["C_local"]}, {index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}, {index = 2 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}, {index = 3 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}, {index = 4 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}, {index = 5 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}]} {
    %A_shared = tt.cb "A_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[64, 32], bf16, shared, tiled, Float16_b>>
    %B_shared = tt.cb "B_shared" {pages = 2 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>>
    %C_local = tt.cb "C_local" {pages = 4 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 2 : i64} : !tt.cb_of<!tile.buffer<[64, 64], f32, fragment, tiled, Float32>>
    %C_local_out = tt.cb "C_local_out" {pages = 4 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 3 : i64} : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
    %C_1 = tt.accessor %C {compile_time_offset = 0 : i64, address = 0 : i64} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %core_y = tt.arg "core" "core_y" {below = 4 : i64}
    %core_x = tt.arg "core" "core_x" {below = 4 : i64}
    tt.stage "writer" "store C_local_out to C" ins(%C_local_out) outs() : (!tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>) -> () {
      tt.cb_wait_front %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
      %0 = arith.constant 2 : index
      %first_row = arith.muli %core_y, %0 : index
      %1 = arith.constant 2 : index
      %first_col = arith.muli %core_x, %1 : index
      %2 = arith.constant 0 : index
      %3 = arith.constant 2 : index
      %4 = arith.constant 1 : index
      scf.for %row = %2 to %3 step %4 {
        %5 = arith.constant 0 : index
        %6 = arith.constant 2 : index
        %7 = arith.constant 1 : index
        scf.for %col = %5 to %6 step %7 {
          %tile_row = arith.addi %first_row, %row : index
          %tile_col = arith.addi %first_col, %col : index
          %8 = arith.constant 8 : index
          %9 = arith.muli %tile_row, %8 : index
          %page = arith.addi %9, %tile_col : index
          %10 = arith.constant 2 : index
          %11 = arith.muli %row, %10 : index
          %tile = arith.addi %11, %col : index
          tt_dataflow.write_page %C_local_out[%tile] -> %C_1[%page] : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>, !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
        }
      }
      tt_dataflow.write_barrier
    }
    tt.cb_pop_front %C_local_out, 4 : !tt.cb_of<!tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>>
  }
}
