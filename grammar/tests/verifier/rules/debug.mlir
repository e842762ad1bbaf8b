// Where kernels and ops say that they stem from.
//
// A comment `// CODE `TEXT`: WORDS` says what the verifier reports on its line: the code, the text that the report points at,
// and words of the message. A line without one is legal.

entry @kernel(%i: tile<i32>, %b: tile<i1>) {
  %a = addi %i, %i : tile<i32> loc(#here)
  %c = addi %i, %i : tile<i32> loc(#block)
  %d = addi %i, %i : tile<i32> loc(#inlined)
  %e = addi %i, %i : tile<i32> loc("plain.py":1:2)
  %f = addi %i, %i : tile<i32>
  %g = addi %i, %i : tile<i32> loc(#elsewhere) // E0120 `addi`: invalid operation debug info scope: the op is in `other`, but the scope of its function is `kernel`
  %h = addi %i, %i : tile<i32> loc(#called) // E0120 `addi`: invalid operation debug info scope: the op is in `other`, but the scope of its function is `kernel`
  return
} loc(#here)
entry @nowhere(%i: tile<i32>) {
  %e = addi %i, %i : tile<i32> loc("plain.py":1:2)
  %a = addi %i, %i : tile<i32> loc(#here) // E0120 `addi`: invalid operation debug info scope: the op is in `kernel`, but its function `@nowhere` has no scope
  return
}
#file = #cuda_tile.di_file<"a.py" in "/dir">
#unit = #cuda_tile.di_compile_unit<file = #file>
#own = #cuda_tile.di_subprogram<file = #file, line = 2, name = "k", linkageName = "kernel", compileUnit = #unit, scopeLine = 3>
#other = #cuda_tile.di_subprogram<file = #file, line = 20, name = "o", linkageName = "other", compileUnit = #unit, scopeLine = 20>
#inner = #cuda_tile.di_lexical_block<scope = #own, file = #file, line = 4, column = 5>
#here = #cuda_tile.di_loc<loc("a.py":3:1) in #own>
#block = #cuda_tile.di_loc<loc("a.py":4:1) in #inner>
#elsewhere = #cuda_tile.di_loc<loc("a.py":21:1) in #other>
#inlined = loc(callsite(#elsewhere at #block))
#called = loc(callsite(#here at #elsewhere))
// -----
entry @kernel() { // E0120 `@kernel`: invalid function debug info scope: the function's name is "kernel", but the linkage name of its subprogram is "other"
  %c = make_token : token loc(#elsewhere)
} loc(#elsewhere)
#file = #cuda_tile.di_file<"a.py" in "/dir">
#unit = #cuda_tile.di_compile_unit<file = #file>
#own = #cuda_tile.di_subprogram<file = #file, line = 2, name = "k", linkageName = "kernel", compileUnit = #unit, scopeLine = 3>
#other = #cuda_tile.di_subprogram<file = #file, line = 20, name = "o", linkageName = "other", compileUnit = #unit, scopeLine = 20>
#inner = #cuda_tile.di_lexical_block<scope = #own, file = #file, line = 4, column = 5>
#here = #cuda_tile.di_loc<loc("a.py":3:1) in #own>
#block = #cuda_tile.di_loc<loc("a.py":4:1) in #inner>
#elsewhere = #cuda_tile.di_loc<loc("a.py":21:1) in #other>
#inlined = loc(callsite(#elsewhere at #block))
#called = loc(callsite(#here at #elsewhere))
// -----
entry @kernel() { // E0120 `@kernel`: invalid function debug info scope: that of `@kernel` must be a cuda_tile.di_subprogram
  %c = make_token : token loc(#elsewhere)
} loc(#block)
#file = #cuda_tile.di_file<"a.py" in "/dir">
#unit = #cuda_tile.di_compile_unit<file = #file>
#own = #cuda_tile.di_subprogram<file = #file, line = 2, name = "k", linkageName = "kernel", compileUnit = #unit, scopeLine = 3>
#other = #cuda_tile.di_subprogram<file = #file, line = 20, name = "o", linkageName = "other", compileUnit = #unit, scopeLine = 20>
#inner = #cuda_tile.di_lexical_block<scope = #own, file = #file, line = 4, column = 5>
#here = #cuda_tile.di_loc<loc("a.py":3:1) in #own>
#block = #cuda_tile.di_loc<loc("a.py":4:1) in #inner>
#elsewhere = #cuda_tile.di_loc<loc("a.py":21:1) in #other>
#inlined = loc(callsite(#elsewhere at #block))
#called = loc(callsite(#here at #elsewhere))
// -----
entry @kernel() { // E0120 `@kernel`: invalid function debug info location: the place of `@kernel` is a call site
  %c = make_token : token loc(#elsewhere)
} loc(#inlined)
#file = #cuda_tile.di_file<"a.py" in "/dir">
#unit = #cuda_tile.di_compile_unit<file = #file>
#own = #cuda_tile.di_subprogram<file = #file, line = 2, name = "k", linkageName = "kernel", compileUnit = #unit, scopeLine = 3>
#other = #cuda_tile.di_subprogram<file = #file, line = 20, name = "o", linkageName = "other", compileUnit = #unit, scopeLine = 20>
#inner = #cuda_tile.di_lexical_block<scope = #own, file = #file, line = 4, column = 5>
#here = #cuda_tile.di_loc<loc("a.py":3:1) in #own>
#block = #cuda_tile.di_loc<loc("a.py":4:1) in #inner>
#elsewhere = #cuda_tile.di_loc<loc("a.py":21:1) in #other>
#inlined = loc(callsite(#elsewhere at #block))
#called = loc(callsite(#here at #elsewhere))
