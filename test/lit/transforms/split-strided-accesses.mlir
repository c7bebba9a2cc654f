// RUN: vliw-opt %s -p split-strided-accesses --split-input-file | filecheck %s
// RUN: vliw-opt %s -p split-strided-accesses,vectorize-accesses,simplify --split-input-file | filecheck %s --check-prefix=MERGED

// Two columns of rows of two words: all words of two vectors. The only user of the first one
// takes the words one by one; for the second one, words are moved.

// CHECK-LABEL: @columns
// CHECK-COUNT-8: word.load %x[%{{.*}}] : !word.buffer<64> -> i32
// CHECK-COUNT-8: word.load %x[%{{.*}}] : !word.buffer<64> -> i32
// CHECK:         word.from_elements
// CHECK:         %[[THREE:.*]] = word.constant 3 : i32
// CHECK-COUNT-8: word.mul %{{.*}}, %[[THREE]] : i32
// CHECK-NEXT:    word.from_elements
// CHECK-NOT:     word.gather

// MERGED-LABEL: @columns
// MERGED:         word.load %x[%[[AT:.*]]] : !word.buffer<64> -> vector<8xi32>
// MERGED:         word.load %x[%{{.*}}] : !word.buffer<64> -> vector<8xi32>
// MERGED-NOT:     word.load
// MERGED-COUNT-8: word.mul %{{.*}} : i32
func.func @columns(%n: i32, %x: !word.buffer<64>, %y: !word.buffer<16>) attributes {vliw.signature = (i32, memref<64xi32>, memref<16xi32>) -> ()} {
  %base = word.broadcast %n : vector<8xi32>
  %iota = word.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xi32>
  %one = word.constant dense<1> : vector<8xi32>
  %three = word.constant dense<3> : vector<8xi32>
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %at = word.add %base, %iota : vector<8xi32>
  %a = word.gather %x[%at] : !word.buffer<64> -> vector<8xi32>
  %next = word.add %at, %one : vector<8xi32>
  %b = word.gather %x[%next] : !word.buffer<64> -> vector<8xi32>
  %c = word.mul %a, %three : vector<8xi32>
  %d = word.add %b, %c : vector<8xi32>
  %e = word.xor %d, %b : vector<8xi32>
  word.store %d, %y[%c0] : vector<8xi32>, !word.buffer<16>
  word.store %e, %y[%c8] : vector<8xi32>, !word.buffer<16>
  func.return
}

// -----

// Backwards: all words of one vector, in another order.

// CHECK-LABEL: @backwards
// CHECK-NOT:     word.scatter
// MERGED-LABEL: @backwards
// MERGED:         word.from_elements
// MERGED-NEXT:    word.store %{{.*}} : vector<8xi32>, !word.buffer<64>
func.func @backwards(%n: i32, %v: !word.buffer<8>, %x: !word.buffer<64>) attributes {vliw.signature = (i32, memref<8xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %base = word.broadcast %n : vector<8xi32>
  %iota = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  %a = word.load %v[%c0] : !word.buffer<8> -> vector<8xi32>
  %at = word.sub %base, %iota : vector<8xi32>
  word.scatter %a, %x[%at] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Too far apart; at distances that are not known; the same words twice.

// CHECK-LABEL: @misses
// CHECK:         word.gather
// CHECK:         word.gather
// CHECK:         word.scatter
// CHECK-NEXT:    word.scatter
func.func @misses(%n: i32, %x: !word.buffer<512>, %y: !word.buffer<16>, %z: !word.buffer<64>) attributes {vliw.signature = (i32, memref<512xi32>, memref<16xi32>, memref<64xi32>) -> ()} {
  %base = word.broadcast %n : vector<8xi32>
  %iota = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  %far = word.constant dense<[0, 60, 120, 180, 240, 300, 360, 420]> : vector<8xi32>
  %at = word.add %base, %far : vector<8xi32>
  %a = word.gather %x[%at] : !word.buffer<512> -> vector<8xi32>
  %b = word.gather %y[%a] : !word.buffer<16> -> vector<8xi32>
  %there = word.sub %base, %iota : vector<8xi32>
  word.scatter %b, %z[%there] : vector<8xi32>, !word.buffer<64>
  word.scatter %a, %z[%there] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// The words are stored to in between: no group.

// CHECK-LABEL: @in_between
// CHECK:         word.gather
// CHECK:         word.store
// CHECK:         word.gather
func.func @in_between(%n: i32, %x: !word.buffer<64>, %y: !word.buffer<16>) attributes {vliw.signature = (i32, memref<64xi32>, memref<16xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %base = word.broadcast %n : vector<8xi32>
  %iota = word.constant dense<[0, 8, 16, 24, 32, 40, 48, 56]> : vector<8xi32>
  %one = word.constant dense<1> : vector<8xi32>
  %at = word.add %base, %iota : vector<8xi32>
  %a = word.gather %x[%at] : !word.buffer<64> -> vector<8xi32>
  word.store %n, %x[%n] : i32, !word.buffer<64>
  %next = word.add %at, %one : vector<8xi32>
  %b = word.gather %x[%next] : !word.buffer<64> -> vector<8xi32>
  word.store %a, %y[%c0] : vector<8xi32>, !word.buffer<16>
  word.store %b, %y[%c8] : vector<8xi32>, !word.buffer<16>
  func.return
}

// -----

// Where vectors are not loaded, gathers stay.

// CHECK-LABEL: @no_vector_loads
// CHECK-COUNT-2: word.gather
builtin.module attributes {vliw.target = {engines = {load = {instructions = ["load", "const"]}}}} {
  func.func @no_vector_loads(%n: i32, %x: !word.buffer<64>, %y: !word.buffer<16>) attributes {vliw.signature = (i32, memref<64xi32>, memref<16xi32>) -> ()} {
    %base = word.broadcast %n : vector<8xi32>
    %iota = word.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xi32>
    %one = word.constant dense<1> : vector<8xi32>
    %three = word.constant dense<3> : vector<8xi32>
    %c0 = word.constant 0 : i32
    %c8 = word.constant 8 : i32
    %at = word.add %base, %iota : vector<8xi32>
    %a = word.gather %x[%at] : !word.buffer<64> -> vector<8xi32>
    %next = word.add %at, %one : vector<8xi32>
    %b = word.gather %x[%next] : !word.buffer<64> -> vector<8xi32>
    %c = word.mul %a, %three : vector<8xi32>
    %d = word.add %b, %c : vector<8xi32>
    %e = word.xor %d, %b : vector<8xi32>
    word.store %d, %y[%c0] : vector<8xi32>, !word.buffer<16>
    word.store %e, %y[%c8] : vector<8xi32>, !word.buffer<16>
    func.return
  }
}

// -----

// Two products of the same words: one is computed lane by lane, the other one from it. 21 is 3 * 7.

// CHECK-LABEL: @products
// CHECK-NOT:     word.gather
// CHECK:         %[[THREE:.*]] = word.constant 3 : i32
// CHECK-COUNT-8: word.mul %{{.*}}, %[[THREE]] : i32
// CHECK-NEXT:    %[[C:.*]] = word.from_elements
// CHECK-NEXT:    %[[SEVEN:.*]] = word.constant dense<7> : vector<8xi32>
// CHECK-NEXT:    word.multiply_add %[[C]], %[[SEVEN]], %[[C]] : vector<8xi32>
func.func @products(%n: i32, %x: !word.buffer<64>, %y: !word.buffer<16>) attributes {vliw.signature = (i32, memref<64xi32>, memref<16xi32>) -> ()} {
  %base = word.broadcast %n : vector<8xi32>
  %iota = word.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xi32>
  %three = word.constant dense<3> : vector<8xi32>
  %twenty_one = word.constant dense<21> : vector<8xi32>
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %at = word.add %base, %iota : vector<8xi32>
  %a = word.gather %x[%at] : !word.buffer<64> -> vector<8xi32>
  %c = word.mul %a, %three : vector<8xi32>
  %d = word.multiply_add %a, %twenty_one, %c : vector<8xi32>
  word.store %c, %y[%c0] : vector<8xi32>, !word.buffer<16>
  word.store %d, %y[%c8] : vector<8xi32>, !word.buffer<16>
  func.return
}
