// RUN: vliw-opt %s -p form-strands --split-input-file | filecheck %s

// A loop of rounds comes inside of a loop over the items and carries words. Ops before and
// after it join in, a lookup becomes the reading of one element, what all items share stays.

// CHECK-LABEL: @rounds
// CHECK:         %[[EMPTY:[^ ,]*]] = kernel.empty : tensor<16xi32>
// CHECK:         %[[END:[^ ,]*]] = word.constant 16 : i32
// CHECK:         %[[R:[^ ,]*]] = scf.for %[[I:[^ ,]*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[OUT:[^ ,]*]] = %[[EMPTY]]) -> (tensor<16xi32>)
// CHECK-NEXT:      %[[X:[^ ,]*]] = kernel.extract %x[%[[I]]] : tensor<16xi32>
// CHECK-NEXT:      %[[Y:[^ ,]*]] = kernel.extract %y[%[[I]]] : tensor<16xi32>
// CHECK-NEXT:      %[[A:[^ ,]*]] = word.add %[[X]], %[[Y]] : i32
// CHECK-NEXT:      %[[L:[^ ,]*]] = scf.for %j = %c0 to %n step %c1 iter_args(%v = %[[A]]) -> (i32) : i32 {
// CHECK-NEXT:        %[[G:[^ ,]*]] = kernel.extract %t[%v] : tensor<9xi32>
// CHECK-NEXT:        %[[K:[^ ,]*]] = kernel.extract %t[%j] : tensor<9xi32>
// CHECK-NEXT:        %[[S:[^ ,]*]] = kernel.extract_slice %p[%j] strides [1] : tensor<40xi32> to tensor<16xi32>
// CHECK-NEXT:        %[[E:[^ ,]*]] = kernel.extract %[[S]][%[[I]]] : tensor<16xi32>
// CHECK-NEXT:        %[[W:[^ ,]*]] = word.xor %[[G]], %[[K]] : i32
// CHECK-NEXT:        %[[U:[^ ,]*]] = word.add %[[W]], %[[E]] : i32
// CHECK-NEXT:        scf.yield %[[U]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[M:[^ ,]*]] = word.mul %[[L]], %{{.*}} : i32
// CHECK-NEXT:      %[[NEXT:[^ ,]*]] = kernel.insert %[[M]], %[[OUT]][%[[I]]] : tensor<16xi32>
// CHECK-NEXT:      scf.yield %[[NEXT]] : tensor<16xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[R]]
func.func @rounds(%t: tensor<9xi32>, %p: tensor<40xi32>, %x: tensor<16xi32>, %y: tensor<16xi32>, %n: i32) -> tensor<16xi32> {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %three = kernel.constant dense<3> : tensor<16xi32>
  %a = kernel.add %x, %y : tensor<16xi32>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%v = %a) -> (tensor<16xi32>) : i32 {
    %g = kernel.gather %t[%v] : tensor<9xi32>, tensor<16xi32>
    %k = kernel.extract %t[%j] : tensor<9xi32>
    %s = kernel.splat %k : tensor<16xi32>
    %window = kernel.extract_slice %p[%j] strides [1] : tensor<40xi32> to tensor<16xi32>
    %w = kernel.xor %g, %s : tensor<16xi32>
    %u = kernel.add %w, %window : tensor<16xi32>
    scf.yield %u : tensor<16xi32>
  }
  %m = kernel.mul %l, %three : tensor<16xi32>
  func.return %m : tensor<16xi32>
}

// -----

// Items of several dimensions are numbered, unless their indices are needed.

// CHECK-LABEL: @dimensions
// CHECK:         %[[FLAT:[^ ,]*]] = kernel.reshape %x : tensor<2x1x8xi32> to tensor<16xi32>
// CHECK:         %[[A:[^ ,]*]] = scf.for %[[I:[^ ,]*]] = {{.*}} -> (tensor<16xi32>)
// CHECK-NEXT:      %[[X:[^ ,]*]] = kernel.extract %[[FLAT]][%[[I]]] : tensor<16xi32>
// CHECK-NEXT:      scf.for {{.*}} iter_args(%v = %[[X]]) -> (i32)
// CHECK:         %[[RESULT:[^ ,]*]] = kernel.reshape %[[A]] : tensor<16xi32> to tensor<2x1x8xi32>
// CHECK:         scf.for %[[I:[^ ,]*]] = {{.*}} -> (tensor<2x1x8xi32>)
// CHECK-NEXT:      scf.for %[[J:[^ ,]*]] = {{.*}} -> (tensor<2x1x8xi32>)
// CHECK-NEXT:        kernel.extract %{{.*}}[%[[I]], %[[ZERO:[^ ,]*]], %[[J]]] : tensor<2x1x8xi32>
// CHECK-NEXT:        scf.for {{.*}} -> (i32)
// CHECK:             kernel.insert %{{.*}}, %{{.*}}[%[[I]], %[[ZERO]], %[[J]]] : tensor<2x1x8xi32>
func.func @dimensions(%x: tensor<2x1x8xi32>, %n: i32) -> (tensor<2x1x8xi32>, tensor<2x1x8xi32>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %one = kernel.splat %c1 : tensor<2x1x8xi32>
  %i = kernel.iota 2 : tensor<2x1x8xi32>
  %a = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<2x1x8xi32>) : i32 {
    %w = kernel.add %v, %one : tensor<2x1x8xi32>
    scf.yield %w : tensor<2x1x8xi32>
  }
  %b = scf.for %j = %c0 to %n step %c1 iter_args(%v = %i) -> (tensor<2x1x8xi32>) : i32 {
    %w = kernel.mul %v, %v : tensor<2x1x8xi32>
    scf.yield %w : tensor<2x1x8xi32>
  }
  func.return %a, %b : tensor<2x1x8xi32>, tensor<2x1x8xi32>
}

// -----

// A tensor without dimensions has one item, which needs no loop.

// CHECK-LABEL: @single
// CHECK:         %[[X:[^ ,]*]] = kernel.extract %x[] : tensor<i32>
// CHECK-NEXT:    %[[R:[^ ,]*]] = scf.for {{.*}} iter_args(%v = %[[X]]) -> (i32) : i32 {
// CHECK-NEXT:      word.mul %v, %v : i32
// CHECK:         kernel.splat %[[R]] : tensor<i32>
func.func @single(%x: tensor<i32>, %n: i32) -> tensor<i32> {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %a = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<i32>) : i32 {
    %w = kernel.mul %v, %v : tensor<i32>
    scf.yield %w : tensor<i32>
  }
  func.return %a : tensor<i32>
}

// -----

// Reductions end a strand: over all dimensions, or over the last ones.

// CHECK-LABEL: @reductions
// CHECK-DAG:     %[[Y0:[^ ,]*]] = kernel.empty : tensor<4x8xi32>
// CHECK-DAG:     %[[M0:[^ ,]*]] = kernel.empty : tensor<4xi32>
// CHECK-DAG:     %[[S0:[^ ,]*]] = kernel.extract %z[] : tensor<i32>
// CHECK:         %{{.*}}, %{{.*}}, %[[S:[^ ,]*]] = scf.for %[[I:[^ ,]*]] = {{.*}} iter_args(%[[Y1:[^ ,]*]] = %[[Y0]], %[[M1:[^ ,]*]] = %[[M0]], %[[S1:[^ ,]*]] = %[[S0]]) -> (tensor<4x8xi32>, tensor<4xi32>, i32)
// CHECK-NEXT:      %[[R:[^ ,]*]] = kernel.extract %r[%[[I]]] : tensor<4xi32>
// CHECK-NEXT:      %{{.*}}, %[[M:[^ ,]*]], %{{.*}} = scf.for %[[J:[^ ,]*]] = {{.*}} iter_args(%[[Y2:[^ ,]*]] = %[[Y1]], %[[M2:[^ ,]*]] = %[[R]], %[[S2:[^ ,]*]] = %[[S1]]) -> (tensor<4x8xi32>, i32, i32)
// CHECK-NEXT:        %[[X:[^ ,]*]] = kernel.extract %x[%[[I]], %[[J]]] : tensor<4x8xi32>
// CHECK-NEXT:        %[[E:[^ ,]*]] = word.mul %[[X]], %[[X]] : i32
// CHECK-NEXT:        %[[S3:[^ ,]*]] = word.add %[[S2]], %[[E]] : i32
// CHECK-NEXT:        %[[M3:[^ ,]*]] = word.maxu %[[M2]], %[[E]] : i32
// CHECK-NEXT:        %[[Y3:[^ ,]*]] = kernel.insert %[[E]], %[[Y2]][%[[I]], %[[J]]] : tensor<4x8xi32>
// CHECK-NEXT:        scf.yield %[[Y3]], %[[M3]], %[[S3]] : tensor<4x8xi32>, i32, i32
// CHECK:           kernel.insert %[[M]], %[[M1]][%[[I]]] : tensor<4xi32>
// CHECK:         %[[SUM:[^ ,]*]] = kernel.splat %[[S]] : tensor<i32>
// CHECK-NEXT:    %[[ALL:[^ ,]*]] = kernel.broadcast %[[SUM]]
// CHECK-NEXT:    kernel.sub %{{.*}}, %[[ALL]] : tensor<4x8xi32>
func.func @reductions(%x: tensor<4x8xi32>, %z: tensor<i32>, %r: tensor<4xi32>) -> (tensor<4x8xi32>, tensor<4xi32>) {
  %y = kernel.mul %x, %x : tensor<4x8xi32>
  %sum = kernel.reduce add, %y, %z dims [0, 1] : tensor<4x8xi32> to tensor<i32>
  %max = kernel.reduce maxu, %y, %r dims [1] : tensor<4x8xi32> to tensor<4xi32>
  %all = kernel.broadcast %sum dims [] : tensor<i32> to tensor<4x8xi32>
  %d = kernel.sub %y, %all : tensor<4x8xi32>
  func.return %d, %max : tensor<4x8xi32>, tensor<4xi32>
}

// -----

// Inside of another loop, what that carries is updated in place. A loop of its own computes the
// word that all items share.

// CHECK-LABEL: @carried
// CHECK:         scf.for %i = {{.*}} iter_args(%v = %x, %s = %{{.*}}, %u = %{{.*}}) -> (tensor<16xi32>, tensor<i32>, i32)
// CHECK-NEXT:      %[[L:[^ ,]*]] = scf.for %j = {{.*}} iter_args(%b = %u) -> (i32) : i32 {
// CHECK-NEXT:        word.mul
// CHECK-NEXT:        scf.yield
// CHECK:           scf.for %[[I:[^ ,]*]] = {{.*}} iter_args(%[[V:[^ ,]*]] = %v, %{{.*}} = %{{.*}}) -> (tensor<16xi32>, i32)
// CHECK-NEXT:        %[[E:[^ ,]*]] = kernel.extract %[[V]][%[[I]]] : tensor<16xi32>
// CHECK:             scf.for {{.*}} iter_args(%a = %[[E]], %{{.*}} = %u) -> (i32, i32)
// CHECK:             kernel.insert %{{.*}}, %[[V]][%[[I]]] : tensor<16xi32>
// CHECK:           scf.yield %{{.*}}, %{{.*}}, %[[L]] : tensor<16xi32>, tensor<i32>, i32
func.func @carried(%x: tensor<16xi32>, %n: i32) -> (tensor<16xi32>, tensor<i32>, i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %z = kernel.splat %c0 : tensor<i32>
  %k = word.constant 5 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %s = %z, %u = %k) -> (tensor<16xi32>, tensor<i32>, i32) : i32 {
    %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%a = %v, %b = %u) -> (tensor<16xi32>, i32) : i32 {
      %d = word.mul %b, %n : i32
      %e = kernel.splat %d : tensor<16xi32>
      %f = kernel.add %a, %e : tensor<16xi32>
      scf.yield %f, %d : tensor<16xi32>, i32
    }
    %t = kernel.reduce xor, %l#0, %s dims [0] : tensor<16xi32> to tensor<i32>
    scf.yield %l#0, %t, %l#1 : tensor<16xi32>, tensor<i32>, i32
  }
  func.return %r#0, %r#1, %r#2 : tensor<16xi32>, tensor<i32>, i32
}

// -----

// Without loops: several results in one loop over the items. A lookup in one of them needs all
// of it and comes after.

// CHECK-LABEL: @several
// CHECK:         %[[R:[^ ,]*]], %[[S:[^ ,]*]] = scf.for {{.*}} -> (tensor<16xi32>, tensor<16xi32>)
// CHECK:           word.add
// CHECK:           kernel.extract %p
// CHECK:           word.mul
// CHECK:         kernel.gather %[[S]][%[[R]]]
func.func @several(%x: tensor<16xi32>, %y: tensor<16xi32>, %p: tensor<32xi32>) -> (tensor<32xi32>, tensor<16xi32>) {
  %c0 = word.constant 0 : i32
  %a = kernel.add %x, %y : tensor<16xi32>
  %b = kernel.gather %p[%a] : tensor<32xi32>, tensor<16xi32>
  %c = kernel.mul %a, %b : tensor<16xi32>
  %f = kernel.gather %c[%b] : tensor<16xi32>, tensor<16xi32>
  %q = kernel.insert_slice %b, %p[%c0] strides [1] : tensor<16xi32>, tensor<32xi32>
  func.return %q, %f : tensor<32xi32>, tensor<16xi32>
}

// -----

// What is read in one place only is computed there anyway.

// CHECK-LABEL: @one_place
// CHECK-NOT:     scf.for
func.func @one_place(%x: tensor<16xi32>, %y: tensor<16xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %a = kernel.add %x, %y : tensor<16xi32>
  %b = kernel.mul %a, %a : tensor<16xi32>
  %c = kernel.sub %b, %a : tensor<16xi32>
  func.return %b, %c : tensor<16xi32>, tensor<16xi32>
}

// -----

// Conditions that all items share stay. What a loop only reads need not be words of items.

// CHECK-LABEL: @condition
// CHECK:         scf.for %{{.*}} -> (tensor<16xi32>)
// CHECK:           scf.for %j = {{.*}} -> (i32)
// CHECK:             scf.if %{{.*}} -> (i32) {
// CHECK-NEXT:          word.add
// CHECK-NEXT:          scf.yield
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %{{.*}} : i32
func.func @condition(%x: tensor<16xi32>, %n: i32) -> tensor<16xi32> {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %a = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %t = word.test %j
    %r = scf.if %t -> (tensor<16xi32>) {
      %w = kernel.add %v, %x : tensor<16xi32>
      scf.yield %w : tensor<16xi32>
    } else {
      scf.yield %x : tensor<16xi32>
    }
    scf.yield %r : tensor<16xi32>
  }
  func.return %a : tensor<16xi32>
}
