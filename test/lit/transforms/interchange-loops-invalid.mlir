// RUN: not vliw-opt %s -p interchange-loops 2>&1 | filecheck %s
// RUN: not vliw-opt %s -p 'interchange-loops{order=1,1}' 2>&1 | filecheck %s --check-prefix=OPTION

// CHECK: interchange-loops-invalid.mlir:10:3: {{.*}}vliw.order must be a permutation, not array<i64: 0, 0>
// OPTION: order must be a permutation, not 1,1

func.func @k(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    scf.for %j = %c0 to %c1 step %c1 : i32 {
      word.store %x, %a[%j] : i32, !word.buffer<64>
    }
  } {vliw.order = array<i64: 0, 0>}
  func.return
}
