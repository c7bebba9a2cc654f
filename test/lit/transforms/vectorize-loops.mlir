// RUN: vliw-opt %s -p vectorize-loops --split-input-file | filecheck %s

// Consecutive words become vector accesses; what all iterations share is spread; what is left
// after whole groups of eight stays a loop.

// CHECK-LABEL: @scale
// CHECK:         %[[END:.*]] = word.constant 16 : i32
// CHECK:         scf.for %{{.*}} to %[[END]] step %{{.*}} : i32 {
// CHECK-NEXT:      %[[V:.*]] = word.load %x[%{{.*}}] : !word.buffer<20> -> vector<8xi32>
// CHECK-NEXT:      %[[A:.*]] = word.broadcast %a : vector<8xi32>
// CHECK-NEXT:      %[[P:.*]] = word.mul %[[V]], %[[A]] : vector<8xi32>
// CHECK-NEXT:      word.store %[[P]], %y[%{{.*}}] : vector<8xi32>, !word.buffer<20>
// CHECK-NEXT:    } {vliw.widened}
// CHECK:         scf.for %{{.*}} = %[[END]] to
// CHECK-NEXT:      word.load {{.*}} -> i32
func.func @scale(%a: i32, %x: !word.buffer<20>, %y: !word.buffer<20>) attributes {vliw.signature = (i32, memref<20xi32>, memref<20xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c20 = word.constant 20 : i32
  scf.for %i = %c0 to %c20 step %c1 : i32 {
    %v = word.load %x[%i] : !word.buffer<20> -> i32
    %p = word.mul %v, %a : i32
    word.store %p, %y[%i] : i32, !word.buffer<20>
  }
  func.return
}

// -----

// An offset that depends on data is gathered; the outer loop is widened around the inner one.

// CHECK-LABEL: @walk
// CHECK:         scf.for %i = {{.*}} {
// CHECK-NEXT:      %[[FIRST:.*]] = word.load %x[%i] : !word.buffer<16> -> vector<8xi32>
// CHECK-NEXT:      scf.for {{.*}} iter_args(%[[AT:.*]] = %[[FIRST]]) -> (vector<8xi32>)
// CHECK-NEXT:        word.gather %x[%[[AT]]] : !word.buffer<16> -> vector<8xi32>
func.func @walk(%x: !word.buffer<16>, %y: !word.buffer<16>) attributes {vliw.signature = (memref<16xi32>, memref<16xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %c16 = word.constant 16 : i32
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %first = word.load %x[%i] : !word.buffer<16> -> i32
    %last = scf.for %j = %c0 to %c5 step %c1 iter_args(%at = %first) -> (i32) : i32 {
      %next = word.load %x[%at] : !word.buffer<16> -> i32
      scf.yield %next : i32
    }
    word.store %last, %y[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// A sum is kept per lane and added up after the loop.

// CHECK-LABEL: @sum
// CHECK:         %[[ZERO:.*]] = word.constant dense<0> : vector<8xi32>
// CHECK:         %[[LANES:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (vector<8xi32>)
// CHECK:         word.extract %[[LANES]][0]
// CHECK:         word.extract %[[LANES]][7]
// CHECK-COUNT-8: word.add
// CHECK-NEXT:    func.return
func.func @sum(%s: i32, %x: !word.buffer<16>) -> i32 attributes {vliw.signature = (i32, memref<16xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c16 = word.constant 16 : i32
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%a = %s) -> (i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<16> -> i32
    %b = word.add %a, %v : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}
