//! What a kernel and the globals that it uses say, and the languages below do not.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Attributes, Func, Origin, Problem};
use tilewright_irs::cuda_tile::{Attr, CudaTile, Dict, EntryAttrs, Global, MemoryOp, TileOp};

/// Notes on attributes that end here: those of parameters, which are of other dialects, and that globals are constant.
pub fn ignored_attributes(func: &Func<CudaTile>, globals: &[Global]) -> Vec<Problem> {
    let mut notes = Vec::new();
    for (i, attr) in func.attrs.arg_attrs.iter().flatten().enumerate() {
        let Attr::Dict(Dict(entries)) = attr else { continue };
        for (j, (name, _)) in entries.iter().enumerate() {
            let message = format!("the attribute `{name}` of parameter {i} is ignored: nothing reads it");
            notes.push(Problem {
                diagnostic: Diagnostic::remark(Code::UnknownHint, message)
                    .at(Origin::FUNCTION, "without effect"),
                part: EntryAttrs::part("arg_attrs").entry(i).key(j),
            });
        }
    }
    for id in func.body.walk() {
        let op = func.body.op(id);
        let TileOp::Memory(MemoryOp::GetGlobal { name }) = &op.kind else {
            continue;
        };
        if globals
            .iter()
            .any(|global| global.constant && global.name == name.0)
        {
            let message = format!(
                "that the global `@{}` is constant is not passed on: a constant bank has addresses of its own, and what has a \
                 pointer to the global accesses global memory",
                name.0
            );
            notes.push(
                Diagnostic::remark(Code::AttributeLost, message)
                    .at(op.origin, "")
                    .into(),
            );
        }
    }
    notes
}
