// RUN: vliw-opt %s -p 'convert-word-to-vliw{schedule=search pipeline-loops verify-schedule}' --split-input-file --remarks=convert-word-to-vliw 2>&1 >/dev/null | filecheck %s

// A loop whose iterations overlap, as only the counter is handed on. Each block that comes of it
// gets a remark, too.

// CHECK:     word-to-vliw-remarks.mlir:{{\d+}}:3: remark: {{\d+}} cycles, at least {{\d+}}: path binds [convert-word-to-vliw: analysis]
// CHECK:     remark: pipelined: II 1 in place of 5 cycles, II at least 1.00 by slots of flow, no recurrence; {{\d+}} stages, {{\d+}} copies, {{\d+}} words [convert-word-to-vliw: passed]
func.func @overlapping(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %zero = word.constant 0 : i32
  %one = word.constant 1 : i32
  %end = word.constant 64 : i32
  cf.br ^loop(%zero : i32)
^loop(%i: i32):
  %v = word.load %x[%i] : !word.buffer<64> -> i32
  %p = word.mul %v, %v : i32
  %q = word.mul %p, %v : i32
  word.store %q, %x[%i] : i32, !word.buffer<64>
  %next = word.add %i, %one : i32
  %less = word.cmp ult, %next, %end : i32
  %more = word.test %less
  cf.cond_br %more, ^loop(%next : i32), ^end
^end:
  func.return
}

// -----

// One in which iterations wait for each other, and one with an effect that is seen at once.

// CHECK:     remark: {{.*}}, 2 by the recurrence ^ → * [convert-word-to-vliw: {{passed|missed}}]
// CHECK:     remark: not pipelined: there is 'trace_write' inside [convert-word-to-vliw: missed]
func.func @waiting(%n: i32, %a: i32) -> i32 attributes {vliw.signature = (i32, i32) -> i32} {
  %m1 = word.constant -1 : i32
  cf.br ^loop(%n, %a : i32, i32)
^loop(%i: i32, %s: i32):
  %s2 = word.mul %s, %s : i32
  %s3 = word.xor %s2, %a : i32
  %next = word.add %i, %m1 : i32
  %more = word.test %next
  cf.cond_br %more, ^loop(%next, %s3 : i32, i32), ^trace(%n : i32)
^trace(%j: i32):
  word.trace_write %j
  %next2 = word.add %j, %m1 : i32
  %more2 = word.test %next2
  cf.cond_br %more2, ^trace(%next2 : i32), ^end
^end:
  func.return %s3 : i32
}
