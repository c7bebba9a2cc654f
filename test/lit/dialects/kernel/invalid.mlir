// RUN: vliw-opt %s --split-input-file --verify-diagnostics

// Types

func.func @element_type(%a: tensor<4xi64>) {
  // expected-error@+1 {{Expected attribute i32 but got i64}}
  %0 = kernel.add %a, %a : tensor<4xi64>
  func.return
}

// -----

func.func @operands_differ(%a: tensor<4xi32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'kernel.add' op operand 'rhs' at position 1 does not verify}}
  %0 = "kernel.add"(%a, %b) : (tensor<4xi32>, tensor<8xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @words_are_no_tensors(%a: i32) {
  // expected-error@+1 {{i32 should be of base attribute tensor}}
  %0 = kernel.mul %a, %a : i32
  func.return
}

// -----

func.func @dynamic(%a: tensor<?xi32>) {
  // expected-error@+1 {{'kernel.xor' op expected a static shape, got tensor<?xi32>}}
  %0 = kernel.xor %a, %a : tensor<?xi32>
  func.return
}

// -----

func.func @dynamic_result(%x: i32) {
  // expected-error@+1 {{'kernel.splat' op expected a static shape, got tensor<2x?xi32>}}
  %0 = kernel.splat %x : tensor<2x?xi32>
  func.return
}

// -----

func.func @dynamic_source(%a: tensor<?xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.extract' op expected a static shape, got tensor<?xi32>}}
  %0 = kernel.extract %a[%x] : tensor<?xi32>
  func.return
}

// -----

func.func @constant_shape() {
  // expected-error@+1 {{'kernel.constant' op}}
  %0 = "kernel.constant"() <{value = dense<1> : tensor<4xi32>}> : () -> tensor<8xi32>
  func.return
}

// -----

func.func @iota_dimension() {
  // expected-error@+1 {{'kernel.iota' op dimension 2 of a tensor of rank 2}}
  %0 = kernel.iota 2 : tensor<2x3xi32>
  func.return
}

// -----

func.func @iota_of_a_word() {
  // expected-error@+1 {{'kernel.iota' op dimension 0 of a tensor of rank 0}}
  %0 = kernel.iota 0 : tensor<i32>
  func.return
}

// -----

// Shapes

func.func @broadcast_too_few(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{'kernel.broadcast' op expected one distinct result dimension per source dimension}}
  %0 = kernel.broadcast %a dims [0] : tensor<2x3xi32> to tensor<2x3xi32>
  func.return
}

// -----

func.func @broadcast_twice(%a: tensor<2x2xi32>) {
  // expected-error@+1 {{'kernel.broadcast' op expected one distinct result dimension per source dimension}}
  %0 = kernel.broadcast %a dims [1, 1] : tensor<2x2xi32> to tensor<2x2xi32>
  func.return
}

// -----

func.func @broadcast_size(%a: tensor<3xi32>) {
  // expected-error@+1 {{'kernel.broadcast' op source dimension 0 does not match result dimension 0}}
  %0 = kernel.broadcast %a dims [0] : tensor<3xi32> to tensor<2x3xi32>
  func.return
}

// -----

func.func @broadcast_beyond(%a: tensor<3xi32>) {
  // expected-error@+1 {{'kernel.broadcast' op source dimension 0 does not match result dimension 2}}
  %0 = kernel.broadcast %a dims [2] : tensor<3xi32> to tensor<2x3xi32>
  func.return
}

// -----

func.func @reshape_size(%a: tensor<2x3xi32>) {
  // expected-error@+1 {{'kernel.reshape' op tensor<2x3xi32> and tensor<5xi32> differ in size}}
  %0 = kernel.reshape %a : tensor<2x3xi32> to tensor<5xi32>
  func.return
}

// -----

// Reductions

func.func @reduce_twice(%a: tensor<2x3xi32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{'kernel.reduce' op expected distinct dimensions of the source}}
  %0 = kernel.reduce add, %a, %i dims [0, 0] : tensor<2x3xi32> to tensor<3xi32>
  func.return
}

// -----

func.func @reduce_beyond(%a: tensor<2x3xi32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{'kernel.reduce' op expected distinct dimensions of the source}}
  %0 = kernel.reduce add, %a, %i dims [2] : tensor<2x3xi32> to tensor<3xi32>
  func.return
}

// -----

func.func @reduce_shape(%a: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{'kernel.reduce' op reducing tensor<2x3xi32> does not give tensor<2xi32>}}
  %0 = kernel.reduce add, %a, %i dims [0] : tensor<2x3xi32> to tensor<2xi32>
  func.return
}

// -----

func.func @reduce_init(%a: tensor<2x3xi32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{'kernel.reduce' op result 'result' at position 0 does not verify}}
  %0 = "kernel.reduce"(%a, %i) <{kind = #kernel<reduction_kind add>, dims = array<i64: 0>}> : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<3xi32>
  func.return
}

// -----

func.func @reduce_kind(%a: tensor<3xi32>, %i: tensor<i32>) {
  // expected-error@+1 {{Expected `add`, `mul`, `and`, `or`, `xor`, `minu`, `maxu`, `mins`, or `maxs`}}
  %0 = kernel.reduce sub, %a, %i dims [0] : tensor<3xi32> to tensor<i32>
  func.return
}

// -----

// Elements

func.func @gather_indices(%a: tensor<2x3xi32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'kernel.gather' op 1 indices into a tensor of rank 2}}
  %0 = kernel.gather %a[%i] : tensor<2x3xi32>, tensor<4xi32>
  func.return
}

// -----

func.func @gather_shape(%a: tensor<2xi32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'kernel.gather' op result 'result' at position 0 does not verify}}
  %0 = "kernel.gather"(%a, %i) : (tensor<2xi32>, tensor<4xi32>) -> tensor<5xi32>
  func.return
}

// -----

func.func @scatter_indices(%a: tensor<2x3xi32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'kernel.scatter' op 3 indices into a tensor of rank 2}}
  %0 = kernel.scatter %i, %a[%i, %i, %i] : tensor<4xi32>, tensor<2x3xi32>
  func.return
}

// -----

func.func @scatter_result(%a: tensor<2xi32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{'kernel.scatter' op result 'result' at position 0 does not verify}}
  %0 = "kernel.scatter"(%i, %a, %i) : (tensor<4xi32>, tensor<2xi32>, tensor<4xi32>) -> tensor<3xi32>
  func.return
}

// -----

func.func @extract_indices(%a: tensor<2x3xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.extract' op 1 indices into a tensor of rank 2}}
  %0 = kernel.extract %a[%x] : tensor<2x3xi32>
  func.return
}

// -----

func.func @insert_indices(%a: tensor<2x3xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.insert' op 0 indices into a tensor of rank 2}}
  %0 = kernel.insert %x, %a[] : tensor<2x3xi32>
  func.return
}

// -----

// Slices

func.func @slice_offsets(%a: tensor<8x8xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.extract_slice' op expected one offset and stride per dimension, and equal ranks}}
  %0 = kernel.extract_slice %a[%x] strides [1, 1] : tensor<8x8xi32> to tensor<2x4xi32>
  func.return
}

// -----

func.func @slice_strides(%a: tensor<8xi32>, %p: tensor<2xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.insert_slice' op expected one offset and stride per dimension, and equal ranks}}
  %0 = kernel.insert_slice %p, %a[%x] strides [1, 1] : tensor<2xi32>, tensor<8xi32>
  func.return
}

// -----

func.func @slice_ranks(%a: tensor<8x8xi32>, %x: i32) {
  // expected-error@+1 {{'kernel.extract_slice' op expected one offset and stride per dimension, and equal ranks}}
  %0 = kernel.extract_slice %a[%x, %x] strides [1, 1] : tensor<8x8xi32> to tensor<8xi32>
  func.return
}
