// RUN: vliw-opt %s -p simplify --split-input-file | filecheck %s

// Sums and products: constants combine, multiples of one value are one product.

// CHECK-LABEL: @arithmetic(
// CHECK-NEXT:    %0 = word.constant -17 : i32
// CHECK-NEXT:    %1 = word.constant 4097 : i32
// CHECK-NEXT:    %2 = word.constant 60 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %x17 = word.add %x, %0 : i32
// CHECK-NEXT:    word.store %x17, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %sum = word.mul %y, %1 : i32
// CHECK-NEXT:    word.store %sum, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    %q = word.mul %x, %2 : i32
// CHECK-NEXT:    word.store %q, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %m = word.sub %y, %x : i32
// CHECK-NEXT:    word.store %m, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @arithmetic(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %c12 = word.constant 12 : i32
  %x5 = word.sub %x, %c5 : i32
  %x17 = word.sub %x5, %c12 : i32
  word.store %x17, %b[%c0] : i32, !word.buffer<16>
  %shifted = word.shl %y, %c12 : i32
  %sum = word.add %y, %shifted : i32
  word.store %sum, %b[%c1] : i32, !word.buffer<16>
  %p = word.mul %x, %c12 : i32
  %q = word.mul %c5, %p : i32
  word.store %q, %b[%c0] : i32, !word.buffer<16>
  %n = word.sub %c0, %x : i32
  %m = word.add %y, %n : i32
  word.store %m, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Two operations do not replace two when one of them is needed anyway.

// CHECK-LABEL: @used_elsewhere(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c5 = word.constant 5 : i32
// CHECK-NEXT:    %x1 = word.add %x, %c1 : i32
// CHECK-NEXT:    %p = word.mul %x1, %c5 : i32
// CHECK-NEXT:    word.store %x1, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %p, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @used_elsewhere(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %x1 = word.add %x, %c1 : i32
  %p = word.mul %x1, %c5 : i32
  word.store %x1, %b[%c0] : i32, !word.buffer<16>
  word.store %p, %b[%c1] : i32, !word.buffer<16>
  func.return
}

// -----

// Divisions by powers of two are shifts and masks; what keeps a trap stays.

// CHECK-LABEL: @divisions(
// CHECK-NEXT:    %0 = word.constant 3 : i32
// CHECK-NEXT:    %1 = word.constant 7 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %q = word.shru %x, %0 : i32
// CHECK-NEXT:    %r = word.and %x, %1 : i32
// CHECK-NEXT:    %t = word.divu %y, %y : i32
// CHECK-NEXT:    word.store %q, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %c0, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %t, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @divisions(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %q = word.divu %x, %c8 : i32
  %r = word.remu %x, %c8 : i32
  %s = word.rems %x, %c1 : i32
  %t = word.divu %y, %y : i32
  word.store %q, %b[%c0] : i32, !word.buffer<16>
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  word.store %s, %b[%c0] : i32, !word.buffer<16>
  word.store %t, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Bits that cannot be set: superfluous masks, sums instead of disjoint ors.

// CHECK-LABEL: @bits(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c8 = word.constant 8 : i32
// CHECK-NEXT:    %c255 = word.constant 255 : i32
// CHECK-NEXT:    %low = word.and %x, %c255 : i32
// CHECK-NEXT:    %high = word.shl %y, %c8 : i32
// CHECK-NEXT:    %both = word.add %low, %high : i32
// CHECK-NEXT:    word.store %both, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %sum = word.add %both, %low : i32
// CHECK-NEXT:    %masked = word.and %sum, %c255 : i32
// CHECK-NEXT:    word.store %masked, %b[%c8] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %c0, %b[%c8] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @bits(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c255 = word.constant 255 : i32
  %low = word.and %x, %c255 : i32
  %again = word.and %low, %c255 : i32
  %high = word.shl %y, %c8 : i32
  %both = word.or %again, %high : i32
  word.store %both, %b[%c0] : i32, !word.buffer<16>
  %sum = word.add %both, %low : i32
  %masked = word.and %sum, %c255 : i32
  word.store %masked, %b[%c8] : i32, !word.buffer<16>
  %d = word.cmp ult, %c255, %low : i32
  word.store %d, %b[%c8] : i32, !word.buffer<16>
  func.return
}

// -----

// Two predicates are enough; booleans need no comparison.

// CHECK-LABEL: @comparisons(
// CHECK-NEXT:    %0 = word.constant 2 : i32
// CHECK-NEXT:    %1 = word.constant 1 : i32
// CHECK-NEXT:    %2 = word.constant 6 : i32
// CHECK-NEXT:    %3 = word.constant 31 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %e = word.cmp eq, %x, %0 : i32
// CHECK-NEXT:    %g = word.cmp ult, %2, %x : i32
// CHECK-NEXT:    %4 = word.shru %y, %3 : i32
// CHECK-NEXT:    %h = word.xor %4, %1 : i32
// CHECK-NEXT:    %5 = word.cmp ult, %y, %x : i32
// CHECK-NEXT:    %i = word.xor %5, %1 : i32
// CHECK-NEXT:    word.store %e, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %g, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %h, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %i, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @comparisons(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c5 = word.constant 5 : i32
  %c7 = word.constant 7 : i32
  %x5 = word.add %x, %c5 : i32
  %e = word.cmp eq, %x5, %c7 : i32
  %f = word.cmp ne, %e, %c0 : i32
  %g = word.cmp uge, %x, %c7 : i32
  %h = word.cmp sge, %y, %c0 : i32
  %i = word.cmp ule, %x, %y : i32
  word.store %f, %b[%c0] : i32, !word.buffer<16>
  word.store %g, %b[%c0] : i32, !word.buffer<16>
  word.store %h, %b[%c0] : i32, !word.buffer<16>
  word.store %i, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Selections that are arithmetic on a boolean, and one that is not.

// CHECK-LABEL: @selections(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c2 = word.constant 2 : i32
// CHECK-NEXT:    %less = word.cmp ult, %x, %y : i32
// CHECK-NEXT:    %one_or_two = word.sub %c2, %less : i32
// CHECK-NEXT:    word.store %one_or_two, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %x_or_zero = word.mul %less, %x : i32
// CHECK-NEXT:    word.store %x_or_zero, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %swapped = word.select %less, %y, %x : i32
// CHECK-NEXT:    word.store %swapped, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %0 = word.mul %less, %y : i32
// CHECK-NEXT:    %maybe = word.add %x, %0 : i32
// CHECK-NEXT:    word.store %maybe, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %word = word.select %x, %y, %c0 : i32
// CHECK-NEXT:    word.store %word, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @selections(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %less = word.cmp ult, %x, %y : i32
  %not = word.cmp uge, %x, %y : i32
  %one_or_two = word.select %less, %c1, %c2 : i32
  word.store %one_or_two, %b[%c0] : i32, !word.buffer<16>
  %x_or_zero = word.select %less, %x, %c0 : i32
  word.store %x_or_zero, %b[%c0] : i32, !word.buffer<16>
  %swapped = word.select %not, %x, %y : i32
  word.store %swapped, %b[%c0] : i32, !word.buffer<16>
  %sum = word.add %x, %y : i32
  %maybe = word.select %less, %sum, %x : i32
  word.store %maybe, %b[%c0] : i32, !word.buffer<16>
  %word = word.select %x, %y, %c0 : i32
  word.store %word, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Constants that differ among the lanes.

// CHECK-LABEL: @lanes(
// CHECK-NEXT:    %0 = word.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK-NEXT:    %1 = word.constant dense<[0, 0, 7, 0]> : vector<4xi32>
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %v = word.load %b[%c0] : !word.buffer<16> -> vector<4xi32>
// CHECK-NEXT:    %c = word.constant dense<[1, 2, 3, 8]> : vector<4xi32>
// CHECK-NEXT:    %p = word.shl %v, %0 : vector<4xi32>
// CHECK-NEXT:    %q = word.mul %v, %c : vector<4xi32>
// CHECK-NEXT:    %s = word.xor %q, %1 : vector<4xi32>
// CHECK-NEXT:    word.store %p, %b[%c0] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:    word.store %s, %b[%c0] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @lanes(%b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %v = word.load %b[%c0] : !word.buffer<16> -> vector<4xi32>
  %a = word.constant dense<[1, 2, 4, 8]> : vector<4xi32>
  %c = word.constant dense<[1, 2, 3, 8]> : vector<4xi32>
  %p = word.mul %v, %a : vector<4xi32>
  %q = word.mul %v, %c : vector<4xi32>
  %r = word.xor %q, %a : vector<4xi32>
  %s = word.xor %r, %c : vector<4xi32>
  word.store %p, %b[%c0] : vector<4xi32>, !word.buffer<16>
  word.store %s, %b[%c0] : vector<4xi32>, !word.buffer<16>
  func.return
}

// -----

// One truth and not the other is a comparison of the two.

// CHECK-LABEL: @and_not(
// CHECK-NEXT:    %c = word.cmp ult, %x, %y : i32
// CHECK-NEXT:    %0 = word.cmp eq, %x, %z : i32
// CHECK-NEXT:    %a = word.cmp ult, %0, %c : i32
// CHECK-NEXT:    %1 = word.cmp eq, %y, %z : i32
// CHECK-NEXT:    %p = word.cmp ult, %1, %c : i32
// CHECK-NEXT:    func.return %a, %p : i32, i32
func.func @and_not(%x: i32, %y: i32, %z: i32) -> (i32, i32) {
  %c = word.cmp ult, %x, %y : i32
  %e = word.cmp ne, %x, %z : i32
  %a = word.and %c, %e : i32
  %d = word.cmp ne, %y, %z : i32
  %p = word.mul %d, %c : i32
  func.return %a, %p : i32, i32
}
