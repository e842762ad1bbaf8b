//! What the passes from `tileaa` to `scheduled` cost the golden kernels: conversions, widths of accesses, barriers.

use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, verify};
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp};
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::{Exchange, TileAs, TileAsDialect, TileAsOp};
use tilewright_passes::tileaa::split_full_tiles;
use tilewright_passes::tileaa_to_tileas::allocate_shared::allocate_shared;
use tilewright_passes::tileaa_to_tileas::lower_to_tileas::lower_to_tileas;
use tilewright_passes::tileas_to_scheduled::insert_barriers::insert_barriers;
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
    let func = apply(lower_to_tileas, &split, "vector_add").funcs.remove(0);
    assert_eq!(widths(&func), [128, 32, 128, 32, 128, 32]);
    assert_eq!(conversions(&func), (0, 0));
    let whole = apply(lower_to_tileas, &module, "vector_add").funcs.remove(0);
    assert_eq!(widths(&whole), [32; 3]);
}

/// The kernels that the goldens of lowering begin with, through the whole chain.
fn lowered(case: &str) -> Func<TileAs> {
    let path = golden().join(format!("tileaa_to_tileas.lower_to_tileas/{case}.in.tileaa"));
    let module = parse::<TileAa>(&std::fs::read_to_string(&path).unwrap(), case);
    let module = apply(lower_to_tileas, &module, case);
    apply(allocate_shared, &module, case).funcs.remove(0)
}

fn scheduled(case: &str) -> Func<Scheduled> {
    let module = Module {
        funcs: vec![lowered(case)],
    };
    let module = apply(schedule_serially, &module, case);
    apply(insert_barriers, &module, case).funcs.remove(0)
}

/// The conversions of a function: in registers, through shared memory.
fn conversions(func: &Func<TileAs>) -> (usize, usize) {
    let mut counts = (0, 0);
    for id in func.body.walk() {
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { through, .. }) = &func.body.op(id).kind {
            match through {
                Exchange::Registers => counts.0 += 1,
                Exchange::Shared => counts.1 += 1,
            }
        }
    }
    counts
}

/// The widths of a function's accesses in bits, in textual order.
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
            widths.push(atom.bits);
        }
    }
    widths
}

fn barriers(func: &Func<Scheduled>) -> usize {
    let is_barrier = |op: &ScheduledOp| matches!(op, ScheduledOp::Scheduled(ScheduledDialect::Barrier {}));
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
        assert_eq!(func.attrs.shared_bytes, 0, "{case}");
        assert_eq!(barriers(&scheduled(case)), 0, "{case}");
    }
}

#[test]
fn a_transposition_is_converted_once_and_coalesced_on_both_sides() {
    let func = lowered("transpose");
    assert_eq!(conversions(&func), (0, 1));
    assert_eq!(widths(&func), [128, 128]);
    assert_eq!(func.attrs.shared_bytes, 64 * 64 * 4);
}
