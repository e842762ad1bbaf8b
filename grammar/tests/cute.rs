//! Texts of `cute` and `cute_desugared`, op by op: what is legal, and what is refused with which code and words.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Language, verify};
use tilewright_irs::cute::Cute;
use tilewright_irs::cute_desugared::CuteDesugared;

/// What is wrong with these ops in a function of a language.
fn problems<L: Language>(language: &str, params: &str, ops: &str) -> Vec<(Code, String)> {
    let text = format!(
        "{language}.func @f({params}) {{target = sm_90a, kernel_spec = {{num_warps = 1, num_ctas = 1}}, shared_bytes = \
         1024}} body {{\n{ops}\n  scf.return\n}}\n"
    );
    let parsed = parse_stage::<L>(&text, FileId(0));
    let mut list: Vec<_> = (parsed.diagnostics.iter())
        .map(|said| (said.code, said.message.clone()))
        .collect();
    for func in &parsed.module.funcs {
        let found = verify(func).err().unwrap_or_default();
        list.extend(found.into_iter().map(|said| (said.code, said.message)));
    }
    list
}

/// Ops and what is said of them: nothing, or one problem of this code whose message has these words.
type Case<'a> = (&'a str, Option<(Code, &'a str)>);

fn check<L: Language>(language: &str, params: &str, cases: &[Case<'_>]) {
    let mut wrong = Vec::new();
    for (ops, want) in cases {
        let found = problems::<L>(language, params, ops);
        let fits = match (found.as_slice(), want) {
            ([], None) => true,
            ([(code, message)], Some((wanted, words))) => code == wanted && message.contains(words),
            _ => false,
        };
        if !fits {
            wrong.push(format!("{ops}\n    gives {found:?}, not {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const fn no(code: Code, words: &str) -> Option<(Code, &str)> {
    Some((code, words))
}

#[test]
fn values_of_the_algebra_are_made_of_their_dynamic_leaves() {
    let params = "%n: i32, %m: i64, %f: f32";
    check::<Cute>(
        "cute",
        params,
        &[
            (r#"%s = cute.static : cute.layout<"(4,8):(8,1)">"#, None),
            (
                r#"%s = cute.static : cute.layout<"(4,?):(8,1)">"#,
                no(Code::TypeMismatch, "has no dynamic leaf"),
            ),
            (
                r#"%s = cute.static : i32"#,
                no(Code::TypeMismatch, "has no dynamic leaf"),
            ),
            (
                r#"%s = cute.make_shape [%n, %m] : cute.shape<"(?,(4,?{i64}))">"#,
                None,
            ),
            (
                r#"%s = cute.make_shape [%n] : cute.shape<"(?,(4,?{i64}))">"#,
                no(
                    Code::OperandCount,
                    "has 2 dynamic leaves, `cute.make_shape` 1 integer",
                ),
            ),
            (
                r#"%s = cute.make_shape [%m, %m] : cute.shape<"(?,(4,?{i64}))">"#,
                no(Code::TypeMismatch, "leaf 0 of `cute.make_shape` is an `i32`"),
            ),
            (
                r#"%s = cute.make_shape [%n, %n] : cute.shape<"(?,(4,?{i64}))">"#,
                no(Code::TypeMismatch, "leaf 1 of `cute.make_shape` is an `i64`"),
            ),
            (
                r#"%s = cute.make_shape [%n] : cute.coord<"(?,4)">"#,
                no(Code::TypeMismatch, "the result is a `cute.shape`"),
            ),
            (r#"%s = cute.make_coord [%n] : cute.coord<"(?,4)">"#, None),
            (
                r#"%s = cute.make_coord [%n] : cute.shape<"(?,4)">"#,
                no(Code::TypeMismatch, "the result is a `cute.coord`"),
            ),
            (r#"%s = cute.make_stride [%n] : cute.stride<"(?,4)">"#, None),
            (
                r#"%s = cute.make_stride [%n] : cute.shape<"(?,4)">"#,
                no(Code::TypeMismatch, "the result is a `cute.stride`"),
            ),
            (r#"%s = cute.make_int_tuple [%n] : cute.int_tuple<"(?,4)">"#, None),
            (
                r#"%s = cute.make_int_tuple [%n] : cute.shape<"(?,4)">"#,
                no(Code::TypeMismatch, "the result is a `cute.int_tuple`"),
            ),
            (
                r#"%s = cute.make_int_tuple [%f] : cute.int_tuple<"(?,4)">"#,
                no(Code::TypeMismatch, "leaf 0 of `cute.make_int_tuple` is an `i32`"),
            ),
            (
                "%s = cute.make_shape [%n, %m] : cute.shape<\"(?,?{i64})\">\n  %a, %b = cute.get_scalars %s : i32, i64",
                None,
            ),
            (
                "%s = cute.make_shape [%n, %m] : cute.shape<\"(?,?{i64})\">\n  %a, %b = cute.get_scalars %s : i64, i64",
                no(Code::TypeMismatch, "leaf 0 of `cute.get_scalars` is an `i32`"),
            ),
            (
                "%a = cute.get_scalars %n : i32",
                no(Code::OperandType, "is about values of `cute`"),
            ),
        ],
    );
}

#[test]
fn results_follow_from_the_operands_by_the_algebra() {
    let params = "%n: i32, %p: cute.ptr<f16, gmem, align<16>>";
    let given = "%s = cute.static : cute.shape<\"(4,8)\">\n  %d = cute.static : cute.stride<\"(16,1)\">\n  \
                 %l = cute.static : cute.layout<\"(4,8):(16,1)\">\n  %c = cute.static : cute.coord<\"(3,5)\">\n  \
                 %t = cute.static : cute.int_tuple<\"(2,3)\">\n  %u = cute.static : cute.int_tuple<\"(5,7)\">\n  \
                 %o = cute.static : cute.int_tuple<\"4\">\n  %b = cute.static : cute.int_tuple<\"(1,2,3)\">\n  \
                 %w = cute.static : cute.composed_layout<\"S<3,4,3> o 0 o (8,64):(64,1)\">\n  \
                 %v = cute.make_view %p, %l : cute.memref<f16, gmem, align<16>, \"(4,8):(16,1)\">\n  ";
    let cases: &[Case<'_>] = &[
        (
            r#"%r = cute.make_layout %s, stride %d : cute.layout<"(4,8):(16,1)">"#,
            None,
        ),
        (r#"%r = cute.make_layout %s : cute.layout<"(4,8):(1,4)">"#, None),
        (
            r#"%r = cute.make_layout %s : cute.layout<"(4,8):(8,1)">"#,
            no(Code::TypeMismatch, "(4,8):(1,4)"),
        ),
        (
            r#"%r = cute.make_layout %s, stride %b : cute.layout<"(4,8):(16,1)">"#,
            no(Code::OperandType, "there is no such layout"),
        ),
        (
            r#"%r = cute.make_layout %n : cute.layout<"(4,8):(16,1)">"#,
            no(Code::OperandType, "are of `cute`'s types"),
        ),
        (
            r#"%r = cute.make_layout %c : cute.layout<"(4,8):(16,1)">"#,
            no(Code::OperandType, "no tuple of integers"),
        ),
        (
            r#"%r = cute.make_view %l, %l : cute.memref<f16, gmem, align<16>, "(4,8):(16,1)">"#,
            no(Code::OperandType, "no `cute.ptr`"),
        ),
        (r#"%r = cute.get_iter %v : cute.ptr<f16, gmem, align<16>>"#, None),
        (
            r#"%r = cute.get_iter %l : cute.ptr<f16, gmem, align<16>>"#,
            no(Code::OperandType, "no `cute.memref`"),
        ),
        (r#"%r = cute.get_layout %v : cute.layout<"(4,8):(16,1)">"#, None),
        (r#"%r = cute.get_shape %v : cute.shape<"(4,8)">"#, None),
        (r#"%r = cute.get_shape %s : cute.shape<"(4,8)">"#, None),
        (
            r#"%r = cute.get_shape %c : cute.shape<"(4,8)">"#,
            no(Code::OperandType, "neither a layout nor a tensor"),
        ),
        (r#"%r = cute.get_stride %v : cute.stride<"(16,1)">"#, None),
        (
            r#"%r = cute.get_stride %w : cute.stride<"(64,1)">"#,
            no(Code::OperandType, "a composed layout has no strides"),
        ),
        (r#"%r = cute.size %l : cute.int_tuple<"32">"#, None),
        (
            r#"%r = cute.size %s : cute.int_tuple<"31">"#,
            no(Code::TypeMismatch, "\"32\""),
        ),
        (r#"%r = cute.cosize %l : cute.int_tuple<"56">"#, None),
        (r#"%r = cute.crd2idx %c, %l : cute.int_tuple<"53">"#, None),
        (r#"%r = cute.crd2idx %u, %l : cute.int_tuple<"87">"#, None),
        (
            r#"%r = cute.crd2idx %b, %l : cute.int_tuple<"53">"#,
            no(Code::OperandType, "`cute.crd2idx`"),
        ),
        (
            r#"%r = cute.crd2idx %l, %l : cute.int_tuple<"53">"#,
            no(Code::OperandType, "no coordinate"),
        ),
        (
            r#"%r = cute.crd2idx %c, %s : cute.int_tuple<"53">"#,
            no(Code::OperandType, "neither a layout nor a tensor"),
        ),
        (r#"%r = cute.tuple_add %t, %u : cute.int_tuple<"(7,10)">"#, None),
        (r#"%r = cute.tuple_mul %t, %u : cute.int_tuple<"(10,21)">"#, None),
        (
            r#"%r = cute.tuple_add %t, %b : cute.int_tuple<"(7,10)">"#,
            no(Code::OperandType, "are not nested alike"),
        ),
        (
            r#"%r = cute.tuple_mul %t, %o : cute.int_tuple<"(10,21)">"#,
            no(Code::OperandType, "are not nested alike"),
        ),
        (
            r#"%r = cute.add_offset %p, %o : cute.ptr<f16, gmem, align<8>>"#,
            None,
        ),
        (
            r#"%r = cute.add_offset %p, %o : cute.ptr<f16, gmem, align<16>>"#,
            no(Code::TypeMismatch, "align<8>"),
        ),
        (
            r#"%r = cute.add_offset %p, %t : cute.ptr<f16, gmem, align<8>>"#,
            no(Code::OperandType, "an offset is one integer"),
        ),
        (r#"%r = cute.recast_iter %p : cute.ptr<i32, gmem>"#, None),
        (
            r#"%r = cute.recast_iter %p : cute.ptr<i32, smem>"#,
            no(Code::TypeMismatch, "stays in its memory space"),
        ),
        (
            r#"%r = cute.recast_iter %l : cute.ptr<i32, gmem>"#,
            no(Code::TypeMismatch, "stays in its memory space"),
        ),
    ];
    let texts: Vec<String> = cases.iter().map(|(ops, _)| format!("{given}{ops}")).collect();
    let cases: Vec<Case<'_>> = texts
        .iter()
        .zip(cases)
        .map(|(text, (_, want))| (text.as_str(), *want))
        .collect();
    check::<Cute>("cute", params, &cases);
}

#[test]
fn elements_are_accessed_by_coordinates_and_copied_by_atoms() {
    let params = "%n: i32, %h: f16, %x: f32, %p: cute.ptr<f16, gmem>, %q: cute.ptr<f32, gmem>";
    let given = "%l = cute.static : cute.layout<\"(4,8):(8,1)\">\n  %c = cute.static : cute.coord<\"(3,5)\">\n  \
                 %e = cute.static : cute.coord<\"(1,2,3)\">\n  \
                 %s = cute.make_shape [%n] : cute.shape<\"?\">\n  %y = cute.make_layout %s : cute.layout<\"?:1\">\n  \
                 %g = cute.make_view %p, %l : cute.memref<f16, gmem, \"(4,8):(8,1)\">\n  \
                 %o = cute.make_view %q, %l : cute.memref<f32, gmem, \"(4,8):(8,1)\">\n  \
                 %r = cute.memref.alloca %l : cute.memref<f16, rmem, \"(4,8):(8,1)\">\n  \
                 %a = cute.memref.alloca %l : cute.memref<f32, rmem, \"(4,8):(8,1)\">\n  \
                 %k = cute.make_atom : cute_nvgpu.atom.universal_copy<f16, 64b>\n  \
                 %i = cute.make_atom : cute_nvgpu.atom.simt_async_copy<f16, 64b, cache = always>\n  \
                 %j = cute.make_atom : cute_nvgpu.atom.ldsm<f16, n, num_matrices = 4>\n  \
                 %m = cute.make_atom : cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>\n  ";
    let cases: &[Case<'_>] = &[
        ("", None),
        (
            "%z = cute.memref.alloca %l : cute.memref<f16, gmem, \"(4,8):(8,1)\">",
            no(Code::TypeMismatch, "registers are a tensor"),
        ),
        (
            "%z = cute.memref.alloca %l : cute.memref<f16, rmem, \"(4,8):(1,4)\">",
            no(Code::TypeMismatch, "registers are a tensor"),
        ),
        (
            "%z = cute.memref.alloca %y : cute.memref<f16, rmem, \"?:1\">",
            no(Code::TypeMismatch, "registers are a tensor"),
        ),
        ("%z = cute.memref.load %g, %c : f16", None),
        (
            "%z = cute.memref.load %g, %c : f32",
            no(Code::TypeMismatch, "an element of the tensor is a `f16`"),
        ),
        (
            "%z = cute.memref.load %g, %e : f16",
            no(Code::OperandType, "there is no such layout"),
        ),
        (
            "%z = cute.memref.load %l, %c : f16",
            no(Code::OperandType, "read and written at a coordinate"),
        ),
        (
            "%z = cute.memref.load %g, %n : f16",
            no(Code::OperandType, "read and written at a coordinate"),
        ),
        ("cute.memref.store %g, %c, %h", None),
        (
            "cute.memref.store %g, %c, %x",
            no(Code::TypeMismatch, "an element of the tensor is a `f16`"),
        ),
        (
            "%z = cute.make_atom : cute.layout<\"4:1\">",
            no(Code::TypeMismatch, "the result is an atom"),
        ),
        ("cute.copy %k, %g, %r", None),
        (
            "cute.copy %k, %g, %o",
            no(Code::TypeMismatch, "the atom copies `f16`"),
        ),
        (
            "cute.copy %k, %o, %r",
            no(Code::TypeMismatch, "the atom copies `f16`"),
        ),
        (
            "cute.copy %l, %g, %r",
            no(Code::OperandType, "the first operand is an atom"),
        ),
        (
            "cute.copy %k, %l, %r",
            no(Code::OperandType, "an atom works on tensors"),
        ),
        (
            "cute.copy %i, %g, %r",
            no(Code::TypeMismatch, "from gmem to smem"),
        ),
        (
            "cute.copy %j, %g, %r",
            no(Code::TypeMismatch, "from smem to rmem"),
        ),
        ("cute.gemm %m, %a, %r, %r, %a", None),
        (
            "cute.gemm %m, %a, %g, %r, %a",
            no(
                Code::TypeMismatch,
                "multiplies `f16` by `f16` in registers and adds `f32`",
            ),
        ),
        (
            "cute.gemm %m, %a, %a, %r, %a",
            no(
                Code::TypeMismatch,
                "multiplies `f16` by `f16` in registers and adds `f32`",
            ),
        ),
        (
            "cute.gemm %m, %r, %r, %r, %r",
            no(
                Code::TypeMismatch,
                "multiplies `f16` by `f16` in registers and adds `f32`",
            ),
        ),
    ];
    let texts: Vec<String> = cases.iter().map(|(ops, _)| format!("{given}{ops}")).collect();
    let cases: Vec<Case<'_>> = texts
        .iter()
        .zip(cases)
        .map(|(text, (_, want))| (text.as_str(), *want))
        .collect();
    check::<Cute>("cute", params, &cases);
}

#[test]
fn atoms_have_the_widths_types_and_counts_of_their_instructions() {
    let atom = |atom: &str| format!("%a = cute.make_atom : cute_nvgpu.{atom}");
    for legal in [
        "atom.universal_copy<f16, 8b>",
        "atom.universal_copy<f16, 16b>",
        "atom.universal_copy<f16, 32b>",
        "atom.universal_copy<f16, 64b>",
        "atom.universal_copy<f16, 128b>",
        "atom.simt_async_copy<f32, 32b, cache = always>",
        "atom.simt_async_copy<f32, 64b, cache = always>",
        "atom.simt_async_copy<f32, 128b, cache = always>",
        "atom.simt_async_copy<f32, 128b, cache = global>",
        "atom.ldsm<bf16, n, num_matrices = 1>",
        "atom.ldsm<bf16, t, num_matrices = 2>",
        "atom.ldsm<f16, t, num_matrices = 4>",
        "sm80.mma<16x8x8, elem_type = (f16, f16, f16)>",
        "sm80.mma<16x8x4, elem_type = (tf32, tf32, f32)>",
        "sm80.mma<8x8x4, elem_type = (f64, f64, f64)>",
    ] {
        assert_eq!(problems::<Cute>("cute", "", &atom(legal)), [], "{legal}");
    }
    for (wrong, words) in [
        (
            "atom.universal_copy<f16, 24b>",
            "a width: `8b`, `16b`, `32b`, `64b`, `128b`",
        ),
        ("atom.universal_copy<f16, 128>", "a width"),
        (
            "atom.simt_async_copy<f32, 16b, cache = always>",
            "a width: `32b`, `64b`, `128b`",
        ),
        (
            "atom.simt_async_copy<f32, 64b, cache = global>",
            "only a copy of 128 bits",
        ),
        (
            "atom.simt_async_copy<f32, 64b, cache = none>",
            "`always` or `global`",
        ),
        (
            "atom.ldsm<f32, n, num_matrices = 4>",
            "an element type of 16 bits",
        ),
        ("atom.ldsm<f16, x, num_matrices = 4>", "`n`"),
        ("atom.ldsm<f16, n, num_matrices = 3>", "1, 2 or 4"),
        (
            "sm80.mma<16x8x32, elem_type = (f16, f16, f32)>",
            "a shape and types that `mma.sync` has",
        ),
        (
            "sm80.mma<16x8x16, elem_type = (f16, bf16, f32)>",
            "a shape and types that `mma.sync` has",
        ),
        (
            "sm80.mma<16x8x16, elem_type = (f16, f32)>",
            "the types of A, B and C",
        ),
        (
            "sm80.mma<16x8, elem_type = (f16, f16, f32)>",
            "a shape such as `16x8x16`",
        ),
        ("sm80.other<f16>", "an atom of `cute_nvgpu`"),
    ] {
        let found = problems::<Cute>("cute", "", &atom(wrong));
        assert!(
            found.iter().any(|(_, message)| message.contains(words)),
            "{wrong}: {found:?}"
        );
    }
}

#[test]
fn fragments_are_moved_in_whole_vectors_by_their_own_pointers() {
    let params = "%n: i32, %m: i64, %x: f32, %h: f16, %t: i1, %p: ptr<f32>, %q: ptr<f16>";
    let given = "%v = fragment.splat %x : fragment<4xf32>\n  %w = fragment.splat %h : fragment<8xf16>\n  \
                 %s = fragment.shared_ptr {offset = 0} : ptr<f32, shared>\n  \
                 %u = fragment.shared_ptr {offset = 512} : ptr<f16, shared>\n  \
                 %b = fragment.make [%t, %t] : fragment<2xi1>\n  %pp = fragment.make [%p, %p] : fragment<2xptr<f32>>\n  ";
    let cases: &[Case<'_>] = &[
        ("", None),
        (
            "%r = fragment.linear_index %m {bases = [1]} : i32",
            no(Code::OperandType, "a coordinate is an i32"),
        ),
        (
            "%r = fragment.linear_index %n {bases = [1]} : f32",
            no(Code::TypeMismatch, "an index is an i32 or an i64"),
        ),
        (
            "%r = fragment.splat %v : fragment<4xf32>",
            no(Code::TypeMismatch, "makes a fragment of a scalar"),
        ),
        (
            "%r = fragment.splat %x : f32",
            no(Code::TypeMismatch, "makes a fragment of a scalar"),
        ),
        (
            "%r = fragment.splat %x : fragment<4xf16>",
            no(Code::TypeMismatch, "makes a fragment of a scalar"),
        ),
        (
            "%r = fragment.rearrange %v {from = [3, 0]} : fragment<2xf32>",
            None,
        ),
        (
            "%r = fragment.rearrange %v {from = [4, 0]} : fragment<2xf32>",
            no(Code::TypeMismatch, "names one element of the source"),
        ),
        (
            "%r = fragment.rearrange %v {from = [3]} : fragment<2xf32>",
            no(Code::TypeMismatch, "names one element of the source"),
        ),
        (
            "%r = fragment.rearrange %v {from = [3]} : f32",
            no(Code::TypeMismatch, "names one element of the source"),
        ),
        (
            "%r = fragment.rearrange %v {from = [3, 0]} : fragment<2xf16>",
            no(Code::TypeMismatch, "names one element of the source"),
        ),
        ("%r = fragment.extract %v {index = 3} : f32", None),
        (
            "%r = fragment.extract %v {index = 4} : f32",
            no(Code::TypeMismatch, "gives an element of the fragment"),
        ),
        (
            "%r = fragment.extract %v {index = 3} : f16",
            no(Code::TypeMismatch, "gives an element of the fragment"),
        ),
        (
            "%r = fragment.extract %v {index = 3} : fragment<1xf32>",
            no(Code::TypeMismatch, "gives an element of the fragment"),
        ),
        (
            "%r = fragment.make [%x] : fragment<2xf32>",
            no(Code::TypeMismatch, "as many elements of its type"),
        ),
        (
            "%r = fragment.make [%x, %h] : fragment<2xf32>",
            no(Code::TypeMismatch, "as many elements of its type"),
        ),
        (
            "%r = fragment.shared_ptr {offset = 0} : ptr<f32>",
            no(Code::TypeMismatch, "the result points to shared memory"),
        ),
        (
            "%r = fragment.add_offset %x, %n : f32",
            no(Code::TypeMismatch, "moves pointers"),
        ),
        (
            "%r = fragment.add_offset %p, %x : ptr<f32>",
            no(Code::OperandType, "one integer offset for each pointer"),
        ),
        (
            "%r = fragment.add_offset %pp, %n : fragment<2xptr<f32>>",
            no(Code::OperandType, "one integer offset for each pointer"),
        ),
        (
            "%r = fragment.load %p {offsets = [0], vector = 4, order = weak} : fragment<4xf32>",
            None,
        ),
        (
            "%r = fragment.load %q {offsets = [0], vector = 8, order = weak} : fragment<8xf16>",
            None,
        ),
        (
            "%r = fragment.load %p {offsets = [0, 4], vector = 4, order = weak} : fragment<8xf32>",
            None,
        ),
        (
            "%r = fragment.load %pp, pred %b {offsets = [0, 4], vector = 4, order = weak} : fragment<8xf32>",
            None,
        ),
        (
            "%r = fragment.load %p {offsets = [0], vector = 4, order = weak} : fragment<4xf16>",
            no(Code::TypeMismatch, "what the pointer points to"),
        ),
        (
            "%r = fragment.load %p {offsets = [0], vector = 3, order = weak} : fragment<3xf32>",
            no(Code::AttributeValue, "whole vectors"),
        ),
        (
            "%r = fragment.load %p {offsets = [0], vector = 8, order = weak} : fragment<8xf32>",
            no(Code::AttributeValue, "1 to 16 bytes"),
        ),
        (
            "%r = fragment.load %q {offsets = [0], vector = 16, order = weak} : fragment<16xf16>",
            no(Code::AttributeValue, "1 to 16 bytes"),
        ),
        (
            "%r = fragment.load %p {offsets = [0], vector = 4, order = weak} : fragment<8xf32>",
            no(Code::AttributeValue, "one offset for each vector"),
        ),
        (
            "%r = fragment.load %pp {offsets = [0], vector = 4, order = weak} : fragment<4xf32>",
            no(Code::OperandType, "one pointer, or one for each vector"),
        ),
        (
            "%r = fragment.load %p, pred %b {offsets = [0], vector = 4, order = weak} : fragment<4xf32>",
            no(Code::OperandType, "one predicate, or one for each vector"),
        ),
        (
            "%r = fragment.load %p, pred %n {offsets = [0], vector = 4, order = weak} : fragment<4xf32>",
            no(Code::OperandType, "one predicate, or one for each vector"),
        ),
        (
            "fragment.copy_async %s, %p {offsets = [0], source_offsets = [0], vector = 1}",
            None,
        ),
        (
            "fragment.copy_async %s, %p {offsets = [0], source_offsets = [0], vector = 2}",
            None,
        ),
        (
            "fragment.copy_async %s, %p {offsets = [0], source_offsets = [0], vector = 4}",
            None,
        ),
        (
            "fragment.copy_async %u, %q {offsets = [0], source_offsets = [0], vector = 1}",
            no(Code::AttributeValue, "not 2"),
        ),
        (
            "fragment.copy_async %s, %p {offsets = [0], source_offsets = [0], vector = 8}",
            no(Code::AttributeValue, "not 32"),
        ),
        (
            "fragment.copy_async %s, %q {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "from global memory to shared memory"),
        ),
        (
            "fragment.copy_async %s, %s {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "from global memory to shared memory"),
        ),
        (
            "fragment.copy_async %p, %p {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "from global memory to shared memory"),
        ),
        (
            "fragment.copy_async %s, %p {offsets = [0], source_offsets = [0, 4], vector = 4}",
            no(Code::AttributeValue, "one offset on each side"),
        ),
        (
            "fragment.copy_async %s, %pp {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "one pointer, or one for each vector"),
        ),
        (
            "fragment.copy_async %s, %p, pred %b {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "one predicate, or one for each vector"),
        ),
        (
            "fragment.copy_async %s, %p, pred %n {offsets = [0], source_offsets = [0], vector = 4}",
            no(Code::OperandType, "one predicate, or one for each vector"),
        ),
        (
            "%r = fragment.load_matrix %u {offsets = [0], count = 4, order = n} : fragment<8xf16>",
            None,
        ),
        (
            "%r = fragment.load_matrix %u {offsets = [0], count = 4, order = n} : fragment<4xf16>",
            no(
                Code::TypeMismatch,
                "1 times 4 matrices: 8 elements a thread, not 4",
            ),
        ),
        (
            "%r = fragment.load_matrix %u {offsets = [0], count = 3, order = n} : fragment<6xf16>",
            no(Code::AttributeValue, "1, 2 or 4 matrices"),
        ),
        (
            "%r = fragment.load_matrix %s {offsets = [0], count = 4, order = n} : fragment<4xf32>",
            None,
        ),
        (
            "%r = fragment.load_matrix %s {offsets = [0], count = 4, order = n} : fragment<8xf32>",
            no(
                Code::TypeMismatch,
                "1 times 4 matrices: 4 elements a thread, not 8",
            ),
        ),
        (
            "%r = fragment.load_matrix %s {offsets = [0], count = 4, order = t} : fragment<4xf32>",
            no(Code::BadElementType, "elements of 8 or 16 bits"),
        ),
        (
            "%r = fragment.load_matrix %q {offsets = [0], count = 4, order = n} : fragment<8xf16>",
            no(Code::OperandType, "matrices lie in shared memory"),
        ),
        ("gpu.barrier {id = 15, threads = 32}", None),
        (
            "gpu.barrier {id = 16, threads = 32}",
            no(Code::AttributeValue, "barriers 0 to 15"),
        ),
        (
            "gpu.barrier {id = 1, threads = 48}",
            no(Code::AttributeValue, "whole warps"),
        ),
        (
            "gpu.barrier {id = 1, threads = 0}",
            no(Code::AttributeValue, "whole warps"),
        ),
        (
            "%r = gpu.thread_idx : i64",
            no(Code::TypeMismatch, "a thread index is an i32"),
        ),
        (
            "%r = gpu.thread_idx {axis = 3} : i32",
            no(Code::AttributeValue, "axes 0 to 2"),
        ),
        ("%r = gpu.thread_idx {axis = 2} : i32", None),
        ("%r = gpu.block_idx {axis = 2} : i32", None),
        (
            "%r = gpu.block_idx {axis = 3} : i32",
            no(Code::AttributeValue, "axes 0 to 2"),
        ),
        (
            "%r = gpu.grid_dim {axis = 0} : i64",
            no(Code::TypeMismatch, "a grid coordinate is an i32"),
        ),
        (
            "gpu.mbarrier_init %s {count = 0}",
            no(Code::HardwareLimit, "is 0; it has to be from 1"),
        ),
        (
            "gpu.mbarrier_init %s {count = 1048576}",
            no(Code::HardwareLimit, "is 1048576; it has to be from 1"),
        ),
        ("gpu.mbarrier_init %s {count = 1048575}", None),
        (
            "gpu.mbarrier_wait %s, %m",
            no(Code::OperandType, "the parity of a phase is an i32"),
        ),
    ];
    let texts: Vec<String> = cases.iter().map(|(ops, _)| format!("{given}{ops}")).collect();
    let cases: Vec<Case<'_>> = texts
        .iter()
        .zip(cases)
        .map(|(text, (_, want))| (text.as_str(), *want))
        .collect();
    check::<CuteDesugared>("cute_desugared", params, &cases);
}
