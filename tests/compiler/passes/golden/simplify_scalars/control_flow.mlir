builtin.module {
  tt.kernel reader @k() {
    %n = tt.arg "core" "n"
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %v = tile.var_of %zero : index -> !tile.var<index>
    tile.set %v, %zero : !tile.var<index>, index
    %0 = arith.muli %n, %two : index
    %row = arith.addi %0, %one : index
    scf.for %i = %zero to %n step %one {
      %here = arith.addi %i, %one : index
      %apart = arith.divsi %two, %n : index
      %same = arith.addi %i, %one : index
      tt.stage "reader" "one" ins() outs() : () -> () {
        tile.set %v, %row : !tile.var<index>, index
        tile.set %v, %same : !tile.var<index>, index
      }
      tile.set %v, %here : !tile.var<index>, index
      tile.set %v, %apart : !tile.var<index>, index
    }
  }
}
