// Lanes that end at different times.

func.func @f(%a: memref<8xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : vector<8xi32>
  %two = arith.constant dense<2> : vector<8xi32>
  %three = arith.constant dense<3> : vector<8xi32>
  %zv = arith.constant dense<0> : vector<8xi32>
  %x0 = vector.load %a[%c0] : memref<8xi32>, vector<8xi32>
  %r:2 = scf.while (%x = %x0, %n = %zv) : (vector<8xi32>, vector<8xi32>) -> (vector<8xi32>, vector<8xi32>) {
    %m = arith.cmpi ne, %x, %one : vector<8xi32>
    %any = vector.reduction <or>, %m : vector<8xi1> into i1
    scf.condition(%any) %x, %n : vector<8xi32>, vector<8xi32>
  } do {
  ^bb0(%x: vector<8xi32>, %n: vector<8xi32>):
    %act = arith.cmpi ne, %x, %one : vector<8xi32>
    %odd = arith.andi %x, %one : vector<8xi32>
    %isodd = arith.trunci %odd : vector<8xi32> to vector<8xi1>
    %h = arith.divui %x, %two : vector<8xi32>
    %t = arith.muli %x, %three : vector<8xi32>
    %t1 = arith.addi %t, %one : vector<8xi32>
    %nx = arith.select %isodd, %t1, %h : vector<8xi1>, vector<8xi32>
    %ny = arith.select %act, %nx, %x : vector<8xi1>, vector<8xi32>
    %e = arith.extui %act : vector<8xi1> to vector<8xi32>
    %n2 = arith.addi %n, %e : vector<8xi32>
    scf.yield %ny, %n2 : vector<8xi32>, vector<8xi32>
  }
  vector.store %r#1, %a[%c0] : memref<8xi32>, vector<8xi32>
  %s = vector.reduction <maxui>, %r#1 : vector<8xi32> into i32
  return %s : i32
}
