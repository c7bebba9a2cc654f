// RUN: vliw-opt %s -p hoist-equivalent --split-input-file --pass-statistics 2>%t.statistics | filecheck %s
// RUN: filecheck %s --check-prefix=STATISTICS --input-file=%t.statistics

// STATISTICS: 4  num-hoisted

// What is computed behind a branch in any case is computed before it; a division and a load are not,
// nor what depends on the branch.

// CHECK-LABEL: func.func @diamond
// CHECK-NEXT:    %c = word.test
// CHECK-NEXT:    %two = word.constant 2 : i32
// CHECK-NEXT:    %a = word.add %x, %two : i32
// CHECK-NEXT:    %b = word.mul %a, %a : i32
// CHECK-NEXT:    cf.cond_br
// CHECK:         word.trace_write
// CHECK:         %q = word.divu
// CHECK-NEXT:    %l = word.load
// CHECK-NEXT:    %s = word.add %p, %b
func.func @diamond(%x: i32, %m: !word.buffer<8>) -> (i32, i32, i32) {
  %c = word.test %x
  cf.cond_br %c, ^then, ^end(%x : i32)
^then:
  word.trace_write %x
  cf.br ^end(%x : i32)
^end(%p: i32):
  %two = word.constant 2 : i32
  %a = word.add %x, %two : i32
  %b = word.mul %a, %a : i32
  %q = word.divu %a, %x : i32
  %l = word.load %m[%a] : !word.buffer<8> -> i32
  %s = word.add %p, %b : i32
  func.return %q, %l, %s : i32, i32, i32
}

// -----

// From behind a loop to before it, but not out of a loop nor from one side of a branch.

// CHECK-LABEL: func.func @loop
// CHECK-NEXT:    %a = word.add %x, %x : i32
// CHECK-NEXT:    cf.br
// CHECK:         %next = word.sub %i, %x : i32
// CHECK-NEXT:    cf.cond_br
// CHECK:         %t = word.mul %i, %x : i32
// CHECK:         %r = word.mul %a, %next : i32
func.func @loop(%x: i32) -> i32 {
  cf.br ^head(%x : i32)
^head(%i: i32):
  %odd = word.test %i
  cf.cond_br %odd, ^side, ^latch
^side:
  %t = word.mul %i, %x : i32
  word.trace_write %t
  cf.br ^latch
^latch:
  %next = word.sub %i, %x : i32
  %more = word.test %next
  cf.cond_br %more, ^head(%next : i32), ^end
^end:
  %a = word.add %x, %x : i32
  %r = word.mul %a, %next : i32
  func.return %r : i32
}
