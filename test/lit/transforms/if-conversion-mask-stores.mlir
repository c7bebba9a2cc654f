// RUN: vliw-opt %s -p 'if-conversion{mask-stores}' --split-input-file | filecheck %s

// A word that may be outside of its buffer is stored where it is known to be one, at the place of
// the first word, which keeps what it holds.

// CHECK-LABEL:  @filter
// CHECK:          scf.for
// CHECK-NOT:        scf.if
// CHECK:            [[ZERO:%\S+]] = word.constant 0 : i32
// CHECK-NEXT:       [[AT:%\S+]] = word.select %less, %k, [[ZERO]] : i32
// CHECK-NEXT:       [[OLD:%\S+]] = word.load %b[[[AT]]]
// CHECK-NEXT:       [[NEW:%\S+]] = word.select %less, %v, [[OLD]] : i32
// CHECK-NEXT:       word.store [[NEW]], %b[[[AT]]]
func.func @filter(%n: i32, %a: !word.buffer<?>, %b: !word.buffer<64>) attributes {vliw.signature = (i32, memref<?xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (i32) : i32 {
    %v = word.load %a[%i] : !word.buffer<?> -> i32
    %less = word.cmp ult, %v, %c8 : i32
    %t = word.test %less
    %l = scf.if %t -> (i32) {
      word.store %v, %b[%k] : i32, !word.buffer<64>
      %m = word.add %k, %c1 : i32
      scf.yield %m : i32
    } else {
      scf.yield %k : i32
    }
    scf.yield %l : i32
  }
  func.return
}

// -----

// Not where the size of the buffer is not known, and not outside of innermost loops.

// CHECK-LABEL:  @stays
// CHECK:          scf.if
// CHECK-NEXT:       word.store
// CHECK:          scf.for
// CHECK:            scf.if
// CHECK-NEXT:         word.store
// CHECK:            scf.for
// CHECK:              scf.if
// CHECK-NEXT:           word.store
func.func @stays(%n: i32, %k: i32, %a: !word.buffer<?>, %b: !word.buffer<64>) attributes {vliw.signature = (i32, i32, memref<?xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %k
  scf.if %t {
    word.store %k, %b[%k] : i32, !word.buffer<64>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %t {
      word.store %k, %b[%k] : i32, !word.buffer<64>
    }
    scf.for %j = %c0 to %n step %c1 : i32 {
      scf.if %t {
        word.store %k, %a[%k] : i32, !word.buffer<?>
      }
    }
  }
  func.return
}
