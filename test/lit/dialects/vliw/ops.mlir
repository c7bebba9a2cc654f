// RUN: vliw-opt %s --split-input-file | filecheck %s
// RUN: vliw-opt %s --split-input-file --print-op-generic | vliw-opt --split-input-file | filecheck %s

// Every instruction of the default machine.

// CHECK-LABEL: vliw.program @instructions : () -> () {
// CHECK-NEXT:    vliw.bundle {alu("+", 0, 1, 2), alu("-", 1, 1, 2), alu("*", 2, 1, 2), alu("//", 3, 1, 2), alu("cdiv", 4, 1, 2), alu("^", 5, 1, 2), alu("&", 6, 1, 2), alu("|", 7, 1, 2), alu("<<", 8, 1, 2), alu(">>", 9, 1, 2), alu("%", 10, 1, 2), alu("<", 11, 1, 2)}
// CHECK-NEXT:    vliw.bundle {alu("==", 0, 1, 2), valu("+", 16, 32, 48), valu("vbroadcast", 24, 1), valu("multiply_add", 64, 16, 24, 32)}
// CHECK-NEXT:    vliw.bundle {load("load", 0, 1), load("load_offset", 2, 3, -1)}
// CHECK-NEXT:    vliw.bundle {load("vload", 16, 1), load("const", 0, 4294967295)}
// CHECK-NEXT:    vliw.bundle {store("store", 0, 1), store("vstore", 2, 16), load("const", 0, -2147483648)}
// CHECK-NEXT:    vliw.bundle {flow("select", 0, 1, 2, 3)}
// CHECK-NEXT:    vliw.bundle {flow("vselect", 0, 8, 16, 24)}
// CHECK-NEXT:    vliw.bundle {flow("add_imm", 0, 1, -5)}
// CHECK-NEXT:    vliw.bundle {flow("cond_jump", 0, 14)}
// CHECK-NEXT:    vliw.bundle {flow("cond_jump_rel", 0, -2)}
// CHECK-NEXT:    vliw.bundle {flow("jump", 10)}
// CHECK-NEXT:    vliw.bundle {flow("jump_indirect", 0)}
// CHECK-NEXT:    vliw.bundle {flow("pause")}
// CHECK-NEXT:    vliw.bundle {flow("coreid", 0)}
// CHECK-NEXT:    vliw.bundle {flow("trace_write", 0)}
// CHECK-NEXT:    vliw.bundle {debug("compare", 0, "key"), debug("compare", 0, [1, "two", [3]]), debug("vcompare", 0, [0, 1, 2, 3, 4, 5, 6, "seven"]), debug("comment", "any", "thing", 1)}
// CHECK-NEXT:    vliw.bundle {}
// CHECK-NEXT:    vliw.bundle {flow("halt")}
// CHECK-NEXT:  }
vliw.program @instructions : () -> () {
  vliw.bundle {alu("+", 0, 1, 2), alu("-", 1, 1, 2), alu("*", 2, 1, 2), alu("//", 3, 1, 2), alu("cdiv", 4, 1, 2), alu("^", 5, 1, 2), alu("&", 6, 1, 2), alu("|", 7, 1, 2), alu("<<", 8, 1, 2), alu(">>", 9, 1, 2), alu("%", 10, 1, 2), alu("<", 11, 1, 2)}
  vliw.bundle {alu("==", 0, 1, 2), valu("+", 16, 32, 48), valu("vbroadcast", 24, 1), valu("multiply_add", 64, 16, 24, 32)}
  vliw.bundle {load("load", 0, 1), load("load_offset", 2, 3, -1)}
  vliw.bundle {load("vload", 16, 1), load("const", 0, 4294967295)}
  vliw.bundle {store("store", 0, 1), store("vstore", 2, 16), load("const", 0, -2147483648)}
  vliw.bundle {flow("select", 0, 1, 2, 3)}
  vliw.bundle {flow("vselect", 0, 8, 16, 24)}
  vliw.bundle {flow("add_imm", 0, 1, -5)}
  vliw.bundle {flow("cond_jump", 0, 14)}
  vliw.bundle {flow("cond_jump_rel", 0, -2)}
  vliw.bundle {flow("jump", 10)}
  vliw.bundle {flow("jump_indirect", 0)}
  vliw.bundle {flow("pause")}
  vliw.bundle {flow("coreid", 0)}
  vliw.bundle {flow("trace_write", 0)}
  vliw.bundle {debug("compare", 0, "key"), debug("compare", 0, [1, "two", [3]]), debug("vcompare", 0, [0, 1, 2, 3, 4, 5, 6, "seven"]), debug("comment", "any", "thing", 1)}
  vliw.bundle {}
  vliw.bundle {flow("halt")}
}

// -----

// Labels, forwards and backwards, as jump targets and as words for an indirect jump.

// CHECK-LABEL: vliw.program @labels
// CHECK-NEXT:    vliw.bundle @start {flow("jump", @end)}
// CHECK-NEXT:    vliw.bundle @"not an identifier" {load("const", 0, @start), flow("cond_jump", 0, @"not an identifier")}
// CHECK-NEXT:    vliw.bundle @end {flow("jump", @start)}
vliw.program @labels : () -> () {
  vliw.bundle @start {flow("jump", @end)}
  vliw.bundle @"not an identifier" {load("const", 0, @start), flow("cond_jump", 0, @"not an identifier")}
  vliw.bundle @end {flow("jump", @start)}
}

// -----

// What a caller must know: types, facts, and memory of the program's own.

// CHECK-LABEL: vliw.program @interface : (i32, memref<4x?xi8>, tensor<3xi1>, memref<8xi32>) -> (i32, tensor<2xi16>) args [{vliw.value = -1 : i32}, {vliw.range = array<i32: 0, 9>}, {}, {vliw.address = 4096 : i32}] spill [1048576, 24] attributes {note = 1 : i64} {
// CHECK-NEXT:  }
vliw.program @interface : (i32, memref<4x?xi8>, tensor<3xi1>, memref<8xi32>) -> (i32, tensor<2xi16>) args [{vliw.value = -1 : i32}, {vliw.range = array<i32: 0, 9>}, {}, {vliw.address = 4096 : i32}] spill [1048576, 24] attributes {note = 1 : i64} {
}

// -----

// Another machine has other engines, and other limits.

// CHECK-LABEL: vliw.program @other_machine
// CHECK-NEXT:    vliw.bundle {mac("*", 0, 4, 8), load("const", 15, 1), load("const", 14, 1), load("const", 13, 1)}
builtin.module attributes {vliw.target = {vlen = 4, scratch = 16, engines = {load = 3, mac = {slots = 1, arithmetic = "vector", instructions = ["*"]}}}} {
  vliw.program @other_machine : () -> () {
    vliw.bundle {mac("*", 0, 4, 8), load("const", 15, 1), load("const", 14, 1), load("const", 13, 1)}
  }
}

// -----

// No two writes meet: words beside each other, a word read and written.

// CHECK-LABEL: vliw.program @no_conflict
vliw.program @no_conflict : () -> () {
  vliw.bundle {valu("+", 8, 0, 16), valu("+", 16, 8, 0), alu("+", 7, 7, 7), alu("+", 24, 8, 16)}
}
