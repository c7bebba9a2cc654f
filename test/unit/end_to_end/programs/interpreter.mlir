// An interpreter of instructions, in blocks with `cf.switch`.

func.func @vm(%code: memref<6x2xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^loop(%c0, %z, %z : index, i32, i32)
^loop(%pc: index, %acc: i32, %n: i32):
  %op = memref.load %code[%pc, %c0] : memref<6x2xi32>
  %ar = memref.load %code[%pc, %c1] : memref<6x2xi32>
  %pc1 = arith.addi %pc, %c1 : index
  %n1 = arith.addi %n, %one : i32
  cf.switch %op : i32, [
    default: ^bad,
    0: ^done(%acc : i32),
    1: ^add,
    2: ^mul,
    3: ^dec,
    -4: ^jnz
  ]
^add:
  %a = arith.addi %acc, %ar : i32
  cf.br ^loop(%pc1, %a, %n1 : index, i32, i32)
^mul:
  %m = arith.muli %acc, %ar : i32
  cf.br ^loop(%pc1, %m, %n1 : index, i32, i32)
^dec:
  %d = arith.subi %acc, %one : i32
  cf.br ^loop(%pc1, %d, %n1 : index, i32, i32)
^jnz:
  %nz = arith.cmpi ne, %acc, %z : i32
  %t = arith.index_cast %ar : i32 to index
  cf.cond_br %nz, ^loop(%t, %acc, %n1 : index, i32, i32), ^loop(%pc1, %acc, %n1 : index, i32, i32)
^bad:
  %m1 = arith.constant -1 : i32
  cf.br ^done(%m1 : i32)
^done(%v: i32):
  return %v, %n1 : i32, i32
}
