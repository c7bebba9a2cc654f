// RUN: vliw-opt %s -p if-conversion --split-input-file --remarks=if-conversion 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// Results become selects, of words and of vectors.

// CHECK-LABEL:  @results
// CHECK:          %t = word.test %c
// CHECK-NEXT:     %s = word.add %x, %y : i32
// CHECK-NEXT:     %d = word.sub %x, %y : i32
// CHECK-NEXT:     [[R:%\S+]] = word.select %c, %s, %d : i32
// CHECK-NEXT:     [[C:%\S+]] = word.broadcast %c : vector<4xi32>
// CHECK-NEXT:     [[V:%\S+]] = word.select [[C]], %v, %w : vector<4xi32>
// CHECK-NEXT:     word.store [[V]]
// CHECK-NEXT:     func.return [[R]], %x
// REMARK:       2 operations are executed in any case [if-conversion: passed]
func.func @results(%c: i32, %x: i32, %y: i32, %a: !word.buffer<4>) -> (i32, i32) attributes {vliw.signature = (i32, i32, i32, memref<4xi32>) -> (i32, i32)} {
  %c0 = word.constant 0 : i32
  %v = word.broadcast %x : vector<4xi32>
  %w = word.broadcast %y : vector<4xi32>
  %t = word.test %c
  %r, %u, %same = scf.if %t -> (i32, vector<4xi32>, i32) {
    %s = word.add %x, %y : i32
    scf.yield %s, %v, %x : i32, vector<4xi32>, i32
  } else {
    %d = word.sub %x, %y : i32
    scf.yield %d, %w, %x : i32, vector<4xi32>, i32
  }
  word.store %u, %a[%c0] : vector<4xi32>, !word.buffer<4>
  func.return %r, %same : i32, i32
}

// -----

// A store stores what is there unless the condition holds: the word is within its buffer, since
// it is loaded in any case.

// CHECK-LABEL:  @store
// CHECK-NOT:    scf.if
// CHECK:          %y = word.add
// CHECK-NEXT:     [[OLD:%\S+]] = word.load %a[%i]
// CHECK-NEXT:     [[NEW:%\S+]] = word.select %c, %y, [[OLD]] : i32
// CHECK-NEXT:     word.store [[NEW]], %a[%i]
// In the other region the sides change places.
// CHECK:          [[OLD:%\S+]] = word.load %a[%i]
// CHECK-NEXT:     [[NEW:%\S+]] = word.select %c, [[OLD]], %y : i32
// CHECK-NEXT:     word.store [[NEW]], %a[%i]
func.func @store(%c: i32, %i: i32, %a: !word.buffer<?>) attributes {vliw.signature = (i32, i32, memref<?xi32>) -> ()} {
  %t = word.test %c
  %x = word.load %a[%i] : !word.buffer<?> -> i32
  %y = word.add %x, %x : i32
  scf.if %t {
    word.store %y, %a[%i] : i32, !word.buffer<?>
  }
  scf.if %t {
  } else {
    word.store %y, %a[%i] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// Accesses on all paths: in both regions, behind, and between two others.

// CHECK-LABEL:  @valid
// CHECK-NOT:    scf.if
func.func @valid(%c: i32, %i: i32, %a: !word.buffer<?>, %b: !word.buffer<?>) attributes {vliw.signature = (i32, i32, memref<?xi32>, memref<?xi32>) -> ()} {
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %t = word.test %c
  scf.if %t {
    word.store %c1, %a[%i] : i32, !word.buffer<?>
  } else {
    word.store %c2, %a[%i] : i32, !word.buffer<?>
  }
  scf.if %t {
    word.store %c1, %b[%i] : i32, !word.buffer<?>
  }
  word.trace_write %i
  word.store %c1, %b[%i] : i32, !word.buffer<?>
  %j = word.add %i, %c1 : i32
  %k = word.add %i, %c2 : i32
  word.store %c1, %b[%k] : i32, !word.buffer<?>
  scf.if %t {
    word.store %c1, %b[%j] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// The counter is below 16 in any case; what the condition says of it does not count.

// CHECK-LABEL:  @bounds
// CHECK:          scf.for %i
// CHECK:            scf.if
// CHECK-NEXT:         word.store
// CHECK-NEXT:       }
// CHECK-NEXT:       [[O:%\S+]] = word.load %b[%i]
// CHECK-NEXT:       word.select %less, %x, [[O]]
// REMARK:       not converted: word.store at {{.*}} may be outside of its buffer [if-conversion: missed]
func.func @bounds(%a: !word.buffer<8>, %b: !word.buffer<16>, %x: i32) attributes {vliw.signature = (memref<8xi32>, memref<16xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %c16 = word.constant 16 : i32
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %less = word.cmp ult, %i, %c8 : i32
    %t = word.test %less
    scf.if %t {
      word.store %x, %a[%i] : i32, !word.buffer<8>
    }
    scf.if %t {
      word.store %x, %b[%i] : i32, !word.buffer<16>
    }
  }
  func.return
}

// -----

// A load and a division that only the condition makes safe get harmless operands.

// CHECK-LABEL:  @masked
// CHECK:          [[ZERO:%\S+]] = word.constant 0 : i32
// CHECK-NEXT:     [[AT:%\S+]] = word.select %c, %i, [[ZERO]] : i32
// CHECK-NEXT:     %l = word.load %a[[[AT]]]
// CHECK-NEXT:     %q = word.divu %l, %c4
// CHECK-NEXT:     [[ONE:%\S+]] = word.constant 1 : i32
// CHECK-NEXT:     [[BY:%\S+]] = word.select %c, [[ONE]], %x : i32
// CHECK-NEXT:     %p = word.divu %y, [[BY]]
// CHECK-NEXT:     word.select %c, %q, %p
func.func @masked(%c: i32, %i: i32, %x: i32, %y: i32, %a: !word.buffer<8>) -> i32 attributes {vliw.signature = (i32, i32, i32, i32, memref<8xi32>) -> i32} {
  %c4 = word.constant 4 : i32
  %t = word.test %c
  %r = scf.if %t -> (i32) {
    %l = word.load %a[%i] : !word.buffer<8> -> i32
    %q = word.divu %l, %c4 : i32
    scf.yield %q : i32
  } else {
    %p = word.divu %y, %x : i32
    scf.yield %p : i32
  }
  func.return %r : i32
}

// -----

// Branches within branches; a loop keeps the one around it.

// CHECK-LABEL:  @nested
// CHECK:          [[I:%\S+]] = word.select %d, %x, %y : i32
// CHECK-NEXT:     [[O:%\S+]] = word.select %c, [[I]], %x : i32
// CHECK-NEXT:     scf.if %t {
// CHECK-NEXT:     word.select %d, %x, %y : i32
// CHECK-NEXT:     word.trace_write
// REMARK:       not converted: it contains word.trace_write
func.func @nested(%c: i32, %d: i32, %x: i32, %y: i32) -> i32 {
  %t = word.test %c
  %u = word.test %d
  %r = scf.if %t -> (i32) {
    %s = scf.if %u -> (i32) {
      scf.yield %x : i32
    } else {
      scf.yield %y : i32
    }
    scf.yield %s : i32
  } else {
    scf.yield %x : i32
  }
  scf.if %t {
    %s = scf.if %u -> (i32) {
      scf.yield %x : i32
    } else {
      scf.yield %y : i32
    }
    word.trace_write %s
  }
  func.return %r : i32
}

// -----

// What stays: too much work, other effects, buffers, a condition that is no word, memory of
// unknown size.

// CHECK-LABEL:  @stay
// CHECK-COUNT-4: scf.if
// REMARK:       not converted: it would take {{.*}} cycles, more than 8
// REMARK:       not converted: it chooses between buffers
// REMARK:       not converted: its condition is not a word
// REMARK:       not converted: word.load at {{.*}} may be outside of its buffer
func.func @stay(%c: i32, %i1: i1, %i: i32, %a: !word.buffer<?>, %b: !word.buffer<?>) attributes {vliw.signature = (i32, i1, i32, memref<?xi32>, memref<?xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %t = word.test %c
  scf.if %t {
    %p0 = word.mulhu %i, %c : i32
    %p1 = word.mulhu %p0, %i : i32
    %p2 = word.mulhu %p1, %i : i32
    %p3 = word.mulhu %p2, %i : i32
    %p4 = word.mulhu %p3, %i : i32
    %p5 = word.mulhu %p4, %i : i32
    %p6 = word.mulhu %p5, %i : i32
    %p7 = word.mulhu %p6, %i : i32
    %p8 = word.mulhu %p7, %i : i32
    %p9 = word.mulhu %p8, %i : i32
    word.store %p9, %a[%c0] : i32, !word.buffer<?>
  }
  %s = scf.if %t -> (!word.buffer<?>) {
    scf.yield %a : !word.buffer<?>
  } else {
    scf.yield %b : !word.buffer<?>
  }
  %r = scf.if %i1 -> (i32) {
    scf.yield %i : i32
  } else {
    scf.yield %c : i32
  }
  %l = scf.if %t -> (i32) {
    %m = word.load %a[%i] : !word.buffer<?> -> i32
    scf.yield %m : i32
  } else {
    scf.yield %c0 : i32
  }
  word.store %r, %s[%l] : i32, !word.buffer<?>
  func.return
}
