// RUN: vliw-opt %s -p expand-word-ops --split-input-file --verify-diagnostics

builtin.module attributes {vliw.target = {name = "tiny", engines = {alu = {instructions = ["+"]}}}} {
  func.func @not_composable(%x: i32) {
    // expected-error@+1 {{the target 'tiny' has no instruction for the word function 'mul'}}
    %0 = word.mul %x, %x : i32
    func.return
  }
}

// -----

builtin.module attributes {vliw.target = {engines = {alu = {instructions = ["+", "^"]}}}} {
  func.func @part_of_an_expansion(%x: i32) {
    // expected-error@+1 {{the target 'default' has no instruction for the word function 'ult'}}
    %0 = word.cmp sge, %x, %x : i32
    func.return
  }
}

// -----

// expected-error@+1 {{vliw.target: unknown key 'lanes' (known: engines, name, scratch, vlen)}}
builtin.module attributes {vliw.target = {lanes = 8}} {
}

// -----

// expected-error@+1 {{vliw.target must be a dictionary, not 8 : i64}}
builtin.module attributes {vliw.target = 8} {
}
