builtin.module attributes {partition = {kind = "linear", extents = ["8"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
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
          "tt_compute.vector"(%14) <{fn = "max_rows", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %15 = arith.constant 1.000000e+00 : f32
          %16 = arith.constant 1 : index
          "tt_compute.vector"(%16, %15) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
          %17 = arith.constant 0 : index
          %18 = arith.constant 1 : index
          "tt_compute.vector"(%17, %18) <{fn = "spread_column", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
        }, {
          %19 = arith.constant 1 : index
          tt_compute.pack_tile %19 to %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
        }) : () -> ()
      }
      tt.stage "compute" "E_local[i, j] = exp(X_shared[i, j] - row_max[i])" ins(%X_shared, %row_max) outs(%E_local) : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) {
        %20 = arith.constant 0 : index
        %21 = arith.constant 8 : index
        %22 = arith.constant 2 : index
        scf.for %tile = %20 to %21 step %22 {
          "tt_compute.dst"() <{slots = 4 : i64, wide = true}> ({
            %23 = arith.constant 0 : index
            %24 = arith.constant 2 : index
            %25 = arith.constant 1 : index
            scf.for %i = %23 to %24 step %25 {
              %26 = arith.addi %tile, %i : index
              tt_compute.move_tile "copy" %X_shared[%26] to %i : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
            }
            %27 = arith.constant 0 : index
            %28 = arith.constant 2 : index
            %29 = arith.constant 1 : index
            scf.for %i_1 = %27 to %28 step %29 {
              %30 = arith.constant 2 : index
              %31 = arith.addi %30, %i_1 : index
              %32 = arith.constant 0 : index
              tt_compute.move_tile "copy" %row_max[%32] to %31 : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
            }
            %33 = arith.constant 0 : index
            %34 = arith.constant 2 : index
            %35 = arith.constant 1 : index
            scf.for %i_2 = %33 to %34 step %35 {
              %36 = arith.constant 2 : index
              %37 = arith.addi %36, %i_2 : index
              "tt_compute.vector"(%i_2, %37, %i_2) <{fn = "sub", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
            }
            %38 = arith.constant 0 : index
            %39 = arith.constant 2 : index
            %40 = arith.constant 1 : index
            scf.for %i_3 = %38 to %39 step %40 {
              "tt_compute.vector"(%i_3) <{fn = "exp", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
            }
          }, {
            %41 = arith.constant 0 : index
            %42 = arith.constant 2 : index
            %43 = arith.constant 1 : index
            scf.for %i_4 = %41 to %42 step %43 {
              tt_compute.pack_tile %i_4 to %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
            }
          }) : () -> ()
        }
      }
      tt.release %X_shared : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tt.release %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tt.stage "compute" "row_sum = sum of E_local along dimension 1" ins(%E_local) outs(%row_sum) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>) -> (!tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) {
        "tt_compute.dst"() <{slots = 3 : i64, wide = true}> ({
          %44 = arith.constant 0 : index
          %45 = arith.constant 0 : index
          tt_compute.move_tile "copy" %E_local[%44] to %45 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
          %46 = arith.constant 1 : index
          %47 = arith.constant 8 : index
          %48 = arith.constant 1 : index
          scf.for %k_1 = %46 to %47 step %48 {
            %49 = arith.constant 1 : index
            tt_compute.move_tile "copy" %E_local[%k_1] to %49 : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
            %50 = arith.constant 0 : index
            %51 = arith.constant 1 : index
            %52 = arith.constant 0 : index
            "tt_compute.vector"(%50, %51, %52) <{fn = "add", operandSegmentSizes = array<i32: 3, 0>}> : (index, index, index) -> ()
          }
          %53 = arith.constant 0 : index
          "tt_compute.vector"(%53) <{fn = "sum_rows", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
          %54 = arith.constant 1.000000e+00 : f32
          %55 = arith.constant 1 : index
          "tt_compute.vector"(%55, %54) <{fn = "fill", operandSegmentSizes = array<i32: 1, 1>}> : (index, f32) -> ()
          %56 = arith.constant 0 : index
          %57 = arith.constant 1 : index
          "tt_compute.vector"(%56, %57) <{fn = "spread_column", operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> ()
        }, {
          %58 = arith.constant 1 : index
          tt_compute.pack_tile %58 to %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
        }) : () -> ()
      }
      tt.stage "compute" "E_local_2_out[i, j] = E_local[i, j] / row_sum[i]" ins(%E_local, %row_sum) outs(%E_local_2_out) : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> (!tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>) {
        %59 = arith.constant 0 : index
        %60 = arith.constant 8 : index
        %61 = arith.constant 2 : index
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
            scf.for %i_7 = %72 to %73 step %74 {
              %75 = arith.constant 2 : index
              %76 = arith.addi %75, %i_7 : index
              "tt_compute.vector"(%76) <{fn = "recip", operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
            }
            %77 = arith.constant 0 : index
            %78 = arith.constant 2 : index
            %79 = arith.constant 1 : index
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
      }
      tt.release %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      tt.release %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.store %E_local_2_out -> %Y[%3, %4] sizes [32, 256] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
      tt.release %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    } {below = 8 : i64}
  }
}
