// RUN: vliw-opt %s -p forward-stores --split-input-file | filecheck %s
// RUN: vliw-opt %s -p 'forward-stores{max-words=1}' --split-input-file | filecheck %s --check-prefix FEW
// RUN: vliw-opt %s -p 'forward-stores{words-only}' --split-input-file | filecheck %s --check-prefix WORDS

// What was stored or loaded is there until it may be overwritten.

// CHECK-LABEL: @straight
// CHECK:         %x = word.load %a[%n]
// CHECK-NEXT:    word.trace_write %x
// CHECK-NEXT:    word.store %n, %a[%m]
// CHECK-NEXT:    word.trace_write %n
// CHECK-NEXT:    word.store %m, %b[%n]
// CHECK-NEXT:    word.trace_write %n
// CHECK-NEXT:    [[X:%.*]] = word.load %a[%n]
// CHECK-NEXT:    word.trace_write [[X]]
// CHECK-NEXT:    word.pause
// CHECK-NEXT:    [[Y:%.*]] = word.load %a[%n]
// CHECK-NEXT:    word.trace_write [[Y]]
func.func @straight(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  %x2 = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %x2
  word.store %n, %a[%m] : i32, !word.buffer<?>
  %y = word.load %a[%m] : !word.buffer<?> -> i32
  word.trace_write %y
  // Another buffer.
  word.store %m, %b[%n] : i32, !word.buffer<?>
  %y2 = word.load %a[%m] : !word.buffer<?> -> i32
  word.trace_write %y2
  // The words n and m may be the same.
  %x3 = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %x3
  word.pause
  %x4 = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %x4
  func.return
}

// -----

// Lanes of vectors, vectors of words, tables of constants, equal gathers.

// CHECK-LABEL: @lanes
// CHECK:         %v = word.load %a[%n] : !word.buffer<?> -> vector<4xi32>
// CHECK-NEXT:    [[LANE:%.*]] = word.extract %v[2]
// CHECK-NEXT:    word.trace_write [[LANE]]
// CHECK-NEXT:    word.store %m, %a[%n2]
// CHECK-NEXT:    word.store %n, %a[%n3]
// CHECK-NEXT:    [[PAIR:%.*]] = word.from_elements %m, %n
// CHECK-NEXT:    word.store [[PAIR]], %b[%m] : vector<2xi32>
// CHECK-NEXT:    [[LOW:%.*]] = word.slice %v[0] : vector<4xi32> -> vector<2xi32>
// CHECK-NEXT:    [[W:%.*]] = word.concat [[LOW]], %m, %n : vector<2xi32>, i32, i32 -> vector<4xi32>
// CHECK-NEXT:    word.store [[W]], %b[%m] : vector<4xi32>
// CHECK-NEXT:    %t = word.alloc init
// CHECK-NEXT:    [[SIX:%.*]] = word.constant 6 : i32
// CHECK-NEXT:    word.trace_write [[SIX]]
// CHECK-NEXT:    [[SIXES:%.*]] = word.constant dense<[6, 7]> : vector<2xi32>
// CHECK-NEXT:    %g = word.gather %b[[[SIXES]]]
// CHECK-NEXT:    word.scatter %g, %a[%g]
// CHECK-NEXT:    word.scatter %g, %b[%g]
// CHECK-NEXT:    [[AGAIN:%.*]] = word.gather %b[[[SIXES]]]
// CHECK-NEXT:    word.store [[AGAIN]]
func.func @lanes(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c3 = word.constant 3 : i32
  %n2 = word.add %n, %c2 : i32
  %n3 = word.add %n, %c3 : i32
  %v = word.load %a[%n] : !word.buffer<?> -> vector<4xi32>
  %x = word.load %a[%n2] : !word.buffer<?> -> i32
  word.trace_write %x
  word.store %m, %a[%n2] : i32, !word.buffer<?>
  word.store %n, %a[%n3] : i32, !word.buffer<?>
  %pair = word.load %a[%n2] : !word.buffer<?> -> vector<2xi32>
  word.store %pair, %b[%m] : vector<2xi32>, !word.buffer<?>
  %w = word.load %a[%n] : !word.buffer<?> -> vector<4xi32>
  word.store %w, %b[%m] : vector<4xi32>, !word.buffer<?>
  %t = word.alloc init dense<[5, 6, 7]> : vector<3xi32> : !word.buffer<3>
  %six = word.load %t[%c1] : !word.buffer<3> -> i32
  word.trace_write %six
  %sixes = word.load %t[%c1] : !word.buffer<3> -> vector<2xi32>
  %g = word.gather %b[%sixes] : !word.buffer<?> -> vector<2xi32>
  word.scatter %g, %a[%g] : vector<2xi32>, !word.buffer<?>
  %h = word.gather %b[%sixes] : !word.buffer<?> -> vector<2xi32>
  word.scatter %h, %b[%g] : vector<2xi32>, !word.buffer<?>
  %i = word.gather %b[%sixes] : !word.buffer<?> -> vector<2xi32>
  word.store %i, %b[%n] : vector<2xi32>, !word.buffer<?>
  func.return
}

// -----

// Into and out of branches: what both sides leave becomes a result when it is asked for.

// CHECK-LABEL: @branches
// CHECK:         %x = word.load %a[%n]
// CHECK-NEXT:    [[IF:%.*]] = scf.if %t -> (i32) {
// CHECK-NEXT:      word.store %x, %b[%n]
// CHECK-NEXT:      word.store %m, %a[%n]
// CHECK-NEXT:      scf.yield %m : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %x : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    word.trace_write [[IF]]
// CHECK-NEXT:    word.trace_write [[IF]]
// CHECK-NEXT:    scf.if %t {
// CHECK-NEXT:      word.store %n, %a[%m]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      word.trace_write [[IF]]
// CHECK-NEXT:    }
// CHECK-NEXT:    [[LAST:%.*]] = word.load %a[%n]
// CHECK-NEXT:    word.trace_write [[LAST]]
func.func @branches(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %t = word.test %m
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  scf.if %t {
    %y = word.load %a[%n] : !word.buffer<?> -> i32
    word.store %y, %b[%n] : i32, !word.buffer<?>
    word.store %m, %a[%n] : i32, !word.buffer<?>
  }
  %z = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %z
  %z2 = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %z2
  scf.if %t {
    word.store %n, %a[%m] : i32, !word.buffer<?>
  } else {
    %w = word.load %a[%n] : !word.buffer<?> -> i32
    word.trace_write %w
  }
  %u = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %u
  func.return
}

// -----

// Loops: what no iteration changes holds inside and behind. A store of what is there goes.

// CHECK-LABEL: @loops
// CHECK:         %x = word.load %a[%n]
// CHECK-NEXT:    %v = word.load %b[%n] : !word.buffer<?> -> vector<4xi32>
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      word.trace_write %x
// CHECK-NEXT:      %y = word.load %b[%n]
// CHECK-NEXT:      word.trace_write %y
// CHECK-NEXT:      word.store %i, %b[%n]
// CHECK-NEXT:      word.trace_write %i
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = word.load %b[%n]
// CHECK-NEXT:    word.trace_write %w
// CHECK-NEXT:    func.return
func.func @loops(%a: !word.buffer<?>, %b: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, memref<?xi32>, i32, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  %v = word.load %b[%n] : !word.buffer<?> -> vector<4xi32>
  word.store %v, %b[%n] : vector<4xi32>, !word.buffer<?>
  scf.for %i = %c1 to %m step %c1 : i32 {
    %x2 = word.load %a[%n] : !word.buffer<?> -> i32
    word.trace_write %x2
    %y = word.load %b[%n] : !word.buffer<?> -> i32
    word.trace_write %y
    word.store %i, %b[%n] : i32, !word.buffer<?>
    %z = word.load %b[%n] : !word.buffer<?> -> i32
    word.trace_write %z
  }
  word.store %x, %a[%n] : i32, !word.buffer<?>
  %w = word.load %b[%n] : !word.buffer<?> -> i32
  word.trace_write %w
  func.return
}

// -----

// Blocks: what holds at the end of the only block before. What a region defines is not there
// behind it.

// CHECK-LABEL: @blocks
// CHECK:         word.store %n, %a[%n]
// CHECK-NEXT:    cf.cond_br
// CHECK:       ^then:
// CHECK-NEXT:    word.trace_write %n
// CHECK-NEXT:    scf.execute_region
// CHECK-NEXT:      %y = word.load %a[%m]
// CHECK-NEXT:      word.store %y, %a[%n]
// CHECK:         }
// CHECK-NEXT:    %z = word.load %a[%n]
// CHECK-NEXT:    word.store %z, %a[%m]
// CHECK:       ^join:
// CHECK-NEXT:    %u = word.load %a[%n]
func.func @blocks(%a: !word.buffer<?>, %n: i32, %m: i32) attributes {vliw.signature = (memref<?xi32>, i32, i32) -> ()} {
  %t = word.test %m
  word.store %n, %a[%n] : i32, !word.buffer<?>
  cf.cond_br %t, ^then, ^join
^then:
  %x = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %x
  scf.execute_region {
    %y = word.load %a[%m] : !word.buffer<?> -> i32
    word.store %y, %a[%n] : i32, !word.buffer<?>
    scf.yield
  }
  %z = word.load %a[%n] : !word.buffer<?> -> i32
  word.store %z, %a[%m] : i32, !word.buffer<?>
  cf.br ^join
^join:
  %u = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %u
  func.return
}

// -----

// Windows over values side by side: vectors, words, constants. Where most words would have to
// be copied it is better to load; neither is what was overwritten in between known.

// CHECK-LABEL: @windows
// CHECK:         word.store %v, %a[%c0]
// CHECK-NEXT:    word.store %w, %a[%c8]
// CHECK-NEXT:    word.store %x, %a[%c16]
// CHECK-NEXT:    [[VW:%.*]] = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
// CHECK-NEXT:    [[A:%.*]] = word.slice [[VW]][3] : vector<16xi32> -> vector<8xi32>
// CHECK-NEXT:    word.store [[A]], %b[%c0]
// CHECK-NEXT:    [[WX:%.*]] = word.concat %w, %x : vector<8xi32>, i32 -> vector<9xi32>
// CHECK-NEXT:    [[B:%.*]] = word.slice [[WX]][1] : vector<9xi32> -> vector<8xi32>
// CHECK-NEXT:    word.store [[B]], %b[%c8]
// CHECK-NEXT:    [[FOUR:%.*]] = word.slice %w[2] : vector<8xi32> -> vector<4xi32>
// CHECK-NEXT:    word.store [[FOUR]], %b[%c16]
// CHECK-NEXT:    word.store %x, %a[%c3]
// CHECK-NEXT:    [[C:%.*]] = word.load %a[%c0]
// CHECK-NEXT:    word.store [[C]], %b[%c3]
// CHECK-NEXT:    word.scatter %v, %a[%w]
// CHECK-NEXT:    [[D:%.*]] = word.load %a[%c3]
func.func @windows(%a: !word.buffer<?>, %b: !word.buffer<?>, %v: vector<8xi32>, %w: vector<8xi32>, %x: i32) {
  %c0 = word.constant 0 : i32
  %c3 = word.constant 3 : i32
  %c8 = word.constant 8 : i32
  %c9 = word.constant 9 : i32
  %c10 = word.constant 10 : i32
  %c16 = word.constant 16 : i32
  word.store %v, %a[%c0] : vector<8xi32>, !word.buffer<?>
  word.store %w, %a[%c8] : vector<8xi32>, !word.buffer<?>
  word.store %x, %a[%c16] : i32, !word.buffer<?>
  %0 = word.load %a[%c3] : !word.buffer<?> -> vector<8xi32>
  word.store %0, %b[%c0] : vector<8xi32>, !word.buffer<?>
  %1 = word.load %a[%c9] : !word.buffer<?> -> vector<8xi32>
  word.store %1, %b[%c8] : vector<8xi32>, !word.buffer<?>
  %2 = word.load %a[%c10] : !word.buffer<?> -> vector<4xi32>
  word.store %2, %b[%c16] : vector<4xi32>, !word.buffer<?>
  word.store %x, %a[%c3] : i32, !word.buffer<?>
  %3 = word.load %a[%c0] : !word.buffer<?> -> vector<8xi32>
  word.store %3, %b[%c3] : vector<8xi32>, !word.buffer<?>
  word.scatter %v, %a[%w] : vector<8xi32>, !word.buffer<?>
  %4 = word.load %a[%c3] : !word.buffer<?> -> vector<8xi32>
  word.store %4, %b[%c0] : vector<8xi32>, !word.buffer<?>
  func.return
}

// -----

// The inner branch asks for what the first has left, too, once the outer one has.

// CHECK-LABEL: @branches_that_meet_an_earlier_one(
// CHECK:         [[F:%.*]], [[G:%.*]] = scf.if %t -> (i32, i32) {
// CHECK:         [[R:%.*]] = scf.if %u -> (i32) {
// CHECK-NEXT:      scf.yield [[F]] : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      [[I:%.*]] = scf.if %v -> (i32) {
// CHECK:           } else {
// CHECK-NEXT:        scf.yield [[G]] : i32
// CHECK:           scf.yield [[I]] : i32
// CHECK:         func.return [[R]] : i32
func.func @branches_that_meet_an_earlier_one(%b: !word.buffer<4>, %x: i32, %y: i32, %z: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %t = word.test %x
  %u = word.test %y
  %v = word.test %z
  scf.if %t {
    word.store %x, %b[%c0] : i32, !word.buffer<4>
  } else {
    word.store %y, %b[%c0] : i32, !word.buffer<4>
  }
  scf.if %u {
  } else {
    scf.if %v {
      word.store %z, %b[%c0] : i32, !word.buffer<4>
    }
  }
  %r = word.load %b[%c0] : !word.buffer<4> -> i32
  func.return %r : i32
}

// -----

// With little room, what is asked for last is loaded again.

// CHECK-LABEL: @room
// CHECK-NOT:     word.load
// CHECK:         func.return
// FEW-LABEL:   @room
// FEW:           word.trace_write %y
// FEW-NEXT:      word.load %a[%n]
// FEW-NOT:       word.load
// FEW:           func.return
func.func @room(%a: !word.buffer<?>, %n: i32, %x: i32, %y: i32) {
  %c1 = word.constant 1 : i32
  %n1 = word.add %n, %c1 : i32
  word.store %x, %a[%n] : i32, !word.buffer<?>
  word.store %y, %a[%n1] : i32, !word.buffer<?>
  %0 = word.load %a[%n1] : !word.buffer<?> -> i32
  word.trace_write %0
  %1 = word.load %a[%n] : !word.buffer<?> -> i32
  word.trace_write %1
  func.return
}

// -----

// Loads of vectors may be left for windows.

// CHECK-LABEL: @vectors
// CHECK-NOT:     word.load
// WORDS-LABEL: @vectors
// WORDS:         word.trace_write %x
// WORDS-NEXT:    %w = word.load %a[%n]
// WORDS-NEXT:    word.store %w, %b[%n]
func.func @vectors(%a: !word.buffer<64>, %b: !word.buffer<64>, %n: i32, %x: i32, %v: vector<8xi32>) {
  word.store %v, %a[%n] : vector<8xi32>, !word.buffer<64>
  word.store %x, %b[%n] : i32, !word.buffer<64>
  %0 = word.load %b[%n] : !word.buffer<64> -> i32
  word.trace_write %0
  %w = word.load %a[%n] : !word.buffer<64> -> vector<8xi32>
  word.store %w, %b[%n] : vector<8xi32>, !word.buffer<64>
  func.return
}
