// RUN: vliw-opt %s -p 'split-reductions{factor=2}' --split-input-file --remarks=split 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// Two sums of every other word; a product with the counter goes from one to the next.

// CHECK-LABEL:  @sum
// CHECK:          [[S:%\S+]], [[P:%\S+]], [[S1:%\S+]] = scf.for %i = {{.*}} iter_args([[A:%\S+]] = %x, [[Q:%\S+]] = %y, [[A1:%\S+]] = {{%\S+}})
// CHECK:            [[N:%\S+]] = word.add [[A]],
// CHECK:            [[Q1:%\S+]] = word.mul
// CHECK:            [[N1:%\S+]] = word.add [[A1]],
// CHECK:            [[Q2:%\S+]] = word.mul
// CHECK:            scf.yield [[N]], [[Q2]], [[N1]] : i32, i32, i32
// CHECK-NEXT:     } {vliw.split_reductions = 1 : i64}
// CHECK-NEXT:     [[T:%\S+]] = word.add [[S]], [[S1]] : i32
// CHECK-NEXT:     func.return [[T]], [[P]]
// REMARK:       reductions split into 2 parts [split-reductions: passed]
func.func @sum(%x: i32, %y: i32, %a: !word.buffer<64>) -> (i32, i32) attributes {vliw.signature = (i32, i32, memref<64xi32>) -> (i32, i32)} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  %r, %p = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %x, %q = %y) -> (i32, i32) : i32 {
    %v = word.load %a[%i] : !word.buffer<64> -> i32
    %w = word.add %s, %v : i32
    %u = word.xor %q, %i : i32
    %t = word.mul %u, %q : i32
    scf.yield %w, %t : i32, i32
  }
  func.return %r, %p : i32, i32
}

// -----

// CHECK-LABEL:  @none
// CHECK:          scf.for
// CHECK-NOT:      vliw.split_reductions
// REMARK:       not split: it carries no reduction [split-reductions: missed]
func.func @none(%x: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%q = %x) -> (i32) : i32 {
    %u = word.xor %q, %i : i32
    %t = word.mul %u, %q : i32
    scf.yield %t : i32
  }
  func.return %r : i32
}
