// RUN: vliw-opt %s -p derive-vector-constants --split-input-file | filecheck %s

// A constant that is another one plus the same number in all lanes is computed where it is first
// used, also inside of regions; what is the same in all lanes, or of another length, stays.

// CHECK-LABEL: @counters
// CHECK:         %a = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]>
// CHECK-NEXT:    %c = word.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]>
// CHECK-NEXT:    %d = word.constant dense<3>
// CHECK-NEXT:    %e = word.constant dense<[1, 2]>
// CHECK:         scf.if
// CHECK-NEXT:      word.constant dense<-9>
// CHECK-NEXT:      %f = word.add %a, %{{.*}} : vector<8xi32>
// CHECK:         %[[EIGHT:.*]] = word.constant dense<8>
// CHECK-NEXT:    %b = word.add %a, %[[EIGHT]] : vector<8xi32>
// CHECK-NEXT:    %[[SIX:.*]] = word.constant dense<6>
// CHECK-NEXT:    %g = word.add %b, %[[SIX]] : vector<8xi32>
// CHECK-NEXT:    word.scatter %b
func.func @counters(%n: i32, %x: !word.buffer<64>) attributes {vliw.signature = (i32, memref<64xi32>) -> ()} {
  %a = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  %b = word.constant dense<[8, 9, 10, 11, 12, 13, 14, 15]> : vector<8xi32>
  %c = word.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xi32>
  %d = word.constant dense<3> : vector<8xi32>
  %e = word.constant dense<[1, 2]> : vector<2xi32>
  %t = word.test %n
  scf.if %t {
    %f = word.constant dense<[-9, -8, -7, -6, -5, -4, -3, -2]> : vector<8xi32>
    word.scatter %f, %x[%a] : vector<8xi32>, !word.buffer<64>
  }
  %g = word.constant dense<[14, 15, 16, 17, 18, 19, 20, 21]> : vector<8xi32>
  word.scatter %b, %x[%g] : vector<8xi32>, !word.buffer<64>
  word.scatter %c, %x[%d] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Without vectors there is nothing to gain.

// CHECK-LABEL: @no_vectors
// CHECK-NOT:     word.add
module attributes {vliw.target = {engines = {valu = 0}}} {
  func.func @no_vectors(%x: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
    %a = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
    %b = word.constant dense<[8, 9, 10, 11, 12, 13, 14, 15]> : vector<8xi32>
    word.scatter %a, %x[%b] : vector<8xi32>, !word.buffer<64>
    func.return
  }
}
