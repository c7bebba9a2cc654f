// RUN: vliw-opt %s --split-input-file -p convert-kernel-to-word | filecheck %s

// A chain of elementwise ops is one loop, over as many words as there are.
// CHECK-LABEL: func.func @elementwise(%a: !word.buffer<12>, %x: i32,
// CHECK-SAME:      %result0: !word.buffer<12> {vliw.result = 0 : i64}) -> i32
// CHECK-SAME:      vliw.signature = (tensor<3x4xi32>, i32) -> (tensor<3x4xi32>, i32)
// CHECK:         scf.for %[[I:[0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT:      %a_1 = word.load %a[%[[I]]] : !word.buffer<12> -> i32
// CHECK-NEXT:      %p = word.mul %a_1, %x : i32
// CHECK-NEXT:      %q = word.xor %p, %a_1 : i32
// CHECK-NEXT:      word.store %q, %result0[%[[I]]] : i32, !word.buffer<12>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %x : i32
func.func @elementwise(%a: tensor<3x4xi32>, %x: i32) -> (tensor<3x4xi32>, i32) {
  %s = kernel.splat %x : tensor<3x4xi32>
  %p = kernel.mul %a, %s : tensor<3x4xi32>
  %q = kernel.xor %p, %a : tensor<3x4xi32>
  return %q, %x : tensor<3x4xi32>, i32
}

// -----

// Carried tensors stay in their buffers; what is yielded is stored after all is read.
// CHECK-LABEL: @swap
// CHECK:         scf.for
// CHECK:         scf.for %i
// CHECK-NEXT:      scf.for %[[I:[0-9]+]]
// CHECK-NEXT:        %y = word.load %result1[%[[I]]]
// CHECK-NEXT:        %x = word.load %result0[%[[I]]]
// CHECK-NEXT:        word.store %y, %result0[%[[I]]]
// CHECK-NEXT:        word.store %x, %result1[%[[I]]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @swap(%a: tensor<4xi32>, %b: tensor<4xi32>, %n: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    scf.yield %y, %x : tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// An element is replaced in place, a condition passes the buffer through.
// CHECK-LABEL: @in_place
// CHECK:         scf.for %i
// CHECK-NEXT:      %[[OLD:.*]] = word.load %result0[%i] : !word.buffer<4> -> i32
// CHECK-NEXT:      %c = word.test %[[OLD]]
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        word.store %x, %result0[%i] : i32, !word.buffer<4>
// CHECK-NEXT:      } else {
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @in_place(%a: tensor<4xi32>, %n: i32, %x: i32) -> tensor<4xi32> {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<4xi32>) : i32 {
    %old = kernel.extract %t[%i] : tensor<4xi32>
    %c = word.test %old
    %u = scf.if %c -> (tensor<4xi32>) {
      %v = kernel.insert %x, %t[%i] : tensor<4xi32>
      scf.yield %v : tensor<4xi32>
    } else {
      scf.yield %t : tensor<4xi32>
    }
    scf.yield %u : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}

// -----

// What is read under two broadcasts, or in two loops, is stored once.
// CHECK-LABEL: @stored
// CHECK:         %[[T:[0-9]+]] = word.alloc : !word.buffer<4>
// CHECK-NOT:     word.alloc
// CHECK:           word.store %s, %[[T]][%{{.*}}] : i32, !word.buffer<4>
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK:             word.load %[[T]]
func.func @stored(%a: tensor<4xi32>) -> tensor<4x4xi32> {
  %s = kernel.mul %a, %a : tensor<4xi32>
  %p = kernel.broadcast %s dims [0] : tensor<4xi32> to tensor<4x4xi32>
  %q = kernel.broadcast %s dims [1] : tensor<4xi32> to tensor<4x4xi32>
  %r = kernel.sub %p, %q : tensor<4x4xi32>
  return %r : tensor<4x4xi32>
}

// -----

// An edge that passes tensors and may not be taken gets a block of its own.
// CHECK-LABEL: @blocks
// CHECK:         cf.cond_br %{{.*}}, ^[[EDGE:bb[0-9]+]], ^exit
// CHECK-NEXT:  ^[[EDGE]]:
// CHECK-NEXT:    scf.for
// CHECK:           word.store
// CHECK:         cf.br ^{{.*}} : i32
func.func @blocks(%a: tensor<4xi32>, %n: i32) -> tensor<4xi32> {
  %c1 = word.constant 1 : i32
  cf.br ^head(%a, %n : tensor<4xi32>, i32)
^head(%x: tensor<4xi32>, %k: i32):
  %y = kernel.add %x, %x : tensor<4xi32>
  %less = word.sub %k, %c1 : i32
  %more = word.test %k
  cf.cond_br %more, ^head(%y, %less : tensor<4xi32>, i32), ^exit
^exit:
  return %x : tensor<4xi32>
}
