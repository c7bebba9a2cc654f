// RUN: vliw-opt %s -p convert-word-to-vliw --split-input-file | filecheck %s

// Arguments that are used are loaded from the header, results go behind them.

// CHECK-LABEL: vliw.program @header : (i32, memref<8xi32>, i32) -> (i32, i32) {
// CHECK-NEXT:    vliw.bundle {load("const", 0, 2)}
// CHECK-NEXT:    vliw.bundle {load("load", 0, 0)}
// CHECK-NEXT:    vliw.bundle {alu("+", 1, 0, 0)}
// CHECK-NEXT:    vliw.bundle {load("const", 2, 3)}
// CHECK-NEXT:    vliw.bundle {store("store", 2, 1)}
// CHECK-NEXT:    vliw.bundle {load("const", 1, 4)}
// CHECK-NEXT:    vliw.bundle {store("store", 1, 0)}
// CHECK-NEXT:  }
func.func @header(%unused: i32, %a: !word.buffer<8>, %x: i32) -> (i32, i32) attributes {vliw.signature = (i32, memref<8xi32>, i32) -> (i32, i32)} {
  %0 = word.add %x, %x : i32
  func.return %0, %x : i32, i32
}

// -----

// A memref at a fixed address has no header word; the facts stay with the program.

// CHECK-LABEL: vliw.program @facts : (memref<8xi32>, i32) -> () args [{vliw.address = 100 : i32}, {vliw.value = 7 : i32, vliw.range = array<i32: 0, -1>}] {
// CHECK-NEXT:    vliw.bundle {load("const", [[A:\d+]], 100)}
// CHECK-NEXT:    vliw.bundle {load("const", [[X:\d+]], 0)}
// CHECK-NEXT:    vliw.bundle {load("load", [[X]], [[X]])}
// CHECK-NEXT:    vliw.bundle {alu("+", [[P:\d+]], [[A]], [[X]])}
// CHECK-NEXT:    vliw.bundle {store("store", [[P]], [[X]])}
// CHECK-NEXT:  }
func.func @facts(%a: !word.buffer<8> {vliw.address = 100 : i32}, %x: i32 {vliw.value = 7 : i32, vliw.range = array<i32: 0, -1>}) attributes {vliw.signature = (memref<8xi32>, i32) -> ()} {
  word.store %x, %a[%x] : i32, !word.buffer<8>
  func.return
}

// -----

// The area of a tensor result is an argument; its header word follows those of the caller's.

// CHECK-LABEL: vliw.program @tensor_result : (i32) -> tensor<4xi32> {
// CHECK-NEXT:    vliw.bundle {load("const", [[X:\d+]], 0)}
// CHECK-NEXT:    vliw.bundle {load("load", [[X]], [[X]])}
// CHECK-NEXT:    vliw.bundle {load("const", [[R:\d+]], 1)}
// CHECK-NEXT:    vliw.bundle {load("load", [[R]], [[R]])}
// CHECK-NEXT:    vliw.bundle {store("store", [[R]], [[X]])}
// CHECK-NEXT:  }
func.func @tensor_result(%x: i32, %r: !word.buffer<4> {vliw.result = 0 : i64}) attributes {vliw.signature = (i32) -> tensor<4xi32>} {
  %at = word.address %r : !word.buffer<4>
  word.store %x, %r[%at] absolute : i32, !word.buffer<4>
  func.return
}

// -----

// Two values that swap need a third place; the branch with moves gets a block of its own.

// CHECK-LABEL: vliw.program @swap
// CHECK:         vliw.bundle @[[LOOP:bb\d+]] {load("const", {{\d+}}, 4294967295)}
// CHECK-NEXT:    vliw.bundle {alu("+", [[NEXT:\d+]], [[I:\d+]], {{\d+}})}
// CHECK-NEXT:    vliw.bundle {flow("cond_jump", [[NEXT]], @[[EDGE:bb\d+]])}
// CHECK-NEXT:    vliw.bundle {flow("jump", @[[END:bb\d+]])}
// CHECK-NEXT:    vliw.bundle @[[EDGE]] {alu("|", [[I]], [[NEXT]], [[NEXT]])}
// CHECK-NEXT:    vliw.bundle {alu("|", [[T:\d+]], [[P:\d+]], [[P]])}
// CHECK-NEXT:    vliw.bundle {alu("|", [[P]], [[Q:\d+]], [[Q]])}
// CHECK-NEXT:    vliw.bundle {alu("|", [[Q]], [[T]], [[T]])}
// CHECK-NEXT:    vliw.bundle {flow("jump", @[[LOOP]])}
// CHECK-NEXT:    vliw.bundle @[[END]] {load("const", {{\d+}}, 3)}
// CHECK-NEXT:    vliw.bundle {store("store", {{\d+}}, [[Q]])}
// CHECK-NEXT:  }
func.func @swap(%n: i32, %x: i32, %y: i32) -> i32 attributes {vliw.signature = (i32, i32, i32) -> i32} {
  cf.br ^loop(%x, %y, %n : i32, i32, i32)
^loop(%p: i32, %q: i32, %i: i32):
  %m1 = word.constant -1 : i32
  %next = word.add %i, %m1 : i32
  %more = word.test %next
  cf.cond_br %more, ^loop(%q, %p, %next : i32, i32, i32), ^end
^end:
  func.return %q : i32
}

// -----

// A return in the middle halts, the last one runs off the end.

// CHECK-LABEL: vliw.program @returns
// CHECK:         vliw.bundle {flow("cond_jump", {{\d+}}, @[[PAUSE:bb\d+]])}
// CHECK-NEXT:    vliw.bundle {flow("jump", @[[WRITE:bb\d+]])}
// CHECK-NEXT:    vliw.bundle @[[PAUSE]] {flow("pause")}
// CHECK-NEXT:    vliw.bundle {flow("halt")}
// CHECK-NEXT:    vliw.bundle @[[WRITE]] {flow("trace_write", {{\d+}})}
// CHECK-NEXT:  }
func.func @returns(%x: i32) attributes {vliw.signature = (i32) -> ()} {
  %c = word.test %x
  cf.cond_br %c, ^pause, ^write
^write:
  word.trace_write %x
  func.return
^pause:
  word.pause
  func.return
}

// -----

// Memory of the program's own begins 64 words behind the data: at 1 + 8 + 64.

// CHECK-LABEL: vliw.program @alloc : (memref<8xi32>) -> () spill [73, 10] {
// CHECK-NEXT:    vliw.bundle {load("const", [[A:\d+]], 73)}
// CHECK-NEXT:    vliw.bundle {load("const", [[B:\d+]], 81)}
// CHECK-NEXT:    vliw.bundle {load("const", [[P:\d+]], 81)}
// CHECK-NEXT:    vliw.bundle {load("const", [[V:\d+]], 5)}
// CHECK-NEXT:    vliw.bundle {store("store", [[P]], [[V]])}
// CHECK-NEXT:    vliw.bundle {load("const", [[P:\d+]], 82)}
// CHECK-NEXT:    vliw.bundle {load("const", [[V:\d+]], 4294967295)}
// CHECK-NEXT:    vliw.bundle {store("store", [[P]], [[V]])}
// CHECK-NEXT:    vliw.bundle {alu("+", {{\d+}}, [[A]], [[B]])}
func.func @alloc(%x: !word.buffer<8>) attributes {vliw.signature = (memref<8xi32>) -> ()} {
  %0 = word.alloc : !word.buffer<8>
  %1 = word.alloc init dense<[5, -1]> : vector<2xi32> : !word.buffer<2>
  %2 = word.address %1 : !word.buffer<2>
  word.store %2, %0[%2] : i32, !word.buffer<8>
  func.return
}

// -----

// When the loader alone knows the sizes, it begins at a fixed place.

// CHECK-LABEL: vliw.program @dynamic : (memref<?xi32>) -> () spill [1048576, 3] {
func.func @dynamic(%x: !word.buffer<?>) attributes {vliw.signature = (memref<?xi32>) -> ()} {
  %0 = word.alloc : !word.buffer<3>
  %1 = word.constant 0 : i32
  word.store %1, %0[%1] : i32, !word.buffer<3>
  func.return
}

// -----

// What the default machine does in one instruction, and what lane by lane.

// CHECK-LABEL: vliw.program @vectors
// CHECK:         valu("vbroadcast", [[X:\d+]], {{\d+}})
// CHECK:         valu("multiply_add", [[M:\d+]], [[X]], [[X]], [[X]])
// CHECK:         flow("vselect", [[S:\d+]], [[M]], [[X]], [[M]])
// CHECK:         load("vload", [[L:\d+]], {{\d+}})
// CHECK-COUNT-8: alu("+", {{\d+}}, {{\d+}}, {{\d+}})
// CHECK-COUNT-8: load("load", {{\d+}}, {{\d+}})
// CHECK:         debug("vcompare", {{\d+}}, ["a", "b", "c", "d", "e", "f", "g", "h"])
// CHECK:         store("vstore", {{\d+}}, [[S]])
func.func @vectors(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %v = word.broadcast %x : vector<8xi32>
  %m = word.multiply_add %v, %v, %v : vector<8xi32>
  %s = word.select %m, %v, %m : vector<8xi32>
  %l = word.load %a[%x] : !word.buffer<64> -> vector<8xi32>
  %g = word.gather %a[%l] : !word.buffer<64> -> vector<8xi32>
  word.compare %g, ["a", "b", "c", "d", "e", "f", "g", "h"] : vector<8xi32>
  word.store %s, %a[%x] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// A machine without vector instructions works on the lanes.

// CHECK-LABEL: vliw.program @lanes
// CHECK-COUNT-2: alu("|", {{\d+}}, [[X:\d+]], [[X]])
// CHECK-COUNT-2: alu("*", {{\d+}}, {{\d+}}, {{\d+}})
// CHECK:         load("load", {{\d+}}, {{\d+}})
// CHECK:         alu("+", [[P:\d+]], {{\d+}}, {{\d+}})
// CHECK-NEXT:    load("load", {{\d+}}, [[P]])
// CHECK:         store("store", {{\d+}}, {{\d+}})
// CHECK:         alu("+", [[P:\d+]], {{\d+}}, {{\d+}})
// CHECK-NEXT:    store("store", [[P]], {{\d+}})
builtin.module attributes {vliw.target = {vlen = 2, engines = {
    valu = 0, load = {instructions = ["load", "const"]}, store = {instructions = ["store"]}}}} {
  func.func @lanes(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
    %v = word.broadcast %x : vector<2xi32>
    %m = word.mul %v, %v : vector<2xi32>
    %l = word.load %a[%x] : !word.buffer<64> -> vector<2xi32>
    word.store %l, %a[%x] : vector<2xi32>, !word.buffer<64>
    word.store %m, %a[%x] : vector<2xi32>, !word.buffer<64>
    func.return
  }
}

// -----

// Three words of scratch hold three values, so the sum of four arguments makes do with memory.

// CHECK-LABEL: vliw.program @spill : (i32, i32, i32, i32) -> i32 spill [69, {{\d+}}] {
// CHECK:         vliw.bundle {load("const", {{[0-2]}}, 69)}
// CHECK-NEXT:    vliw.bundle {store("store", {{[0-2]}}, {{[0-2]}})}
// CHECK:         vliw.bundle {load("const", {{[0-2]}}, 69)}
// CHECK-NEXT:    vliw.bundle {load("load", {{[0-2]}}, {{[0-2]}})}
builtin.module attributes {vliw.target = {scratch = 3}} {
  func.func @spill(%a: i32, %b: i32, %c: i32, %d: i32) -> i32 attributes {vliw.signature = (i32, i32, i32, i32) -> i32} {
    %0 = word.add %a, %b : i32
    %1 = word.add %0, %c : i32
    %2 = word.add %1, %d : i32
    %3 = word.xor %2, %a : i32
    %4 = word.xor %3, %b : i32
    %5 = word.xor %4, %c : i32
    func.return %5 : i32
  }
}

// -----

// Other functions go: calls of them were inlined before.

// CHECK-LABEL: vliw.program @kernel
// CHECK-NOT:     func
func.func private @helper(%x: i32) -> i32 {
  func.return %x : i32
}
func.func @kernel(%x: i32) -> i32 {
  func.return %x : i32
}
