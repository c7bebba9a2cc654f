// RUN: vliw-opt %s -p legalize-vectors --split-input-file | filecheck %s

// Vectors of the target's length stay as they are.

// CHECK-LABEL: @same_length
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %v = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    word.store %v, %a[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @same_length(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %v = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  word.store %v, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// 19 lanes on a machine of 8: two vectors and three words.

// CHECK-LABEL: @lengths
// CHECK:         [[V0:%\S+]] = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK:         [[O8:%\S+]] = word.add %c0, {{%\S+}} : i32
// CHECK-NEXT:    [[V1:%\S+]] = word.load %a[[[O8]]] : !word.buffer<64> -> vector<8xi32>
// CHECK:         [[W0:%\S+]] = word.load {{.*}} -> i32
// CHECK:         [[W1:%\S+]] = word.load {{.*}} -> i32
// CHECK:         [[C18:%\S+]] = word.constant 18 : i32
// CHECK-NEXT:    [[O18:%\S+]] = word.add %c0, [[C18]] : i32
// CHECK-NEXT:    [[W2:%\S+]] = word.load %a[[[O18]]] : !word.buffer<64> -> i32
// CHECK-NEXT:    [[S0:%\S+]] = word.add [[V0]], [[V0]] : vector<8xi32>
// CHECK-NEXT:    [[S1:%\S+]] = word.add [[V1]], [[V1]] : vector<8xi32>
// CHECK-NEXT:    [[T0:%\S+]] = word.add [[W0]], [[W0]] : i32
// CHECK-NEXT:    [[T1:%\S+]] = word.add [[W1]], [[W1]] : i32
// CHECK-NEXT:    [[T2:%\S+]] = word.add [[W2]], [[W2]] : i32
// CHECK-NEXT:    word.store [[S0]], %a[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK:         word.store [[S1]], {{.*}} : vector<8xi32>, !word.buffer<64>
// CHECK:         word.store [[T0]], {{.*}} : i32, !word.buffer<64>
// CHECK:         word.store [[T1]], {{.*}} : i32, !word.buffer<64>
// CHECK:         word.store [[T2]], {{.*}} : i32, !word.buffer<64>
// CHECK-NEXT:    func.return
func.func @lengths(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %v = word.load %a[%c0] : !word.buffer<64> -> vector<19xi32>
  %s = word.add %v, %v : vector<19xi32>
  word.store %s, %a[%c0] : vector<19xi32>, !word.buffer<64>
  func.return
}

// -----

// A machine of 16 lanes makes words of a shorter vector.

// CHECK-LABEL: @short_vector
// CHECK-NOT:     vector
// CHECK:         word.cmp ult, %x, {{%\S+}} : i32
// CHECK-NEXT:    word.cmp ult, %y, {{%\S+}} : i32
// CHECK-NOT:     vector
builtin.module attributes {vliw.target = {vlen = 16}} {
  func.func @short_vector(%a: !word.buffer<64>, %x: i32, %y: i32) attributes {vliw.signature = (memref<64xi32>, i32, i32) -> ()} {
    %v = word.from_elements %x, %y : vector<2xi32>
    %c = word.constant dense<[1, -1]> : vector<2xi32>
    %lt = word.cmp ult, %v, %c : vector<2xi32>
    %r = word.select %lt, %v, %c : vector<2xi32>
    %offset = word.constant 3 : i32
    word.store %r, %a[%offset] : vector<2xi32>, !word.buffer<64>
    func.return
  }
}

// -----

// Lanes: of a part that is a word nothing is extracted or inserted.

// CHECK-LABEL: @lanes
// CHECK:         [[B:%\S+]] = word.broadcast %x : vector<8xi32>
// CHECK-NEXT:    [[I:%\S+]] = word.insert %y, [[B]][3] : vector<8xi32>
// CHECK-NEXT:    [[E:%\S+]] = word.extract [[I]][3] : vector<8xi32>
// CHECK-NEXT:    word.trace_write [[E]]
// CHECK-NEXT:    word.trace_write %y
// CHECK-NEXT:    word.trace_write %x
func.func @lanes(%x: i32, %y: i32) attributes {vliw.signature = (i32, i32) -> ()} {
  %v = word.broadcast %x : vector<10xi32>
  %w = word.insert %y, %v[3] : vector<10xi32>
  %u = word.insert %y, %w[8] : vector<10xi32>
  %e3 = word.extract %u[3] : vector<10xi32>
  word.trace_write %e3
  %e8 = word.extract %u[8] : vector<10xi32>
  word.trace_write %e8
  // All lanes began as one value: inserting lane 8 must not have changed this one.
  %e9 = word.extract %u[9] : vector<10xi32>
  word.trace_write %e9
  func.return
}

// -----

// CHECK-LABEL: @gather_and_scatter
// CHECK:         [[G:%\S+]] = word.gather %a[%{{\S+}}] absolute : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    [[L:%\S+]] = word.load %a[%{{\S+}}] absolute : !word.buffer<64> -> i32
// CHECK-NEXT:    word.scatter [[G]], %a[%{{\S+}}] : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store [[L]], %a[%{{\S+}}] : i32, !word.buffer<64>
// CHECK-NEXT:    word.compare [[G]], ["a", "b", "c", "d", "e", "f", "g", "h"] : vector<8xi32>
// CHECK-NEXT:    word.compare [[L]], ["i"] : i32
func.func @gather_and_scatter(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %offsets = word.constant dense<[8, 7, 6, 5, 4, 3, 2, 1, 9]> : vector<9xi32>
  %v = word.gather %a[%offsets] absolute : !word.buffer<64> -> vector<9xi32>
  word.scatter %v, %a[%offsets] : vector<9xi32>, !word.buffer<64>
  word.compare %v, ["a", "b", "c", "d", "e", "f", "g", "h", "i"] : vector<9xi32>
  func.return
}

// -----

// Block arguments: the parts come after the arguments that stay, in the branches too.

// CHECK-LABEL: @block_arguments
// CHECK:         cf.br ^[[LOOP:\S+]](%n, [[A0:%\S+]], [[A1:%\S+]], [[B0:%\S+]], [[B1:%\S+]] : i32, vector<4xi32>, i32, vector<4xi32>, i32)
// CHECK-NEXT:  ^[[LOOP]]([[N:%\S+]]: i32, [[P0:%\S+]]: vector<4xi32>, [[P1:%\S+]]: i32, [[Q0:%\S+]]: vector<4xi32>, [[Q1:%\S+]]: i32):
// CHECK:         cf.cond_br %{{\S+}}, ^[[LOOP]]([[N]], [[Q0]], [[Q1]], [[P0]], [[P1]] : {{.*}}), ^[[END:\S+]]([[P0]], [[P1]] : vector<4xi32>, i32)
// CHECK-NEXT:  ^[[END]]([[R0:%\S+]]: vector<4xi32>, [[R1:%\S+]]: i32):
builtin.module attributes {vliw.target = {vlen = 4}} {
  func.func @block_arguments(%a: !word.buffer<64>, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
    %c0 = word.constant 0 : i32
    %u = word.load %a[%c0] : !word.buffer<64> -> vector<5xi32>
    %v = word.broadcast %n : vector<5xi32>
    cf.br ^loop(%u, %n, %v : vector<5xi32>, i32, vector<5xi32>)
  ^loop(%p: vector<5xi32>, %i: i32, %q: vector<5xi32>):
    %more = word.test %i
    cf.cond_br %more, ^loop(%q, %i, %p : vector<5xi32>, i32, vector<5xi32>), ^end(%p : vector<5xi32>)
  ^end(%r: vector<5xi32>):
    word.store %r, %a[%c0] : vector<5xi32>, !word.buffer<64>
    func.return
  }
}

// -----

// Blocks that cannot be reached go, whatever they do.

// CHECK-LABEL: @unreachable
// CHECK-NOT:     ^
// CHECK:         word.trace_write %x
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @unreachable(%x: i32) attributes {vliw.signature = (i32) -> ()} {
  %v = word.broadcast %x : vector<3xi32>
  %e = word.extract %v[0] : vector<3xi32>
  word.trace_write %e
  func.return
^nowhere(%p: vector<3xi32>):
  %w = word.add %p, %v : vector<3xi32>
  cf.br ^nowhere(%w : vector<3xi32>)
}

// -----

// A machine of one lane.

// CHECK-LABEL: @one_lane
// CHECK:         word.load %a[%c0] : !word.buffer<64> -> vector<1xi32>
// CHECK:         word.load {{.*}} -> vector<1xi32>
// CHECK:         word.extract {{%\S+}}[0] : vector<1xi32>
builtin.module attributes {vliw.target = {vlen = 1}} {
  func.func @one_lane(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
    %c0 = word.constant 0 : i32
    %v = word.load %a[%c0] : !word.buffer<64> -> vector<2xi32>
    %e = word.extract %v[1] : vector<2xi32>
    word.trace_write %e
    func.return
  }
}

// -----

// Slices that meet parts are those parts; other windows need the parts put together.

// CHECK-LABEL: @windows
// CHECK:         [[V0:%\S+]] = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK:         [[V1:%\S+]] = word.load {{.*}} -> vector<8xi32>
// CHECK:         [[V:%\S+]] = word.concat [[V0]], [[V1]] : vector<8xi32>, vector<8xi32> -> vector<16xi32>
// CHECK-NEXT:    [[S:%\S+]] = word.slice [[V]][3] : vector<16xi32> -> vector<8xi32>
// CHECK-NEXT:    [[X:%\S+]] = word.extract [[V1]][4] : vector<8xi32>
// CHECK-NEXT:    word.store [[S]], {{.*}} : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store [[V1]], {{.*}} : vector<8xi32>, !word.buffer<64>
// CHECK-NEXT:    word.store [[X]], {{.*}} : i32, !word.buffer<64>
func.func @windows(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %v = word.load %a[%c0] : !word.buffer<64> -> vector<16xi32>
  %s = word.slice %v[3] : vector<16xi32> -> vector<8xi32>
  %t = word.slice %v[8] : vector<16xi32> -> vector<8xi32>
  %u = word.slice %v[12] : vector<16xi32> -> vector<1xi32>
  word.store %s, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %t, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %u, %a[%c0] : vector<1xi32>, !word.buffer<64>
  func.return
}

// -----

// A concatenation of parts of odd lengths: a vector from words, and windows over the rest.

// CHECK-LABEL: @concat
// CHECK:         [[F:%\S+]] = word.from_elements %x, %y, %x, %y, %x, %y, %x, %y : vector<8xi32>
// CHECK-NEXT:    [[C:%\S+]] = word.concat %x, %y, %x, %y, %x, %y, %x, %y, %x, %v, %y :
// CHECK-NEXT:    [[S:%\S+]] = word.slice [[C]][8] : vector<18xi32> -> vector<8xi32>
// CHECK-NEXT:    [[E:%\S+]] = word.extract %v[7] : vector<8xi32>
// CHECK-NEXT:    word.store [[F]], %a[%c0] : vector<8xi32>, !word.buffer<64>
// CHECK:         word.store [[S]], {{.*}} : vector<8xi32>, !word.buffer<64>
// CHECK:         word.store [[E]], {{.*}} : i32, !word.buffer<64>
// CHECK:         word.store %y, {{.*}} : i32, !word.buffer<64>
func.func @concat(%a: !word.buffer<64>, %x: i32, %y: i32) attributes {vliw.signature = (memref<64xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %v = word.broadcast %x : vector<8xi32>
  %w = word.from_elements %x, %y : vector<2xi32>
  %c = word.concat %w, %w, %w, %w, %x, %v, %y : vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>, i32, vector<8xi32>, i32 -> vector<18xi32>
  word.store %c, %a[%c0] : vector<18xi32>, !word.buffer<64>
  func.return
}
