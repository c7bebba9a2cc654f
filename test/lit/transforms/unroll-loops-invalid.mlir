// RUN: not vliw-opt %s -p unroll-loops 2>&1 | filecheck %s

// CHECK: unroll-loops-invalid.mlir:9:3: {{.*}}vliw.unroll must be a positive number, not 0 : i64

func.func @k() {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  // The place of the loop.
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    word.trace_write %i
  } {vliw.unroll = 0 : i64}
  func.return
}
