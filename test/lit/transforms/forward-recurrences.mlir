// RUN: vliw-opt %s -p forward-recurrences --split-input-file | filecheck %s
// RUN: vliw-opt %s -p forward-recurrences --split-input-file --remarks=recurrences 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// Both loads find what one and two iterations before stored.

// CHECK-LABEL: @two_before
// CHECK:         [[P:%.*]] = word.load %a[{{%.*}}]
// CHECK:         [[Q:%.*]] = word.load %a[{{%.*}}]
// CHECK:         scf.for %i {{.*}} iter_args(%p = [[P]], %q = [[Q]]) -> (i32, i32) : i32 {
// CHECK-NOT:       word.load
// CHECK:           %s = word.add %p, %q
// CHECK-NEXT:      word.store %s, %a[%i]
// CHECK-NEXT:      scf.yield %s, %p
// REMARK-DAG: remark: carried over 1 iteration(s) [forward-recurrences: passed]
// REMARK-DAG: remark: carried over 2 iteration(s) [forward-recurrences: passed]
func.func @two_before(%a: !word.buffer<64>, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  scf.for %i = %c2 to %n step %c1 : i32 {
    %i1 = word.sub %i, %c1 : i32
    %i2 = word.sub %i, %c2 : i32
    %p = word.load %a[%i1] : !word.buffer<64> -> i32
    %q = word.load %a[%i2] : !word.buffer<64> -> i32
    %s = word.add %p, %q : i32
    word.store %s, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}

// -----

// Of an unknown size: loaded before the loop only if that runs. Vectors as well.

// CHECK-LABEL: @guarded
// CHECK:         [[RUNS:%.*]] = word.cmp slt, %low, %n
// CHECK-NEXT:    [[TEST:%.*]] = word.test [[RUNS]]
// CHECK-NEXT:    [[FIRST:%.*]] = scf.if [[TEST]] -> (vector<4xi32>) {
// CHECK:           word.load %a[
// CHECK:         } else {
// CHECK:         }
// CHECK-NEXT:    scf.for %i {{.*}} iter_args(%p = [[FIRST]])
// CHECK-NOT:       word.load %a
// CHECK:           scf.yield %s
func.func @guarded(%a: !word.buffer<?>, %b: !word.buffer<?>, %low: i32, %n: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c4 = word.constant 4 : i32
  scf.for %i = %low to %n step %c4 : i32 {
    %j = word.add %i, %c4 : i32
    %p = word.load %a[%i] : !word.buffer<?> -> vector<4xi32>
    %v = word.load %b[%i] : !word.buffer<?> -> vector<4xi32>
    %s = word.add %p, %v : vector<4xi32>
    word.store %s, %a[%j] : vector<4xi32>, !word.buffer<?>
  }
  func.return
}

// -----

// Kept: another store may come in between; the store is conditional; too far; the first words
// of the second iteration are not known to be there.

// CHECK-LABEL: @kept
// CHECK-NOT:     iter_args
// CHECK:         func.return
// REMARK: remark: not carried: what is loaded first might not be there [forward-recurrences: missed]
func.func @kept(%a: !word.buffer<?>, %b: !word.buffer<?>, %c: !word.buffer<?>, %d: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c9 = word.constant 9 : i32
  %t = word.test %n
  scf.for %i = %c0 to %n step %c1 : i32 {
    %i1 = word.add %i, %c1 : i32
    %i2 = word.add %i, %c2 : i32
    %i9 = word.add %i, %c9 : i32
    %p = word.load %a[%i] : !word.buffer<?> -> i32
    word.store %p, %a[%i1] : i32, !word.buffer<?>
    word.store %n, %a[%m] : i32, !word.buffer<?>
    %q = word.load %b[%i] : !word.buffer<?> -> i32
    scf.if %t {
      word.store %q, %b[%i1] : i32, !word.buffer<?>
    }
    %r = word.load %c[%i] : !word.buffer<?> -> i32
    word.store %r, %c[%i9] : i32, !word.buffer<?>
    %s = word.load %d[%i] : !word.buffer<?> -> i32
    word.store %s, %d[%i2] : i32, !word.buffer<?>
  }
  func.return
}
