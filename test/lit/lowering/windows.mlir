// RUN: vliw-opt %s -p convert-word-to-vliw --split-input-file | filecheck %s

// Adjacent vectors are loaded side by side; windows over them are addresses of operands. A chain
// of adjacent pairs makes one row.

// CHECK-LABEL: vliw.program @chain
// CHECK:         vliw.bundle {load("vload", 5, {{\d+}})}
// CHECK:         vliw.bundle {load("vload", 13, {{\d+}})}
// CHECK:         vliw.bundle {load("vload", 21, {{\d+}})}
// CHECK-NEXT:    vliw.bundle {valu("+", {{\d+}}, 8, 14)}
// CHECK-NEXT:    vliw.bundle {alu("+", {{\d+}}, 10, 28)}
// CHECK-NOT:     |
func.func @chain(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c16 = word.constant 16 : i32
  %u = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  %v = word.load %a[%c8] : !word.buffer<64> -> vector<8xi32>
  %w = word.load %a[%c16] : !word.buffer<64> -> vector<8xi32>
  %uv = word.concat %u, %v : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %vw = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %s = word.slice %uv[3] : vector<16xi32> -> vector<8xi32>
  %t = word.slice %vw[1] : vector<16xi32> -> vector<8xi32>
  %sum = word.add %s, %t : vector<8xi32>
  %x = word.extract %u[5] : vector<8xi32>
  %y = word.extract %vw[15] : vector<16xi32>
  %z = word.add %x, %y : i32
  word.store %sum, %a[%c8] : vector<8xi32>, !word.buffer<64>
  word.store %z, %a[%c0] : i32, !word.buffer<64>
  func.return
}

// -----

// A value has one place: what is adjacent to it on both sides is copied.

// CHECK-LABEL: vliw.program @twice
// CHECK:         vliw.bundle {load("vload", [[U:\d+]], {{\d+}})}
// CHECK:         vliw.bundle {valu("|", [[V:\d+]], [[U]], [[U]])}
// CHECK-NOT:     |
// CHECK:         vliw.bundle {store("vstore"
func.func @twice(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %u = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  %uu = word.concat %u, %u : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %s = word.slice %uu[3] : vector<16xi32> -> vector<8xi32>
  word.store %s, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Words that are computed for a vector are computed in its lanes.

// CHECK-LABEL: vliw.program @elements
// CHECK:         vliw.bundle {alu("+", [[X:\d+]], {{\d+}}, {{\d+}})}
// CHECK-NOT:     |
// CHECK:         vliw.bundle {store("vstore", {{\d+}}, [[X]])}
builtin.module attributes {vliw.target = {vlen = 2}} {
  func.func @elements(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
    %c0 = word.constant 0 : i32
    %y = word.add %x, %x : i32
    %z = word.mul %x, %y : i32
    %v = word.from_elements %y, %z : vector<2xi32>
    word.store %v, %a[%c0] : vector<2xi32>, !word.buffer<64>
    func.return
  }
}
