// RUN: vliw-opt %s -p vectorize-accesses --split-input-file | filecheck %s

// Loads of words close to each other, with words in between that exist; and of a table.

// CHECK-LABEL: @loads
// CHECK:         [[V:%.*]] = word.load %a[%n2] : !word.buffer<?> -> vector<4xi32>
// CHECK-NEXT:    %x = word.extract [[V]][0]
// CHECK-NEXT:    %z = word.extract [[V]][2]
// CHECK-NEXT:    %y = word.extract [[V]][3]
// CHECK:         [[TWO:%.*]] = word.constant 2 : i32
// CHECK-NEXT:    [[T:%.*]] = word.load %t[[[TWO]]] : !word.buffer<6> -> vector<4xi32>
// CHECK-NEXT:    %p = word.extract [[T]][2]
// CHECK-NEXT:    %q = word.extract [[T]][3]
// CHECK-NEXT:    word.store %x, %b[%n]
// CHECK-NEXT:    word.store %z, %b[%n]
// CHECK-NEXT:    word.store %y, %b[%n]
// CHECK-NEXT:    word.store %p, %b[%n]
// CHECK-NEXT:    word.store %q, %b[%n]
module attributes {vliw.target = {vlen = 4 : i64}} {
func.func @loads(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32) -> ()} {
  %c2 = word.constant 2 : i32
  %c4 = word.constant 4 : i32
  %c5 = word.constant 5 : i32
  %n2 = word.add %n, %c2 : i32
  %n4 = word.add %n, %c4 : i32
  %n5 = word.add %n, %c5 : i32
  %y = word.load %a[%n5] : !word.buffer<?> -> i32
  %x = word.load %a[%n2] : !word.buffer<?> -> i32
  %t = word.alloc : !word.buffer<6>
  %p = word.load %t[%c4] : !word.buffer<6> -> i32
  %q = word.load %t[%c5] : !word.buffer<6> -> i32
  %z = word.load %a[%n4] : !word.buffer<?> -> i32
  word.store %x, %b[%n] : i32, !word.buffer<?>
  word.store %z, %b[%n] : i32, !word.buffer<?>
  word.store %y, %b[%n] : i32, !word.buffer<?>
  word.store %p, %b[%n] : i32, !word.buffer<?>
  word.store %q, %b[%n] : i32, !word.buffer<?>
  func.return
}
}

// -----

// A vector's worth of stores; loads of the words stored, element by element.

// CHECK-LABEL: @stores
// CHECK:         [[V:%.*]] = word.load %a[%n] : !word.buffer<?> -> vector<2xi32>
// CHECK-NEXT:    %x = word.extract [[V]][0]
// CHECK-NEXT:    %y = word.extract [[V]][1]
// CHECK-NEXT:    %x2 = word.mul %x, %x
// CHECK-NEXT:    %y2 = word.mul %y, %y
// CHECK-NEXT:    [[W:%.*]] = word.from_elements %x2, %y2
// CHECK-NEXT:    word.store [[W]], %a[%n] : vector<2xi32>
// CHECK-NEXT:    func.return
module attributes {vliw.target = {vlen = 2 : i64}} {
func.func @stores(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %n1 = word.add %n, %c1 : i32
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  %x2 = word.mul %x, %x : i32
  word.store %x2, %a[%n] : i32, !word.buffer<?>
  %y = word.load %a[%n1] : !word.buffer<?> -> i32
  %y2 = word.mul %y, %y : i32
  word.store %y2, %a[%n1] : i32, !word.buffer<?>
  func.return
}
}

// -----

// What is in the way: words beyond the end, a store that may go to the words, a load of a word
// already stored, loops, pauses.

// CHECK-LABEL: @kept
// CHECK-NOT:     vector
// CHECK:         func.return
module attributes {vliw.target = {vlen = 4 : i64}} {
func.func @kept(%a: !word.buffer<?>, %b: !word.buffer<8>, %n: i32) attributes {vliw.signature = (memref<?xi32>, memref<8xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c3 = word.constant 3 : i32
  %n1 = word.add %n, %c1 : i32
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  %y = word.load %a[%n1] : !word.buffer<?> -> i32
  %u = word.load %b[%c0] : !word.buffer<8> -> i32
  word.store %x, %b[%n] : i32, !word.buffer<8>
  %v = word.load %b[%c1] : !word.buffer<8> -> i32
  word.pause
  word.store %y, %b[%c0] : i32, !word.buffer<8>
  word.store %y, %b[%c1] : i32, !word.buffer<8>
  %w = word.load %b[%n] : !word.buffer<8> -> i32
  word.store %w, %b[%c2] : i32, !word.buffer<8>
  word.store %w, %b[%c3] : i32, !word.buffer<8>
  scf.for %i = %c0 to %n step %c1 : i32 {
  }
  word.store %u, %b[%c0] : i32, !word.buffer<8>
  word.store %v, %b[%c1] : i32, !word.buffer<8>
  func.return
}
}
