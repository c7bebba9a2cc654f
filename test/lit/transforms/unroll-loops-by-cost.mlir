// RUN: vliw-opt %s -p 'unroll-loops{by-cost=true}' --split-input-file | filecheck %s

// All rounds, and then all items: copies overlap.

// CHECK-LABEL:  @items
// CHECK-NOT:    scf.for
// CHECK-COUNT-32: word.mul
// CHECK-NOT:    word.mul
// CHECK:        func.return
func.func @items(%a: !word.buffer<8>, %x: i32) attributes {vliw.signature = (memref<8xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %v = word.load %a[%i] : !word.buffer<8> -> i32
    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%w = %v) -> (i32) : i32 {
      %p = word.mul %w, %x : i32
      scf.yield %p : i32
    }
    word.store %r, %a[%i] : i32, !word.buffer<8>
  }
  func.return
}

// -----

// A number of iterations known only later: a few at a time, and a loop for the rest.

// CHECK-LABEL:  @computed
// CHECK:        word.remu %{{.*}}, [[F:%\S+]]
// CHECK:        scf.for
// CHECK-COUNT-16: word.store
// CHECK-NOT:    word.store
// CHECK:        } {vliw.expected_trips = 4 : i64, vliw.unroll = 1 : i64}
// CHECK:        scf.for
// CHECK-COUNT-1: word.store
// CHECK:        } {vliw.expected_trips = 8 : i64, vliw.unroll = 1 : i64}
func.func @computed(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.store %i, %a[%i] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// Copies of a loop that stays as it is do not overlap: the one around it stays, too.

// CHECK-LABEL:  @around
// CHECK-COUNT-2: scf.for
// CHECK:        vliw.unroll = 1
// CHECK-NOT:    scf.for
func.func @around(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      word.store %i, %a[%j] : i32, !word.buffer<64>
    } {vliw.unroll = 1 : i64}
  }
  func.return
}
