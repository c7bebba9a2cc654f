// RUN: vliw-opt %s -p print-bounds,print-pressure 2>&1 >/dev/null | filecheck %s

// CHECK:      @f
// CHECK-NEXT:   function at {{.*}}: 1.7 cycles bound by flow, load, 27.7 with all within [flow 1.7, load 3.3]
// CHECK-NEXT:     scf.for x 4 at {{.*}}: 4.5 cycles bound by load, 6.5 with all within [alu 2.0, flow 2.0, load 9.0]
// CHECK-NEXT:       scf.if x 1 at {{.*}}: 2.0 cycles bound by store, 2.0 with all within [store 4.0]
// CHECK-NEXT: @f
// CHECK-NEXT:   peak 13 words at word.load
func.func @f(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %v = word.load %x[%i] absolute : !word.buffer<64> -> vector<8xi32>
    %w = word.gather %x[%v] absolute : !word.buffer<64> -> vector<8xi32>
    %e = word.extract %w[0] : vector<8xi32>
    %t = word.test %e
    scf.if %t {
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %w, %x[%i] absolute : vector<8xi32>, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
    } else {
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %w, %x[%i] absolute : vector<8xi32>, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
      word.store %e, %x[%i] absolute : i32, !word.buffer<64>
    }
  }
  func.return
}
