// RUN: vliw-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: sed 's/used but/unused but/' %s > %t.mlir
// RUN: not vliw-opt %t.mlir --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=WRONG

// WRONG: error: unexpected error: value %b is used but not defined
// WRONG: error: expected error was not produced: value %b is unused but not defined

func.func @undefined(%a: i32) {
  // expected-error@+1 {{value %b is used but not defined}}
  %0 = arith.addi %a, %b : i32
  return
}
// -----
func.func @same_line(%a: i32) {
  %0 = "arith.addi"(%a) : (i32) -> i32 // expected-error-re {{'arith.addi' op Expected {{[0-9]}} operands}}
  return
}
// -----
// CHECK: func.func @good
func.func @good(%a: i32) -> i32 {
  return %a : i32
}
