// RUN: vliw-opt %s -p interchange-loops --split-input-file --remarks=interchange 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: vliw-opt %s -p 'interchange-loops{order=1,0}' --split-input-file | filecheck %s --check-prefix=ORDER

// Rounds over independent items: the items go outside, then what an item is stays in place.
// What is computed between the loops moves into the inner one, or out of both.

// CHECK-LABEL:  @rounds
// CHECK:          %limit = word.add %n, %c1 : i32
// CHECK-NEXT:     scf.for %i = %c0 to %limit step %c1 : i32 {
// CHECK-NEXT:       scf.for %round = %c0 to %rounds step %c1 : i32 {
// CHECK-NEXT:         %key = word.load %keys[%round]
// CHECK-NEXT:         %x = word.load %a[%i]
// CHECK-NEXT:         %at = word.and %x, %c7
// CHECK-NEXT:         %y = word.load %table[%at]
// CHECK-NEXT:         %z = word.xor %y, %key
// CHECK-NEXT:         word.store %z, %a[%i]
// CHECK-NEXT:       } {inner}
// CHECK-NEXT:     } {outer}
// REMARK:       put into the order 1, 0 of 0, 1 [interchange-loops: passed]
func.func @rounds(%a: !word.buffer<?>, %table: !word.buffer<8>, %keys: !word.buffer<?>, %n: i32, %rounds: i32) attributes {vliw.signature = (memref<?xi32>, memref<8xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  scf.for %round = %c0 to %rounds step %c1 : i32 {
    %limit = word.add %n, %c1 : i32
    %key = word.load %keys[%round] : !word.buffer<?> -> i32
    scf.for %i = %c0 to %limit step %c1 : i32 {
      %x = word.load %a[%i] : !word.buffer<?> -> i32
      %at = word.and %x, %c7 : i32
      %y = word.load %table[%at] : !word.buffer<8> -> i32
      %z = word.xor %y, %key : i32
      word.store %z, %a[%i] : i32, !word.buffer<?>
    } {outer}
  } {inner}
  func.return
}

// -----

// What the item on the right is in the last round is needed: (<, >).

// CHECK-LABEL:  @neighbours
// CHECK:          scf.for %round
// CHECK:            scf.for %i
// REMARK:       not put into the order 1, 0 of 0, 1: a dependence would be turned around: word.store at {{.*}} and word.load at {{.*}} may touch the same word [interchange-loops: missed]
// ORDER-LABEL:  @neighbours
// ORDER:          scf.for %round
func.func @neighbours(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %c63 = word.constant 63 : i32
  scf.for %round = %c0 to %c8 step %c1 : i32 {
    scf.for %i = %c0 to %c63 step %c1 : i32 {
      %j = word.add %i, %c1 : i32
      %x = word.load %a[%j] : !word.buffer<64> -> i32
      word.store %x, %a[%i] : i32, !word.buffer<64>
    }
  }
  func.return
}

// -----

// Sums may be formed in any order, other carried values not.

// ORDER-LABEL:  @sum
// ORDER:          [[R:%\S+]] = scf.for %j = %c0 to %c8 step %c1 iter_args([[S:%\S+]] = %x)
// ORDER-NEXT:       [[T:%\S+]] = scf.for %i = %c0 to %c63 step %c1 iter_args([[U:%\S+]] = [[S]])
// ORDER:              [[V:%\S+]] = word.add [[U]],
// ORDER-NEXT:         scf.yield [[V]] : i32
// ORDER:            scf.yield [[T]] : i32
// ORDER:          func.return [[R]] : i32
// ORDER-LABEL:  @hash
// ORDER:          scf.for %i
func.func @sum(%x: i32, %a: !word.buffer<64>) -> i32 attributes {vliw.signature = (i32, memref<64xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %c63 = word.constant 63 : i32
  %r = scf.for %i = %c0 to %c63 step %c1 iter_args(%s = %x) -> (i32) : i32 {
    %t = scf.for %j = %c0 to %c8 step %c1 iter_args(%u = %s) -> (i32) : i32 {
      %o = word.xor %i, %j : i32
      %v = word.load %a[%o] : !word.buffer<64> -> i32
      %w = word.add %u, %v : i32
      scf.yield %w : i32
    }
    scf.yield %t : i32
  }
  func.return %r : i32
}
func.func private @hash(%x: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x) -> (i32) : i32 {
    %t = scf.for %j = %c0 to %c8 step %c1 iter_args(%u = %s) -> (i32) : i32 {
      %o = word.xor %i, %u : i32
      %w = word.mul %o, %j : i32
      scf.yield %w : i32
    }
    scf.yield %t : i32
  }
  func.return %r : i32
}

// -----

// Loops that are no nest: bounds that differ, work behind the inner loop, a loop that may not end.

// CHECK-LABEL:  @no_nest
// CHECK:          scf.for %i
// CHECK-NEXT:       scf.for %j = %c0 to %i
// CHECK:          scf.for %k
// CHECK-NEXT:       scf.for %l
// CHECK:            word.trace_write
// CHECK:          scf.for %m = %c0 to %n step %n
// CHECK-NEXT:       scf.for %o
// REMARK:       vliw.order names 2 loops, but the nest has 1 [interchange-loops: missed]
func.func @no_nest(%a: !word.buffer<64>, %x: i32, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      word.store %x, %a[%j] : i32, !word.buffer<64>
    }
  } {vliw.order = array<i64: 1, 0>}
  scf.for %k = %c0 to %c8 step %c1 : i32 {
    scf.for %l = %c0 to %c8 step %c1 : i32 {
      word.store %x, %a[%l] : i32, !word.buffer<64>
    }
    word.trace_write %k
  }
  scf.for %m = %c0 to %n step %n : i32 {
    scf.for %o = %c0 to %c8 step %c1 : i32 {
      word.store %x, %a[%o] : i32, !word.buffer<64>
    }
  }
  func.return
}

// -----

// Three loops; only the innermost place matters by itself.

// CHECK-LABEL:  @three
// CHECK:          scf.for %j
// CHECK-NEXT:       scf.for %k
// CHECK-NEXT:         scf.for %i
// CHECK-LABEL:  @asked
// CHECK:          scf.for %k
// CHECK-NEXT:       scf.for %i
// CHECK-NEXT:         scf.for %j
// CHECK-NOT:    vliw.order
func.func @three(%a: !word.buffer<64>, %b: !word.buffer<512>) attributes {vliw.signature = (memref<64xi32>, memref<512xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      %row = word.mul %j, %c8 : i32
      scf.for %k = %c0 to %c8 step %c1 : i32 {
        %o = word.add %row, %k : i32
        %x = word.load %a[%o] : !word.buffer<64> -> i32
        %y = word.mul %x, %i : i32
        word.store %y, %a[%o] : i32, !word.buffer<64>
      }
    }
  }
  func.return
}
func.func private @asked(%a: !word.buffer<64>, %x: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      scf.for %k = %c0 to %c8 step %c1 : i32 {
        word.store %x, %a[%k] : i32, !word.buffer<64>
      }
    }
  } {vliw.order = array<i64: 2, 0, 1>}
  func.return
}
