// RUN: vliw-opt %s -p convert-std-to-kernel --split-input-file | filecheck %s

// CHECK:      func.func @loops(%n: i32, %x: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %one = word.constant 1 : i32
// CHECK-NEXT:   %0 = word.constant 128 : i32
// CHECK-NEXT:   %1 = word.xor %one, %0 : i32
// CHECK-NEXT:   %2 = word.sub %1, %0 : i32
// CHECK-NEXT:   %3 = word.constant 128 : i32
// CHECK-NEXT:   %4 = word.xor %n, %3 : i32
// CHECK-NEXT:   %5 = word.sub %4, %3 : i32
// CHECK-NEXT:   %6 = word.constant 128 : i32
// CHECK-NEXT:   %7 = word.xor %one, %6 : i32
// CHECK-NEXT:   %8 = word.sub %7, %6 : i32
// CHECK-NEXT:   %r = scf.for %i = %2 to %5 step %8 iter_args(%s = %x) -> (i32) : i32 {
// CHECK-NEXT:     %9 = word.constant 255 : i32
// CHECK-NEXT:     %10 = word.and %i, %9 : i32
// CHECK-NEXT:     %t = word.add %s, %10 : i32
// CHECK-NEXT:     scf.yield %t : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %w = scf.while (%v = %r) : (i32) -> i32 {
// CHECK-NEXT:     %go = word.cmp ult, %v, %x : i32
// CHECK-NEXT:     %11 = word.test %go
// CHECK-NEXT:     scf.condition(%11) %v : i32
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^bb0(%v_1: i32):
// CHECK-NEXT:     %d = word.add %v_1, %v_1 : i32
// CHECK-NEXT:     scf.yield %d : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %w : i32
// CHECK-NEXT: }
func.func @loops(%n: i8, %x: i32) -> i32 {
  %one = arith.constant 1 : i8
  %r = scf.for %i = %one to %n step %one iter_args(%s = %x) -> (i32) : i8 {
    %u = arith.extui %i : i8 to i32
    %t = arith.addi %s, %u : i32
    scf.yield %t : i32
  }
  %w = scf.while (%v = %r) : (i32) -> i32 {
    %go = arith.cmpi ult, %v, %x : i32
    scf.condition(%go) %v : i32
  } do {
  ^bb0(%v: i32):
    %d = arith.addi %v, %v : i32
    scf.yield %d : i32
  }
  return %w : i32
}
// -----
// CHECK:      func.func @blocks(%b: i32, %x: i32, %i: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %0 = word.constant 255 : i32
// CHECK-NEXT:   %1 = word.cmp eq, %b, %0 : i32
// CHECK-NEXT:   %2 = word.test %1
// CHECK-NEXT:   cf.cond_br %2, ^bb1, ^bb2(%x : i32)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT:   %3 = word.constant 1 : i32
// CHECK-NEXT:   %c = word.and %b, %3 : i32
// CHECK-NEXT:   %4 = word.constant 2 : i32
// CHECK-NEXT:   %5 = word.cmp eq, %i, %4 : i32
// CHECK-NEXT:   %6 = word.test %5
// CHECK-NEXT:   %y = scf.if %6 -> (i32) {
// CHECK-NEXT:     scf.yield %x : i32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %k = word.constant 7 : i32
// CHECK-NEXT:     scf.yield %k : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %7 = word.test %c
// CHECK-NEXT:   cf.cond_br %7, ^bb2(%y : i32), ^bb2(%x : i32)
// CHECK-NEXT: ^bb2(%r: i32):
// CHECK-NEXT:   func.return %r : i32
// CHECK-NEXT: }
func.func @blocks(%b: i8, %x: i32, %i: index) -> i32 {
  cf.switch %b : i8, [
    default: ^end(%x : i32),
    -1: ^other
  ]
^other:
  %c = arith.trunci %b : i8 to i1
  %y = scf.index_switch %i -> i32
  case 2 {
    scf.yield %x : i32
  }
  default {
    %k = arith.constant 7 : i32
    scf.yield %k : i32
  }
  cf.cond_br %c, ^end(%y : i32), ^end(%x : i32)
^end(%r: i32):
  return %r : i32
}
