// RUN: vliw-opt %s -p inline-calls,convert-std-to-kernel --split-input-file --verify-diagnostics

func.func @float(%a: i32) {
  // expected-error@+1 {{f32: floating point is not supported; the machine computes on 32-bit words}}
  %x = arith.sitofp %a : i32 to f32
  return
}
// -----
// expected-error@+1 {{argument 0: i64 is not supported}}
func.func @wide(%a: i64) {
  return
}
// -----
func.func @index() {
  // expected-error@+1 {{constant 4294967296 does not fit in 32 bits}}
  %x = arith.constant 4294967296 : index
  return
}
// -----
func.func @stride(%m: memref<?x?xi32>, %i: index) {
  // expected-error@+1 {{the stride of dimension 0 is not known; all sizes but the first must be static or computed by the function}}
  %x = memref.load %m[%i, %i] : memref<?x?xi32>
  return
}
// -----
func.func @size(%m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{the size of dimension 0 is not known: memrefs are passed without their sizes; use a static size or pass it as an argument}}
  %x = memref.dim %m, %c0 : memref<?xi32>
  return
}
// -----
func.func @allocation(%n: index) {
  // expected-error@+1 {{an allocation needs constant sizes; there is no memory management at run time}}
  %x = memref.alloc(%n) : memref<?xi32>
  return
}
// -----
func.func @escape(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (memref<4xi32>) {
    // expected-error-re@+1 {{allocation escapes its loop: each iteration gets the same buffer, but 'scf.yield' at {{.*}} passes it on}}
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  }
  return
}
// -----
func.func @print(%x: i32) {
  %v = vector.broadcast %x : i32 to vector<4xi32>
  // expected-error@+1 {{'vector.print' is not supported}}
  "vector.print"(%v) : (vector<4xi32>) -> ()
  return
}
// -----
func.func private @even(%x: i32) -> i32 {
  %y = func.call @odd(%x) : (i32) -> i32
  return %y : i32
}
func.func private @odd(%x: i32) -> i32 {
  // expected-error@+1 {{recursion is not supported: @even calls @odd calls @even}}
  %y = func.call @even(%x) : (i32) -> i32
  return %y : i32
}
func.func @kernel(%x: i32) -> i32 {
  %y = func.call @even(%x) : (i32) -> i32
  return %y : i32
}
// -----
func.func @kernel(%x: i32) -> i32 {
  // expected-error@+1 {{recursion is not supported: @kernel calls @kernel}}
  %y = func.call @kernel(%x) : (i32) -> i32
  return %y : i32
}
// -----
func.func private @elsewhere(i32) -> i32
func.func @kernel(%x: i32) -> i32 {
  // expected-error@+1 {{@elsewhere has no body; a kernel cannot call functions outside its module}}
  %y = func.call @elsewhere(%x) : (i32) -> i32
  return %y : i32
}
// -----
func.func @kernel(%m: memref<8xi32>, %i: index) -> i32 {
  // expected-error@+1 {{a view with this offset and these strides does not have the type memref<2xi32, strided<[1], offset: 4>>}}
  %s = memref.subview %m[5] [2] [1] : memref<8xi32> to memref<2xi32, strided<[1], offset: 4>>
  %y = memref.load %s[%i] : memref<2xi32, strided<[1], offset: 4>>
  return %y : i32
}
// -----
func.func @kernel(%m: memref<8xi32>, %o: index) -> i32 {
  // expected-error@+1 {{a view with this offset and these strides does not have the type memref<2xi32, strided<[1], offset: ?>>}}
  %s = memref.subview %m[%o] [2] [3] : memref<8xi32> to memref<2xi32, strided<[1], offset: ?>>
  %y = memref.load %s[%o] : memref<2xi32, strided<[1], offset: ?>>
  return %y : i32
}
// -----
func.func @kernel(%m: memref<8xi32>, %i: index) -> i32 {
  // expected-error@+1 {{'memref.load' op expected an index for each dimension}}
  %y = memref.load %m[%i, %i] : memref<8xi32>
  return %y : i32
}
// -----
func.func @kernel(%m: memref<8xi32>, %i: index) {
  // expected-error@+1 {{vector<0xi32>: a vector needs at least one lane}}
  %y = vector.load %m[%i] : memref<8xi32>, vector<0xi32>
  return
}
