// RUN: vliw-opt %s -p "convert-word-to-vliw{max-bundles=10}" --split-input-file --verify-diagnostics

// expected-error@+1 {{the program takes 14 bundles, more than max-bundles=10}}
func.func @too_long(%x: i32) {
  %v = word.broadcast %x : vector<8xi32>
  %s = word.divu %v, %v : vector<8xi32>
  word.trace_write %x
  word.trace_write %x
  %c0 = word.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  func.return
}

// -----

func.func @odd_vector(%x: i32) {
  // expected-error@+1 {{a vector of 4 lanes; run legalize-vectors first}}
  %v = word.broadcast %x : vector<4xi32>
  func.return
}

// -----

// expected-error@+1 {{a vector of 4 lanes; run legalize-vectors first}}
func.func @odd_block_argument() {
  cf.br ^first
^first:
  %c = word.constant dense<0> : vector<4xi32>
  cf.br ^second(%c : vector<4xi32>)
^second(%w: vector<4xi32>):
  func.return
}

// -----

func.func @not_composed(%x: i32) {
  // expected-error@+1 {{the target 'default' has no instruction for the word function 'ne'; run expand-word-ops first}}
  %v = word.cmp ne, %x, %x : i32
  func.return
}

// -----

func.func @structured(%c: i1) {
  // expected-error@+1 {{'scf.if' is not at the SSA level; run the conversions before it}}
  scf.if %c {
  }
  func.return
}

// -----

func.func @standard(%x: i32) {
  // expected-error@+1 {{'arith.addi' is not at the SSA level; run the conversions before it}}
  %0 = arith.addi %x, %x : i32
  func.return
}

// -----

func.func @call(%x: i32) {
  // expected-error@+1 {{'func.call' is not at the SSA level; run the conversions before it}}
  func.call @other(%x) : (i32) -> ()
  func.return
}
func.func private @other(%x: i32) {
  func.return
}

// -----

builtin.module attributes {vliw.target = {name = "mute", engines = {flow = {instructions = ["jump", "cond_jump"]}}}} {
  func.func @missing_instruction(%x: i32) {
    // expected-error@+1 {{the target 'mute' has no instruction 'trace_write'}}
    word.trace_write %x
    func.return
  }
}

// -----

builtin.module attributes {vliw.target = {engines = {flow = 0}}} {
  func.func @missing_jump(%x: i32) {
    %c = word.test %x
    // expected-error@+1 {{the target 'default' has no instruction 'cond_jump'}}
    cf.cond_br %c, ^a, ^b
  ^a:
    func.return
  ^b:
    func.return
  }
}

// -----

builtin.module attributes {vliw.target = {scratch = 20}} {
  // expected-error@+1 {{20 words of scratch are too few for the operands of one instruction}}
  func.func @too_little_scratch(%x: i32) {
    %v = word.broadcast %x : vector<8xi32>
    %w = word.broadcast %x : vector<8xi32>
    %u = word.broadcast %x : vector<8xi32>
    %r = word.select %v, %w, %u : vector<8xi32>
    func.return
  }
}

// -----

// expected-error@+1 {{the module has no public function with a body to serve as the kernel}}
builtin.module {
  func.func private @helper(%x: i32) {
    func.return
  }
}

// -----

func.func @one() {
  func.return
}
// expected-error@+1 {{a module holds one kernel, but @one, @two are public; make all others private}}
func.func @two() {
  func.return
}

// -----

func.func @result_count(%x: i32) -> (i32, i32) attributes {vliw.signature = (i32) -> i32} {
  // expected-error@+1 {{2 values returned for 1 results}}
  func.return %x, %x : i32, i32
}

// -----

// expected-error@+1 {{argument 1 is neither the caller's nor a result}}
func.func @argument_too_many(%x: i32, %y: i32) attributes {vliw.signature = (i32) -> ()} {
  word.trace_write %y
  func.return
}

// -----

// expected-error@+1 {{argument 0 is neither the caller's nor a result}}
func.func @result_number(%r: !word.buffer<4> {vliw.result = 1 : i64}) attributes {vliw.signature = () -> tensor<4xi32>} {
  %0 = word.address %r : !word.buffer<4>
  func.return
}

// -----

// The arguments of the entry are loaded once: no branch leads there.

"func.func"() <{sym_name = "entry_loop", function_type = (i32) -> ()}> ({
^entry(%x: i32):
  // expected-error@+1 {{'cf.br' op branches to the entry block of its region}}
  "cf.br"(%x) [^entry] : (i32) -> ()
}) : () -> ()

// -----

// expected-error@+1 {{the kernel takes 4294967360 words of memory; addresses are 32 bits}}
func.func @no_room() {
  %a = word.alloc : !word.buffer<4294967296>
  %b = word.address %a : !word.buffer<4294967296>
  word.trace_write %b
  func.return
}
