// RUN: vliw-opt %s -p vectorize-loops --remarks=vectorize --split-input-file --verify-diagnostics

func.func @f(%x: !word.buffer<64>, %n: i32) -> i32 attributes {vliw.signature = (memref<64xi32>, i32) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c32 = word.constant 32 : i32
  // expected-remark@+1 {{not widened: carried value 0 depends on itself}}
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %n) -> (i32) : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> i32
    %p = word.mul %a, %c3 : i32
    %b = word.add %p, %v : i32
    scf.yield %b : i32
  }
  // expected-remark@+1 {{not widened: iterations depend on each other: word.store}}
  scf.for %i = %c0 to %c32 step %c1 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> i32
    %j = word.add %i, %c3 : i32
    word.store %v, %x[%j] : i32, !word.buffer<64>
  }
  // expected-remark@+1 {{not widened: it runs 3 times, less than the 8 lanes of what is done at once}}
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    word.store %n, %x[%i] : i32, !word.buffer<64>
  }
  // expected-remark@+1 {{not widened: an 'scf.if' depends on the iteration}}
  scf.for %i = %c0 to %c32 step %c1 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> i32
    %t = word.test %v
    scf.if %t {
      word.store %n, %x[%i] : i32, !word.buffer<64>
    }
  }
  func.return %r : i32
}

// -----

func.func @buffers(%x: !word.buffer<64>, %y: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c32 = word.constant 32 : i32
  // expected-remark@+1 {{not widened: it carries other values than words}}
  %a, %b = scf.for %i = %c0 to %c32 step %c1 iter_args(%p = %x, %q = %y) -> (!word.buffer<64>, !word.buffer<64>) : i32 {
    scf.yield %q, %p : !word.buffer<64>, !word.buffer<64>
  }
  func.return
}
