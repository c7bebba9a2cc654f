// RUN: vliw-opt %s -p expand-word-ops --split-input-file | filecheck %s

// The default machine has these, lane by lane at least.

// CHECK-LABEL: @kept
// CHECK-NEXT:    word.add %x, %y : i32
// CHECK-NEXT:    word.select %x, %y, %x : i32
// CHECK-NEXT:    word.cmp ult, %x, %y : i32
// CHECK-NEXT:    word.ceildivu %v, %v : vector<8xi32>
// CHECK-NEXT:    word.multiply_add %v, %v, %v : vector<8xi32>
// CHECK-NEXT:    func.return
func.func @kept(%x: i32, %y: i32, %v: vector<8xi32>) {
  %0 = word.add %x, %y : i32
  %1 = word.select %x, %y, %x : i32
  %2 = word.cmp ult, %x, %y : i32
  %3 = word.ceildivu %v, %v : vector<8xi32>
  %4 = word.multiply_add %v, %v, %v : vector<8xi32>
  func.return
}

// -----

// One expansion may need others: mins -> slt -> ult on words with the sign bit flipped.

// CHECK-LABEL: @composed
// CHECK-NEXT:    [[S:%\S+]] = word.constant dense<-2147483648> : vector<4xi32>
// CHECK-NEXT:    [[X:%\S+]] = word.add %v, [[S]] : vector<4xi32>
// CHECK-NEXT:    [[S:%\S+]] = word.constant dense<-2147483648> : vector<4xi32>
// CHECK-NEXT:    [[Y:%\S+]] = word.add %w, [[S]] : vector<4xi32>
// CHECK-NEXT:    [[C:%\S+]] = word.cmp ult, [[X]], [[Y]] : vector<4xi32>
// CHECK-NEXT:    %min = word.select [[C]], %v, %w : vector<4xi32>
// CHECK-NEXT:    word.store %min, %a[%x] : vector<4xi32>, !word.buffer<?>
func.func @composed(%a: !word.buffer<?>, %x: i32, %v: vector<4xi32>, %w: vector<4xi32>) {
  %min = word.mins %v, %w : vector<4xi32>
  word.store %min, %a[%x] : vector<4xi32>, !word.buffer<?>
  func.return
}

// -----

// On words, the multiplication is in two steps: only vectors have a fused one.

// CHECK-LABEL: @fused
// CHECK-NEXT:    [[P:%\S+]] = word.mul %x, %y : i32
// CHECK-NEXT:    %{{\S+}} = word.add [[P]], %x : i32
// CHECK-NEXT:    func.return
func.func @fused(%x: i32, %y: i32) {
  %0 = word.multiply_add %x, %y, %x : i32
  func.return
}

// -----

// Within structured control flow, too.

// CHECK-LABEL: @nested
// CHECK:         scf.if
// CHECK-NEXT:      [[E:%\S+]] = word.cmp eq, %x, %x : i32
// CHECK-NEXT:      [[ONE:%\S+]] = word.constant 1 : i32
// CHECK-NEXT:      [[N:%\S+]] = word.xor [[E]], [[ONE]] : i32
// CHECK-NEXT:      word.trace_write [[N]]
func.func @nested(%c: i1, %x: i32) {
  scf.if %c {
    %0 = word.cmp ne, %x, %x : i32
    word.trace_write %0
  }
  func.return
}

// -----

// A machine without selects and subtraction masks what it selects.

// CHECK-LABEL: @little_machine
// CHECK-NOT:     word.select
// CHECK-NOT:     word.sub
// CHECK:         word.cmp eq, %c, {{%\S+}} : vector<8xi32>
// CHECK-NOT:     word.select
// CHECK-NOT:     word.sub
// CHECK:         word.and {{%\S+}}, {{%\S+}} : vector<8xi32>
// CHECK-NEXT:    %r = word.xor %w, {{%\S+}} : vector<8xi32>
builtin.module attributes {vliw.target = {engines = {
    flow = {instructions = ["cond_jump", "jump", "halt"]},
    alu = {instructions = ["+", "^", "&", "=="]},
    valu = {instructions = ["+", "^", "&"]}}}} {
  func.func @little_machine(%c: vector<8xi32>, %v: vector<8xi32>, %w: vector<8xi32>, %a: !word.buffer<8>, %x: i32) {
    %r = word.select %c, %v, %w : vector<8xi32>
    word.store %r, %a[%x] : vector<8xi32>, !word.buffer<8>
    func.return
  }
}

// -----

// What is made has the place of what it replaces.

// RUN: vliw-opt %s -p expand-word-ops --split-input-file --print-debuginfo | filecheck %s --check-prefix=LOC
// LOC-LABEL: @located
// LOC-COUNT-7: {{ word\..* loc\("origin.mlir":7:3\)}}
// LOC-NEXT:    func.return
func.func @located(%x: i32, %y: i32) {
  %0 = word.rotl %x, %y : i32 loc("origin.mlir":7:3)
  func.return
}

// -----

// Selections stay open where the machine can do them both ways.

// CHECK-LABEL: @selection
// CHECK-NEXT:    %0 = word.select_by_difference %c, %a, %b, %d : vector<8xi32>
// CHECK-NEXT:    %1 = word.select %p, %x, %y : i32
// CHECK-NEXT:    func.return
func.func @selection(%c: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>, %d: vector<8xi32>,
                     %p: i32, %x: i32, %y: i32, %z: i32) {
  %0 = word.select_by_difference %c, %a, %b, %d : vector<8xi32>
  %1 = word.select_by_difference %p, %x, %y, %z : i32
  func.return
}
