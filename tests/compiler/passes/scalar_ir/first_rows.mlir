tile.func @first_rows(%A: !tile.tensor<[8, 64], bf16>, %count: !tile.tensor<[1], i32>, %C: !tile.tensor<[8, 64], bf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid (%bx) in (%c1) {
    %S = tile.alloc "S" : !tile.buffer<[1, 64], bf16, shared>
    %n = tile.read %count[%c0] : !tile.tensor<[1], i32> -> i32
    %rows = arith.index_cast %n : i32 to index
    scf.for %i = %c0 to %rows step %c1 {
      tile.load %A[%i, %c0] -> %S sizes [1, 64] dims [0, 1] : !tile.tensor<[8, 64], bf16> -> !tile.buffer<[1, 64], bf16, shared>
      tile.store %S -> %C[%i, %c0] sizes [1, 64] dims [0, 1] accumulate "" : !tile.buffer<[1, 64], bf16, shared> -> !tile.tensor<[8, 64], bf16>
    }
  }
}
