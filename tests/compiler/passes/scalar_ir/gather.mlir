tile.func @gather(%A: !tile.tensor<[100, 70], bf16>, %rows: !tile.tensor<[64], i32>, %C: !tile.tensor<[64, 70], bf16>) {
  %blocks = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  %two = arith.constant 2.0 : f32
  tile.grid (%bx) in (%blocks) {
    %S = tile.alloc "S" : !tile.buffer<[16, 70], bf16, shared>
    %first = arith.muli %bx, %c16 : index
    tile.scalar reads(%A, %rows) writes(%S) : (!tile.tensor<[100, 70], bf16>, !tile.tensor<[64], i32>) -> (!tile.buffer<[16, 70], bf16, shared>) {
      scf.for %i = %c0 to %c16 step %c1 {
        %at = arith.addi %first, %i : index
        %row = tile.read %rows[%at] : !tile.tensor<[64], i32> -> i32
        %from = arith.index_cast %row : i32 to index
        scf.for %j = %c0 to %c70 step %c1 {
          %v = tile.read %A[%from, %j] : !tile.tensor<[100, 70], bf16> -> f32
          %twice = arith.mulf %v, %two : f32
          %size = tile.fn "abs"(%twice) : (f32) -> f32
          tile.write %S[%i, %j], %size accumulate "" : !tile.buffer<[16, 70], bf16, shared>, f32
        }
      }
    }
    tile.store %S -> %C[%first, %c0] sizes [16, 70] dims [0, 1] accumulate "" : !tile.buffer<[16, 70], bf16, shared> -> !tile.tensor<[64, 70], bf16>
  }
}
