// RUN: vliw-opt %s -p 'unroll-loops{by-cost pipelined}' --split-input-file | filecheck %s

// Two loads per iteration: one iteration may begin in every cycle, copies would save nothing.

// CHECK-LABEL: func.func @whole
// CHECK-COUNT-1: vector<8xi32>
// CHECK:         scf.for
// CHECK-COUNT-2: word.load
// CHECK-NOT:     word.load
func.func @whole(%x: !word.buffer<?>, %y: !word.buffer<?>, %n: i32, %v: vector<8xi32>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %n step %c8 : i32 {
    %a = word.load %x[%i] : !word.buffer<?> -> vector<8xi32>
    %b = word.load %y[%i] : !word.buffer<?> -> vector<8xi32>
    %s = word.multiply_add %v, %a, %b : vector<8xi32>
    word.store %s, %y[%i] : vector<8xi32>, !word.buffer<?>
  }
  func.return
}

// -----

// One load: there is room for two iterations in a cycle.

// CHECK-LABEL: func.func @half
// CHECK:         scf.for
// CHECK-COUNT-2: word.load
// CHECK:         }
// CHECK-NEXT:    scf.for
func.func @half(%x: !word.buffer<?>, %y: !word.buffer<?>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %n step %c8 : i32 {
    %a = word.load %x[%i] : !word.buffer<?> -> vector<8xi32>
    word.store %a, %y[%i] : vector<8xi32>, !word.buffer<?>
  }
  func.return
}

// -----

// Three loads from a row of words, of which copies load each word once.

// CHECK-LABEL: func.func @row
// CHECK:         scf.for
// CHECK-COUNT-24: word.load
// CHECK:         scf.for
func.func @row(%x: !word.buffer<?>, %y: !word.buffer<?>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %n step %c8 : i32 {
    %j = word.add %i, %c1 : i32
    %k = word.add %i, %c2 : i32
    %a = word.load %x[%i] : !word.buffer<?> -> vector<8xi32>
    %b = word.load %x[%j] : !word.buffer<?> -> vector<8xi32>
    %c = word.load %x[%k] : !word.buffer<?> -> vector<8xi32>
    %s = word.add %a, %b : vector<8xi32>
    %t = word.add %s, %c : vector<8xi32>
    word.store %t, %y[%i] : vector<8xi32>, !word.buffer<?>
  }
  func.return
}

// -----

// Each update of a word may have to see the one before: only copies in one block can overlap.

// CHECK-LABEL: func.func @scattered
// CHECK:         scf.for
// CHECK-COUNT-8: word.load %t
// CHECK:         scf.for
func.func @scattered(%x: !word.buffer<?>, %t: !word.buffer<?>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %at = word.load %x[%i] : !word.buffer<?> -> i32
    %old = word.load %t[%at] : !word.buffer<?> -> i32
    %new = word.add %old, %c1 : i32
    word.store %new, %t[%at] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// Updates of one word after the other do not wait for each other.

// CHECK-LABEL: func.func @consecutive
// CHECK-COUNT-1: scf.for
// CHECK-COUNT-2: word.load
// CHECK-NOT:     word.load
func.func @consecutive(%x: !word.buffer<?>, %t: !word.buffer<?>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = word.load %x[%i] : !word.buffer<?> -> i32
    %old = word.load %t[%i] : !word.buffer<?> -> i32
    %new = word.add %old, %v : i32
    word.store %new, %t[%i] : i32, !word.buffer<?>
  }
  func.return
}
