// RUN: vliw-opt %s -p form-strands --remarks=form-strands --verify-diagnostics

func.func @f(%x: tensor<16xi32>, %t: tensor<9xi32>, %b: !word.buffer<4>, %n: i32) -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<9xi32>, tensor<16xi32>, tensor<0xi32>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  // expected-remark@+1 {{strands for 16 items; operations: 1, loops: 1}}
  %r0 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %w = kernel.add %v, %v : tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // expected-remark@+1 {{:13:5 reads elements of other items}}
  %r1 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %w = kernel.gather %v[%v] : tensor<16xi32>, tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // expected-remark@+1 {{no strands: 'kernel.extract' at}}
  %r2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %e = kernel.extract %v[%c0] : tensor<16xi32>
    %w = kernel.splat %e : tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // expected-remark@+1 {{is not computed item by item}}
  %r3 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %w = kernel.insert %j, %v[%c0] : tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // expected-remark@+1 {{must run once for all items}}
  %r4 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    word.store %j, %b[%c0] : i32, !word.buffer<4>
    %w = kernel.add %v, %v : tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // expected-remark@+1 {{no strands: it carries tensors of different shapes}}
  %r5:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x, %u = %t) -> (tensor<16xi32>, tensor<9xi32>) : i32 {
    %w = kernel.add %u, %u : tensor<9xi32>
    scf.yield %v, %w : tensor<16xi32>, tensor<9xi32>
  }
  // expected-remark@+1 {{is about other items, tensor<9xi32>}}
  %r6 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xi32>) : i32 {
    %u = kernel.mul %t, %t : tensor<9xi32>
    %w = kernel.gather %u[%v] : tensor<9xi32>, tensor<16xi32>
    scf.yield %w : tensor<16xi32>
  }
  // No items, nothing to say.
  %e = kernel.empty : tensor<0xi32>
  %r7 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %e) -> (tensor<0xi32>) : i32 {
    %w = kernel.add %v, %v : tensor<0xi32>
    scf.yield %w : tensor<0xi32>
  }
  func.return %r0, %r1, %r2, %r3, %r4, %r5#1, %r6, %r7 : tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<9xi32>, tensor<16xi32>, tensor<0xi32>
}
