// RUN: vliw-opt %s -p promote-loop-memory --split-input-file | filecheck %s
// RUN: vliw-opt %s -p promote-loop-memory --split-input-file --remarks=promote 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// A cell per outer iteration; the inner loop may run never.

// CHECK-LABEL: @nest
// CHECK:         scf.for %i
// CHECK-NEXT:      %x = word.load %a[%i]
// CHECK-NEXT:      %x_1 = scf.for %r = %c0 to %n step %c1 iter_args(%x_2 = %x) -> (i32) : i32 {
// CHECK-NEXT:        %y = word.mul %x_2, %r
// CHECK-NEXT:        scf.yield %y
// CHECK-NEXT:      }
// CHECK-NEXT:      word.store %x_1, %a[%i]
// CHECK-NEXT:    }
// REMARK: :[[#]]:{{.*}}remark: kept in a register while a loop runs [promote-loop-memory: passed]
func.func @nest(%a: !word.buffer<64>, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    scf.for %r = %c0 to %n step %c1 : i32 {
      %x = word.load %a[%i] : !word.buffer<64> -> i32
      %y = word.mul %x, %r : i32
      word.store %y, %a[%i] : i32, !word.buffer<64>
    }
  }
  func.return
}

// -----

// Of an unknown size: only accessed if the loop runs.

// CHECK-LABEL: @guarded
// CHECK:         [[RUNS:%.*]] = word.cmp slt, %c0, %n
// CHECK-NEXT:    [[TEST:%.*]] = word.test [[RUNS]]
// CHECK-NEXT:    %x = scf.if [[TEST]] -> (i32) {
// CHECK-NEXT:      [[LOADED:%.*]] = word.load %a[%n]
// CHECK-NEXT:      scf.yield [[LOADED]]
// CHECK-NEXT:    } else {
// CHECK:           scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    [[RESULT:%.*]] = scf.for %r {{.*}} iter_args([[CARRIED:%.*]] = %x)
// CHECK-NEXT:      %y = word.mul [[CARRIED]], %r
// CHECK-NEXT:      scf.yield %y
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if [[TEST]] {
// CHECK-NEXT:      word.store [[RESULT]], %a[%n]
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @guarded(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %r = %c0 to %n step %c1 : i32 {
    %x = word.load %a[%n] : !word.buffer<?> -> i32
    %y = word.mul %x, %r : i32
    word.store %y, %a[%n] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// The same cell is accessed before the loop, so it may be after it. What the loop stores before
// it loads it need not be loaded.

// CHECK-LABEL: @accessed_before
// CHECK:         word.store %n, %a[%n]
// CHECK-NEXT:    %old = word.load %a[%n]
// CHECK-NEXT:    scf.for {{.*}} iter_args({{.*}} = %old)
// CHECK:         word.store {{.*}}, %a[%n]
// CHECK:         [[ZERO:%.*]] = word.constant 0
// CHECK-NEXT:    scf.for %s {{.*}} iter_args({{.*}} = [[ZERO]])
// CHECK-NEXT:      scf.yield %s
// CHECK:         word.store {{.*}}, %a[%m]
// CHECK-NEXT:    func.return
func.func @accessed_before(%a: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  word.store %n, %a[%n] : i32, !word.buffer<?>
  scf.for %r = %c0 to %n step %c1 : i32 {
    %old = word.load %a[%n] : !word.buffer<?> -> i32
    %new = word.add %old, %r : i32
    word.store %new, %a[%n] : i32, !word.buffer<?>
  }
  %c9 = word.constant 9 : i32
  scf.for %s = %c1 to %c9 step %c1 : i32 {
    word.store %s, %a[%m] : i32, !word.buffer<?>
  }
  func.return
}

// -----

// Through branches, both kinds of inner loops, and regions that run once.

// CHECK-LABEL: @control
// CHECK:         %x = word.load %a[%c3]
// CHECK-NEXT:    [[OUT:%.*]] = scf.for %i {{.*}} iter_args([[X:%.*]] = %x) -> (i32) : i32 {
// CHECK-NEXT:      %t = word.test [[X]]
// CHECK-NEXT:      [[IF:%.*]] = scf.if %t -> (i32) {
// CHECK-NEXT:        scf.yield %i : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield [[X]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      [[WHILE:%.*]] = scf.while ([[W:%.*]] = [[IF]]) : (i32) -> i32 {
// CHECK-NEXT:        %u = word.test [[W]]
// CHECK-NEXT:        scf.condition(%u) [[W]] : i32
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb{{.*}}([[V:%.*]]: i32):
// CHECK-NEXT:        %w = word.shru [[V]], %c1
// CHECK-NEXT:        scf.yield %w : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      [[ONCE:%.*]] = scf.execute_region -> i32 {
// CHECK-NEXT:        scf.yield %n : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield [[ONCE]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    word.store [[OUT]], %a[%c3]
// CHECK-NEXT:    func.return
func.func @control(%a: !word.buffer<8>, %n: i32) attributes {vliw.signature = (memref<8xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %c1 to %n step %c1 : i32 {
    %x = word.load %a[%c3] : !word.buffer<8> -> i32
    %t = word.test %x
    scf.if %t {
      word.store %i, %a[%c3] : i32, !word.buffer<8>
    }
    scf.while : () -> () {
      %y = word.load %a[%c3] : !word.buffer<8> -> i32
      %u = word.test %y
      scf.condition(%u)
    } do {
      %z = word.load %a[%c3] : !word.buffer<8> -> i32
      %w = word.shru %z, %c1 : i32
      word.store %w, %a[%c3] : i32, !word.buffer<8>
      scf.yield
    }
    scf.execute_region {
      word.store %n, %a[%c3] : i32, !word.buffer<8>
      scf.yield
    }
  }
  func.return
}

// -----

// A vector is carried as such; words of a vector that are accessed alone, too, one by one.
// An address computed in the loop is computed before it; an absolute one stays absolute.

// CHECK-LABEL: @vectors
// CHECK:         %pair = word.load %a[%c4] : !word.buffer<16> -> i32
// CHECK:         [[ONE:%.*]] = word.constant 1
// CHECK:         [[FIVE:%.*]] = word.add %c4, [[ONE]]
// CHECK:         [[NEXT:%.*]] = word.load %a[[[FIVE]]] : !word.buffer<16> -> i32
// CHECK-NEXT:    %v = word.load %a[%c0] : !word.buffer<16> -> vector<4xi32>
// CHECK-NEXT:    [[X:%.*]], [[V:%.*]] = scf.while ([[P:%.*]] = [[NEXT]], [[W:%.*]] = %v) : {{.*}} {
// CHECK-NEXT:      [[PAIR:%.*]] = word.from_elements %pair, [[P]] : vector<2xi32>
// CHECK-NEXT:      %x = word.extract [[PAIR]][0]
// CHECK:           scf.condition(%t) %x, [[W]] : i32, vector<4xi32>
// CHECK:         ^bb0([[Q:%.*]]: i32, [[U:%.*]]: vector<4xi32>):
// CHECK-NEXT:      %w = word.add [[U]], [[U]] : vector<4xi32>
// CHECK-NEXT:      scf.yield [[Q]], %w
// CHECK:         word.store [[X]], %a[{{%.*}}] : i32
// CHECK-NEXT:    word.store [[V]], %a[%c0] : vector<4xi32>
func.func @vectors(%a: !word.buffer<16>, %n: i32) attributes {vliw.signature = (memref<16xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c4 = word.constant 4 : i32
  %c5 = word.constant 5 : i32
  scf.while : () -> () {
    %pair = word.load %a[%c4] : !word.buffer<16> -> vector<2xi32>
    %x = word.extract %pair[0] : vector<2xi32>
    %base = word.address %a : !word.buffer<16>
    %at = word.add %base, %c5 : i32
    word.store %x, %a[%at] absolute : i32, !word.buffer<16>
    %t = word.test %x
    scf.condition(%t)
  } do {
    %v = word.load %a[%c0] : !word.buffer<16> -> vector<4xi32>
    %w = word.add %v, %v : vector<4xi32>
    word.store %w, %a[%c0] : vector<4xi32>, !word.buffer<16>
    scf.yield
  }
  func.return
}

// -----

// What stays in memory.

// CHECK-LABEL: @stays
// CHECK-NOT:     iter_args
// CHECK:         func.return
// REMARK: stays in memory: 'word.load' at {{.*}} may touch the same words [promote-loop-memory: missed]
// REMARK: stays in memory: where the loop does not access it, an access might trap
// REMARK: 'word.pause' is in the way
func.func @stays(%a: !word.buffer<16>, %b: !word.buffer<?>, %c: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<16xi32>, memref<?xi32>, memref<?xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %n
  scf.for %i = %c0 to %n step %c1 : i32 {
    // Another access may go to the same word.
    %x = word.load %a[%i] : !word.buffer<16> -> i32
    word.store %x, %a[%c1] : i32, !word.buffer<16>
    // Nothing tells that the word exists where the loop does not store it.
    scf.if %t {
      word.store %x, %b[%n] : i32, !word.buffer<?>
    }
    // The place changes.
    word.store %x, %c[%i] : i32, !word.buffer<?>
    // Nothing is stored.
    %z = word.load %a[%c0] : !word.buffer<16> -> i32
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.store %n, %a[%c1] : i32, !word.buffer<16>
    word.pause
  }
  func.return
}
