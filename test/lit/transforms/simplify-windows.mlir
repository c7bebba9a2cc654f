// RUN: vliw-opt %s -p simplify | filecheck %s

// CHECK-LABEL: @slices(
// CHECK-NEXT:    %five = word.constant dense<5> : vector<2xi32>
// CHECK-NEXT:    %two = word.slice %v[2] : vector<8xi32> -> vector<2xi32>
// CHECK-NEXT:    %xy = word.from_elements %x, %y : vector<2xi32>
// CHECK-NEXT:    %xx = word.broadcast %x : vector<2xi32>
// CHECK-NEXT:    %beside = word.slice %v[4] : vector<8xi32> -> vector<2xi32>
// CHECK-NEXT:    func.return %v, %v, %two, %xy, %xx, %five, %beside :
func.func @slices(%v: vector<8xi32>, %w: vector<8xi32>, %x: i32, %y: i32) -> (vector<8xi32>, vector<8xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>) {
  %all = word.slice %v[0] : vector<8xi32> -> vector<8xi32>
  %vw = word.concat %w, %v : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %part = word.slice %vw[8] : vector<16xi32> -> vector<8xi32>
  %four = word.slice %vw[9] : vector<16xi32> -> vector<4xi32>
  %two = word.slice %four[1] : vector<4xi32> -> vector<2xi32>
  %e = word.from_elements %y, %x, %y, %x : vector<4xi32>
  %xy = word.slice %e[1] : vector<4xi32> -> vector<2xi32>
  %b = word.broadcast %x : vector<8xi32>
  %xx = word.slice %b[3] : vector<8xi32> -> vector<2xi32>
  %c = word.constant dense<[4, 5, 5, 6]> : vector<4xi32>
  %five = word.slice %c[1] : vector<4xi32> -> vector<2xi32>
  %i = word.insert %x, %v[0] : vector<8xi32>
  %beside = word.slice %i[4] : vector<8xi32> -> vector<2xi32>
  func.return %all, %part, %two, %xy, %xx, %five, %beside : vector<8xi32>, vector<8xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>
}

// Slices that are neighbours are one; of words only, it is a vector of elements.

// CHECK-LABEL: @concats(
// CHECK-NEXT:    %some = word.slice %v[3] : vector<8xi32> -> vector<4xi32>
// CHECK-NEXT:    %words = word.from_elements %x, %y : vector<2xi32>
// CHECK-NEXT:    %outer = word.concat %v, %x, %v : vector<8xi32>, i32, vector<8xi32> -> vector<17xi32>
// CHECK-NEXT:    func.return %v, %some, %words, %outer :
func.func @concats(%v: vector<8xi32>, %x: i32, %y: i32) -> (vector<8xi32>, vector<4xi32>, vector<2xi32>, vector<17xi32>) {
  %low = word.slice %v[0] : vector<8xi32> -> vector<3xi32>
  %three = word.extract %v[3] : vector<8xi32>
  %middle = word.slice %v[4] : vector<8xi32> -> vector<3xi32>
  %high = word.extract %v[7] : vector<8xi32>
  %all = word.concat %low, %three, %middle, %high : vector<3xi32>, i32, vector<3xi32>, i32 -> vector<8xi32>
  %some = word.concat %three, %middle : i32, vector<3xi32> -> vector<4xi32>
  %words = word.concat %x, %y : i32, i32 -> vector<2xi32>
  %inner = word.concat %v, %x : vector<8xi32>, i32 -> vector<9xi32>
  %outer = word.concat %inner, %v : vector<9xi32>, vector<8xi32> -> vector<17xi32>
  func.return %all, %some, %words, %outer : vector<8xi32>, vector<4xi32>, vector<2xi32>, vector<17xi32>
}

// CHECK-LABEL: @lanes(
// CHECK-NEXT:    %0 = word.extract %v[6] : vector<8xi32>
// CHECK-NEXT:    %1 = word.extract %v[5] : vector<8xi32>
// CHECK-NEXT:    %2 = word.slice %v[2] : vector<8xi32> -> vector<2xi32>
// CHECK-NEXT:    func.return %x, %0, %1, %2 :
func.func @lanes(%v: vector<8xi32>, %x: i32) -> (i32, i32, i32, vector<2xi32>) {
  %c = word.concat %v, %x : vector<8xi32>, i32 -> vector<9xi32>
  %s = word.slice %c[4] : vector<9xi32> -> vector<5xi32>
  %0 = word.extract %s[4] : vector<5xi32>
  %1 = word.extract %s[2] : vector<5xi32>
  %t = word.slice %v[3] : vector<8xi32> -> vector<4xi32>
  %2 = word.extract %t[2] : vector<4xi32>
  %a = word.extract %v[2] : vector<8xi32>
  %b = word.extract %v[3] : vector<8xi32>
  %3 = word.from_elements %a, %b : vector<2xi32>
  func.return %0, %1, %2, %3 : i32, i32, i32, vector<2xi32>
}

// Equal windows are one.

// CHECK-LABEL: @merged(
// CHECK-NEXT:    [[C:%\S+]] = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
// CHECK-NEXT:    [[S:%\S+]] = word.slice [[C]][3] : vector<16xi32> -> vector<8xi32>
// CHECK-NEXT:    word.xor [[S]], %v : vector<8xi32>
func.func @merged(%v: vector<8xi32>, %w: vector<8xi32>) -> vector<8xi32> {
  %0 = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %1 = word.slice %0[3] : vector<16xi32> -> vector<8xi32>
  %2 = word.concat %v, %w : vector<8xi32>, vector<8xi32> -> vector<16xi32>
  %3 = word.slice %2[3] : vector<16xi32> -> vector<8xi32>
  %o = word.or %1, %3 : vector<8xi32>
  %4 = word.xor %o, %v : vector<8xi32>
  func.return %4 : vector<8xi32>
}
