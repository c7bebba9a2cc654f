// RUN: vliw-opt %s --split-input-file -p fold-offsets,simplify | filecheck %s

// Constants and words that do not change go into the buffer.

// CHECK-LABEL: @rows
// CHECK-DAG:     %[[C5:.*]] = word.constant 5 : i32
// CHECK-DAG:     %[[A:.*]] = word.subbuffer %a[%[[C5]]] : !word.buffer<64> to !word.buffer<59>
// CHECK:         scf.for %row
// CHECK:           %start = word.shl %row
// CHECK-NEXT:      %[[B:.*]] = word.subbuffer %b[%start] : !word.buffer<64> to !word.buffer<?>
// CHECK-NEXT:      scf.for %i
// CHECK-NEXT:        %x = word.load %[[A]][%i] : !word.buffer<59> -> i32
// CHECK-NEXT:        word.store %x, %[[B]][%i] : i32, !word.buffer<?>
func.func @rows(%a: !word.buffer<64>, %b: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c5 = word.constant 5 : i32
  %c8 = word.constant 8 : i32
  scf.for %row = %c0 to %c8 step %c1 : i32 {
    %start = word.shl %row, %c3 : i32
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %next = word.add %i, %c5 : i32
      %x = word.load %a[%next] : !word.buffer<64> -> i32
      %at = word.add %start, %i : i32
      word.store %x, %b[%at] : i32, !word.buffer<64>
    }
  }
  func.return
}

// -----

// The offset of a gather, without a loop.

// CHECK-LABEL: @gather
// CHECK:         %[[T:.*]] = word.subbuffer %t[%{{.*}}] : !word.buffer<64> to !word.buffer<57>
// CHECK:         %s = word.and
// CHECK-NEXT:    word.gather %[[T]][%s]
func.func @gather(%t: !word.buffer<64>, %c: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %seven = word.constant dense<7> : vector<8xi32>
  %x = word.load %t[%c] : !word.buffer<64> -> vector<8xi32>
  %s = word.and %x, %seven : vector<8xi32>
  %idx = word.add %s, %seven : vector<8xi32>
  %n = word.gather %t[%idx] : !word.buffer<64> -> vector<8xi32>
  word.store %n, %t[%c] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// What stays: sums that may wrap around (the word before a buffer's start is no part of it), sums
// that are used otherwise, and scalars of which nothing is repeated.

// CHECK-LABEL: @stays
// CHECK-NOT:     word.subbuffer
func.func @stays(%t: !word.buffer<64>, %u: i32 {vliw.range = array<i32: 0, 9>}) -> i32 attributes {vliw.signature = (memref<64xi32>, i32) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %minus = word.constant -1 : i32
  %once = word.add %u, %c8 : i32
  %w = word.load %t[%once] : !word.buffer<64> -> i32
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%s = %w) -> (i32) : i32 {
    %before = word.add %i, %minus : i32
    %x = word.load %t[%before] : !word.buffer<64> -> i32
    %after = word.add %i, %c1 : i32
    word.store %after, %t[%after] : i32, !word.buffer<64>
    %sum = word.add %s, %x : i32
    scf.yield %sum : i32
  }
  func.return %r : i32
}
