tt.kernel compute @softmax_compute(%X: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %Y: !tile.tensor<[256, 256], bf16, tile, Float16_b>) attributes {dfg = [{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["X_shared"]}, {index = 1 : i64, step = "row_max = max of X_shared along dimension 1", role = "compute", reads = ["X_shared"], writes = ["row_max"]}, {index = 2 : i64, step = "E_local[i, j] = exp(X_shared[i, j] - row_max[i])", role = "compute", reads = ["X_shared", "row_max"], writes = ["E_local"]}, {index = 3 : i64, step = "row_sum = sum of E_local along dimension 1", role = "compute", reads = ["E_local"], writes = ["row_sum"]}, {index = 4 : i64, step = "E_local_2_out[i, j] = E_local[i, j] / row_sum[i]", role = "compute", reads = ["E_local", "row_sum"], writes = ["E_local_2_out"]}, {index = 5 : i64, step = "tile.store", role = "writer", reads = ["E_local_2_out"], writes = []}], fp32_dest_acc_en, unpack_to_dest_fp32 = ["E_local", "row_max", "row_sum"]} {
  %X_shared = tt.cb "X_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute", index = 0 : i64} : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
  %E_local = tt.cb "E_local" {pages = 8 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 1 : i64} : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
  %E_local_2_out = tt.cb "E_local_2_out" {pages = 8 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer", index = 2 : i64} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
  %row_max = tt.cb "row_max" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 3 : i64} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
  %row_sum = tt.cb "row_sum" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute", index = 4 : i64} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
  %first_block = tt.arg "core" "first_block"
  %block_count = tt.arg "core" "block_count"
  tt_compute.start %X_shared, %X_shared to %row_max : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
  %end_block = arith.addi %first_block, %block_count : index
  %0 = arith.constant 1 : index
  scf.for %bx = %first_block to %end_block step %0 {
    tt.stage "compute" "row_max = max of X_shared along dimension 1" ins(%X_shared) outs(%row_max) : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>) -> (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) {
      tt.cb_wait_front %X_shared, 8 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tt.cb_reserve_back %row_max, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      "tt_compute.dst"() <{slots = 3 : i64, wide = true}> ({
        %1 = arith.constant 0 : index
        %2 = arith.constant 0 : index
        "tt_compute.reconfig"(%X_shared) <{operandSegmentSizes = array<i32: 1, 0>}> : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>) -> ()
        tt_compute.init_move "copy" %X_shared : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
        tt_compute.move_tile "copy" %X_shared[%1] to %2 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
        %3 = arith.constant 1 : index
        %4 = arith.constant 8 : index
        %5 = arith.constant 1 : index
        tt_compute.init_vector "max"
        scf.for %k = %3 to %4 step %5 {
          %6 = arith.constant 1 : index
          tt_compute.move_tile "copy" %X_shared[%k] to %6 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
          %7 = arith.constant 0 : index
          %8 = arith.constant 1 : index
          %9 = arith.constant 0 : index
          "tt_compute.vector"(%7, %8, %9) <{fn = "max", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
        }
        %10 = arith.constant 0 : index
        tt_compute.init_vector "transpose"
        "tt_compute.vector"(%10) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        %11 = arith.constant 0 : index
        tt_compute.init_vector "max_columns"
        "tt_compute.vector"(%11) <{fn = "max_columns", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        %12 = arith.constant 1.000000e+00 : f32
        %13 = arith.constant 1 : index
        tt_compute.init_vector "fill"
        "tt_compute.vector"(%13, %12) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
        %14 = arith.constant 0 : index
        %15 = arith.constant 1 : index
        tt_compute.init_vector "spread_row"
        "tt_compute.vector"(%14, %15) <{fn = "spread_row", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
        %16 = arith.constant 1 : index
        "tt_compute.vector"(%16) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
      }, {
        %17 = arith.constant 1 : index
        tt_compute.pack_reconfig %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
        tt_compute.pack_tile %17 to %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      }) : () -> ()
      tt.cb_push_back %row_max, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    }
    tt.stage "compute" "E_local[i, j] = exp(X_shared[i, j] - row_max[i])" ins(%X_shared, %row_max) outs(%E_local) : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) {
      tt.cb_wait_front %row_max, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tt.cb_reserve_back %E_local, 8 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      %18 = arith.constant 0 : index
      %19 = arith.constant 8 : index
      %20 = arith.constant 2 : index
      scf.for %tile = %18 to %19 step %20 {
        "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
          %21 = arith.constant 0 : index
          %22 = arith.constant 2 : index
          %23 = arith.constant 1 : index
          "tt_compute.reconfig"(%X_shared) <{operandSegmentSizes = array<i32: 1, 0>}> : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>) -> ()
          tt_compute.init_move "copy" %X_shared : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
          scf.for %i = %21 to %22 step %23 {
            %24 = arith.addi %tile, %i : index
            tt_compute.move_tile "copy" %X_shared[%24] to %i : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
          }
          %25 = arith.constant 0 : index
          %26 = arith.constant 2 : index
          %27 = arith.constant 1 : index
          "tt_compute.reconfig"(%row_max) <{operandSegmentSizes = array<i32: 1, 0>}> : (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> ()
          tt_compute.init_move "copy" %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
          scf.for %i_1 = %25 to %26 step %27 {
            %28 = arith.constant 2 : index
            %29 = arith.addi %28, %i_1 : index
            %30 = arith.constant 0 : index
            tt_compute.move_tile "copy" %row_max[%30] to %29 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
          }
          %31 = arith.constant 0 : index
          %32 = arith.constant 2 : index
          %33 = arith.constant 1 : index
          tt_compute.init_vector "sub"
          scf.for %i_2 = %31 to %32 step %33 {
            %34 = arith.constant 2 : index
            %35 = arith.addi %34, %i_2 : index
            "tt_compute.vector"(%i_2, %35, %i_2) <{fn = "sub", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
          }
          %36 = arith.constant 0 : index
          %37 = arith.constant 2 : index
          %38 = arith.constant 1 : index
          tt_compute.init_vector "exp"
          scf.for %i_3 = %36 to %37 step %38 {
            "tt_compute.vector"(%i_3) <{fn = "exp", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          }
        }, {
          %39 = arith.constant 0 : index
          %40 = arith.constant 2 : index
          %41 = arith.constant 1 : index
          scf.for %i_4 = %39 to %40 step %41 {
            tt_compute.pack_tile %i_4 to %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
          }
        }) : () -> ()
      }
      tt.cb_push_back %E_local, 8 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
    }
    tt.cb_pop_front %X_shared, 8 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
    tt.cb_pop_front %row_max, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    tt.stage "compute" "row_sum = sum of E_local along dimension 1" ins(%E_local) outs(%row_sum) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) {
      tt.cb_wait_front %E_local, 8 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      tt.cb_reserve_back %row_sum, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      "tt_compute.dst"() <{slots = 3 : i64, wide = true}> ({
        %42 = arith.constant 0 : index
        %43 = arith.constant 0 : index
        tt_compute.move_tile "copy" %E_local[%42] to %43 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
        %44 = arith.constant 1 : index
        %45 = arith.constant 8 : index
        %46 = arith.constant 1 : index
        tt_compute.init_vector "add"
        scf.for %k_1 = %44 to %45 step %46 {
          %47 = arith.constant 1 : index
          tt_compute.move_tile "copy" %E_local[%k_1] to %47 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
          %48 = arith.constant 0 : index
          %49 = arith.constant 1 : index
          %50 = arith.constant 0 : index
          "tt_compute.vector"(%48, %49, %50) <{fn = "add", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
        }
        %51 = arith.constant 0 : index
        tt_compute.init_vector "transpose"
        "tt_compute.vector"(%51) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        %52 = arith.constant 0 : index
        tt_compute.init_vector "sum_columns"
        "tt_compute.vector"(%52) <{fn = "sum_columns", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        %53 = arith.constant 1.000000e+00 : f32
        %54 = arith.constant 1 : index
        tt_compute.init_vector "fill"
        "tt_compute.vector"(%54, %53) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
        %55 = arith.constant 0 : index
        %56 = arith.constant 1 : index
        tt_compute.init_vector "spread_row"
        "tt_compute.vector"(%55, %56) <{fn = "spread_row", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
        %57 = arith.constant 1 : index
        "tt_compute.vector"(%57) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
      }, {
        %58 = arith.constant 1 : index
        tt_compute.pack_tile %58 to %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      }) : () -> ()
      tt.cb_push_back %row_sum, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    }
    tt.stage "compute" "E_local_2_out[i, j] = E_local[i, j] / row_sum[i]" ins(%E_local, %row_sum) outs(%E_local_2_out) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>) {
      tt.cb_wait_front %row_sum, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tt.cb_reserve_back %E_local_2_out, 8 : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
      %59 = arith.constant 0 : index
      %60 = arith.constant 8 : index
      %61 = arith.constant 2 : index
      tt_compute.init_move "copy" %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      tt_compute.pack_reconfig %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
      scf.for %tile_1 = %59 to %60 step %61 {
        "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
          %62 = arith.constant 0 : index
          %63 = arith.constant 2 : index
          %64 = arith.constant 1 : index
          scf.for %i_5 = %62 to %63 step %64 {
            %65 = arith.addi %tile_1, %i_5 : index
            tt_compute.move_tile "copy" %E_local[%65] to %i_5 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
          }
          %66 = arith.constant 0 : index
          %67 = arith.constant 2 : index
          %68 = arith.constant 1 : index
          scf.for %i_6 = %66 to %67 step %68 {
            %69 = arith.constant 2 : index
            %70 = arith.addi %69, %i_6 : index
            %71 = arith.constant 0 : index
            tt_compute.move_tile "copy" %row_sum[%71] to %70 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
          }
          %72 = arith.constant 0 : index
          %73 = arith.constant 2 : index
          %74 = arith.constant 1 : index
          tt_compute.init_vector "recip"
          scf.for %i_7 = %72 to %73 step %74 {
            %75 = arith.constant 2 : index
            %76 = arith.addi %75, %i_7 : index
            "tt_compute.vector"(%76) <{fn = "recip", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          }
          %77 = arith.constant 0 : index
          %78 = arith.constant 2 : index
          %79 = arith.constant 1 : index
          tt_compute.init_vector "mul"
          scf.for %i_8 = %77 to %78 step %79 {
            %80 = arith.constant 2 : index
            %81 = arith.addi %80, %i_8 : index
            "tt_compute.vector"(%i_8, %81, %i_8) <{fn = "mul", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
          }
        }, {
          %82 = arith.constant 0 : index
          %83 = arith.constant 2 : index
          %84 = arith.constant 1 : index
          scf.for %i_9 = %82 to %83 step %84 {
            tt_compute.pack_tile %i_9 to %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
          }
        }) : () -> ()
      }
      tt.cb_push_back %E_local_2_out, 8 : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    }
    tt.cb_pop_front %E_local, 8 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
    tt.cb_pop_front %row_sum, 1 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
  } {below = 8 : i64}
}
