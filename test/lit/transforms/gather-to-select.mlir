// RUN: vliw-opt %s --split-input-file -p gather-to-select{limit=99} | filecheck %s
// RUN: vliw-opt %s --split-input-file -p gather-to-select{limit=99} --remarks=gather 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// Booleans are the conditions, the older one between the leaves; words are loaded as a vector in
// front of the loop.

// CHECK-LABEL: @booleans
// CHECK:         %[[V:.*]] = word.load %t[%{{.*}}] : !word.buffer<31> -> vector<8xi32>
// CHECK-DAG:     %[[W3:.*]] = word.extract %[[V]][0]
// CHECK-DAG:     %[[W6:.*]] = word.extract %[[V]][3]
// CHECK-DAG:     %[[B3:.*]] = word.broadcast %[[W3]]
// CHECK-DAG:     %[[B6:.*]] = word.broadcast %[[W6]]
// CHECK:         scf.for
// CHECK:           %p = word.and
// CHECK:           %q = word.and
// CHECK:           %[[L:.*]] = word.select %p, %{{.*}}, %[[B3]] : vector<8xi32>
// CHECK:           %[[R:.*]] = word.select %p, %[[B6]], %{{.*}} : vector<8xi32>
// CHECK:           %n = word.select %q, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK-NOT:       word.gather
func.func @booleans(%x: !word.buffer<64>, %t: !word.buffer<31>) attributes {vliw.signature = (memref<64xi32>, memref<31xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c64 = word.constant 64 : i32
  %one = word.constant dense<1> : vector<8xi32>
  %two = word.constant dense<2> : vector<8xi32>
  scf.for %i = %c0 to %c64 step %c8 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> vector<8xi32>
    %p = word.and %v, %one : vector<8xi32>
    %w = word.shru %v, %one : vector<8xi32>
    %q = word.and %w, %one : vector<8xi32>
    %a = word.add %p, %one : vector<8xi32>
    %b = word.multiply_add %q, %two, %two : vector<8xi32>
    %j = word.add %a, %b : vector<8xi32>
    %n = word.gather %t[%j] : !word.buffer<31> -> vector<8xi32>
    word.store %n, %x[%i] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}

// -----

// Bits of the offset are the conditions.

// CHECK-LABEL: @bits
// CHECK:         %[[BIT:.*]] = word.constant 4 : i32
// CHECK:         %[[HIGH:.*]] = word.and %k, %[[BIT]] : i32
// CHECK:         word.select
// CHECK:         %n = word.select %[[HIGH]]
// CHECK:         %m = word.select
func.func @bits(%x: i32, %t: !word.buffer<31>, %u: !word.buffer<2>) -> (i32, i32) attributes {vliw.signature = (i32, memref<31xi32>, memref<2xi32>) -> (i32, i32)} {
  %three = word.constant 3 : i32
  %one = word.constant 1 : i32
  %j = word.remu %x, %three : i32
  %k = word.add %j, %three : i32
  %n = word.load %t[%k] : !word.buffer<31> -> i32
  %l = word.and %x, %one : i32
  %m = word.load %u[%l] : !word.buffer<2> -> i32
  func.return %n, %m : i32, i32
}

// -----

// Stores to the buffer come between: words are loaded anew.

// CHECK-LABEL: @stores
// CHECK:         %n = word.select %l, %{{.*}}, %{{.*}} : i32
// CHECK:         word.store %n
// CHECK-NEXT:    %[[A:.*]] = word.constant 0 : i32
// CHECK-NEXT:    word.load %u[%[[A]]]
// CHECK:         %m = word.select %l, %{{.*}}, %{{.*}} : i32
func.func @stores(%x: i32, %u: !word.buffer<2>) -> i32 attributes {vliw.signature = (i32, memref<2xi32>) -> i32} {
  %one = word.constant 1 : i32
  %l = word.and %x, %one : i32
  %n = word.load %u[%l] : !word.buffer<2> -> i32
  word.store %n, %u[%one] : i32, !word.buffer<2>
  %m = word.load %u[%l] : !word.buffer<2> -> i32
  func.return %m : i32
}

// -----

// What stays.

// CHECK-LABEL: @stays
// CHECK-COUNT-5: word.load
// REMARK: lookup stays: its offset may be one of 17 words
// REMARK: lookup stays: it may be out of bounds
// REMARK: lookup stays: the size of its buffer is not known
// REMARK: lookup stays: its buffer is part of another one
// REMARK: lookup stays: its address is absolute
func.func @stays(%x: i32, %t: !word.buffer<31>, %d: !word.buffer<?>) -> (i32, i32, i32, i32, i32) attributes {vliw.signature = (i32, memref<31xi32>, memref<?xi32>) -> (i32, i32, i32, i32, i32)} {
  %c3 = word.constant 3 : i32
  %c17 = word.constant 17 : i32
  %c30 = word.constant 30 : i32
  %i = word.remu %x, %c17 : i32
  %a = word.load %t[%i] : !word.buffer<31> -> i32
  %j = word.and %x, %c3 : i32
  %beyond = word.add %j, %c30 : i32
  %b = word.load %t[%beyond] : !word.buffer<31> -> i32
  %c = word.load %d[%j] : !word.buffer<?> -> i32
  %part = word.subbuffer %t[%c3] : !word.buffer<31> to !word.buffer<8>
  %e = word.load %part[%j] : !word.buffer<8> -> i32
  %f = word.load %t[%j] absolute : !word.buffer<31> -> i32
  func.return %a, %b, %c, %e, %f : i32, i32, i32, i32, i32
}
