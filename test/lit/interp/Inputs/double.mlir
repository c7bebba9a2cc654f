func.func @double(%a: !word.buffer<3>) -> i32
    attributes {vliw.signature = (memref<3xi32>) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %n = word.constant 3 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%l = %c0) -> (i32) : i32 {
    %x = word.load %a[%i] : !word.buffer<3> -> i32
    %y = word.shl %x, %c1 : i32
    word.store %y, %a[%i] : i32, !word.buffer<3>
    scf.yield %y : i32
  }
  func.return %last : i32
}
