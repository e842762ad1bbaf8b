//! Routes of products that a person writes, and the layouts that follow from them.

use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Origin, verify};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::Target;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::atoms::{CopyAtom, Ld, Place, ProductUse, RowOrder, WgmmaAtom};
use tilewright_irs::tileas::{Buffer, ProductAtom, TileAsType};
use tilewright_layouts::Dim;
use tilewright_passes::tileaa::{legalize_products, propagate_facts, select_atoms};
use tilewright_passes::tileaa_to_tileas::assign_layouts;
use tilewright_passes::tileas::lower_routes;

/// A product of 64 by `k` by 64 of matrices that tensor copies load, B transposed.
fn text(element: &str, k: u32, words: &str, route: &str) -> String {
    let load = |array: &str, name: &str| {
        format!(
            "%{name}, %done_{name} = tileaa.load %{array}, [%zero, %zero] {{dim_map = [0, 1], steps = [64, {k}], inbounds = \
             [true, true], order = weak, route = tma<box = [64, 128], swizzle = \"128B\">}} : tile<64x{k}x{element}>, token\n  "
        )
    };
    let array = format!("memref<64x{k}x{element}, strides = [{k}, 1], align = 16, class = 0>");
    format!(
        "tileaa.func @f(%p: ptr<{element}>) {{target = sm_90a, num_warps = 4, num_ctas = 1}} body {{\n  \
         %A = tileaa.memref %p, [], [] : {array}\n  \
         %B = tileaa.memref %p, [], [] : {array}\n  \
         %zero = arith.constant {{value = i32<0>}} : i32\n  \
         %sum = arith.constant {{value = f32<0.0>}} : tile<64x64xf32>\n  \
         {}{}%tb = tile.permute %b {{permutation = [1, 0]}} : tile<{k}x64x{element}>\n  \
         %d = tileaa.dot %a, %tb, %sum {{signedness_a = signed, signedness_b = signed{words}, route = {route}}} : \
         tile<64x64xf32>\n  scf.return\n}}\n",
        load("A", "a"),
        load("B", "b")
    )
}

fn func(text: &str) -> Func<TileAa> {
    let parsed = parse_stage::<TileAa>(text, FileId(0));
    assert_eq!(parsed.diagnostics, [], "{text}");
    let func = parsed.module.funcs.into_iter().next().expect("a function");
    assert_eq!(verify(&func), Ok(()), "{text}");
    func
}

#[track_caller]
fn refused<T: std::fmt::Debug>(found: Result<T, Vec<Diagnostic<Origin>>>, words: &[&str]) {
    let problems = found.unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code, Code::AttributeValue, "{problems:?}");
    for word in words {
        assert!(problems[0].message.contains(word), "{}", problems[0].message);
    }
}

#[test]
fn tensor_cores_add_few_products_of_bytes() {
    let route = "wgmma<n = 64, a = shared>";
    let long = |words: &str, element: &str| legalize_products(&func(&text(element, 256, words, route)));
    refused(long("", "f8E4M3FN"), &["128", "256", "`fast`"]);
    assert!(long(", fast", "f8E4M3FN").is_ok());
    assert!(legalize_products(&func(&text("f8E5M2", 128, "", route))).is_ok());
}

#[test]
fn a_product_is_transposed_before_it_has_layouts() {
    let func = func(&text(
        "f8E4M3FN",
        128,
        ", fast",
        "wgmma<n = 64, a = shared, b = registers, turned>",
    ));
    let early = select_atoms(&func).unwrap().func;
    refused(assign_layouts(&early), &["`turned`", "`legalize_products`"]);
    let func = legalize_products(&func).unwrap();
    assert_eq!(verify(&func), Ok(()));
}

#[test]
fn words_that_are_no_routes_are_refused() {
    for route in [
        "wgmma<n = 64, a = shared, sideways>",
        "wgmma<n = 64, a = shared, b = nowhere>",
        "wgmma<n = 64, a = shared, turned, turned>",
    ] {
        let found = parse_stage::<TileAa>(&text("f16", 128, "", route), FileId(0)).diagnostics;
        assert_eq!(found.len(), 1, "{route}: {found:?}");
    }
}

/// Threads read pairs of numbers that are contiguous along M without bank conflicts, and not so in the order of the
/// instruction.
#[test]
fn spread_rows_are_read_from_all_banks() {
    let conflicts = |m: u32, warps: u32, is_along_m: bool, bits: u32| {
        let (tf32, shape) = (ScalarType::TF32, [m, 32]);
        let memory = Boxes::memory_of_rows(0, &shape, 4).unwrap();
        let atom = WgmmaAtom::of(128).with_left(tf32, is_along_m);
        let layout = atom.left_layout(shape, tf32, warps).unwrap();
        let cost = CopyAtom::from(Ld::new(bits)).bank_cost(Some(&layout), &Buffer::shared(tf32, memory));
        cost.expect("the accesses fit").conflicts()
    };
    for (m, warps) in [(64, 4), (64, 8), (128, 4), (128, 8), (256, 8)] {
        assert_eq!(conflicts(m, warps, true, 64), 0, "{m} {warps}");
        assert!(conflicts(m, warps, false, 32) > 0, "{m} {warps}");
    }
}

/// The tiles that threads store for `wgmma`, and those whose rows are in another order, are whole, and the instruction takes them.
#[test]
fn operands_in_registers_are_whole() {
    use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, I8, I32, TF32};
    let target = Target::parse("sm_90a").unwrap();
    for (element, sum) in [
        (F8E4M3FN, F32),
        (F8E5M2, F32),
        (I8, I32),
        (F16, F32),
        (BF16, F32),
        (TF32, F32),
    ] {
        for (k, n, warps, is_along_m) in [
            (32, 8, 4, false),
            (32, 64, 4, true),
            (64, 128, 8, false),
            (128, 256, 8, true),
            (128, 16, 8, true),
        ] {
            let plain = WgmmaAtom::of(n);
            let atom = plain.with_left(element, is_along_m);
            let stored = plain.right_layout([k, n], element, warps).unwrap();
            let memory = Buffer::shared(element, plain.right_memory([k, n], element).unwrap());
            assert!(memory.is_whole(), "{element} {k} {n}");
            let held = 1
                << [Dim::Register, Dim::Lane, Dim::Warp]
                    .map(|dim| stored.in_bits(dim))
                    .iter()
                    .sum::<u32>();
            assert!(
                stored.is_surjective() && held >= k * n,
                "{element} {k} {n} {stored}"
            );
            let left = atom.left_layout([128, k], element, warps).unwrap();
            assert!(left.is_surjective(), "{left}");
            let sums = ProductAtom::from(atom)
                .layouts(&[128, n, k].into(), warps)
                .unwrap();
            let sums = sums.acc.unwrap();
            assert!(sums.is_invertible(), "{sums}");
            let tile = |element, layout| TileAsType::tile(ElementType::Scalar(element), layout);
            let (left, sums) = (tile(element, left), tile(sum, sums));
            let product = ProductUse {
                target,
                warps,
                a: Place::Registers(&left),
                b: Place::Buffer(&memory),
                acc: Place::Registers(&sums),
                signedness: [tilewright_irs::dialects::arith::Signedness::Signed; 2],
            };
            let checked = ProductAtom::from(atom).check(&product);
            assert!(checked.is_ok(), "{element} {k} {n}: {checked:?}");
            // Rows in another order are in registers.
            let shared = ProductUse {
                a: Place::Buffer(&memory),
                ..product
            };
            for &rows in RowOrder::ALL {
                let rows = Some(rows);
                let atom = ProductAtom::from(WgmmaAtom { rows, ..atom });
                assert!(atom.check(&shared).is_err());
            }
        }
    }
}

/// A product of 64 by 64 by 64 whose left operand is loaded through pointers by this route.
fn gathered(route: &str) -> String {
    format!(
        "tileaa.func @f(%p: known<ptr<f16>, div = [16]>) {{target = sm_90a, num_warps = 4, num_ctas = 1}} body {{\n  \
         %B = tileaa.memref %p, [], [] : memref<64x64xf16, strides = [64, 1], align = 16, class = 0>\n  \
         %zero = arith.constant {{value = i32<0>}} : i32\n  \
         %sum = arith.constant {{value = f32<0.0>}} : tile<64x64xf32>\n  \
         %row = tile.iota : tile<64xi32>\n  %column = tile.reshape %row : tile<1x64xi32>\n  \
         %columns = tile.broadcast %column : tile<64x64xi32>\n  %base = tile.splat %p : tile<64x64xptr<f16>>\n  \
         %at = tile.ptradd %base, %columns : tile<64x64xptr<f16>>\n  \
         %a, %t = tileaa.gather_load %at {{order = weak, route = {route}}} : tile<64x64xf16>, token\n  \
         %b, %u = tileaa.load %B, [%zero, %zero] {{dim_map = [0, 1], steps = [64, 64], inbounds = [true, true], order = weak, \
         route = tma<box = [64, 64], swizzle = \"128B\">}} : tile<64x64xf16>, token\n  \
         %d = tileaa.dot %a, %b, %sum {{signedness_a = signed, signedness_b = signed, route = wgmma<n = 64, a = shared>}} : \
         tile<64x64xf32>\n  scf.return\n}}\n"
    )
}

#[test]
fn only_the_widest_copies_fill_what_descriptors_read() {
    let assigned = |route: &str| {
        let func = propagate_facts(&func(&gathered(route))).unwrap();
        assign_layouts(&select_atoms(&func).unwrap().func)
    };
    let func = assigned("cp_async<16>").unwrap();
    assert_eq!(verify(&func), Ok(()));
    let func = lower_routes(&func).unwrap();
    assert_eq!(verify(&func), Ok(()));
    for route in ["cp_async<8>", "staged", "direct"] {
        refused(assigned(route), &["shared memory", "no load puts it"]);
    }
}
