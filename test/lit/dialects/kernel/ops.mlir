// RUN: vliw-opt %s | filecheck %s
// RUN: vliw-opt %s --print-op-generic | vliw-opt | filecheck %s

// CHECK-LABEL: @binary
// CHECK-NEXT:    %0 = kernel.add %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %1 = kernel.sub %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %2 = kernel.mul %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %3 = kernel.and %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %4 = kernel.or %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %5 = kernel.xor %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %6 = kernel.shl %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %7 = kernel.shru %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %8 = kernel.shrs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %9 = kernel.rotl %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %10 = kernel.rotr %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %11 = kernel.divu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %12 = kernel.divs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %13 = kernel.ceildivu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %14 = kernel.ceildivs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %15 = kernel.floordivs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %16 = kernel.remu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %17 = kernel.rems %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %18 = kernel.minu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %19 = kernel.maxu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %20 = kernel.mins %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %21 = kernel.maxs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %22 = kernel.mulhu %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %23 = kernel.mulhs %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    func.return
func.func @binary(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  %0 = kernel.add %a, %b : tensor<2x3xi32>
  %1 = kernel.sub %a, %b : tensor<2x3xi32>
  %2 = kernel.mul %a, %b : tensor<2x3xi32>
  %3 = kernel.and %a, %b : tensor<2x3xi32>
  %4 = kernel.or %a, %b : tensor<2x3xi32>
  %5 = kernel.xor %a, %b : tensor<2x3xi32>
  %6 = kernel.shl %a, %b : tensor<2x3xi32>
  %7 = kernel.shru %a, %b : tensor<2x3xi32>
  %8 = kernel.shrs %a, %b : tensor<2x3xi32>
  %9 = kernel.rotl %a, %b : tensor<2x3xi32>
  %10 = kernel.rotr %a, %b : tensor<2x3xi32>
  %11 = kernel.divu %a, %b : tensor<2x3xi32>
  %12 = kernel.divs %a, %b : tensor<2x3xi32>
  %13 = kernel.ceildivu %a, %b : tensor<2x3xi32>
  %14 = kernel.ceildivs %a, %b : tensor<2x3xi32>
  %15 = kernel.floordivs %a, %b : tensor<2x3xi32>
  %16 = kernel.remu %a, %b : tensor<2x3xi32>
  %17 = kernel.rems %a, %b : tensor<2x3xi32>
  %18 = kernel.minu %a, %b : tensor<2x3xi32>
  %19 = kernel.maxu %a, %b : tensor<2x3xi32>
  %20 = kernel.mins %a, %b : tensor<2x3xi32>
  %21 = kernel.maxs %a, %b : tensor<2x3xi32>
  %22 = kernel.mulhu %a, %b : tensor<2x3xi32>
  %23 = kernel.mulhs %a, %b : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @comparisons
// CHECK-NEXT:    %0 = kernel.cmp eq, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %1 = kernel.cmp ne, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %2 = kernel.cmp ult, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %3 = kernel.cmp ule, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %4 = kernel.cmp ugt, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %5 = kernel.cmp uge, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %6 = kernel.cmp slt, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %7 = kernel.cmp sle, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %8 = kernel.cmp sgt, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    %9 = kernel.cmp sge, %a, %b : tensor<2x3xi32>
// CHECK-NEXT:    func.return
func.func @comparisons(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  %0 = kernel.cmp eq, %a, %b : tensor<2x3xi32>
  %1 = kernel.cmp ne, %a, %b : tensor<2x3xi32>
  %2 = kernel.cmp ult, %a, %b : tensor<2x3xi32>
  %3 = kernel.cmp ule, %a, %b : tensor<2x3xi32>
  %4 = kernel.cmp ugt, %a, %b : tensor<2x3xi32>
  %5 = kernel.cmp uge, %a, %b : tensor<2x3xi32>
  %6 = kernel.cmp slt, %a, %b : tensor<2x3xi32>
  %7 = kernel.cmp sle, %a, %b : tensor<2x3xi32>
  %8 = kernel.cmp sgt, %a, %b : tensor<2x3xi32>
  %9 = kernel.cmp sge, %a, %b : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @ternary
// CHECK-NEXT:    %0 = kernel.select %a, %b, %c : tensor<2x3xi32>
// CHECK-NEXT:    %1 = kernel.multiply_add %a, %b, %c : tensor<2x3xi32>
// CHECK-NEXT:    func.return
func.func @ternary(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>, %c: tensor<2x3xi32>) {
  %0 = kernel.select %a, %b, %c : tensor<2x3xi32>
  %1 = kernel.multiply_add %a, %b, %c : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @creation
// CHECK-NEXT:    %0 = kernel.constant dense<[1, -2]> : tensor<2xi32>
// CHECK-NEXT:    %1 = kernel.constant dense<7> : tensor<2x2xi32>
// CHECK-NEXT:    %2 = kernel.empty : tensor<16xi32>
// CHECK-NEXT:    %3 = kernel.splat %x : tensor<4x8xi32>
// CHECK-NEXT:    %4 = kernel.splat %x : tensor<i32>
// CHECK-NEXT:    %5 = kernel.iota 1 : tensor<2x3xi32>
// CHECK-NEXT:    func.return
func.func @creation(%x: i32) {
  %0 = kernel.constant dense<[1, -2]> : tensor<2xi32>
  %1 = kernel.constant dense<7> : tensor<2x2xi32>
  %2 = kernel.empty : tensor<16xi32>
  %3 = kernel.splat %x : tensor<4x8xi32>
  %4 = kernel.splat %x : tensor<i32>
  %5 = kernel.iota 1 : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @shapes
// CHECK-NEXT:    %0 = kernel.broadcast %r dims [1] : tensor<3xi32> to tensor<2x3xi32>
// CHECK-NEXT:    %1 = kernel.broadcast %a dims [1, 0] : tensor<2x3xi32> to tensor<3x2xi32>
// CHECK-NEXT:    %2 = kernel.broadcast %s dims [] : tensor<i32> to tensor<3xi32>
// CHECK-NEXT:    %3 = kernel.reshape %a : tensor<2x3xi32> to tensor<6xi32>
// CHECK-NEXT:    func.return
func.func @shapes(%a: tensor<2x3xi32>, %r: tensor<3xi32>, %s: tensor<i32>) {
  %0 = kernel.broadcast %r dims [1] : tensor<3xi32> to tensor<2x3xi32>
  %1 = kernel.broadcast %a dims [1, 0] : tensor<2x3xi32> to tensor<3x2xi32>
  %2 = kernel.broadcast %s dims [] : tensor<i32> to tensor<3xi32>
  %3 = kernel.reshape %a : tensor<2x3xi32> to tensor<6xi32>
  func.return
}

// CHECK-LABEL: @reductions
// CHECK-NEXT:    %0 = kernel.reduce add, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %1 = kernel.reduce mul, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %2 = kernel.reduce and, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %3 = kernel.reduce or, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %4 = kernel.reduce xor, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %5 = kernel.reduce minu, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %6 = kernel.reduce maxu, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %7 = kernel.reduce mins, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %8 = kernel.reduce maxs, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %9 = kernel.reduce add, %a, %s dims [0, 1] : tensor<2x3xi32> to tensor<i32>
// CHECK-NEXT:    func.return
func.func @reductions(%a: tensor<2x3xi32>, %r: tensor<3xi32>, %s: tensor<i32>) {
  %0 = kernel.reduce add, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %1 = kernel.reduce mul, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %2 = kernel.reduce and, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %3 = kernel.reduce or, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %4 = kernel.reduce xor, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %5 = kernel.reduce minu, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %6 = kernel.reduce maxu, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %7 = kernel.reduce mins, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %8 = kernel.reduce maxs, %a, %r dims [0] : tensor<2x3xi32> to tensor<3xi32>
  %9 = kernel.reduce add, %a, %s dims [0, 1] : tensor<2x3xi32> to tensor<i32>
  func.return
}

// CHECK-LABEL: @elements
// CHECK-NEXT:    %0 = kernel.gather %a[%i, %i] : tensor<2x3xi32>, tensor<4xi32>
// CHECK-NEXT:    %1 = kernel.scatter %i, %a[%i, %i] : tensor<4xi32>, tensor<2x3xi32>
// CHECK-NEXT:    %2 = kernel.extract %a[%x, %x] : tensor<2x3xi32>
// CHECK-NEXT:    %3 = kernel.extract %s[] : tensor<i32>
// CHECK-NEXT:    %4 = kernel.insert %x, %a[%x, %x] : tensor<2x3xi32>
// CHECK-NEXT:    func.return
func.func @elements(%a: tensor<2x3xi32>, %i: tensor<4xi32>, %x: i32, %s: tensor<i32>) {
  %0 = kernel.gather %a[%i, %i] : tensor<2x3xi32>, tensor<4xi32>
  %1 = kernel.scatter %i, %a[%i, %i] : tensor<4xi32>, tensor<2x3xi32>
  %2 = kernel.extract %a[%x, %x] : tensor<2x3xi32>
  %3 = kernel.extract %s[] : tensor<i32>
  %4 = kernel.insert %x, %a[%x, %x] : tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @slices
// CHECK-NEXT:    %0 = kernel.extract_slice %a[%x, %x] strides [1, 2] : tensor<8x8xi32> to tensor<2x4xi32>
// CHECK-NEXT:    %1 = kernel.insert_slice %p, %a[%x, %x] strides [1, 1] : tensor<2x4xi32>, tensor<8x8xi32>
// CHECK-NEXT:    func.return
func.func @slices(%a: tensor<8x8xi32>, %p: tensor<2x4xi32>, %x: i32) {
  %0 = kernel.extract_slice %a[%x, %x] strides [1, 2] : tensor<8x8xi32> to tensor<2x4xi32>
  %1 = kernel.insert_slice %p, %a[%x, %x] strides [1, 1] : tensor<2x4xi32>, tensor<8x8xi32>
  func.return
}
