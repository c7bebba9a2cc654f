// Breadth-first search of a graph in CSR form.

func.func @bfs(%ro: memref<?xi32>, %ci: memref<?xi32>, %src: i32, %dist: memref<?xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %m1 = arith.constant -1 : i32
  %q = memref.alloca() : memref<32xi32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %m1, %dist[%i] : memref<?xi32>
  }
  %s = arith.index_cast %src : i32 to index
  memref.store %zero, %dist[%s] : memref<?xi32>
  memref.store %src, %q[%c0] : memref<32xi32>
  %r:2 = scf.while (%head = %c0, %tail = %c1) : (index, index) -> (index, index) {
    %c = arith.cmpi ult, %head, %tail : index
    scf.condition(%c) %head, %tail : index, index
  } do {
  ^bb0(%head: index, %tail: index):
    %u32 = memref.load %q[%head] : memref<32xi32>
    %u = arith.index_cast %u32 : i32 to index
    %u1 = arith.addi %u, %c1 : index
    %b32 = memref.load %ro[%u] : memref<?xi32>
    %e32 = memref.load %ro[%u1] : memref<?xi32>
    %du = memref.load %dist[%u] : memref<?xi32>
    %dv = arith.addi %du, %one : i32
    %t2 = scf.for %e = %b32 to %e32 step %one iter_args(%t = %tail) -> (index) : i32 {
      %ei = arith.index_cast %e : i32 to index
      %v32 = memref.load %ci[%ei] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %dvv = memref.load %dist[%v] : memref<?xi32>
      %new = arith.cmpi eq, %dvv, %m1 : i32
      %t3 = scf.if %new -> index {
        memref.store %dv, %dist[%v] : memref<?xi32>
        memref.store %v32, %q[%t] : memref<32xi32>
        %t4 = arith.addi %t, %c1 : index
        scf.yield %t4 : index
      } else {
        scf.yield %t : index
      }
      scf.yield %t3 : index
    }
    %h2 = arith.addi %head, %c1 : index
    scf.yield %h2, %t2 : index, index
  }
  %ret = arith.index_cast %r#1 : index to i32
  return %ret : i32
}
