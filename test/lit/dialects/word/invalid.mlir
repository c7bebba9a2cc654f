// RUN: vliw-opt %s --split-input-file --verify-diagnostics

// Types

func.func @word_type(%a: i64) {
  // expected-error@+1 {{Expected attribute i32 but got i64}}
  %0 = word.add %a, %a : i64
  func.return
}

// -----

func.func @index_is_no_word(%a: index) {
  // expected-error@+1 {{'word.test' op operand 'word' at position 0 does not verify}}
  %0 = "word.test"(%a) : (index) -> i1
  func.return
}

// -----

func.func @element_type(%a: vector<8xi64>) {
  // expected-error@+1 {{Expected attribute i32 but got i64}}
  %0 = word.xor %a, %a : vector<8xi64>
  func.return
}

// -----

func.func @operands_differ(%a: i32, %v: vector<8xi32>) {
  // expected-error@+1 {{'word.add' op operand 'rhs' at position 1 does not verify}}
  %0 = "word.add"(%a, %v) : (i32, vector<8xi32>) -> i32
  func.return
}

// -----

func.func @result_differs(%v: vector<8xi32>) {
  // expected-error@+1 {{'word.multiply_add' op result 'result' at position 0 does not verify}}
  %0 = "word.multiply_add"(%v, %v, %v) : (vector<8xi32>, vector<8xi32>, vector<8xi32>) -> vector<4xi32>
  func.return
}

// -----

func.func @two_dimensions(%v: vector<2x4xi32>) {
  // expected-error@+1 {{'word.add' op expected a vector of one dimension, fixed and not 0, got vector<2x4xi32>}}
  %0 = word.add %v, %v : vector<2x4xi32>
  func.return
}

// -----

func.func @scalable(%v: vector<[4]xi32>) {
  // expected-error@+1 {{'word.cmp' op expected a vector of one dimension, fixed and not 0, got vector<[4]xi32>}}
  %0 = word.cmp eq, %v, %v : vector<[4]xi32>
  func.return
}

// -----

func.func @no_lanes(%v: vector<0xi32>) {
  // expected-error@+1 {{'word.minu' op expected a vector of one dimension, fixed and not 0, got vector<0xi32>}}
  %0 = word.minu %v, %v : vector<0xi32>
  func.return
}

// -----

// expected-error@+1 {{integer}}
func.func @negative_size(%b: !word.buffer<-1>) {
  func.return
}

// -----

// Constants and comparisons

func.func @constant_type() {
  // expected-error@+1 {{'word.constant' op The following constraints were not satisfied: Expected attribute i32 but got i64}}
  %0 = "word.constant"() <{value = 1 : i64}> : () -> i32
  func.return
}

// -----

func.func @constant_shape() {
  // expected-error@+1 {{'word.constant' op}}
  %0 = "word.constant"() <{value = dense<1> : vector<4xi32>}> : () -> vector<8xi32>
  func.return
}

// -----

func.func @constant_rank() {
  // expected-error@+1 {{'word.constant' op expected a vector of one dimension, fixed and not 0, got vector<1x2xi32>}}
  %0 = word.constant dense<[[1, 2]]> : vector<1x2xi32>
  func.return
}

// -----

func.func @predicate(%a: i32) {
  // expected-error@+1 {{Expected `eq`, `ne`, `ult`, `ule`, `ugt`, `uge`, `slt`, `sle`, `sgt`, or `sge`}}
  %0 = word.cmp less, %a, %a : i32
  func.return
}

// -----

// Lanes

func.func @broadcast_rank(%a: i32) {
  // expected-error@+1 {{'word.broadcast' op expected a vector of one dimension, fixed and not 0, got vector<2x2xi32>}}
  %0 = word.broadcast %a : vector<2x2xi32>
  func.return
}

// -----

func.func @element_count(%a: i32) {
  // expected-error@+1 {{'word.from_elements' op 2 elements for a result of vector<3xi32>}}
  %0 = word.from_elements %a, %a : vector<3xi32>
  func.return
}

// -----

func.func @extract_beyond(%v: vector<8xi32>) {
  // expected-error@+1 {{'word.extract' op lane 8 of a vector of 8 lanes}}
  %0 = word.extract %v[8] : vector<8xi32>
  func.return
}

// -----

func.func @insert_below(%v: vector<8xi32>, %x: i32) {
  // expected-error@+1 {{'word.insert' op lane -1 of a vector of 8 lanes}}
  %0 = word.insert %x, %v[-1] : vector<8xi32>
  func.return
}

// -----

func.func @slice_beyond(%v: vector<8xi32>) {
  // expected-error@+1 {{'word.slice' op lane 8 of vector<8xi32>}}
  %0 = word.slice %v[5] : vector<8xi32> -> vector<4xi32>
  func.return
}

// -----

func.func @slice_below(%v: vector<8xi32>) {
  // expected-error@+1 {{'word.slice' op lane -1 of a vector of 8 lanes}}
  %0 = word.slice %v[-1] : vector<8xi32> -> vector<4xi32>
  func.return
}

// -----

func.func @concat_length(%v: vector<8xi32>, %x: i32) {
  // expected-error@+1 {{'word.concat' op 9 words for a result of vector<8xi32>}}
  %0 = word.concat %v, %x : vector<8xi32>, i32 -> vector<8xi32>
  func.return
}

// -----

func.func @concat_of_nothing() {
  // expected-error@+1 {{'word.concat' op 0 words for a result of vector<1xi32>}}
  %0 = "word.concat"() : () -> vector<1xi32>
  func.return
}

// -----

func.func @insert_result(%v: vector<8xi32>, %x: i32) {
  // expected-error@+1 {{'word.insert' op result 'result' at position 0 does not verify}}
  %0 = "word.insert"(%x, %v) <{lane = 0 : i64}> : (i32, vector<8xi32>) -> vector<4xi32>
  func.return
}

// -----

// Memory

func.func @alloc_size() {
  // expected-error@+1 {{'word.alloc' op the size of an allocation must be known}}
  %0 = word.alloc : !word.buffer<?>
  func.return
}

// -----

func.func @alloc_init_size() {
  // expected-error@+1 {{'word.alloc' op init of vector<2xi32> for a buffer of 3 words}}
  %0 = word.alloc init dense<[1, 2]> : vector<2xi32> : !word.buffer<3>
  func.return
}

// -----

func.func @alloc_init_type() {
  // expected-error@+1 {{'word.alloc' op init of vector<2xi64> for a buffer of 2 words}}
  %0 = word.alloc init dense<[1, 2]> : vector<2xi64> : !word.buffer<2>
  func.return
}

// -----

func.func @load_type(%b: !word.buffer<8>, %i: i32) {
  // expected-error@+1 {{Expected attribute i32 but got i64}}
  %0 = word.load %b[%i] : !word.buffer<8> -> i64
  func.return
}

// -----

func.func @load_rank(%b: !word.buffer<8>, %i: i32) {
  // expected-error@+1 {{'word.load' op expected a vector of one dimension, fixed and not 0, got vector<2x2xi32>}}
  %0 = word.load %b[%i] : !word.buffer<8> -> vector<2x2xi32>
  func.return
}

// -----

func.func @load_base(%m: memref<8xi32>, %i: i32) {
  // expected-error@+1 {{memref<8xi32> should be of base attribute word.buffer}}
  %0 = word.load %m[%i] : memref<8xi32> -> i32
  func.return
}

// -----

func.func @store_rank(%b: !word.buffer<8>, %i: i32, %v: vector<2x2xi32>) {
  // expected-error@+1 {{'word.store' op expected a vector of one dimension, fixed and not 0, got vector<2x2xi32>}}
  word.store %v, %b[%i] : vector<2x2xi32>, !word.buffer<8>
  func.return
}

// -----

func.func @gather_offsets(%b: !word.buffer<8>, %v: vector<4xi32>) {
  // expected-error@+1 {{'word.gather' op result 'result' at position 0 does not verify}}
  %0 = "word.gather"(%b, %v) : (!word.buffer<8>, vector<4xi32>) -> vector<8xi32>
  func.return
}

// -----

func.func @gather_rank(%b: !word.buffer<8>, %v: vector<2x2xi32>) {
  // expected-error@+1 {{'word.gather' op expected a vector of one dimension, fixed and not 0, got vector<2x2xi32>}}
  %0 = word.gather %b[%v] : !word.buffer<8> -> vector<2x2xi32>
  func.return
}

// -----

func.func @scatter_offsets(%b: !word.buffer<8>, %v: vector<4xi32>, %w: vector<8xi32>) {
  // expected-error@+1 {{'word.scatter' op operand 'offsets' at position 2 does not verify}}
  "word.scatter"(%v, %b, %w) : (vector<4xi32>, !word.buffer<8>, vector<8xi32>) -> ()
  func.return
}

// -----

func.func @scatter_rank(%b: !word.buffer<8>, %v: vector<1x2xi32>) {
  // expected-error@+1 {{'word.scatter' op expected a vector of one dimension, fixed and not 0, got vector<1x2xi32>}}
  word.scatter %v, %b[%v] : vector<1x2xi32>, !word.buffer<8>
  func.return
}

// -----

// Debugging

func.func @one_key_for_a_word(%x: i32) {
  // expected-error@+1 {{'word.compare' op 2 keys for 1 words}}
  word.compare %x, ["a", "b"] : i32
  func.return
}

// -----

func.func @key_per_lane(%v: vector<4xi32>) {
  // expected-error@+1 {{'word.compare' op 1 keys for 4 words}}
  word.compare %v, ["a"] : vector<4xi32>
  func.return
}

// -----

func.func @keys_are_strings(%x: i32) {
  // expected-error@+1 {{'word.compare' op 1 : i32 should be of base attribute string}}
  "word.compare"(%x) <{keys = [1 : i32]}> : (i32) -> ()
  func.return
}
