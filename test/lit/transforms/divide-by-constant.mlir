// RUN: vliw-opt %s -p divide-by-constant --split-input-file | filecheck %s

// The machine divides unsigned words in one slot; signed division is composed of that.

// CHECK-LABEL: @default(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c10 = word.constant 10 : i32
// CHECK-NEXT:    %q = word.divu %x, %c10 : i32
// CHECK-NEXT:    %r = word.remu %x, %c10 : i32
// CHECK-NEXT:    %0 = word.constant 31 : i32
// CHECK-NEXT:    %1 = word.shru %x, %0 : i32
// CHECK-NEXT:    %2 = word.constant 0 : i32
// CHECK-NEXT:    %3 = word.sub %2, %1 : i32
// CHECK-NEXT:    %4 = word.xor %x, %3 : i32
// CHECK-NEXT:    %5 = word.constant 10 : i32
// CHECK-NEXT:    %6 = word.divu %4, %5 : i32
// CHECK-NEXT:    %f = word.xor %6, %3 : i32
// CHECK-NEXT:    word.store %q, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %f, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @default(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c10 = word.constant 10 : i32
  %q = word.divu %x, %c10 : i32
  %r = word.remu %x, %c10 : i32
  %f = word.floordivs %x, %c10 : i32
  word.store %q, %b[%c0] : i32, !word.buffer<16>
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  word.store %f, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Not by zero, and not by what is not known.

// CHECK-LABEL: @missed(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %q = word.divs %x, %c0 : i32
// CHECK-NEXT:    %r = word.divs %x, %y : i32
// CHECK-NEXT:    word.store %q, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @missed(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %q = word.divs %x, %c0 : i32
  %r = word.divs %x, %y : i32
  word.store %q, %b[%c0] : i32, !word.buffer<16>
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// A machine without division: reciprocals whose product with a word fits, needs the bits shifted
// out first, or needs a bit more; a comparison; powers of two.

// CHECK-LABEL: @no_division(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %c7 = word.constant 7 : i32
// CHECK-NEXT:    %c14 = word.constant 14 : i32
// CHECK-NEXT:    %c16 = word.constant 16 : i32
// CHECK-NEXT:    %large = word.constant -5 : i32
// CHECK-NEXT:    %0 = word.constant -1431655765 : i32
// CHECK-NEXT:    %1 = word.mulhu %x, %0 : i32
// CHECK-NEXT:    %2 = word.constant 1 : i32
// CHECK-NEXT:    %q3 = word.shru %1, %2 : i32
// CHECK-NEXT:    %3 = word.constant 613566757 : i32
// CHECK-NEXT:    %4 = word.mulhu %x, %3 : i32
// CHECK-NEXT:    %5 = word.sub %x, %4 : i32
// CHECK-NEXT:    %6 = word.constant 1 : i32
// CHECK-NEXT:    %7 = word.shru %5, %6 : i32
// CHECK-NEXT:    %8 = word.add %7, %4 : i32
// CHECK-NEXT:    %9 = word.constant 2 : i32
// CHECK-NEXT:    %q7 = word.shru %8, %9 : i32
// CHECK-NEXT:    %10 = word.constant 1 : i32
// CHECK-NEXT:    %11 = word.shru %x, %10 : i32
// CHECK-NEXT:    %12 = word.constant -1840700269 : i32
// CHECK-NEXT:    %13 = word.mulhu %11, %12 : i32
// CHECK-NEXT:    %14 = word.constant 2 : i32
// CHECK-NEXT:    %q14 = word.shru %13, %14 : i32
// CHECK-NEXT:    %15 = word.constant 4 : i32
// CHECK-NEXT:    %q16 = word.shru %x, %15 : i32
// CHECK-NEXT:    %16 = word.constant -6 : i32
// CHECK-NEXT:    %ql = word.cmp ult, %16, %x : i32
// CHECK-NEXT:    %17 = word.constant -1431655765 : i32
// CHECK-NEXT:    %18 = word.mulhu %x, %17 : i32
// CHECK-NEXT:    %19 = word.constant 1 : i32
// CHECK-NEXT:    %20 = word.shru %18, %19 : i32
// CHECK-NEXT:    %21 = word.constant 3 : i32
// CHECK-NEXT:    %22 = word.mul %20, %21 : i32
// CHECK-NEXT:    %r3 = word.sub %x, %22 : i32
// CHECK-NEXT:    word.store %q3, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %q7, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %q14, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %q16, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %ql, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %r3, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
module attributes {vliw.target = {engines = {alu = {instructions = ["+", "-", "*", "^", "&", "|", "<<", ">>", "<", "=="]}, valu = {instructions = ["+", "-", "*", "^", "&", "|", "<<", ">>", "<", "=="]}}}} {
  func.func @no_division(%x: i32, %b: !word.buffer<16>) {
    %c0 = word.constant 0 : i32
    %c3 = word.constant 3 : i32
    %c7 = word.constant 7 : i32
    %c14 = word.constant 14 : i32
    %c16 = word.constant 16 : i32
    %large = word.constant -5 : i32
    %q3 = word.divu %x, %c3 : i32
    %q7 = word.divu %x, %c7 : i32
    %q14 = word.divu %x, %c14 : i32
    %q16 = word.divu %x, %c16 : i32
    %ql = word.divu %x, %large : i32
    %r3 = word.remu %x, %c3 : i32
    word.store %q3, %b[%c0] : i32, !word.buffer<16>
    word.store %q7, %b[%c0] : i32, !word.buffer<16>
    word.store %q14, %b[%c0] : i32, !word.buffer<16>
    word.store %q16, %b[%c0] : i32, !word.buffer<16>
    word.store %ql, %b[%c0] : i32, !word.buffer<16>
    word.store %r3, %b[%c0] : i32, !word.buffer<16>
    func.return
  }
}
