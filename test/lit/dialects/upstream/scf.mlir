// RUN: vliw-opt %s | vliw-opt | filecheck %s

func.func @while(%c: i1, %a: i32) -> i32 {
  // CHECK: scf.while : () -> () {
  scf.while : () -> () {
    // CHECK: scf.condition(%c)
    scf.condition(%c)
  } do {
    // CHECK: scf.yield
    scf.yield
  }
  // CHECK: %{{.*}} = scf.while (%x = %a) : (i32) -> i32 {
  %0 = scf.while (%x = %a) : (i32) -> i32 {
    // CHECK: scf.condition(%c) %x : i32
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%y: i32):
    // CHECK: scf.yield %y : i32
    scf.yield %y : i32
  }
  return %0 : i32
}
func.func @switch(%i: index, %a: i32) -> i32 {
  // CHECK: scf.index_switch %i
  scf.index_switch %i
  case 2 {
    // CHECK: scf.yield
    scf.yield
  }
  default {
  }
  // CHECK: %{{.*}} = scf.index_switch %i -> i32
  %0 = scf.index_switch %i -> i32
  case 5 {
    // CHECK: scf.yield %a : i32
    scf.yield %a : i32
  }
  default {
    // CHECK: scf.yield %a : i32
    scf.yield %a : i32
  }
  return %0 : i32
}
func.func @parallel(%n: index, %a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    // CHECK: scf.reduce
    scf.reduce
  }
  // CHECK: %{{.*}} = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%a) -> i32 {
  %0 = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%a) -> i32 {
    // CHECK: scf.reduce(%a : i32) {
    scf.reduce(%a : i32) {
    ^bb0(%x: i32, %y: i32):
      // CHECK: %z = arith.addi %x, %y : i32
      %z = arith.addi %x, %y : i32
      // CHECK: scf.reduce.return %z : i32
      scf.reduce.return %z : i32
    }
  }
  return %0 : i32
}
func.func @blocks(%c: i1, %a: i32) -> i32 {
  // CHECK: scf.execute_region {
  // CHECK-NEXT: cf.cond_br %c, ^{{.*}}, ^{{.*}}
  scf.execute_region {
    cf.cond_br %c, ^x, ^y
  ^x:
    // CHECK: cf.br
    cf.br ^y
  ^y:
    // CHECK: scf.yield
    scf.yield
  } {label = "twice"}
  // CHECK: } {label = "twice"}
  // CHECK: %{{.*}} = scf.execute_region -> i32 {
  %0 = scf.execute_region -> i32 {
    // CHECK-NEXT: scf.yield %a : i32
    scf.yield %a : i32
  }
  // CHECK: %{{.*}} = scf.execute_region -> (i32, i1) {
  %1:2 = scf.execute_region -> (i32, i1) {
    scf.yield %a, %c : i32, i1
  }
  return %0 : i32
}
func.func @one_type(%n: i32, %c: i1, %a: i32) -> i32 {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for %{{.*}} = %z to %n step %one iter_args(%x = %a) -> (i32) : i32 {
  %0 = scf.for %i = %z to %n step %one iter_args(%x = %a) -> i32 : i32 {
    // CHECK: scf.if %c -> (i32) {
    %y = scf.if %c -> i32 {
      scf.yield %x : i32
    } else {
      scf.yield %i : i32
    }
    scf.yield %y : i32
  } {label = "one"}
  // CHECK: } {label = "one"}
  return %0 : i32
}
