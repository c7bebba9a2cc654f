// RUN: vliw-opt %s -p 'convert-word-to-vliw{schedule=search verify-schedule}' --split-input-file --remarks=convert-word-to-vliw 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// Independent instructions share bundles, and the words of what was read last are used again.

// REMARK: word-to-vliw-schedule.mlir:{{\d+}}:3: remark: 4 cycles, at least 4: path binds [convert-word-to-vliw: analysis]
// CHECK-LABEL: vliw.program @together
// CHECK-NEXT:    vliw.bundle {load("const", [[X:\d+]], 0), load("const", [[Y:\d+]], 1)}
// CHECK-NEXT:    vliw.bundle {load("load", [[A:\d+]], [[X]]), load("load", [[B:\d+]], [[Y]])}
// CHECK-NEXT:    vliw.bundle {alu("+", [[S:\d+]], [[A]], [[B]]), alu("^", [[T:\d+]], [[A]], [[B]]), load("const", [[P:\d+]], 2), load("const", [[Q:\d+]], 3)}
// CHECK-NEXT:    vliw.bundle {store("store", {{\d+}}, {{\d+}}), store("store", {{\d+}}, {{\d+}})}
// CHECK-NEXT:  }
func.func @together(%a: i32, %b: i32) -> (i32, i32) attributes {vliw.signature = (i32, i32) -> (i32, i32)} {
  %s = word.add %a, %b : i32
  %t = word.xor %a, %b : i32
  func.return %s, %t : i32, i32
}

// -----

// A load of other words does not wait for a store before it. One that may be of the same word does,
// as it would not see a store of its own bundle.

// CHECK-LABEL: vliw.program @memory
// CHECK:         vliw.bundle {load("load", [[A:\d+]], {{\d+}}), store("store", {{\d+}}, {{\d+}})}
// CHECK-NEXT:    vliw.bundle {load("load", {{\d+}}, {{\d+}})}
// CHECK-NEXT:    vliw.bundle {alu("+", {{\d+}}, [[A]], {{\d+}})}
func.func @memory(%x: !word.buffer<8>, %y: !word.buffer<8>, %i: i32, %j: i32) -> i32 attributes {vliw.signature = (memref<8xi32>, memref<8xi32>, i32, i32) -> i32} {
  %i2 = word.mul %i, %i : i32
  %i4 = word.mul %i2, %i2 : i32
  %i8 = word.mul %i4, %i4 : i32
  word.store %i8, %x[%i] : i32, !word.buffer<8>
  %a = word.load %y[%i] : !word.buffer<8> -> i32
  %b = word.load %x[%j] : !word.buffer<8> -> i32
  %s = word.add %a, %b : i32
  func.return %s : i32
}

// -----

// A loop with its condition at the top and a break is one superblock. What is computed behind a side
// exit runs before it if that does no harm, as a load of a word that surely is in the buffer; a store
// does not.

// CHECK-LABEL: vliw.program @superblock
// CHECK:         vliw.bundle @[[LOOP:bb\d+]] {alu("*"
// CHECK-NEXT:    vliw.bundle {{.*}}alu("==", [[END:\d+]]
// CHECK-NEXT:    vliw.bundle {load("load", {{.*}}, flow("cond_jump", [[END]], 8)}
// CHECK-NEXT:    vliw.bundle {store("store", {{.*}}, flow("jump", @[[LOOP]])}
// CHECK-NEXT:  }
func.func @superblock(%x: !word.buffer<8>, %y: !word.buffer<8>, %n: i32) attributes {vliw.signature = (memref<8xi32>, memref<8xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  cf.br ^loop(%c0 : i32)
^loop(%i: i32):
  %m = word.mul %i, %n : i32
  %more = word.test %m
  cf.cond_br %more, ^body, ^end
^body:
  %j = word.and %i, %c7 : i32
  %a = word.load %x[%j] : !word.buffer<8> -> i32
  word.store %a, %y[%j] : i32, !word.buffer<8>
  %next = word.add %i, %c1 : i32
  cf.br ^loop(%next : i32)
^end:
  func.return
}

// -----

// The counter of a loop is advanced in place. The jump does not take a bundle of its own.

// CHECK-LABEL: vliw.program @loop
// CHECK:         vliw.bundle @[[LOOP:bb\d+]] {alu("+", [[I:\d+]], [[I]], {{\d+}}), flow("trace_write", [[I]])}
// CHECK-NEXT:    vliw.bundle {flow("cond_jump", [[I]], @[[LOOP]])}
// CHECK-NEXT:  }
func.func @loop(%n: i32) attributes {vliw.signature = (i32) -> ()} {
  %m1 = word.constant -1 : i32
  cf.br ^loop(%n : i32)
^loop(%i: i32):
  word.trace_write %i
  %next = word.add %i, %m1 : i32
  %more = word.test %next
  cf.cond_br %more, ^loop(%next : i32), ^end
^end:
  func.return
}

// -----

// Seven vector functions at once: the one too many runs on the lanes.

// CHECK-LABEL: vliw.program @lanes
// CHECK:         vliw.bundle {alu("{{[^"]*}}", 48, 0, 8), alu({{.*}}, 55, 7, 15), {{.*}}valu("^",
func.func @lanes(%x: !word.buffer<8>, %y: !word.buffer<56>, %i: i32) attributes {vliw.signature = (memref<8xi32>, memref<56xi32>, i32) -> ()} {
  %a = word.load %x[%i] : !word.buffer<8> -> vector<8xi32>
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c16 = word.constant 16 : i32
  %b0 = word.add %a, %a : vector<8xi32>
  %b1 = word.xor %a, %b0 : vector<8xi32>
  %b2 = word.sub %a, %b0 : vector<8xi32>
  %b3 = word.mul %a, %b0 : vector<8xi32>
  %b4 = word.and %a, %b0 : vector<8xi32>
  %b5 = word.or %a, %b0 : vector<8xi32>
  %b6 = word.shl %a, %b0 : vector<8xi32>
  %b7 = word.shru %a, %b0 : vector<8xi32>
  %d0 = word.multiply_add %b1, %b2, %b3 : vector<8xi32>
  %d1 = word.multiply_add %b4, %b5, %b6 : vector<8xi32>
  %d2 = word.multiply_add %b7, %d0, %d1 : vector<8xi32>
  word.store %d0, %y[%c0] : vector<8xi32>, !word.buffer<56>
  word.store %d1, %y[%c8] : vector<8xi32>, !word.buffer<56>
  word.store %d2, %y[%c16] : vector<8xi32>, !word.buffer<56>
  func.return
}
