builtin.module attributes {partition = {strategy = "linear", extents = ["8"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
  tile.func @softmax(%X: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %Y: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %X_shared = tt.cb "X_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
    %E_local = tt.cb "E_local" {pages = 8 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
    %E_local_2_out = tt.cb "E_local_2_out" {pages = 8 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    %row_max = tt.cb "row_max" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    %row_sum = tt.cb "row_sum" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    %X_1 = tt.accessor %X : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %Y_1 = tt.accessor %Y : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 8 : index
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %bx = %first_block to %end_block step %1 {
      %2 = arith.constant 32 : index
      %3 = arith.muli %bx, %2 : index
      %4 = arith.constant 0 : index
      tile.load %X[%3, %4] -> %X_shared sizes [32, 256] dims [0, 1] {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tt.stage "compute" "row_max = max of X_shared along dimension 1" ins(%X_shared) outs(%row_max) : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>) -> (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) {
        "tt_compute.dst"() <{slots = 3 : i64, wide = true}> ({
          %5 = arith.constant 0 : index
          %6 = arith.constant 0 : index
          tt_compute.move_tile "copy" %X_shared[%5] to %6 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
          %7 = arith.constant 1 : index
          %8 = arith.constant 8 : index
          %9 = arith.constant 1 : index
          scf.for %k = %7 to %8 step %9 {
            %10 = arith.constant 1 : index
            tt_compute.move_tile "copy" %X_shared[%k] to %10 : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
            %11 = arith.constant 0 : index
            %12 = arith.constant 1 : index
            %13 = arith.constant 0 : index
            "tt_compute.vector"(%11, %12, %13) <{fn = "max", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
          }
          %14 = arith.constant 0 : index
          "tt_compute.vector"(%14) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %15 = arith.constant 0 : index
          "tt_compute.vector"(%15) <{fn = "max_columns", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %16 = arith.constant 1.000000e+00 : f32
          %17 = arith.constant 1 : index
          "tt_compute.vector"(%17, %16) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
          %18 = arith.constant 0 : index
          %19 = arith.constant 1 : index
          "tt_compute.vector"(%18, %19) <{fn = "spread_row", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
          %20 = arith.constant 1 : index
          "tt_compute.vector"(%20) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        }, {
          %21 = arith.constant 1 : index
          tt_compute.pack_tile %21 to %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
        }) : () -> ()
      }
      tt.stage "compute" "E_local[i, j] = exp(X_shared[i, j] - row_max[i])" ins(%X_shared, %row_max) outs(%E_local) : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) {
        %22 = arith.constant 0 : index
        %23 = arith.constant 8 : index
        %24 = arith.constant 2 : index
        scf.for %tile = %22 to %23 step %24 {
          "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
            %25 = arith.constant 0 : index
            %26 = arith.constant 2 : index
            %27 = arith.constant 1 : index
            scf.for %i = %25 to %26 step %27 {
              %28 = arith.addi %tile, %i : index
              tt_compute.move_tile "copy" %X_shared[%28] to %i : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
            }
            %29 = arith.constant 0 : index
            %30 = arith.constant 2 : index
            %31 = arith.constant 1 : index
            scf.for %i_1 = %29 to %30 step %31 {
              %32 = arith.constant 2 : index
              %33 = arith.addi %32, %i_1 : index
              %34 = arith.constant 0 : index
              tt_compute.move_tile "copy" %row_max[%34] to %33 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
            }
            %35 = arith.constant 0 : index
            %36 = arith.constant 2 : index
            %37 = arith.constant 1 : index
            scf.for %i_2 = %35 to %36 step %37 {
              %38 = arith.constant 2 : index
              %39 = arith.addi %38, %i_2 : index
              "tt_compute.vector"(%i_2, %39, %i_2) <{fn = "sub", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
            }
            %40 = arith.constant 0 : index
            %41 = arith.constant 2 : index
            %42 = arith.constant 1 : index
            scf.for %i_3 = %40 to %41 step %42 {
              "tt_compute.vector"(%i_3) <{fn = "exp", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
            }
          }, {
            %43 = arith.constant 0 : index
            %44 = arith.constant 2 : index
            %45 = arith.constant 1 : index
            scf.for %i_4 = %43 to %44 step %45 {
              tt_compute.pack_tile %i_4 to %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
            }
          }) : () -> ()
        }
      }
      tt.release %X_shared : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tt.release %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tt.stage "compute" "row_sum = sum of E_local along dimension 1" ins(%E_local) outs(%row_sum) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) {
        "tt_compute.dst"() <{slots = 3 : i64, wide = true}> ({
          %46 = arith.constant 0 : index
          %47 = arith.constant 0 : index
          tt_compute.move_tile "copy" %E_local[%46] to %47 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
          %48 = arith.constant 1 : index
          %49 = arith.constant 8 : index
          %50 = arith.constant 1 : index
          scf.for %k_1 = %48 to %49 step %50 {
            %51 = arith.constant 1 : index
            tt_compute.move_tile "copy" %E_local[%k_1] to %51 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
            %52 = arith.constant 0 : index
            %53 = arith.constant 1 : index
            %54 = arith.constant 0 : index
            "tt_compute.vector"(%52, %53, %54) <{fn = "add", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
          }
          %55 = arith.constant 0 : index
          "tt_compute.vector"(%55) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %56 = arith.constant 0 : index
          "tt_compute.vector"(%56) <{fn = "sum_columns", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %57 = arith.constant 1.000000e+00 : f32
          %58 = arith.constant 1 : index
          "tt_compute.vector"(%58, %57) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
          %59 = arith.constant 0 : index
          %60 = arith.constant 1 : index
          "tt_compute.vector"(%59, %60) <{fn = "spread_row", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
          %61 = arith.constant 1 : index
          "tt_compute.vector"(%61) <{fn = "transpose", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
        }, {
          %62 = arith.constant 1 : index
          tt_compute.pack_tile %62 to %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
        }) : () -> ()
      }
      tt.stage "compute" "E_local_2_out[i, j] = E_local[i, j] / row_sum[i]" ins(%E_local, %row_sum) outs(%E_local_2_out) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>) {
        %63 = arith.constant 0 : index
        %64 = arith.constant 8 : index
        %65 = arith.constant 2 : index
        scf.for %tile_1 = %63 to %64 step %65 {
          "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
            %66 = arith.constant 0 : index
            %67 = arith.constant 2 : index
            %68 = arith.constant 1 : index
            scf.for %i_5 = %66 to %67 step %68 {
              %69 = arith.addi %tile_1, %i_5 : index
              tt_compute.move_tile "copy" %E_local[%69] to %i_5 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
            }
            %70 = arith.constant 0 : index
            %71 = arith.constant 2 : index
            %72 = arith.constant 1 : index
            scf.for %i_6 = %70 to %71 step %72 {
              %73 = arith.constant 2 : index
              %74 = arith.addi %73, %i_6 : index
              %75 = arith.constant 0 : index
              tt_compute.move_tile "copy" %row_sum[%75] to %74 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
            }
            %76 = arith.constant 0 : index
            %77 = arith.constant 2 : index
            %78 = arith.constant 1 : index
            scf.for %i_7 = %76 to %77 step %78 {
              %79 = arith.constant 2 : index
              %80 = arith.addi %79, %i_7 : index
              "tt_compute.vector"(%80) <{fn = "recip", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
            }
            %81 = arith.constant 0 : index
            %82 = arith.constant 2 : index
            %83 = arith.constant 1 : index
            scf.for %i_8 = %81 to %82 step %83 {
              %84 = arith.constant 2 : index
              %85 = arith.addi %84, %i_8 : index
              "tt_compute.vector"(%i_8, %85, %i_8) <{fn = "mul", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
            }
          }, {
            %86 = arith.constant 0 : index
            %87 = arith.constant 2 : index
            %88 = arith.constant 1 : index
            scf.for %i_9 = %86 to %87 step %88 {
              tt_compute.pack_tile %i_9 to %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
            }
          }) : () -> ()
        }
      }
      tt.release %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      tt.release %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.store %E_local_2_out -> %Y[%3, %4] sizes [32, 256] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
      tt.release %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    } {below = 8 : i64}
  }
}
