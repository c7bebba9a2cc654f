// Errors go to stderr with place, source line and caret; the pieces after one are still compiled.

// RUN: not vliw-opt %s --split-input-file 2>%t.err | filecheck %s --check-prefix=OUT
// RUN: filecheck %s --input-file %t.err --check-prefix=ERR

// OUT-COUNT-4: // -----
// OUT:         func.func @good

// ERR:      errors.mlir:{{[0-9]+}}:23: error: value %b is used but not defined
// ERR-NEXT:   %0 = arith.addi %a, %b : i32
func.func @undefined(%a: i32) {
  %0 = arith.addi %a, %b : i32
  return
}
// -----
// ERR:      errors.mlir:{{.*}}:8: error: operation 'arith.adi' is not registered; did you mean 'arith.andi'?
// ERR-NEXT:   %0 = arith.adi %a, %a : i32
// ERR-NEXT:        ^
func.func @misspelt(%a: i32) {
  %0 = arith.adi %a, %a : i32
  return
}
// -----
// ERR:      error: 'arith.addi' op Expected 2 operands, but got 1
// ERR-NEXT:   %0 = "arith.addi"(%a) : (i32) -> i32
// ERR-NEXT:   ^
func.func @invalid(%a: i32) {
  %0 = "arith.addi"(%a) : (i32) -> i32
  return
}
// -----
// ERR:      error: 'arith.addi' op operand #0 (%y) does not dominate this use
func.func @dominance(%a: i32) {
  %x = arith.addi %y, %a : i32
  %y = arith.addi %a, %a : i32
  return
}
// -----
func.func @good(%a: i32) -> i32 {
  return %a : i32
}
