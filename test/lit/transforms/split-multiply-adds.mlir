// RUN: vliw-opt %s -p split-multiply-adds --split-input-file | filecheck %s

// Of eight multiply-adds and nothing else, one is done on the lanes.

// CHECK-LABEL: @few
// CHECK-COUNT-7: word.multiply_add
// CHECK-NOT:     word.multiply_add
// CHECK:         [[P:%\S+]] = word.mul {{%\S+}}, %w : vector<8xi32>
// CHECK-NEXT:    word.add [[P]], %v : vector<8xi32>
// CHECK-NOT:     word.multiply_add
func.func @few(%v: vector<8xi32>, %w: vector<8xi32>) -> vector<8xi32> {
  %0 = word.multiply_add %v, %w, %v : vector<8xi32>
  %1 = word.multiply_add %0, %w, %v : vector<8xi32>
  %2 = word.multiply_add %1, %w, %v : vector<8xi32>
  %3 = word.multiply_add %2, %w, %v : vector<8xi32>
  %4 = word.multiply_add %3, %w, %v : vector<8xi32>
  %5 = word.multiply_add %4, %w, %v : vector<8xi32>
  %6 = word.multiply_add %5, %w, %v : vector<8xi32>
  %7 = word.multiply_add %6, %w, %v : vector<8xi32>
  func.return %7 : vector<8xi32>
}

// -----

// Loads bind, or the lanes have other work: all stay.

// CHECK-LABEL: @stay
// CHECK-NOT:     word.mul {{.*}} vector
// CHECK:         word.multiply_add
// CHECK-NOT:     word.mul {{.*}} vector
// CHECK:         scf.for
// CHECK-NOT:     word.mul {{.*}} vector
// CHECK:         word.multiply_add
// CHECK-NOT:     word.mul {{.*}} vector
// CHECK:         func.return
func.func @stay(%a: !word.buffer<?>, %o: vector<8xi32>, %n: i32) {
  %v = word.gather %a[%o] : !word.buffer<?> -> vector<8xi32>
  %0 = word.multiply_add %v, %v, %v : vector<8xi32>
  word.store %0, %a[%n] : vector<8xi32>, !word.buffer<?>
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %1 = word.multiply_add %o, %o, %v : vector<8xi32>
    %2 = word.xor %1, %o : vector<8xi32>
    %3 = word.xor %1, %v : vector<8xi32>
    %4 = word.and %2, %3 : vector<8xi32>
    %5 = word.shl %4, %3 : vector<8xi32>
    word.store %5, %a[%i] : vector<8xi32>, !word.buffer<?>
  }
  func.return
}

// -----

// Words have their own engines: a machine with an instruction for them is not asked.

// CHECK-LABEL: @words
// CHECK:         word.multiply_add
// CHECK-NOT:     word.mul {{.*}} i32
func.func @words(%x: i32, %y: i32) -> i32 {
  %0 = word.multiply_add %x, %y, %x : i32
  func.return %0 : i32
}
