// RUN: vliw-opt %s | filecheck %s
// RUN: vliw-opt %s --print-op-generic | vliw-opt | filecheck %s

// CHECK-LABEL: @binary_on_words
// CHECK-NEXT:    %0 = word.add %a, %b : i32
// CHECK-NEXT:    %1 = word.sub %a, %b : i32
// CHECK-NEXT:    %2 = word.mul %a, %b : i32
// CHECK-NEXT:    %3 = word.and %a, %b : i32
// CHECK-NEXT:    %4 = word.or %a, %b : i32
// CHECK-NEXT:    %5 = word.xor %a, %b : i32
// CHECK-NEXT:    %6 = word.shl %a, %b : i32
// CHECK-NEXT:    %7 = word.shru %a, %b : i32
// CHECK-NEXT:    %8 = word.shrs %a, %b : i32
// CHECK-NEXT:    %9 = word.rotl %a, %b : i32
// CHECK-NEXT:    %10 = word.rotr %a, %b : i32
// CHECK-NEXT:    %11 = word.divu %a, %b : i32
// CHECK-NEXT:    %12 = word.divs %a, %b : i32
// CHECK-NEXT:    %13 = word.ceildivu %a, %b : i32
// CHECK-NEXT:    %14 = word.ceildivs %a, %b : i32
// CHECK-NEXT:    %15 = word.floordivs %a, %b : i32
// CHECK-NEXT:    %16 = word.remu %a, %b : i32
// CHECK-NEXT:    %17 = word.rems %a, %b : i32
// CHECK-NEXT:    %18 = word.minu %a, %b : i32
// CHECK-NEXT:    %19 = word.maxu %a, %b : i32
// CHECK-NEXT:    %20 = word.mins %a, %b : i32
// CHECK-NEXT:    %21 = word.maxs %a, %b : i32
// CHECK-NEXT:    %22 = word.mulhu %a, %b : i32
// CHECK-NEXT:    %23 = word.mulhs %a, %b : i32
// CHECK-NEXT:    func.return
func.func @binary_on_words(%a: i32, %b: i32) {
  %0 = word.add %a, %b : i32
  %1 = word.sub %a, %b : i32
  %2 = word.mul %a, %b : i32
  %3 = word.and %a, %b : i32
  %4 = word.or %a, %b : i32
  %5 = word.xor %a, %b : i32
  %6 = word.shl %a, %b : i32
  %7 = word.shru %a, %b : i32
  %8 = word.shrs %a, %b : i32
  %9 = word.rotl %a, %b : i32
  %10 = word.rotr %a, %b : i32
  %11 = word.divu %a, %b : i32
  %12 = word.divs %a, %b : i32
  %13 = word.ceildivu %a, %b : i32
  %14 = word.ceildivs %a, %b : i32
  %15 = word.floordivs %a, %b : i32
  %16 = word.remu %a, %b : i32
  %17 = word.rems %a, %b : i32
  %18 = word.minu %a, %b : i32
  %19 = word.maxu %a, %b : i32
  %20 = word.mins %a, %b : i32
  %21 = word.maxs %a, %b : i32
  %22 = word.mulhu %a, %b : i32
  %23 = word.mulhs %a, %b : i32
  func.return
}

// CHECK-LABEL: @binary_on_vectors
// CHECK-NEXT:    %0 = word.add %a, %b : vector<3xi32>
// CHECK-NEXT:    %1 = word.sub %a, %b : vector<3xi32>
// CHECK-NEXT:    %2 = word.mul %a, %b : vector<3xi32>
// CHECK-NEXT:    %3 = word.and %a, %b : vector<3xi32>
// CHECK-NEXT:    %4 = word.or %a, %b : vector<3xi32>
// CHECK-NEXT:    %5 = word.xor %a, %b : vector<3xi32>
// CHECK-NEXT:    %6 = word.shl %a, %b : vector<3xi32>
// CHECK-NEXT:    %7 = word.shru %a, %b : vector<3xi32>
// CHECK-NEXT:    %8 = word.shrs %a, %b : vector<3xi32>
// CHECK-NEXT:    %9 = word.rotl %a, %b : vector<3xi32>
// CHECK-NEXT:    %10 = word.rotr %a, %b : vector<3xi32>
// CHECK-NEXT:    %11 = word.divu %a, %b : vector<3xi32>
// CHECK-NEXT:    %12 = word.divs %a, %b : vector<3xi32>
// CHECK-NEXT:    %13 = word.ceildivu %a, %b : vector<3xi32>
// CHECK-NEXT:    %14 = word.ceildivs %a, %b : vector<3xi32>
// CHECK-NEXT:    %15 = word.floordivs %a, %b : vector<3xi32>
// CHECK-NEXT:    %16 = word.remu %a, %b : vector<3xi32>
// CHECK-NEXT:    %17 = word.rems %a, %b : vector<3xi32>
// CHECK-NEXT:    %18 = word.minu %a, %b : vector<3xi32>
// CHECK-NEXT:    %19 = word.maxu %a, %b : vector<3xi32>
// CHECK-NEXT:    %20 = word.mins %a, %b : vector<3xi32>
// CHECK-NEXT:    %21 = word.maxs %a, %b : vector<3xi32>
// CHECK-NEXT:    %22 = word.mulhu %a, %b : vector<3xi32>
// CHECK-NEXT:    %23 = word.mulhs %a, %b : vector<3xi32>
// CHECK-NEXT:    func.return
func.func @binary_on_vectors(%a: vector<3xi32>, %b: vector<3xi32>) {
  %0 = word.add %a, %b : vector<3xi32>
  %1 = word.sub %a, %b : vector<3xi32>
  %2 = word.mul %a, %b : vector<3xi32>
  %3 = word.and %a, %b : vector<3xi32>
  %4 = word.or %a, %b : vector<3xi32>
  %5 = word.xor %a, %b : vector<3xi32>
  %6 = word.shl %a, %b : vector<3xi32>
  %7 = word.shru %a, %b : vector<3xi32>
  %8 = word.shrs %a, %b : vector<3xi32>
  %9 = word.rotl %a, %b : vector<3xi32>
  %10 = word.rotr %a, %b : vector<3xi32>
  %11 = word.divu %a, %b : vector<3xi32>
  %12 = word.divs %a, %b : vector<3xi32>
  %13 = word.ceildivu %a, %b : vector<3xi32>
  %14 = word.ceildivs %a, %b : vector<3xi32>
  %15 = word.floordivs %a, %b : vector<3xi32>
  %16 = word.remu %a, %b : vector<3xi32>
  %17 = word.rems %a, %b : vector<3xi32>
  %18 = word.minu %a, %b : vector<3xi32>
  %19 = word.maxu %a, %b : vector<3xi32>
  %20 = word.mins %a, %b : vector<3xi32>
  %21 = word.maxs %a, %b : vector<3xi32>
  %22 = word.mulhu %a, %b : vector<3xi32>
  %23 = word.mulhs %a, %b : vector<3xi32>
  func.return
}

// CHECK-LABEL: @comparisons
// CHECK-NEXT:    %0 = word.cmp eq, %a, %b : i32
// CHECK-NEXT:    %1 = word.cmp ne, %a, %b : i32
// CHECK-NEXT:    %2 = word.cmp ult, %a, %b : i32
// CHECK-NEXT:    %3 = word.cmp ule, %a, %b : i32
// CHECK-NEXT:    %4 = word.cmp ugt, %a, %b : i32
// CHECK-NEXT:    %5 = word.cmp uge, %a, %b : i32
// CHECK-NEXT:    %6 = word.cmp slt, %a, %b : i32
// CHECK-NEXT:    %7 = word.cmp sle, %a, %b : i32
// CHECK-NEXT:    %8 = word.cmp sgt, %a, %b : i32
// CHECK-NEXT:    %9 = word.cmp sge, %a, %b : i32
// CHECK-NEXT:    %10 = word.cmp ult, %v, %v : vector<8xi32>
// CHECK-NEXT:    func.return
func.func @comparisons(%a: i32, %b: i32, %v: vector<8xi32>) {
  %0 = word.cmp eq, %a, %b : i32
  %1 = word.cmp ne, %a, %b : i32
  %2 = word.cmp ult, %a, %b : i32
  %3 = word.cmp ule, %a, %b : i32
  %4 = word.cmp ugt, %a, %b : i32
  %5 = word.cmp uge, %a, %b : i32
  %6 = word.cmp slt, %a, %b : i32
  %7 = word.cmp sle, %a, %b : i32
  %8 = word.cmp sgt, %a, %b : i32
  %9 = word.cmp sge, %a, %b : i32
  %10 = word.cmp ult, %v, %v : vector<8xi32>
  func.return
}

// CHECK-LABEL: @ternary
// CHECK-NEXT:    %0 = word.select %c, %a, %b : i32
// CHECK-NEXT:    %1 = word.select %v, %v, %v : vector<8xi32>
// CHECK-NEXT:    %2 = word.multiply_add %a, %b, %c : i32
// CHECK-NEXT:    %3 = word.multiply_add %v, %v, %v : vector<8xi32>
// CHECK-NEXT:    %d = word.select_by_difference %v, %v, %v, %v : vector<8xi32>
// CHECK-NEXT:    func.return
func.func @ternary(%c: i32, %a: i32, %b: i32, %v: vector<8xi32>) {
  %0 = word.select %c, %a, %b : i32
  %1 = word.select %v, %v, %v : vector<8xi32>
  %2 = word.multiply_add %a, %b, %c : i32
  %3 = word.multiply_add %v, %v, %v : vector<8xi32>
  %d = word.select_by_difference %v, %v, %v, %v : vector<8xi32>
  func.return
}

// CHECK-LABEL: @constants
// CHECK-NEXT:    %0 = word.constant 42 : i32
// CHECK-NEXT:    %1 = word.constant -1 : i32
// CHECK-NEXT:    %2 = word.constant dense<[0, 1, -2147483648]> : vector<3xi32>
// CHECK-NEXT:    %3 = word.constant dense<7> : vector<8xi32>
// CHECK-NEXT:    func.return
func.func @constants() {
  %0 = word.constant 42 : i32
  %1 = word.constant -1 : i32
  %2 = word.constant dense<[0, 1, -2147483648]> : vector<3xi32>
  %3 = word.constant dense<7> : vector<8xi32>
  func.return
}

// CHECK-LABEL: @lanes
// CHECK-NEXT:    %0 = word.broadcast %x : vector<8xi32>
// CHECK-NEXT:    %1 = word.from_elements %x, %x, %x : vector<3xi32>
// CHECK-NEXT:    %2 = word.extract %v[7] : vector<8xi32>
// CHECK-NEXT:    %3 = word.insert %x, %v[0] : vector<8xi32>
// CHECK-NEXT:    %4 = word.test %x
// CHECK-NEXT:    %5 = word.concat %v, %x, %1 : vector<8xi32>, i32, vector<3xi32> -> vector<12xi32>
// CHECK-NEXT:    %6 = word.slice %5[3] : vector<12xi32> -> vector<8xi32>
// CHECK-NEXT:    func.return
func.func @lanes(%x: i32, %v: vector<8xi32>) {
  %0 = word.broadcast %x : vector<8xi32>
  %1 = word.from_elements %x, %x, %x : vector<3xi32>
  %2 = word.extract %v[7] : vector<8xi32>
  %3 = word.insert %x, %v[0] : vector<8xi32>
  %4 = word.test %x
  %5 = word.concat %v, %x, %1 : vector<8xi32>, i32, vector<3xi32> -> vector<12xi32>
  %6 = word.slice %5[3] : vector<12xi32> -> vector<8xi32>
  func.return
}

// CHECK-LABEL: @buffers
// CHECK-NEXT:    %0 = word.alloc : !word.buffer<16>
// CHECK-NEXT:    %1 = word.alloc init dense<[1, 2, 3]> : vector<3xi32> : !word.buffer<3>
// CHECK-NEXT:    %2 = word.address %b : !word.buffer<64>
// CHECK-NEXT:    %3 = word.subbuffer %b[%i] : !word.buffer<64> to !word.buffer<8>
// CHECK-NEXT:    %4 = word.subbuffer %d[%i] : !word.buffer<?> to !word.buffer<?>
// CHECK-NEXT:    func.return
func.func @buffers(%b: !word.buffer<64>, %d: !word.buffer<?>, %i: i32) {
  %0 = word.alloc : !word.buffer<16>
  %1 = word.alloc init dense<[1, 2, 3]> : vector<3xi32> : !word.buffer<3>
  %2 = word.address %b : !word.buffer<64>
  %3 = word.subbuffer %b[%i] : !word.buffer<64> to !word.buffer<8>
  %4 = word.subbuffer %d[%i] : !word.buffer<?> to !word.buffer<?>
  func.return
}

// CHECK-LABEL: @accesses
// CHECK-NEXT:    %0 = word.load %b[%i] : !word.buffer<64> -> i32
// CHECK-NEXT:    %1 = word.load %b[%i] : !word.buffer<64> -> vector<3xi32>
// CHECK-NEXT:    %2 = word.load %b[%i] absolute : !word.buffer<64> -> i32
// CHECK-NEXT:    word.store %i, %b[%i] : i32, !word.buffer<64>
// CHECK-NEXT:    word.store %v, %b[%i] absolute : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    %3 = word.gather %b[%v] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %4 = word.gather %b[%v] absolute : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    word.scatter %v, %b[%v] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.scatter %v, %b[%v] absolute : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @accesses(%b: !word.buffer<64>, %i: i32, %v: vector<8xi32>) {
  %0 = word.load %b[%i] : !word.buffer<64> -> i32
  %1 = word.load %b[%i] : !word.buffer<64> -> vector<3xi32>
  %2 = word.load %b[%i] absolute : !word.buffer<64> -> i32
  word.store %i, %b[%i] : i32, !word.buffer<64>
  word.store %v, %b[%i] absolute : vector<8xi32>, !word.buffer<64>
  %3 = word.gather %b[%v] : !word.buffer<64> -> vector<8xi32>
  %4 = word.gather %b[%v] absolute : !word.buffer<64> -> vector<8xi32>
  word.scatter %v, %b[%v] : vector<8xi32>, !word.buffer<64>
  word.scatter %v, %b[%v] absolute : vector<8xi32>, !word.buffer<64>
  func.return
}

// CHECK-LABEL: @machine
// CHECK-NEXT:    word.trace_write %x
// CHECK-NEXT:    word.pause
// CHECK-NEXT:    %0 = word.core_id
// CHECK-NEXT:    word.compare %x, ["key"] : i32
// CHECK-NEXT:    word.compare %v, ["a", "b"] : vector<2xi32>
// CHECK-NEXT:    func.return
func.func @machine(%x: i32, %v: vector<2xi32>) {
  word.trace_write %x
  word.pause
  %0 = word.core_id
  word.compare %x, ["key"] : i32
  word.compare %v, ["a", "b"] : vector<2xi32>
  func.return
}

// Attributes beside an op's own stay.

// CHECK-LABEL: @attributes
// CHECK-NEXT:    %0 = word.add %x, %x {note = 1 : i64} : i32
// CHECK-NEXT:    %1 = word.load %b[%x] absolute {note = 2 : i64} : !word.buffer<8> -> i32
func.func @attributes(%x: i32, %b: !word.buffer<8>) {
  %0 = word.add %x, %x {note = 1 : i64} : i32
  %1 = word.load %b[%x] absolute {note = 2 : i64} : !word.buffer<8> -> i32
  func.return
}
