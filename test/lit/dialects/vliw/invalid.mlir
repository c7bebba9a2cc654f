// RUN: vliw-opt %s --split-input-file --verify-diagnostics

// Syntax

vliw.program @slots : () -> () {
  // expected-error@+1 {{expected '{' and the slots of the bundle}}
  vliw.bundle [alu("+", 0, 1, 2)]
}

// -----

vliw.program @mnemonic : () -> () {
  // expected-error@+1 {{string literal expected naming an instruction}}
  vliw.bundle {alu(+, 0, 1, 2)}
}

// -----

vliw.program @operand : () -> () {
  // expected-error@+1 {{expected an integer, @label, string or list as operand}}
  vliw.bundle {alu("+", %0, 1, 2)}
}

// -----

// expected-error@+1 {{'vliw.bundle' op 'vliw.bundle' expects parent op 'vliw.program'}}
vliw.bundle {alu("+", 0, 1, 2)}

// -----

// expected-error@+1 {{'vliw.program' op expected only vliw.bundle, found 'word.pause'}}
vliw.program @other_op : () -> () {
  word.pause
}

// -----

// expected-error@+1 {{'vliw.program' op 'vliw.program' does not contain single-block regions}}
vliw.program @two_blocks : () -> () {
  vliw.bundle {}
^bb0:
  vliw.bundle {}
}

// -----

// Bundles edited by hand: slots

vliw.program @engine : () -> () {
  vliw.bundle {}
  // expected-error@+1 {{bundle 1: unknown engine 'fpu' (known: alu, valu, load, store, flow, debug)}}
  vliw.bundle {fpu("+", 0, 1, 2)}
}

// -----

vliw.program @instruction : () -> () {
  // expected-error@+1 {{bundle 0: load slot 0: engine 'load' does not run '+'}}
  vliw.bundle {load("+", 0, 1, 2)}
}

// -----

vliw.program @arity : () -> () {
  // expected-error@+1 {{bundle 0: alu slot 1: '+' takes 3 operands, 2 are given}}
  vliw.bundle {alu("+", 0, 1, 2), alu("+", 1, 1)}
}

// -----

vliw.program @slot_limit : () -> () {
  // expected-error@+1 {{bundle 0: engine 'load' has 2 slots per bundle, 3 are used}}
  vliw.bundle {load("const", 0, 1), load("const", 1, 1), load("const", 2, 1)}
}

// -----

vliw.program @operand_kind : () -> () {
  // expected-error@+1 {{bundle 0: alu slot 0: '+' operand 2: 'one' is not an integer}}
  vliw.bundle {alu("+", 0, "one", 2)}
}

// -----

vliw.program @immediate : () -> () {
  // expected-error@+1 {{bundle 0: load slot 0: 'const' operand 2: 4294967296 does not fit in 32 bits}}
  vliw.bundle {load("const", 0, 4294967296)}
}

// -----

vliw.program @keys : () -> () {
  // expected-error@+1 {{bundle 0: debug slot 0: 'vcompare' operand 2: [1, 2] is not a list of 8 keys}}
  vliw.bundle {debug("vcompare", 0, [1, 2])}
}

// -----

// Scratch

vliw.program @scratch_word : () -> () {
  // expected-error@+1 {{bundle 0: load slot 0: 'const' operand 1: word 1536 is outside of the 1536 words of scratch}}
  vliw.bundle {load("const", 1536, 0)}
}

// -----

vliw.program @scratch_vector : () -> () {
  // expected-error@+1 {{bundle 0: valu slot 0: '+' operand 3: words 1529..1536 are outside of the 1536 words of scratch}}
  vliw.bundle {valu("+", 0, 1528, 1529)}
}

// -----

vliw.program @scratch_offset : () -> () {
  // expected-error@+1 {{bundle 0: load slot 0: 'load_offset' operand 2: word -1 is outside of the 1536 words of scratch}}
  vliw.bundle {load("load_offset", 5, 2, -3)}
}

// -----

vliw.program @conflict : () -> () {
  // expected-error@+1 {{bundle 0: valu slot 0 and alu slot 0 both write scratch word 7}}
  vliw.bundle {valu("+", 0, 8, 16), alu("+", 7, 8, 9)}
}

// -----

vliw.program @vector_conflict : () -> () {
  // expected-error@+1 {{bundle 0: valu slot 0 and load slot 0 both write scratch word 4}}
  vliw.bundle {valu("vbroadcast", 0, 8), load("vload", 4, 9)}
}

// -----

// Jumps and labels

vliw.program @jump : () -> () {
  vliw.bundle {}
  // expected-error@+1 {{bundle 1: flow slot 0: 'jump' operand 1: bundle 3 is outside of the program's 2 bundles}}
  vliw.bundle {flow("jump", 3)}
}

// -----

vliw.program @relative_jump : () -> () {
  vliw.bundle {}
  // expected-error@+1 {{bundle 1: flow slot 0: 'cond_jump_rel' operand 2: bundle -1 is outside of the program's 2 bundles}}
  vliw.bundle {flow("cond_jump_rel", 0, -3)}
}

// -----

vliw.program @unknown_label : () -> () {
  // expected-error@+1 {{no bundle has the label @nowhere}}
  vliw.bundle @here {flow("jump", @nowhere)}
}

// -----

vliw.program @label_twice : () -> () {
  vliw.bundle @here {}
  vliw.bundle {}
  // expected-error@+1 {{bundle 2: label @here is given twice}}
  vliw.bundle @here {}
}

// -----

vliw.program @label_as_offset : () -> () {
  vliw.bundle @here {}
  // expected-error@+1 {{@here is neither a jump target nor an immediate here}}
  vliw.bundle {flow("cond_jump_rel", 0, @here)}
}

// -----

vliw.program @label_as_address : () -> () {
  vliw.bundle @here {}
  // expected-error@+1 {{@here is neither a jump target nor an immediate here}}
  vliw.bundle {alu("+", @here, 0, 1)}
}

// -----

// Spill area and interface

// expected-error@+1 {{'vliw.program' op spill must be [address, words], neither below 0}}
vliw.program @spill : () -> () spill [64] {
}

// -----

// expected-error@+1 {{'vliw.program' op spill must be [address, words], neither below 0}}
vliw.program @negative_spill : () -> () spill [64, -1] {
}

// -----

// expected-error@+1 {{argument 0: f32 is not supported; only integers of 1, 8, 16 or 32 bits are}}
vliw.program @argument : (f32) -> () {
}

// -----

// expected-error@+1 {{1 argument attributes for 2 arguments}}
vliw.program @attributes : (i32, i32) -> () args [{}] {
}

// -----

// Another machine

builtin.module attributes {vliw.target = {vlen = 4, scratch = 16, engines = {store = 0}}} {
  vliw.program @missing_engine : () -> () {
    vliw.bundle {load("vload", 12, 0)}
    // expected-error@+1 {{bundle 1: engine 'store' has 0 slots per bundle, 1 are used}}
    vliw.bundle {store("store", 0, 0)}
  }
}

// -----

builtin.module attributes {vliw.target = {vlen = 4, scratch = 16}} {
  vliw.program @little_scratch : () -> () {
    // expected-error@+1 {{bundle 0: load slot 0: 'vload' operand 1: words 13..16 are outside of the 16 words of scratch}}
    vliw.bundle {load("vload", 13, 0)}
  }
}
