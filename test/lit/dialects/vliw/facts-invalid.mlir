// RUN: vliw-opt %s -p convert-word-to-vliw --split-input-file --verify-diagnostics

// Types that the interface of a kernel does not know

// expected-error@+1 {{argument 1: i64 is not supported; only integers of 1, 8, 16 or 32 bits are}}
vliw.program @scalar : (i32, i64) -> () {
}

// -----

// expected-error@+1 {{argument 0: memref<4xf32> is not supported; only integers of 1, 8, 16 or 32 bits are}}
vliw.program @element : (memref<4xf32>) -> () {
}

// -----

// expected-error@+1 {{argument 0: vector<8xi32> is not supported; pass vectors through memory}}
vliw.program @vector : (vector<8xi32>) -> () {
}

// -----

// expected-error@+1 {{result 0: memref<4xi32> is not supported; results are integers or tensors of them}}
vliw.program @memref_result : () -> memref<4xi32> {
}

// -----

// expected-error@+1 {{result 1: f32 is not supported; results are integers or tensors of them}}
vliw.program @float_result : () -> (i32, f32) {
}

// -----

// expected-error@+1 {{result 0: tensor<?xi32> needs a static shape}}
vliw.program @dynamic_result : () -> tensor<?xi32> {
}

// -----

// Facts

// expected-error@+1 {{argument 0: unknown attribute 'vliw.rang' (known: vliw.value, vliw.range, vliw.address)}}
vliw.program @misspelt : (i32) -> () args [{vliw.rang = array<i32: 0, 1>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.value must be an integer like 16 : i32, not "16"}}
vliw.program @value_text : (i32) -> () args [{vliw.value = "16"}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.value must be an integer like 16 : i32, not 16 : i64}}
vliw.program @value_width : (i32) -> () args [{vliw.value = 16 : i64}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.value is for scalars, not memref<4xi32>}}
vliw.program @value_of_memref : (memref<4xi32>) -> () args [{vliw.value = 16 : i32}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.value: 256 does not fit in 8 bits}}
vliw.program @narrow_value : (i8) -> () args [{vliw.value = 256 : i32}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.range must be like array<i32: 0, 9>, not [0 : i64, 9 : i64]}}
vliw.program @range_list : (i32) -> () args [{vliw.range = [0, 9]}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.range must be like array<i32: 0, 9>, not array<i32: 0, 9, 10>}}
vliw.program @range_length : (i32) -> () args [{vliw.range = array<i32: 0, 9, 10>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.range must be like array<i32: 0, 9>, not array<i64: 0, 9>}}
vliw.program @range_width : (i32) -> () args [{vliw.range = array<i64: 0, 9>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.range is empty: 4294967295 > 9 (bounds are unsigned)}}
vliw.program @empty_range : (i32) -> () args [{vliw.range = array<i32: -1, 9>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.range: 256 does not fit in 8 bits}}
vliw.program @narrow_range : (memref<4xi8>) -> () args [{vliw.range = array<i32: 0, 256>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.value = 10 lies outside vliw.range = 0..9}}
vliw.program @value_outside_range : (i32) -> () args [{vliw.value = 10 : i32, vliw.range = array<i32: 0, 9>}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.address is for memrefs, not i32}}
vliw.program @address_of_scalar : (i32) -> () args [{vliw.address = 16 : i32}] {
}

// -----

// expected-error@+1 {{argument 0: vliw.address is for memrefs, not tensor<4xi32>}}
vliw.program @address_of_tensor : (tensor<4xi32>) -> () args [{vliw.address = 16 : i32}] {
}

// -----

// Of functions

// expected-error@+1 {{argument 1: unknown attribute 'vliw.constant'}}
func.func @kernel(%x: i32, %y: i32 {vliw.constant = 1 : i32}) {
  func.return
}

// -----

// expected-error@+1 {{vliw.signature must be a function type}}
func.func @signature() attributes {vliw.signature = i32} {
  func.return
}

// -----

// expected-error@+1 {{argument 0: !word.buffer<4> is not supported}}
func.func @no_signature(%a: !word.buffer<4>) {
  func.return
}

// -----

// Of modules

// expected-error@+1 {{unknown attribute 'vliw.machine' of a module (known: vliw.target)}}
builtin.module attributes {vliw.machine = {vlen = 4}} {
  func.func @kernel() {
    func.return
  }
}
