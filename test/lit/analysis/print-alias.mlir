// RUN: vliw-opt %s -p print-alias --split-input-file 2>&1 >/dev/null | filecheck %s

// Offsets that differ by a constant. Arguments and allocations do not overlap.

// CHECK-LABEL: @constants
// CHECK-NEXT:    0: word.load %a[%i + 1]
// CHECK-NEXT:    1: word.store %a[%i + 1]
// CHECK-NEXT:    2: word.store %a[%i] of 4 words
// CHECK-NEXT:    3: word.store %a[%i + 4]
// CHECK-NEXT:    4: word.load %b[%i + 1]
// CHECK-NEXT:    5: word.store %own[3], in bounds
// CHECK-NEXT:    0 and 1: must
// CHECK-NEXT:    0 and 2: may
// CHECK-NEXT:    0 and 3: no
// CHECK-NEXT:    0 and 5: no
// CHECK-NEXT:    1 and 2: may
// CHECK-NEXT:    1 and 3: no
// CHECK-NEXT:    1 and 4: no
// CHECK-NEXT:    1 and 5: no
// CHECK-NEXT:    2 and 3: no
// CHECK-NEXT:    2 and 4: no
// CHECK-NEXT:    2 and 5: no
// CHECK-NEXT:    3 and 4: no
// CHECK-NEXT:    3 and 5: no
// CHECK-NEXT:    4 and 5: no
func.func @constants(
    %a: !word.buffer<?>, %b: !word.buffer<?>, %i: i32, %x: i32
) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c4 = word.constant 4 : i32
  %own = word.alloc : !word.buffer<4>
  %i1 = word.add %i, %c1 : i32
  %i4 = word.add %c4, %i : i32
  %v = word.broadcast %x : vector<4xi32>
  %y = word.load %a[%i1] : !word.buffer<?> -> i32
  word.store %x, %a[%i1] : i32, !word.buffer<?>
  word.store %v, %a[%i] : vector<4xi32>, !word.buffer<?>
  word.store %x, %a[%i4] : i32, !word.buffer<?>
  %z = word.load %b[%i1] : !word.buffer<?> -> i32
  word.store %x, %own[%c3] : i32, !word.buffer<4>
  func.return
}

// -----

// Counters of loops and ranges of other values bound a difference. So do strides.

// CHECK-LABEL: @ranges
// CHECK-NEXT:    0: word.store %a[8*%i + %j], in bounds
// CHECK-NEXT:    1: word.load %a[8*%i + %m + 8], in bounds
// CHECK-NEXT:    2: word.load %a[8*%i], in bounds
// CHECK-NEXT:    3: word.load %a[6*%k + 1]
// CHECK-NEXT:    0 and 1: no
// CHECK-NEXT:    0 and 2: no
// CHECK-NEXT:    0 and 3: may
func.func @ranges(%a: !word.buffer<64>, %k: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c6 = word.constant 6 : i32
  %c7 = word.constant 7 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c6 step %c1 : i32 {
    %i8 = word.mul %i, %c8 : i32
    scf.for %j = %c1 to %c8 step %c1 : i32 {
      %0 = word.add %i8, %j : i32
      word.store %k, %a[%0] : i32, !word.buffer<64>
      %m = word.and %k, %c7 : i32
      %1 = word.add %0, %m : i32
      %2 = word.sub %1, %j : i32
      %3 = word.add %2, %c8 : i32
      %x = word.load %a[%3] : !word.buffer<64> -> i32
      %y = word.load %a[%i8] : !word.buffer<64> -> i32
      %4 = word.mul %k, %c6 : i32
      %5 = word.add %4, %c1 : i32
      %z = word.load %a[%5] : !word.buffer<64> -> i32
    }
  }
  func.return
}

// -----

// Even and odd words; words far apart; gathers from a known part.

// CHECK-LABEL: @strides
// CHECK-NEXT:    0: word.store %a[2*%k]
// CHECK-NEXT:    1: word.load %a[2*%n + 1]
// CHECK-NEXT:    2: word.load %a[2*%n]
// CHECK-NEXT:    3: word.gather %a[?], in bounds
// CHECK-NEXT:    4: word.store %a[%n]
// CHECK-NEXT:    0 and 1: no
// CHECK-NEXT:    0 and 2: may
// CHECK-NEXT:    0 and 3: may
// CHECK-NEXT:    0 and 4: may
// CHECK-NEXT:    1 and 4: no
// CHECK-NEXT:    2 and 4: no
// CHECK-NEXT:    3 and 4: no
func.func @strides(
    %a: !word.buffer<64>, %k: i32, %n: i32 {vliw.range = array<i32: 16, 80>}
) attributes {vliw.signature = (memref<64xi32>, i32, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c15 = word.constant dense<15> : vector<4xi32>
  %k2 = word.shl %k, %c1 : i32
  %n2 = word.shl %n, %c1 : i32
  %n21 = word.add %n2, %c1 : i32
  word.store %k, %a[%k2] : i32, !word.buffer<64>
  %x = word.load %a[%n21] : !word.buffer<64> -> i32
  %y = word.load %a[%n2] : !word.buffer<64> -> i32
  %v = word.broadcast %k : vector<4xi32>
  %w = word.and %v, %c15 : vector<4xi32>
  %z = word.gather %a[%w] : !word.buffer<64> -> vector<4xi32>
  word.store %k, %a[%n] : i32, !word.buffer<64>
  func.return
}

// -----

// Parts of buffers, absolute addresses, and buffers that a loop hands on.

// CHECK-LABEL: @buffers
// CHECK-NEXT:    0: word.store %a[%k + %i]
// CHECK-NEXT:    1: word.load %a[%i + %k]
// CHECK-NEXT:    2: word.load %a[%k + %i]
// CHECK-NEXT:    3: word.store %a[%k + -1*%a]
// CHECK-NEXT:    4: word.load %a[%k + -1*%a]
// CHECK-NEXT:    5: word.load %from[%k]
// CHECK-NEXT:    6: word.store %to[%k]
// CHECK-NEXT:    7: word.load %c[%k]
// CHECK-NEXT:    0 and 1: must
// CHECK-NEXT:    0 and 2: must
// CHECK-NEXT:    0 and 3: may
// CHECK-NEXT:    0 and 4: may
// CHECK-NEXT:    0 and 5: may
// CHECK-NEXT:    0 and 6: may
// CHECK-NEXT:    0 and 7: no
// CHECK-NEXT:    1 and 3: may
// CHECK-NEXT:    1 and 6: may
// CHECK-NEXT:    2 and 3: may
// CHECK-NEXT:    2 and 6: may
// CHECK-NEXT:    3 and 4: must
// CHECK-NEXT:    3 and 5: may
// CHECK-NEXT:    3 and 6: may
// CHECK-NEXT:    3 and 7: no
// CHECK-NEXT:    4 and 6: may
// CHECK-NEXT:    5 and 6: may
// CHECK-NEXT:    6 and 7: no
func.func @buffers(
    %a: !word.buffer<?>, %b: !word.buffer<?>, %c: !word.buffer<?>, %i: i32, %k: i32
) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %part = word.subbuffer %a[%i] : !word.buffer<?> to !word.buffer<?>
  word.store %i, %part[%k] : i32, !word.buffer<?>
  %ik = word.add %i, %k : i32
  %x = word.load %a[%ik] : !word.buffer<?> -> i32
  %address = word.address %part : !word.buffer<?>
  %0 = word.add %address, %k : i32
  %y = word.load %a[%0] absolute : !word.buffer<?> -> i32
  word.store %i, %a[%k] absolute : i32, !word.buffer<?>
  %z = word.load %a[%k] absolute : !word.buffer<?> -> i32
  %last:2 = scf.for %j = %c0 to %i step %c1 iter_args(%from = %a, %to = %b) -> (!word.buffer<?>, !word.buffer<?>) : i32 {
    %f = word.load %from[%k] : !word.buffer<?> -> i32
    word.store %f, %to[%k] : i32, !word.buffer<?>
    %g = word.load %c[%k] : !word.buffer<?> -> i32
    scf.yield %to, %from : !word.buffer<?>, !word.buffer<?>
  }
  func.return
}
