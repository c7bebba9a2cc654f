// RUN: vliw-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: i32) {
  // expected-error@below {{unknown predicate 'less', not one of eq, ne,}}
  %0 = arith.cmpi less, %a, %a : i32
  return
}
// -----
func.func @f(%v: vector<8xi32>) {
  // expected-error@below {{'arith.cmpi' op result must be vector<8xi1>, not i1}}
  %0 = "arith.cmpi"(%v, %v) <{predicate = 6 : i64}> : (vector<8xi32>, vector<8xi32>) -> i1
  return
}
// -----
func.func @f(%c: vector<4xi1>, %v: vector<8xi32>) {
  // expected-error@below {{condition must be i1 or vector<8xi1>, not vector<4xi1>}}
  %0 = arith.select %c, %v, %v : vector<4xi1>, vector<8xi32>
  return
}
// -----
func.func @f(%a: i32) {
  // expected-error@below {{the result must be wider than the operand: i32 to i8}}
  %0 = arith.extui %a : i32 to i8
  return
}
// -----
func.func @f(%a: i32) {
  // expected-error@below {{casts between index and integers, not i32 to i8}}
  %0 = arith.index_castui %a : i32 to i8
  return
}
// -----
func.func @f(%v: vector<8xi32>) {
  // expected-error@below {{cannot cast vector<8xi32> to vector<4xindex>: the shapes differ}}
  %0 = arith.index_cast %v : vector<8xi32> to vector<4xindex>
  return
}
// -----
func.func @f(%a: i32) {
  // expected-error@below {{vector<3xi32> has 3 elements, not 2}}
  %0 = vector.from_elements %a, %a : vector<3xi32>
  return
}
// -----
func.func @f(%v: vector<8xi32>) {
  // expected-error@below {{6..9 lies outside 0..7}}
  %0 = vector.extract_strided_slice %v {offsets = [6], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
  return
}
// -----
func.func @f(%m: memref<64xi32>, %ix: vector<8xi32>, %k: vector<8xi1>, %v: vector<8xi32>) {
  // expected-error@below {{memref<64xi32> needs 1 offsets, not 0}}
  %0 = vector.gather %m[] [%ix], %k, %v : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
  return
}
// -----
func.func @f(%v: vector<2x4xi32>) {
  // expected-error@below {{vector<2x4xi32> does not transpose to vector<2x4xi32>}}
  %0 = vector.transpose %v, [1, 0] : vector<2x4xi32> to vector<2x4xi32>
  return
}
// -----
// expected-error@+2 {{Shape mismatch in dense literal}}
memref.global @t : memref<3xi32> = dense<[1, 2]>
// -----
// expected-error@below {{type must have a static shape}}
memref.global "private" @t : memref<?xi32>
// -----
func.func @f(%m: memref<4xi32>) {
  // expected-error@below {{cannot cast memref<4xi32> to memref<5xi32>}}
  %0 = memref.cast %m : memref<4xi32> to memref<5xi32>
  return
}
// -----
func.func @f(%c: i1, %a: i32) {
  // expected-error@below {{values of 'scf.condition' must have the types of the results: (i32), not ()}}
  %0 = scf.while (%x = %a) : (i32) -> i32 {
    scf.condition(%c)
  } do {
  ^bb0(%y: i32):
    scf.yield %y : i32
  }
  return
}
// -----
func.func @f(%n: index) {
  // expected-error@below {{tensor<?xi32> needs 1 sizes, not 0}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %n : index
  } : tensor<?xi32>
  return
}
// -----
func.func @f(%a: tensor<8xi32>, %c: tensor<8xi32>) {
  // expected-error@below {{the body must yield one i32}}
  %0 = linalg.map ins(%a : tensor<8xi32>) outs(%c : tensor<8xi32>)
    (%x: i32) {
      %y = arith.cmpi eq, %x, %x : i32
      linalg.yield %y : i1
    }
  return
}
// -----
func.func @f(%a: tensor<8xi32>, %c: tensor<8xi32>) {
  // expected-error@below {{operation 'arith.nope' is not registered}}
  %0 = linalg.map { arith.nope } ins(%a : tensor<8xi32>) outs(%c : tensor<8xi32>)
  return
}
// -----
func.func @f(%c: i1, %a: i32) {
  // expected-error@below {{values of 'scf.yield' must have the types of the results: (i32), not ()}}
  %0 = scf.if %c -> (i32) {
    scf.yield
  } else {
    scf.yield %a : i32
  }
  return
}
// -----
func.func @f(%c: i1, %a: i32) {
  // expected-error@below {{'scf.if' op with results must have an else region}}
  %0 = scf.if %c -> (i32) {
    scf.yield %a : i32
  }
  return
}
// -----
func.func @f(%c: i1, %a: i32) {
  // expected-error@below {{must have the types of the results: (i32), not (i1)}}
  %0 = scf.execute_region -> i32 {
    cf.cond_br %c, ^x, ^y
  ^x:
    scf.yield %a : i32
  ^y:
    scf.yield %c : i1
  }
  return
}
// -----
func.func @f(%m: memref<4x5xi32>) {
  // expected-error@below {{(d0, d1) -> (d0, d0) does not permute the dimensions}}
  %0 = memref.transpose %m (i, j) -> (i, i) : memref<4x5xi32> to memref<4x4xi32>
  return
}
// -----
func.func @f(%m: memref<4x5xi32>) {
  // expected-error@below {{cannot transpose memref<4x5xi32> to memref<4x5xi32> by this permutation}}
  %0 = memref.transpose %m (i, j) -> (j, i) : memref<4x5xi32> to memref<4x5xi32>
  return
}
