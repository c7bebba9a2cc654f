// RUN: vliw-opt %s -p scalarize-lookup-chains --split-input-file | filecheck %s

// What leads from lookup to lookup is done lane by lane; what is stored is a vector again.

// CHECK-LABEL: @chain
// CHECK:         [[V:%\S+]] = word.load %x
// CHECK:         [[X:%\S+]] = word.extract [[V]][0]
// CHECK-NOT:     word.gather
// CHECK:         [[A:%\S+]] = word.load %t[[[X]]] : !word.buffer<256> -> i32
// CHECK:         word.xor [[A]], {{%\S+}} : i32
// CHECK-NOT:     vector
// CHECK:         [[R:%\S+]] = word.from_elements
// CHECK-NEXT:    word.store [[R]], %x
func.func @chain(%t: !word.buffer<256>, %x: !word.buffer<8>) {
  %c0 = word.constant 0 : i32
  %c = word.constant dense<5> : vector<8xi32>
  %v = word.load %x[%c0] : !word.buffer<8> -> vector<8xi32>
  %a = word.gather %t[%v] : !word.buffer<256> -> vector<8xi32>
  %b = word.xor %a, %c : vector<8xi32>
  %d = word.gather %t[%b] : !word.buffer<256> -> vector<8xi32>
  %e = word.xor %d, %c : vector<8xi32>
  %f = word.gather %t[%e] : !word.buffer<256> -> vector<8xi32>
  %g = word.xor %f, %c : vector<8xi32>
  %h = word.gather %t[%g] : !word.buffer<256> -> vector<8xi32>
  word.store %h, %x[%c0] : vector<8xi32>, !word.buffer<8>
  func.return
}

// -----

// Lookups that do not lead to others stay.

// CHECK-LABEL: @apart
// CHECK-COUNT-2: word.gather
func.func @apart(%t: !word.buffer<256>, %x: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %v = word.load %x[%c0] : !word.buffer<16> -> vector<8xi32>
  %w = word.load %x[%c8] : !word.buffer<16> -> vector<8xi32>
  %a = word.gather %t[%v] : !word.buffer<256> -> vector<8xi32>
  %b = word.gather %t[%w] : !word.buffer<256> -> vector<8xi32>
  word.store %a, %x[%c0] : vector<8xi32>, !word.buffer<16>
  word.store %b, %x[%c8] : vector<8xi32>, !word.buffer<16>
  func.return
}

// -----

// Four chains at once keep the loads busy as vectors, too: nothing would be gained.

// CHECK-LABEL: @busy
// CHECK-COUNT-12: word.gather
func.func @busy(%t: !word.buffer<256>, %v: vector<8xi32>, %w: vector<8xi32>, %x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
  %a0 = word.gather %t[%v] : !word.buffer<256> -> vector<8xi32>
  %b0 = word.gather %t[%w] : !word.buffer<256> -> vector<8xi32>
  %c0 = word.gather %t[%x] : !word.buffer<256> -> vector<8xi32>
  %d0 = word.gather %t[%y] : !word.buffer<256> -> vector<8xi32>
  %a1 = word.gather %t[%a0] : !word.buffer<256> -> vector<8xi32>
  %b1 = word.gather %t[%b0] : !word.buffer<256> -> vector<8xi32>
  %c1 = word.gather %t[%c0] : !word.buffer<256> -> vector<8xi32>
  %d1 = word.gather %t[%d0] : !word.buffer<256> -> vector<8xi32>
  %a2 = word.gather %t[%a1] : !word.buffer<256> -> vector<8xi32>
  %b2 = word.gather %t[%b1] : !word.buffer<256> -> vector<8xi32>
  %c2 = word.gather %t[%c1] : !word.buffer<256> -> vector<8xi32>
  %d2 = word.gather %t[%d1] : !word.buffer<256> -> vector<8xi32>
  %e = word.xor %a2, %b2 : vector<8xi32>
  %f = word.xor %c2, %d2 : vector<8xi32>
  %g = word.xor %e, %f : vector<8xi32>
  func.return %g : vector<8xi32>
}
