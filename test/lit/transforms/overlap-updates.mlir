// RUN: vliw-opt %s -p 'overlap-updates{delay=1}' --split-input-file | filecheck %s
// RUN: vliw-opt %s -p overlap-updates --split-input-file | filecheck %s --check-prefix=COST

// The second update takes what the first one adds, if it is to the same word.

// CHECK-LABEL: @sums
// CHECK:      %old = word.load %t[%i]
// CHECK-NEXT: %new = word.add %old, %n : i32
// CHECK-NEXT: %old_1 = word.load %t[%j]
// CHECK-NEXT: %[[SAME:.*]] = word.cmp eq, %j, %i : i32
// CHECK-NEXT: %[[ADDED:.*]] = word.mul %[[SAME]], %n : i32
// CHECK-NEXT: %[[BOTH:.*]] = word.add %c1, %[[ADDED]] : i32
// CHECK-NEXT: word.store %new, %t[%i]
// CHECK-NEXT: %new_1 = word.add %old_1, %[[BOTH]] : i32
// CHECK-NEXT: word.store %new_1, %t[%j]

func.func @sums(%n: i32, %i: i32, %j: i32, %t: !word.buffer<8>) attributes {vliw.signature = (i32, i32, i32, memref<8xi32>) -> ()} {
  %c1 = word.constant 1 : i32
  %old = word.load %t[%i] : !word.buffer<8> -> i32
  %new = word.add %old, %n : i32
  word.store %new, %t[%i] : i32, !word.buffer<8>
  %old_1 = word.load %t[%j] : !word.buffer<8> -> i32
  %new_1 = word.add %old_1, %c1 : i32
  word.store %new_1, %t[%j] : i32, !word.buffer<8>
  func.return
}

// -----

// Where the neutral element is not 0 it is selected. What else uses the loaded word gets what
// would have been there.

// CHECK-LABEL: @minima
// CHECK:      %old_1 = word.load %t[%j]
// CHECK-NEXT: %[[SAME:.*]] = word.cmp eq, %j, %i : i32
// CHECK-NEXT: %[[MOST:.*]] = word.constant -1 : i32
// CHECK-NEXT: %[[OTHER:.*]] = word.select %[[SAME]], %n, %[[MOST]] : i32
// CHECK-NEXT: %[[THERE:.*]] = word.minu %old_1, %[[OTHER]] : i32
// CHECK-NEXT: word.store %{{.*}}, %t[%i]
// CHECK-NEXT: %new_1 = word.minu %[[THERE]], %n : i32
// CHECK-NEXT: word.store %new_1, %t[%j]
// CHECK-NEXT: word.store %[[THERE]], %u[%i]
func.func @minima(%n: i32, %i: i32, %j: i32, %t: !word.buffer<8>, %u: !word.buffer<8>) attributes {vliw.signature = (i32, i32, i32, memref<8xi32>, memref<8xi32>) -> ()} {
  %old = word.load %t[%i] : !word.buffer<8> -> i32
  %new = word.minu %old, %n : i32
  word.store %new, %t[%i] : i32, !word.buffer<8>
  %old_1 = word.load %t[%j] : !word.buffer<8> -> i32
  %new_1 = word.minu %old_1, %n : i32
  word.store %new_1, %t[%j] : i32, !word.buffer<8>
  word.store %old_1, %u[%i] : i32, !word.buffer<8>
  func.return
}

// -----

// Different functions; another access in between; an update of another word than was loaded.

// CHECK-LABEL: @misses
// CHECK-NOT:   word.cmp
// CHECK:       func.return
func.func @misses(%n: i32, %i: i32, %j: i32, %t: !word.buffer<8>) attributes {vliw.signature = (i32, i32, i32, memref<8xi32>) -> ()} {
  %old = word.load %t[%i] : !word.buffer<8> -> i32
  %new = word.add %old, %n : i32
  word.store %new, %t[%i] : i32, !word.buffer<8>
  %old_1 = word.load %t[%j] : !word.buffer<8> -> i32
  %new_1 = word.xor %old_1, %n : i32
  word.store %new_1, %t[%j] : i32, !word.buffer<8>
  word.store %n, %t[%n] : i32, !word.buffer<8>
  %old_2 = word.load %t[%i] : !word.buffer<8> -> i32
  %new_2 = word.xor %old_2, %n : i32
  word.store %new_2, %t[%i] : i32, !word.buffer<8>
  %old_3 = word.load %t[%i] : !word.buffer<8> -> i32
  %new_3 = word.xor %old_3, %n : i32
  word.store %new_3, %t[%j] : i32, !word.buffer<8>
  func.return
}

// -----

// A long chain: four updates, of words of which nothing is known.

// COST-LABEL: @chain
// COST-COUNT-3: word.load %t
// COST:         word.store %{{.*}}, %t[%i]
// COST-NEXT:    word.add
// COST:         word.load %t
func.func @chain(%i: i32, %j: i32, %k: i32, %l: i32, %t: !word.buffer<8>) attributes {vliw.signature = (i32, i32, i32, i32, memref<8xi32>) -> ()} {
  %c1 = word.constant 1 : i32
  %old = word.load %t[%i] : !word.buffer<8> -> i32
  %new = word.add %old, %c1 : i32
  word.store %new, %t[%i] : i32, !word.buffer<8>
  %old_1 = word.load %t[%j] : !word.buffer<8> -> i32
  %new_1 = word.add %old_1, %c1 : i32
  word.store %new_1, %t[%j] : i32, !word.buffer<8>
  %old_2 = word.load %t[%k] : !word.buffer<8> -> i32
  %new_2 = word.add %old_2, %c1 : i32
  word.store %new_2, %t[%k] : i32, !word.buffer<8>
  %old_3 = word.load %t[%l] : !word.buffer<8> -> i32
  %new_3 = word.add %old_3, %c1 : i32
  word.store %new_3, %t[%l] : i32, !word.buffer<8>
  func.return
}
