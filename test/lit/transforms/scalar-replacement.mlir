// RUN: vliw-opt %s -p scalar-replacement --split-input-file | filecheck %s
// RUN: vliw-opt %s -p scalar-replacement --split-input-file --remarks=scalar 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// Words and vectors, through branches and loops.

// CHECK-LABEL: @local
// CHECK-NOT:     word.alloc
// CHECK:         [[ZEROS:%.*]] = word.constant dense<0> : vector<4xi32>
// CHECK:         [[X:%.*]], [[V:%.*]] = scf.for %i {{.*}} iter_args([[Y:%.*]] = %n, {{%.*}} = [[ZEROS]])
// CHECK-NEXT:      [[IF:%.*]] = scf.if %t -> (i32) {
// CHECK-NEXT:        scf.yield %i
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield [[Y]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = word.broadcast [[IF]]
// CHECK-NEXT:      scf.yield [[IF]], %b
// CHECK-NEXT:    }
// CHECK-NEXT:    word.store [[V]], %a[%n] : vector<4xi32>
// CHECK-NEXT:    word.store [[X]], %a[%n] : i32
// CHECK-NEXT:    func.return
func.func @local(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  %t = word.test %n
  %m = word.alloc : !word.buffer<8>
  %part = word.subbuffer %m[%c1] : !word.buffer<8> to !word.buffer<?>
  word.store %n, %part[%c4] : i32, !word.buffer<?>
  %c5 = word.constant 5 : i32
  scf.for %i = %c1 to %n step %c1 : i32 {
    scf.if %t {
      word.store %i, %m[%c5] : i32, !word.buffer<8>
    }
    %x = word.load %m[%c5] : !word.buffer<8> -> i32
    %b = word.broadcast %x : vector<4xi32>
    word.store %b, %m[%c1] : vector<4xi32>, !word.buffer<8>
  }
  %v = word.load %m[%c1] : !word.buffer<8> -> vector<4xi32>
  word.store %v, %a[%n] : vector<4xi32>, !word.buffer<?>
  %y = word.load %m[%c5] : !word.buffer<8> -> i32
  word.store %y, %a[%n] : i32, !word.buffer<?>
  func.return
}

// -----

// A table becomes constants; a vector whose words are accessed alone, too, is put together.

// CHECK-LABEL: @table
// CHECK-NOT:     word.alloc
// CHECK:         [[SIX:%.*]] = word.constant 6 : i32
// CHECK-NEXT:    word.constant 7 : i32
// CHECK-NEXT:    [[EIGHT:%.*]] = word.constant 8 : i32
// CHECK-NEXT:    word.store [[SIX]], %a[%n]
// CHECK-NEXT:    [[BOTH:%.*]] = word.from_elements %n, [[EIGHT]]
// CHECK-NEXT:    word.store [[BOTH]], %a[%n]
// CHECK-NEXT:    [[LANE:%.*]] = word.extract %v[0]
// CHECK-NEXT:    word.extract %v[1]
// CHECK-NEXT:    word.store [[LANE]], %a[%n]
func.func @table(%a: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<?xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %v = word.broadcast %n : vector<2xi32>
  %t = word.alloc init dense<[5, 6, 7, 8]> : vector<4xi32> : !word.buffer<4>
  %x = word.load %t[%c1] : !word.buffer<4> -> i32
  word.store %x, %a[%n] : i32, !word.buffer<?>
  word.store %n, %t[%c2] : i32, !word.buffer<4>
  %y = word.load %t[%c2] : !word.buffer<4> -> vector<2xi32>
  word.store %y, %a[%n] : vector<2xi32>, !word.buffer<?>
  word.store %v, %t[%c1] : vector<2xi32>, !word.buffer<4>
  %z = word.load %t[%c1] : !word.buffer<4> -> i32
  word.store %z, %a[%n] : i32, !word.buffer<?>
  func.return
}

// -----

// What stays: an unknown offset, one out of bounds, an address, another block.

// CHECK-LABEL: @stays
// CHECK-COUNT-4: word.alloc
// REMARK: keeps an array in memory: 'word.load' does more than access words at a constant offset [scalar-replacement: missed]
// REMARK: keeps an array in memory: 'word.store' does more
// REMARK: keeps an array in memory: 'word.address' does more
// REMARK: keeps an array in memory: 'word.store' does more
func.func @stays(%n: i32) {
  %c0 = word.constant 0 : i32
  %c4 = word.constant 4 : i32
  %p = word.alloc : !word.buffer<4>
  %q = word.alloc : !word.buffer<4>
  %r = word.alloc : !word.buffer<4>
  %s = word.alloc : !word.buffer<4>
  %x = word.load %p[%n] : !word.buffer<4> -> i32
  word.store %x, %q[%c4] : i32, !word.buffer<4>
  %y = word.address %r : !word.buffer<4>
  word.trace_write %y
  cf.br ^next
^next:
  word.store %x, %s[%c0] : i32, !word.buffer<4>
  func.return
}
