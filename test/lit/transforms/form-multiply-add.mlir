// RUN: vliw-opt %s -p form-multiply-add,simplify --split-input-file | filecheck %s

// The two affine values of the hash stage do not need the one between them.

// CHECK-LABEL: @stage(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %0 = word.constant dense<33> : vector<8xi32>
// CHECK-NEXT:    %1 = word.constant dense<12> : vector<8xi32>
// CHECK-NEXT:    %d = word.multiply_add %x, %0, %1 : vector<8xi32>
// CHECK-NEXT:    %2 = word.constant dense<16896> : vector<8xi32>
// CHECK-NEXT:    %3 = word.constant dense<3584> : vector<8xi32>
// CHECK-NEXT:    %s = word.multiply_add %x, %2, %3 : vector<8xi32>
// CHECK-NEXT:    %r = word.xor %d, %s : vector<8xi32>
// CHECK-NEXT:    word.store %r, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @stage(%b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c33 = word.constant dense<33> : vector<8xi32>
  %c7 = word.constant dense<7> : vector<8xi32>
  %c5 = word.constant dense<5> : vector<8xi32>
  %c9 = word.constant dense<9> : vector<8xi32>
  %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %p = word.mul %x, %c33 : vector<8xi32>
  %h = word.add %p, %c7 : vector<8xi32>
  %d = word.add %h, %c5 : vector<8xi32>
  %s = word.shl %h, %c9 : vector<8xi32>
  %r = word.xor %d, %s : vector<8xi32>
  word.store %r, %b[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// A value that is needed anyway serves others better than the root.

// CHECK-LABEL: @needed(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %0 = word.constant dense<33> : vector<8xi32>
// CHECK-NEXT:    %1 = word.constant dense<7> : vector<8xi32>
// CHECK-NEXT:    %h = word.multiply_add %x, %0, %1 : vector<8xi32>
// CHECK-NEXT:    %2 = word.constant dense<10> : vector<8xi32>
// CHECK-NEXT:    %j = word.add %h, %2 : vector<8xi32>
// CHECK-NEXT:    word.store %h, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store %j, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @needed(%b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c33 = word.constant dense<33> : vector<8xi32>
  %c7 = word.constant dense<7> : vector<8xi32>
  %c5 = word.constant dense<5> : vector<8xi32>
  %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %p = word.mul %x, %c33 : vector<8xi32>
  %h = word.add %p, %c7 : vector<8xi32>
  %i = word.add %h, %c5 : vector<8xi32>
  %j = word.add %i, %c5 : vector<8xi32>
  word.store %h, %b[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %j, %b[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Sums of multiples of one root, and from constants; x^-1 is -x-1.

// CHECK-LABEL: @roots(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %0 = word.constant dense<10> : vector<8xi32>
// CHECK-NEXT:    %s = word.sub %0, %x : vector<8xi32>
// CHECK-NEXT:    word.store %s, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @roots(%b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %m1 = word.constant dense<-1> : vector<8xi32>
  %c7 = word.constant dense<7> : vector<8xi32>
  %c3 = word.constant dense<3> : vector<8xi32>
  %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %n = word.xor %x, %m1 : vector<8xi32>
  %p = word.mul %n, %c7 : vector<8xi32>
  %q = word.shl %x, %c3 : vector<8xi32>
  %r = word.add %p, %q : vector<8xi32>
  %s = word.sub %c3, %r : vector<8xi32>
  word.store %s, %b[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Products that sums alone use: of two values, shifted, subtracted.

// CHECK-LABEL: @products(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c8 = word.constant 8 : i32
// CHECK-NEXT:    %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %y = word.load %b[%c8] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %s = word.multiply_add %x, %y, %x : vector<8xi32>
// CHECK-NEXT:    %t = word.multiply_add %x, %y, %y : vector<8xi32>
// CHECK-NEXT:    word.store %s, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store %t, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    %0 = word.constant dense<-8> : vector<8xi32>
// CHECK-NEXT:    %u = word.multiply_add %x, %0, %y : vector<8xi32>
// CHECK-NEXT:    word.store %u, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    %w = word.mul %y, %y : vector<8xi32>
// CHECK-NEXT:    %z = word.multiply_add %x, %x, %w : vector<8xi32>
// CHECK-NEXT:    word.store %z, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @products(%b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c3 = word.constant dense<3> : vector<8xi32>
  %x = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %y = word.load %b[%c8] : !word.buffer<64> -> vector<8xi32>
  %p = word.mul %x, %y : vector<8xi32>
  %s = word.add %p, %x : vector<8xi32>
  %t = word.add %y, %p : vector<8xi32>
  word.store %s, %b[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %t, %b[%c0] : vector<8xi32>, !word.buffer<64>
  %q = word.shl %x, %c3 : vector<8xi32>
  %u = word.sub %y, %q : vector<8xi32>
  word.store %u, %b[%c0] : vector<8xi32>, !word.buffer<64>
  // The other product is a sum's operand then.
  %v = word.mul %x, %x : vector<8xi32>
  %w = word.mul %y, %y : vector<8xi32>
  %z = word.add %v, %w : vector<8xi32>
  word.store %z, %b[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Not for words, which the machine has no multiply-add for, and not where a product stays.

// CHECK-LABEL: @missed(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c8 = word.constant 8 : i32
// CHECK-NEXT:    %p = word.mul %x, %x : i32
// CHECK-NEXT:    %s = word.add %p, %c8 : i32
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<64>
// CHECK-NEXT:    %v = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    %q = word.mul %v, %v : vector<8xi32>
// CHECK-NEXT:    %t = word.add %q, %v : vector<8xi32>
// CHECK-NEXT:    word.store %q, %b[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store %t, %b[%c8] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @missed(%x: i32, %b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %p = word.mul %x, %x : i32
  %s = word.add %p, %c8 : i32
  word.store %s, %b[%c0] : i32, !word.buffer<64>
  %v = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %q = word.mul %v, %v : vector<8xi32>
  %t = word.add %q, %v : vector<8xi32>
  word.store %q, %b[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %t, %b[%c8] : vector<8xi32>, !word.buffer<64>
  func.return
}
