// RUN: vliw-opt %s --split-input-file -t interpret | filecheck %s
// RUN: vliw-opt %S/Inputs/double.mlir -t 'interpret{data="%S/Inputs/double.json" case=0}' | filecheck %s --check-prefix=DATA
// RUN: not vliw-opt %S/Inputs/double.mlir -t 'interpret{data="%S/Inputs/double.json"}' 2>&1 | filecheck %s --check-prefix=DIFFERS

// CHECK:      case 0
// CHECK-NEXT:   result 0: 55
// CHECK-NEXT:   trace: [10]
func.func @ssa() -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %n = word.constant 11 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %t = word.add %s, %i : i32
    scf.yield %t : i32
  }
  %m = word.sub %n, %c1 : i32
  word.trace_write %m
  func.return %sum : i32
}

// -----

// CHECK:      case 0
// CHECK-NEXT:   result 0: [0, 2, 4, 6]
func.func @tensors() -> tensor<4xi32> {
  %i = kernel.iota 0 : tensor<4xi32>
  %j = kernel.add %i, %i : tensor<4xi32>
  func.return %j : tensor<4xi32>
}

// DATA:      case 0
// DATA-NEXT:   result 0: 6
// DATA-NEXT:   argument 0: [2, 4, 6]
// DATA-NOT:  case 1

// DIFFERS: error: 1 of 2 cases differ from the data file: case 1: argument 0[2]: 4294967294, expected 0 (1 of 3 words differ)
