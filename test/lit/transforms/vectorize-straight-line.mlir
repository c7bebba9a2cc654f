// RUN: vliw-opt %s -p vectorize-straight-line --split-input-file | filecheck %s

// Words that are stored at once are computed at once; operands of commutative operations may be
// crossed; another user takes a lane.

// CHECK-LABEL: @stored
// CHECK:         %v = word.load
// CHECK:         %[[N:.*]] = word.broadcast %n : vector<4xi32>
// CHECK-NEXT:    %[[P:.*]] = word.mul %v, %[[N]] : vector<4xi32>
// CHECK-NEXT:    %[[LANE:.*]] = word.extract %[[P]][2]
// CHECK-NEXT:    %[[C:.*]] = word.constant dense<[5, 6, 7, 8]>
// CHECK-NEXT:    %[[S:.*]] = word.add %[[P]], %[[C]] : vector<4xi32>
// CHECK-NEXT:    word.store %[[S]], %x
// CHECK-NEXT:    word.store %[[LANE]], %y
module attributes {vliw.target = {vlen = 4}} {
  func.func @stored(%n: i32, %x: !word.buffer<4>, %y: !word.buffer<4>) attributes {vliw.signature = (i32, memref<4xi32>, memref<4xi32>) -> ()} {
    %c0 = word.constant 0 : i32
    %k0 = word.constant 5 : i32
    %k1 = word.constant 6 : i32
    %k2 = word.constant 7 : i32
    %k3 = word.constant 8 : i32
    %v = word.load %x[%c0] : !word.buffer<4> -> vector<4xi32>
    %v0 = word.extract %v[0] : vector<4xi32>
    %v1 = word.extract %v[1] : vector<4xi32>
    %v2 = word.extract %v[2] : vector<4xi32>
    %v3 = word.extract %v[3] : vector<4xi32>
    %p0 = word.mul %v0, %n : i32
    %p1 = word.mul %n, %v1 : i32
    %p2 = word.mul %v2, %n : i32
    %p3 = word.mul %v3, %n : i32
    %s0 = word.add %p0, %k0 : i32
    %s1 = word.add %k1, %p1 : i32
    %s2 = word.add %p2, %k2 : i32
    %s3 = word.add %p3, %k3 : i32
    %s = word.from_elements %s0, %s1, %s2, %s3 : vector<4xi32>
    word.store %s, %x[%c0] : vector<4xi32>, !word.buffer<4>
    word.store %p2, %y[%c0] : i32, !word.buffer<4>
    func.return
  }
}

// -----

// Words from anywhere would have to be moved; lanes that depend on each other stay; and so does
// what is needed before all lanes are there.

// CHECK-LABEL: @misses
// CHECK-NOT:     vector
// CHECK:         word.mul
// CHECK-COUNT-3: word.from_elements
module attributes {vliw.target = {vlen = 4}} {
  func.func @misses(%a: i32, %b: i32, %c: i32, %d: i32, %x: !word.buffer<32>) attributes {vliw.signature = (i32, i32, i32, i32, memref<32xi32>) -> ()} {
    %c0 = word.constant 0 : i32
    %c4 = word.constant 4 : i32
    %c8 = word.constant 8 : i32
    %c12 = word.constant 12 : i32
    %p0 = word.mul %a, %b : i32
    %p1 = word.mul %b, %c : i32
    %p2 = word.mul %c, %d : i32
    %p3 = word.mul %d, %a : i32
    %q0 = word.xor %a, %b : i32
    %q1 = word.xor %q0, %b : i32
    %q2 = word.xor %q1, %b : i32
    %q3 = word.xor %q2, %b : i32
    %r0 = word.shl %a, %b : i32
    word.store %r0, %x[%c12] : i32, !word.buffer<32>
    %r1 = word.shl %a, %c4 : i32
    %r2 = word.shl %a, %c8 : i32
    %r3 = word.shl %a, %c12 : i32
    %p = word.from_elements %p0, %p1, %p2, %p3 : vector<4xi32>
    word.store %p, %x[%c0] : vector<4xi32>, !word.buffer<32>
    %q = word.from_elements %q0, %q1, %q2, %q3 : vector<4xi32>
    word.store %q, %x[%c4] : vector<4xi32>, !word.buffer<32>
    %r = word.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
    word.store %r, %x[%c8] : vector<4xi32>, !word.buffer<32>
    func.return
  }
}

// -----

// A sum of products of lanes, in any order: products and sums of vectors, then of the lanes.

// CHECK-LABEL: @dot
// CHECK:         %[[P:.*]] = word.mul %v, %w : vector<4xi32>
// CHECK-NEXT:    word.extract %[[P]][0]
// CHECK-COUNT-4: word.add {{.*}} : i32
// CHECK-NOT:     word.add
module attributes {vliw.target = {vlen = 4}} {
  func.func @dot(%n: i32, %x: !word.buffer<4>, %y: !word.buffer<4>) -> i32 attributes {vliw.signature = (i32, memref<4xi32>, memref<4xi32>) -> i32} {
    %c0 = word.constant 0 : i32
    %v = word.load %x[%c0] : !word.buffer<4> -> vector<4xi32>
    %w = word.load %y[%c0] : !word.buffer<4> -> vector<4xi32>
    %v0 = word.extract %v[0] : vector<4xi32>
    %v1 = word.extract %v[1] : vector<4xi32>
    %v2 = word.extract %v[2] : vector<4xi32>
    %v3 = word.extract %v[3] : vector<4xi32>
    %w0 = word.extract %w[0] : vector<4xi32>
    %w1 = word.extract %w[1] : vector<4xi32>
    %w2 = word.extract %w[2] : vector<4xi32>
    %w3 = word.extract %w[3] : vector<4xi32>
    %p2 = word.mul %v2, %w2 : i32
    %p0 = word.mul %v0, %w0 : i32
    %p1 = word.mul %w1, %v1 : i32
    %p3 = word.mul %v3, %w3 : i32
    %s0 = word.add %n, %p2 : i32
    %s1 = word.add %s0, %p1 : i32
    %s2 = word.add %p3, %p0 : i32
    %s3 = word.add %s1, %s2 : i32
    func.return %s3 : i32
  }
}
