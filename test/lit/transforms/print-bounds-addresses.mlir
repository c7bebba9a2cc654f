// RUN: vliw-opt %s -p print-bounds 2>&1 >/dev/null | filecheck %s

// The constant of an offset belongs to the address of the buffer, once for all: an access at
// `x + c` takes one addition. A sum with other uses is computed besides.

// CHECK: scf.for x 64 at {{.*}} [alu 3.0, flow 1.0, load 2.0]
// CHECK: scf.for x 64 at {{.*}} [alu 4.0, flow 1.0, load 2.0, store 1.0]
func.func @f(%x: !word.buffer<512>) attributes {vliw.signature = (memref<512xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c9 = word.constant 9 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %j = word.add %i, %c9 : i32
    %v = word.load %x[%j] : !word.buffer<512> -> i32
    %w = word.load %x[%v] absolute : !word.buffer<512> -> i32
  }
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %j = word.add %i, %c9 : i32
    %v = word.load %x[%j] : !word.buffer<512> -> i32
    %w = word.load %x[%v] absolute : !word.buffer<512> -> i32
    word.store %j, %x[%v] absolute : i32, !word.buffer<512>
  }
  func.return
}
