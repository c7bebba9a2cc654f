// RUN: vliw-opt %s -p 'convert-word-to-vliw{schedule=list pipeline-loops verify-schedule}' --split-input-file --remarks=convert-word-to-vliw 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// An iteration begins in every cycle. The jump of each block goes over the code that finishes the
// iterations under way; the kernel has two blocks, as an address is needed for two cycles.

// REMARK: remark: pipelined: II 1 in place of 4 cycles, II at least 1.00 by slots of flow, no recurrence; {{.*}} [convert-word-to-vliw: passed]
// CHECK-LABEL: vliw.program @sum
// CHECK:         vliw.bundle @[[KERNEL:bb\d+]] {alu{{.*}}, load("load", {{.*}}), flow("cond_jump", {{\d+}}, @[[NEXT:bb\d+]])}
// CHECK-NEXT:    vliw.bundle {alu("|", {{.*}})}
// CHECK:         vliw.bundle @[[NEXT]] {alu{{.*}}, load("load", {{.*}}), flow("cond_jump", {{\d+}}, @[[KERNEL]])}
// CHECK-NEXT:    vliw.bundle {alu("|", {{.*}}
func.func @sum(%x: !word.buffer<?>, %n: i32) -> i32 attributes {vliw.signature = (memref<?xi32>, i32) -> (i32)} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  cf.br ^loop(%c0, %c0 : i32, i32)
^loop(%i: i32, %s: i32):
  %v = word.load %x[%i] : !word.buffer<?> -> i32
  %t = word.add %s, %v : i32
  %next = word.add %i, %c1 : i32
  %left = word.xor %next, %n : i32
  %more = word.test %left
  cf.cond_br %more, ^loop(%next, %t : i32, i32), ^end
^end:
  func.return %t : i32
}

// -----

// What is seen from outside keeps its place.

// REMARK: remark: not pipelined: there is 'trace_write' inside [convert-word-to-vliw: missed]
// CHECK-LABEL: vliw.program @seen
func.func @seen(%n: i32) attributes {vliw.signature = (i32) -> ()} {
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
