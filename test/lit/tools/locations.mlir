// RUN: vliw-opt %s --print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @f(
func.func @f(%a: i32) -> i32 {
  // CHECK: arith.addi %a, %a : i32 loc("{{.*}}locations.mlir":6:3)
  %0 = arith.addi %a, %a : i32
  // CHECK: arith.addi %0, %a : i32 loc("source.c":1:2)
  %1 = arith.addi %0, %a : i32 loc("source.c":1:2)
  return %1 : i32
}
