// RUN: vliw-opt %s -p eliminate-dead-stores --split-input-file | filecheck %s

// A store is dead when its words are overwritten before something may read them.

// CHECK-LABEL: @overwritten
// CHECK:         %v = word.broadcast %n
// CHECK-NEXT:    word.store %v, %a[%n] : vector<2xi32>
// CHECK-NEXT:    word.store %m, %b[%n]
// CHECK-NEXT:    %x = word.load %b[%m]
// CHECK-NEXT:    word.store %x, %b[%n]
// CHECK-NEXT:    word.store %m, %a[%m]
// CHECK-NEXT:    word.pause
// CHECK-NEXT:    word.store %n, %a[%m]
func.func @overwritten(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %n1 = word.add %n, %c1 : i32
  word.store %n, %a[%n] : i32, !word.buffer<?>
  word.store %m, %a[%n1] : i32, !word.buffer<?>
  %v = word.broadcast %n : vector<2xi32>
  word.store %v, %a[%n] : vector<2xi32>, !word.buffer<?>
  // May be read.
  word.store %m, %b[%n] : i32, !word.buffer<?>
  %x = word.load %b[%m] : !word.buffer<?> -> i32
  // Its result is not used.
  %y = word.load %b[%n] : !word.buffer<?> -> i32
  word.store %x, %b[%n] : i32, !word.buffer<?>
  // Others see memory.
  word.store %m, %a[%m] : i32, !word.buffer<?>
  word.pause
  word.store %n, %a[%m] : i32, !word.buffer<?>
  func.return
}

// -----

// Allocations: what nothing reads later is dead; one without uses goes, so do initial words that
// are overwritten.

// CHECK-LABEL: @allocations
// CHECK:         %used = word.alloc : !word.buffer<2>
// CHECK-NEXT:    word.store %n, %used[%c0]
// CHECK-NEXT:    word.store %n, %used[%c1]
// CHECK-NEXT:    %z = word.load %used[%i]
// CHECK-NEXT:    word.store %z, %a[%n]
// CHECK-NEXT:    func.return
func.func @allocations(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %i = word.and %n, %c1 : i32
  %unused = word.alloc init dense<[1, 2]> : vector<2xi32> : !word.buffer<2>
  %used = word.alloc init dense<[1, 2]> : vector<2xi32> : !word.buffer<2>
  word.store %n, %unused[%n] : i32, !word.buffer<2>
  word.store %n, %used[%c0] : i32, !word.buffer<2>
  word.store %n, %used[%c1] : i32, !word.buffer<2>
  %z = word.load %used[%i] : !word.buffer<2> -> i32
  word.store %z, %a[%n] : i32, !word.buffer<?>
  word.store %z, %used[%n] : i32, !word.buffer<2>
  func.return
}

// -----

// Branches and loops: what every way on overwrites.

// CHECK-LABEL: @control
// CHECK:         scf.if %t {
// CHECK-NEXT:      word.store %n, %a[%n]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      word.store %m, %a[%n]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %i = %c0 to %n
// CHECK-NEXT:      word.store %i, %c[%n]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %j = %c0 to %c9
// CHECK-NEXT:      word.store %j, %b[%n]
// CHECK-NEXT:      %x = word.load %d[%j]
// CHECK-NEXT:      word.store %x, %a[%m]
// CHECK-NEXT:      word.store %n, %d[%n]
// CHECK-NEXT:    }
// CHECK-NEXT:    word.store %n, %d[%n]
// CHECK-NEXT:    func.return
func.func @control(%a: !word.buffer<?>, %b: !word.buffer<?>, %c: !word.buffer<?>, %d: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c9 = word.constant 9 : i32
  %t = word.test %n
  word.store %m, %a[%n] : i32, !word.buffer<?>
  scf.if %t {
    word.store %n, %a[%n] : i32, !word.buffer<?>
    word.store %n, %b[%n] : i32, !word.buffer<?>
  } else {
    word.store %m, %a[%n] : i32, !word.buffer<?>
    word.store %n, %b[%n] : i32, !word.buffer<?>
  }
  // May not run.
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.store %m, %c[%n] : i32, !word.buffer<?>
    word.store %i, %c[%n] : i32, !word.buffer<?>
  }
  // Surely runs, and first of all overwrites a word.
  scf.for %j = %c0 to %c9 step %c1 : i32 {
    word.store %j, %b[%n] : i32, !word.buffer<?>
    %x = word.load %d[%j] : !word.buffer<?> -> i32
    word.store %x, %a[%m] : i32, !word.buffer<?>
    // The next iteration may read it.
    word.store %n, %d[%n] : i32, !word.buffer<?>
  }
  word.store %n, %d[%n] : i32, !word.buffer<?>
  func.return
}

// -----

// A later iteration reads the word, when the counter is another one.

// CHECK-LABEL: @later_iteration
// CHECK:         scf.for
// CHECK:           word.load [[T:%\S+]][%p]
// CHECK:           word.store %y, [[T]][%i]
// CHECK-LABEL: @later_block
// CHECK:         word.store %y, %{{\S+}}[%i]
// What the loop stores behind all that is read stays unread.
// CHECK-LABEL: @elsewhere
// CHECK:         scf.for
// CHECK-NOT:       word.store %i
// CHECK:         func.return
func.func @later_iteration(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c63 = word.constant 63 : i32
  %t = word.alloc : !word.buffer<64>
  word.store %c1, %t[%c0] : i32, !word.buffer<64>
  scf.for %i = %c1 to %c63 step %c1 : i32 {
    %p = word.sub %i, %c1 : i32
    %x = word.load %t[%p] : !word.buffer<64> -> i32
    word.store %x, %a[%i] : i32, !word.buffer<64>
    %y = word.add %x, %i : i32
    word.store %y, %t[%i] : i32, !word.buffer<64>
  }
  func.return
}
func.func private @later_block(%a: !word.buffer<64>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.alloc : !word.buffer<64>
  word.store %c1, %t[%c0] : i32, !word.buffer<64>
  cf.br ^loop(%c1 : i32)
^loop(%i: i32):
  %p = word.sub %i, %c1 : i32
  %x = word.load %t[%p] : !word.buffer<64> -> i32
  word.store %x, %a[%i] : i32, !word.buffer<64>
  %y = word.add %x, %i : i32
  word.store %y, %t[%i] : i32, !word.buffer<64>
  %next = word.add %i, %c1 : i32
  %differs = word.xor %next, %n : i32
  %again = word.test %differs
  cf.cond_br %again, ^loop(%next : i32), ^end
^end:
  func.return
}
func.func private @elsewhere(%a: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c1 = word.constant 1 : i32
  %c32 = word.constant 32 : i32
  %t = word.alloc : !word.buffer<64>
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %p = word.add %i, %c32 : i32
    word.store %i, %t[%p] : i32, !word.buffer<64>
    %x = word.load %t[%i] : !word.buffer<64> -> i32
    word.store %x, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
