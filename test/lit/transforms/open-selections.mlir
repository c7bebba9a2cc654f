// RUN: vliw-opt %s --split-input-file -p open-selections | filecheck %s

// More selections than the flow engine has slots for: those between the same two values share a
// difference, which is computed in front of the loop.

// CHECK-LABEL: @shared
// CHECK:         %[[D:.*]] = word.sub %a, %b : vector<8xi32>
// CHECK-NEXT:    scf.for
// CHECK:           word.select_by_difference %p, %a, %b, %[[D]] : vector<8xi32>
// CHECK:           word.select_by_difference %q, %a, %b, %[[D]] : vector<8xi32>
func.func @shared(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c64 = word.constant 64 : i32
  %one = word.constant dense<1> : vector<8xi32>
  %a = word.load %x[%c0] : !word.buffer<64> -> vector<8xi32>
  %b = word.load %x[%c8] : !word.buffer<64> -> vector<8xi32>
  scf.for %i = %c0 to %c64 step %c8 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> vector<8xi32>
    %p = word.and %v, %one : vector<8xi32>
    %w = word.shru %v, %one : vector<8xi32>
    %q = word.and %w, %one : vector<8xi32>
    %s = word.select %p, %a, %b : vector<8xi32>
    %t = word.select %q, %a, %b : vector<8xi32>
    %u = word.xor %s, %t : vector<8xi32>
    word.store %u, %x[%i] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}

// -----

// Any word that is not zero selects: a multiply-add would be wrong.

// CHECK-LABEL: @no_boolean
// CHECK-NOT:     select_by_difference
func.func @no_boolean(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c64 = word.constant 64 : i32
  %a = word.load %x[%c0] : !word.buffer<64> -> vector<8xi32>
  %b = word.load %x[%c8] : !word.buffer<64> -> vector<8xi32>
  scf.for %i = %c0 to %c64 step %c8 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> vector<8xi32>
    %w = word.xor %v, %a : vector<8xi32>
    %s = word.select %v, %a, %b : vector<8xi32>
    %t = word.select %w, %a, %b : vector<8xi32>
    %u = word.xor %s, %t : vector<8xi32>
    word.store %u, %x[%i] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}

// -----

// Loads take longer than the one selection.

// CHECK-LABEL: @cheap
// CHECK-NOT:     select_by_difference
func.func @cheap(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %one = word.constant dense<1> : vector<8xi32>
  %a = word.load %x[%c0] : !word.buffer<64> -> vector<8xi32>
  %g = word.gather %x[%one] : !word.buffer<64> -> vector<8xi32>
  %p = word.and %g, %one : vector<8xi32>
  %s = word.select %p, %a, %one : vector<8xi32>
  word.store %s, %x[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}
