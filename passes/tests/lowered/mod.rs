//! Lowers a function in `tileas` to PTX; the verifier accepts it in every language on the way.

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Origin, verify};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};
use tilewright_passes::cute_to_llvm::scalarize_fragments;
use tilewright_passes::llvm::{expand_storage_types, legalize_small_integers, simplify};
use tilewright_passes::llvm_to_nvvm::{rename_kernel_marker, select_instructions};
use tilewright_passes::nvvm_to_ptx::emit_ptx;
use tilewright_passes::scheduled::{allocate_shared, insert_barriers};
use tilewright_passes::scheduled_to_cute::lower_fragments;
use tilewright_passes::tileas::{lower_conversions, place_conversions, split_reductions};
use tilewright_passes::tileas_to_scheduled::schedule_serially;

fn checked<L: Language>(made: Result<Func<L>, Vec<Diagnostic<Origin>>>, text: &str) -> Func<L> {
    let func = made.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    func
}

/// The kernel as PTX, and the number of slices of its conversions.
pub(crate) fn compiled(text: &str) -> (String, usize) {
    let parsed = parse_stage::<TileAs>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    let func = checked(
        Ok(parsed.module.funcs.into_iter().next().expect("a function")),
        text,
    );
    let func = checked(place_conversions(&func), text);
    let func = checked(split_reductions(&func), text);
    let func = checked(lower_conversions(&func), text);
    let slices = func.body.walk().into_iter().filter(|&id| {
        let kind = &func.body.op(id).kind;
        matches!(kind, TileAsOp::TileAs(TileAsDialect::ExtractSlice { .. }))
    });
    let slices = slices.count();
    let func = checked(schedule_serially(&func), text);
    let func = checked(allocate_shared(&func), text);
    let func = checked(insert_barriers(&func), text);
    let func = checked(lower_fragments(&func), text);
    let func = checked(scalarize_fragments(&func), text);
    let func = checked(expand_storage_types(&func), text);
    let func = checked(legalize_small_integers(&func), text);
    let func = checked(simplify(&func), text);
    let func = checked(rename_kernel_marker(&func), text);
    let func = checked(select_instructions(&func), text);
    (emit_ptx(&func).expect("PTX").to_string(), slices)
}
