// RUN: vliw-opt %s -p hoist-loop-invariants --split-input-file | filecheck %s
// RUN: vliw-opt %s -p hoist-loop-invariants --split-input-file --remarks=hoist 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// Computations go as far out as their operands allow, also out of branches in a loop.

// CHECK-LABEL: @computations
// CHECK:         scf.if %t {
// CHECK-NEXT:      %c = word.constant 5
// CHECK-NEXT:      word.trace_write %c
// CHECK-NEXT:    }
// CHECK-NEXT:    %u = word.mul %n, %n
// CHECK-NEXT:    [[U:%.*]] = word.mul %n, %n
// CHECK-NEXT:    %v = word.broadcast [[U]]
// CHECK-NEXT:    scf.for %i
// CHECK-NEXT:      %w = word.add %i, %u
// CHECK-NEXT:      [[W:%.*]] = word.add %i, [[U]]
// CHECK-NEXT:      %s = scf.while
// CHECK-NEXT:        %x = word.add %k, %w
// CHECK-NEXT:        %q = word.test %x
// CHECK-NEXT:        scf.condition
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb{{.*}}(%l: i32):
// CHECK-NEXT:        scf.if %p {
// CHECK-NEXT:          %z = word.add %l, [[W]]
// CHECK-NEXT:          word.trace_write %z
// CHECK-NEXT:        }
func.func @computations(%n: i32, %t: i1, %p: i1) {
  %c1 = word.constant 1 : i32
  scf.if %t {
    %c = word.constant 5 : i32
    word.trace_write %c
  }
  scf.for %i = %c1 to %n step %c1 : i32 {
    %s = scf.while (%k = %c1) : (i32) -> i32 {
      %u = word.mul %n, %n : i32
      %w = word.add %i, %u : i32
      %x = word.add %k, %w : i32
      %q = word.test %x
      scf.condition(%q) %k : i32
    } do {
    ^bb0(%l: i32):
      scf.if %p {
        %u = word.mul %n, %n : i32
        %v = word.broadcast %u : vector<4xi32>
        %w = word.add %i, %u : i32
        %z = word.add %l, %w : i32
        word.trace_write %z
      }
      scf.yield %l : i32
    }
  }
  func.return
}

// -----

// Loads move out of loops that do not write their words. What might trap stays where it
// executes, or moves out of loops that surely execute it.

// CHECK-LABEL: @loads
// CHECK:         %x = word.load %a[%c3]
// CHECK:         scf.for %i
// CHECK-NEXT:      %u = word.load %b[%i]
// CHECK-NEXT:      %q = word.divu %u, %n
// CHECK-NEXT:      %two = word.and %i, %c1
// CHECK-NEXT:      %g = word.load %t[%two]
// CHECK-NEXT:      scf.for %j = %c0 to %c3
// CHECK-NEXT:        %y = word.load %a[%i]
// CHECK-NEXT:        word.store %y, %a[%j]
// CHECK-NEXT:        word.trace_write %g
// CHECK-NEXT:        scf.if %p {
// CHECK-NEXT:          %z = word.load %b[%n]
// CHECK-NEXT:          %r = word.divu %i, %n
// CHECK:             }
// CHECK-NEXT:        word.store %q, %t[%c3]
// REMARK-DAG: remark: loaded before the loop [hoist-loop-invariants: passed]
// REMARK-DAG: remark: not hoisted: the loop may write what it loads [hoist-loop-invariants: missed]
// REMARK-DAG: remark: not hoisted: it might trap where it did not execute [hoist-loop-invariants: missed]
func.func @loads(%a: !word.buffer<8>, %b: !word.buffer<?>, %n: i32) attributes {vliw.signature = (memref<8xi32>, memref<?xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %p = word.test %n
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %c3 step %c1 : i32 {
      %t = word.alloc : !word.buffer<4>
      %x = word.load %a[%c3] : !word.buffer<8> -> i32
      %y = word.load %a[%i] : !word.buffer<8> -> i32
      word.store %y, %a[%j] : i32, !word.buffer<8>
      %u = word.load %b[%i] : !word.buffer<?> -> i32
      %q = word.divu %u, %n : i32
      %two = word.and %i, %c1 : i32
      %g = word.load %t[%two] : !word.buffer<4> -> i32
      word.trace_write %g
      scf.if %p {
        %z = word.load %b[%n] : !word.buffer<?> -> i32
        %r = word.divu %i, %n : i32
        word.trace_write %z
        word.trace_write %r
      }
      word.store %q, %t[%c3] : i32, !word.buffer<4>
    }
  }
  func.return
}

// -----

// What is known of a value in a branch is not known once it is in front of the loop. The divisor
// `%odd` is none of them: it is never 0.

// CHECK-LABEL: @known_in_a_branch
// CHECK:         %z = word.sub
// CHECK-NEXT:    %odd = word.or
// CHECK-NEXT:    %e = word.divu %c100, %odd
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        %d = word.divu %c100, %z
func.func @known_in_a_branch(%x: i32, %n: i32, %y: !word.buffer<8>) attributes {vliw.signature = (i32, i32, memref<8xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c100 = word.constant 100 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %some = word.cmp ne, %x, %c0 : i32
    %c = word.test %some
    scf.if %c {
      %z = word.sub %c0, %x : i32
      %d = word.divu %c100, %z : i32
      %odd = word.or %z, %c1 : i32
      %e = word.divu %c100, %odd : i32
      word.store %d, %y[%c0] : i32, !word.buffer<8>
      word.store %e, %y[%c1] : i32, !word.buffer<8>
    }
  }
  func.return
}
