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
