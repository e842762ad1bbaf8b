//! The cost of the golden kernels after the passes from `tileaa` to `scheduled`: conversions, access widths,
//! barriers.

use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, verify};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::atoms::{CopyAtom, Ld, St};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};
use tilewright_passes::scheduled::allocate_shared;
use tilewright_passes::scheduled::insert_barriers;
use tilewright_passes::tileaa::select_atoms;
use tilewright_passes::tileaa::split_full_tiles;
use tilewright_passes::tileaa_to_tileas::assign_layouts;
use tilewright_passes::tileas::{lower_conversions, place_conversions};
use tilewright_passes::tileas_to_scheduled::schedule_serially::schedule_serially;

type Pass<A, B> = fn(&Func<A>) -> Result<Func<B>, Vec<Diagnostic<Origin>>>;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden")
}

fn parse<L: Language>(text: &str, name: &str) -> Module<L> {
    let parsed = parse_stage::<L>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
    for func in &parsed.module.funcs {
        if let Err(problems) = verify(func) {
            panic!("{name}: {problems:#?}");
        }
    }
    parsed.module
}

fn apply<A: Language, B: Language>(pass: Pass<A, B>, module: &Module<A>, name: &str) -> Module<B> {
    let run = |func| {
        let func = pass(func).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        if let Err(problems) = verify(&func) {
            panic!(
                "{name}: the result is wrong: {problems:#?}\n{}",
                tilewright_irs::core::print_func(&func, &|_| None)
            );
        }
        func
    };
    Module {
        funcs: module.funcs.iter().map(run).collect(),
    }
}

#[test]
fn tiles_inside_an_array_of_any_extent_are_moved_in_whole_vectors() {
    let path = golden().join("tileaa.split_full_tiles/vector_add.in.tileaa");
    let module = parse::<TileAa>(&std::fs::read_to_string(&path).unwrap(), "vector_add");
    let split = apply(split_full_tiles, &module, "vector_add");
    let func = placed(&split, "vector_add");
    // One check for all accesses: all of them in whole vectors, then all of them element by element.
    assert_eq!(widths(&func), [128, 128, 128, 32, 32, 32]);
    assert_eq!(conversions(&func), (0, 0));
    let whole = placed(&module, "vector_add");
    assert_eq!(widths(&whole), [32; 3]);
}

/// The first kernel of a module with layouts and the necessary conversions.
fn placed(module: &Module<TileAa>, case: &str) -> Func<TileAs> {
    let module = apply(|func| Ok(select_atoms(func)?.func), module, case);
    let module = apply(assign_layouts, &module, case);
    apply(place_conversions, &module, case).funcs.remove(0)
}

/// The first kernels of the lowering goldens, through all passes.
fn lowered(case: &str) -> Func<TileAs> {
    let path = golden().join(format!("tileaa.select_atoms/{case}.in.tileaa"));
    let module = parse::<TileAa>(&std::fs::read_to_string(&path).unwrap(), case);
    placed(&module, case)
}

fn scheduled(case: &str) -> Func<Scheduled> {
    let module = Module {
        funcs: vec![lowered(case)],
    };
    let module = apply(lower_conversions, &module, case);
    let module = apply(schedule_serially, &module, case);
    let module = apply(allocate_shared, &module, case);
    apply(insert_barriers, &module, case).funcs.remove(0)
}

/// The number of conversions of a function: in registers, between threads.
fn conversions(func: &Func<TileAs>) -> (usize, usize) {
    let mut counts = (0, 0);
    for id in func.body.walk() {
        let op = func.body.op(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind {
            let layout = |value| func.body.ty(value).layout().expect("a tile");
            match layout(op.result(0)).registers_from(layout(*source)) {
                Some(_) => counts.0 += 1,
                None => counts.1 += 1,
            }
        }
    }
    counts
}

/// The access widths of a function in bits, in textual order.
fn widths(func: &Func<TileAs>) -> Vec<u32> {
    let mut widths = Vec::new();
    for id in func.body.walk() {
        if let TileAsOp::TileAs(
            TileAsDialect::Load { atom, .. }
            | TileAsDialect::Store { atom, .. }
            | TileAsDialect::GatherLoad { atom, .. }
            | TileAsDialect::ScatterStore { atom, .. },
        ) = &func.body.op(id).kind
        {
            match atom {
                CopyAtom::Ld(Ld { bits, .. }) | CopyAtom::St(St { bits, .. }) => widths.push(*bits),
                other => panic!("{}", other.word()),
            }
        }
    }
    widths
}

fn barriers(func: &Func<Scheduled>) -> usize {
    let is_barrier = |op: &ScheduledOp| matches!(op, ScheduledOp::TileAs(TileAsDialect::Barrier {}));
    func.body
        .walk()
        .into_iter()
        .filter(|&id| is_barrier(&func.body.op(id).kind))
        .count()
}

#[test]
fn elementwise_kernels_cost_nothing() {
    for (case, accesses) in [("vector_add", 3), ("saxpy", 3), ("copy", 2)] {
        let func = lowered(case);
        assert_eq!(conversions(&func), (0, 0), "{case}");
        assert_eq!(widths(&func), vec![128; accesses], "{case}");
        let scheduled = scheduled(case);
        assert_eq!(scheduled.attrs.shared_bytes, 0, "{case}");
        assert_eq!(barriers(&scheduled), 0, "{case}");
    }
}

#[test]
fn a_transposition_is_converted_once_and_coalesced_on_both_sides() {
    let func = lowered("transpose");
    assert_eq!(conversions(&func), (0, 1));
    assert_eq!(widths(&func), [128, 128]);
    let scheduled = scheduled("transpose");
    assert_eq!(scheduled.attrs.shared_bytes, 64 * 64 * 4);
    assert_eq!(barriers(&scheduled), 1);
}
