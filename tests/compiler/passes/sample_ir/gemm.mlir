builtin.module {
  tile.func @gemm(%A: !tile.tensor<[256, 256], bf16>, %B: !tile.tensor<[256, 256], bf16>, %C: !tile.tensor<[256, 256], bf16>) {
    %0 = arith.constant 4 : index
    %1 = arith.constant 4 : index
    tile.grid (%bx, %by) in (%0, %1) {
      %A_shared = tile.alloc "A_shared" : !tile.buffer<[64, 32], bf16, shared>
      %B_shared = tile.alloc "B_shared" : !tile.buffer<[32, 64], bf16, shared>
      %C_local = tile.alloc "C_local" : !tile.buffer<[64, 64], f32, fragment>
      %2 = arith.constant 0.000000e+00 : f32
      tile.fill %C_local, %2 : !tile.buffer<[64, 64], f32, fragment>, f32
      %3 = arith.constant 0 : index
      %4 = arith.constant 8 : index
      %5 = arith.constant 1 : index
      scf.for %ko = %3 to %4 step %5 {
        %6 = arith.constant 64 : index
        %7 = arith.muli %by, %6 : index
        %8 = arith.constant 32 : index
        %9 = arith.muli %ko, %8 : index
        tile.load %A[%7, %9] -> %A_shared sizes [64, 32] dims [0, 1] : !tile.tensor<[256, 256], bf16> -> !tile.buffer<[64, 32], bf16, shared>
        %10 = arith.constant 32 : index
        %11 = arith.muli %ko, %10 : index
        %12 = arith.constant 64 : index
        %13 = arith.muli %bx, %12 : index
        tile.load %B[%11, %13] -> %B_shared sizes [32, 64] dims [0, 1] : !tile.tensor<[256, 256], bf16> -> !tile.buffer<[32, 64], bf16, shared>
        tile.gemm %A_shared, %B_shared, %C_local transposed[false, false] : !tile.buffer<[64, 32], bf16, shared>, !tile.buffer<[32, 64], bf16, shared>, !tile.buffer<[64, 64], f32, fragment>
      } {num_stages = 2 : i64}
      %14 = arith.constant 64 : index
      %15 = arith.muli %by, %14 : index
      %16 = arith.constant 64 : index
      %17 = arith.muli %bx, %16 : index
      tile.store %C_local -> %C[%15, %17] sizes [64, 64] dims [0, 1] accumulate "" : !tile.buffer<[64, 64], f32, fragment> -> !tile.tensor<[256, 256], bf16>
    }
  }
}
