// RUN: vliw-opt %s -p vectorize-loops --split-input-file | filecheck %s

// Consecutive words become vector accesses; what all iterations share is spread; what is left
// after whole groups of eight stays a loop, as doing an iteration again would change the words
// again.

// CHECK-LABEL: @scale
// CHECK:         %[[END:.*]] = word.constant 16 : i32
// CHECK:         scf.for %{{.*}} to %[[END]] step %{{.*}} : i32 {
// CHECK-NEXT:      %[[V:.*]] = word.load %x[%{{.*}}] : !word.buffer<20> -> vector<8xi32>
// CHECK-NEXT:      %[[A:.*]] = word.broadcast %a : vector<8xi32>
// CHECK-NEXT:      %[[P:.*]] = word.mul %[[V]], %[[A]] : vector<8xi32>
// CHECK-NEXT:      word.store %[[P]], %x[%{{.*}}] : vector<8xi32>, !word.buffer<20>
// CHECK-NEXT:    } {vliw.widened}
// CHECK:         scf.for %{{.*}} = %[[END]] to
// CHECK-NEXT:      word.load {{.*}} -> i32
func.func @scale(%a: i32, %x: !word.buffer<20>) attributes {vliw.signature = (i32, memref<20xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c20 = word.constant 20 : i32
  scf.for %i = %c0 to %c20 step %c1 : i32 {
    %v = word.load %x[%i] : !word.buffer<20> -> i32
    %p = word.mul %v, %a : i32
    word.store %p, %x[%i] : i32, !word.buffer<20>
  }
  func.return
}

// -----

// An offset that depends on data is gathered; the outer loop is widened around the inner one.

// CHECK-LABEL: @walk
// CHECK:         scf.for %i = {{.*}} {
// CHECK-NEXT:      %[[FIRST:.*]] = word.load %x[%i] : !word.buffer<16> -> vector<8xi32>
// CHECK-NEXT:      scf.for {{.*}} iter_args(%[[AT:.*]] = %[[FIRST]]) -> (vector<8xi32>)
// CHECK-NEXT:        word.gather %x[%[[AT]]] : !word.buffer<16> -> vector<8xi32>
func.func @walk(%x: !word.buffer<16>, %y: !word.buffer<16>) attributes {vliw.signature = (memref<16xi32>, memref<16xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %c16 = word.constant 16 : i32
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %first = word.load %x[%i] : !word.buffer<16> -> i32
    %last = scf.for %j = %c0 to %c5 step %c1 iter_args(%at = %first) -> (i32) : i32 {
      %next = word.load %x[%at] : !word.buffer<16> -> i32
      scf.yield %next : i32
    }
    word.store %last, %y[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// A sum is kept per lane and added up after the loop; two vectors at a time, since a machine
// can load two.

// CHECK-LABEL: @sum
// CHECK:         %[[ZERO:.*]] = word.constant dense<0> : vector<8xi32>
// CHECK:         %[[A:.*]], %[[B:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]]) -> (vector<8xi32>, vector<8xi32>)
// CHECK:         %[[LANES:.*]] = word.add %[[A]], %[[B]] : vector<8xi32>
// CHECK:         word.extract %[[LANES]][0]
// CHECK:         word.extract %[[LANES]][7]
// CHECK-COUNT-8: word.add
// CHECK-NEXT:    func.return
func.func @sum(%s: i32, %x: !word.buffer<16>) -> i32 attributes {vliw.signature = (i32, memref<16xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c16 = word.constant 16 : i32
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%a = %s) -> (i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<16> -> i32
    %b = word.add %a, %v : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}

// -----

// The last vector is done for iterations again that were done before: of the sum, only the
// lanes count that are new.

// CHECK-LABEL: @left_over
// CHECK:         %[[LANES:.*]], %{{.*}} = scf.for
// CHECK:         %[[AT:.*]] = word.constant 16 : i32
// CHECK:         %[[BACK:.*]] = word.constant -4 : i32
// CHECK-NEXT:    %[[START:.*]] = word.add %[[AT]], %[[BACK]] : i32
// CHECK-NEXT:    %[[V:.*]] = word.load %x[%[[START]]] : !word.buffer<20> -> vector<8xi32>
// CHECK-NEXT:    %[[SUM:.*]] = word.add %[[LANES]], %[[V]] : vector<8xi32>
// CHECK-NEXT:    %[[NEW:.*]] = word.constant dense<[0, 0, 0, 0, 1, 1, 1, 1]> : vector<8xi32>
// CHECK-NEXT:    word.select %[[NEW]], %[[SUM]], %[[LANES]] : vector<8xi32>
// CHECK-NOT:     scf.for
func.func @left_over(%s: i32, %x: !word.buffer<20>) -> i32 attributes {vliw.signature = (i32, memref<20xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c20 = word.constant 20 : i32
  %r = scf.for %i = %c0 to %c20 step %c1 iter_args(%a = %s) -> (i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<20> -> i32
    %b = word.add %a, %v : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}

// -----

// The index of the first minimum: a minimum and its index per lane, then the least index of
// those with the least minimum.

// CHECK-LABEL: @first_minimum
// CHECK:         scf.for {{.*}} iter_args(%[[MIN:.*]] = %{{.*}}, %[[AT:.*]] = %{{.*}}) -> (vector<8xi32>, vector<8xi32>)
// CHECK:           %[[LESS:.*]] = word.cmp ult, %[[V:.*]], %[[MIN]] : vector<8xi32>
// CHECK:           word.select %[[LESS]], %[[V]], %[[MIN]] : vector<8xi32>
// CHECK:           word.select %[[LESS]], %{{.*}}, %[[AT]] : vector<8xi32>
// CHECK:         %[[EARLIER:.*]] = word.cmp slt,
// CHECK-NEXT:    %[[BETTER:.*]] = word.cmp ult,
// CHECK-NEXT:    %[[EQUAL:.*]] = word.cmp eq,
// CHECK-NEXT:    %[[BOTH:.*]] = word.and %[[EQUAL]], %[[EARLIER]] : i32
// CHECK-NEXT:    %[[FIRST:.*]] = word.or %[[BETTER]], %[[BOTH]] : i32
// CHECK-NEXT:    word.select %[[FIRST]]
// CHECK-NEXT:    word.select %[[FIRST]]
func.func @first_minimum(%n: i32, %x: !word.buffer<?>) -> i32 attributes {vliw.signature = (i32, memref<?xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %first = word.load %x[%c0] : !word.buffer<?> -> i32
  %m, %r = scf.for %i = %c0 to %n step %c1 iter_args(%min = %first, %at = %c0) -> (i32, i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<?> -> i32
    %less = word.cmp ult, %v, %min : i32
    %b = word.select %less, %v, %min : i32
    %c = word.select %less, %i, %at : i32
    scf.yield %b, %c : i32, i32
  }
  func.return %r : i32
}

// -----

// A running sum: sums of two lanes and of four, where the lanes of the vector before are shifted
// in, then what there was four iterations before.

// CHECK-LABEL: @running_sum
// CHECK:         scf.for {{.*}} iter_args(%[[V0:.*]] = %{{.*}}, %[[PAIRS0:.*]] = %{{.*}}, %[[SUMS0:.*]] = %{{.*}}) -> (vector<4xi32>, vector<4xi32>, vector<4xi32>)
// CHECK:           %[[V:.*]] = word.load %x[%i]
// CHECK-NEXT:      %[[ROW:.*]] = word.concat %[[V0]], %[[V]]
// CHECK-NEXT:      %[[BY1:.*]] = word.slice %[[ROW]][3]
// CHECK-NEXT:      %[[PAIRS:.*]] = word.add %[[BY1]], %[[V]] : vector<4xi32>
// CHECK-NEXT:      %[[ROW:.*]] = word.concat %[[PAIRS0]], %[[PAIRS]]
// CHECK-NEXT:      %[[BY2:.*]] = word.slice %[[ROW]][2]
// CHECK-NEXT:      %[[FOURS:.*]] = word.add %[[BY2]], %[[PAIRS]] : vector<4xi32>
// CHECK-NEXT:      %[[SUMS:.*]] = word.add %[[SUMS0]], %[[FOURS]] : vector<4xi32>
// CHECK-NEXT:      word.store %[[SUMS]], %y[%i]
// CHECK-NEXT:      scf.yield %[[V]], %[[PAIRS]], %[[SUMS]]
module attributes {vliw.target = {vlen = 4}} {
  func.func @running_sum(%n: i32, %x: !word.buffer<?>, %y: !word.buffer<?>) attributes {vliw.signature = (i32, memref<?xi32>, memref<?xi32>) -> ()} {
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %v = word.load %x[%i] : !word.buffer<?> -> i32
      %t = word.add %s, %v : i32
      word.store %t, %y[%i] : i32, !word.buffer<?>
      scf.yield %t : i32
    }
    func.return
  }
}

// -----

// What the iteration before has loaded comes from the lane before.

// CHECK-LABEL: @differences
// CHECK:         scf.for {{.*}} iter_args(%[[LAST:.*]] = %{{.*}}) -> (vector<8xi32>)
// CHECK:           %[[V:.*]] = word.load %x[%i]
// CHECK-NEXT:      %[[ROW:.*]] = word.concat %[[LAST]], %[[V]]
// CHECK-NEXT:      %[[BEFORE:.*]] = word.slice %[[ROW]][7]
// CHECK-NEXT:      word.sub %[[V]], %[[BEFORE]] : vector<8xi32>
// CHECK:           scf.yield %[[V]]
func.func @differences(%x: !word.buffer<16>, %y: !word.buffer<16>) attributes {vliw.signature = (memref<16xi32>, memref<16xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c16 = word.constant 16 : i32
  %last = scf.for %i = %c0 to %c16 step %c1 iter_args(%b = %c0) -> (i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<16> -> i32
    %d = word.sub %v, %b : i32
    word.store %d, %y[%i] : i32, !word.buffer<16>
    scf.yield %v : i32
  }
  func.return
}

// -----

// Lanes leave an inner loop at different times: it goes on as long as one does, and what it
// carries for the others stays as it is. A divisor is made harmless for these.

// CHECK-LABEL: @digits
// CHECK:         scf.while (%[[V:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}) : (vector<4xi32>, vector<4xi32>)
// CHECK-NEXT:      %[[GO:.*]] = word.cmp ult, %{{.*}}, %[[V]] : vector<4xi32>
// CHECK-COUNT-4:   word.extract %[[GO]]
// CHECK-COUNT-3:   word.or {{.*}} : i32
// CHECK:           %[[ANY:.*]] = word.test
// CHECK-NEXT:      scf.condition(%[[ANY]]) %[[V]], %[[N]], %[[GO]] :
// CHECK:           %[[D:.*]] = word.broadcast %d : vector<4xi32>
// CHECK:           %[[ONE:.*]] = word.constant dense<1>
// CHECK-NEXT:      %[[SAFE:.*]] = word.select %[[GOES:.*]], %[[D]], %[[ONE]] : vector<4xi32>
// CHECK-NEXT:      %[[Q:.*]] = word.divu %{{.*}}, %[[SAFE]] : vector<4xi32>
// CHECK:           word.select %[[GOES]], %[[Q]], %{{.*}} : vector<4xi32>
// CHECK:           scf.yield
module attributes {vliw.target = {vlen = 4}} {
  func.func @digits(%d: i32, %x: !word.buffer<4>) attributes {vliw.signature = (i32, memref<4xi32>) -> ()} {
    %c0 = word.constant 0 : i32
    %c1 = word.constant 1 : i32
    %c4 = word.constant 4 : i32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %first = word.load %x[%i] : !word.buffer<4> -> i32
      %v, %n = scf.while (%a = %first, %k = %c0) : (i32, i32) -> (i32, i32) {
        %more = word.cmp ult, %c0, %a : i32
        %go = word.test %more
        scf.condition(%go) %a, %k : i32, i32
      } do {
      ^bb0(%b: i32, %l: i32):
        %q = word.divu %b, %d : i32
        %m = word.add %l, %c1 : i32
        scf.yield %q, %m : i32, i32
      }
      word.store %n, %x[%i] : i32, !word.buffer<4>
    }
    func.return
  }
}
