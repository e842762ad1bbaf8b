//! The lowering of atoms: for each, the fragment ops of its instruction. A file here for each in
//! `tilewright_irs::tileas::atoms`.

mod cp_async;
mod fma;
mod matrix_move;
mod mma_sync;
mod product;
mod reduce;
mod tcgen05;
mod tensor_memory;
mod thread;
mod tma;
mod wgmma;

use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::tileas::{CopyAtom, ProductAtom, TileAsDialect, TileAsType};
use tilewright_irs::{with_copy_atom, with_product_atom};

use super::agent::Agent;
use super::emit::{Cx, not_yet};
use super::function::LowerFragments;

/// An op that has an atom, and who executes it.
pub(super) struct Site<'a> {
    pub(super) id: OpId,
    pub(super) op: &'a TileAsDialect,
    pub(super) agent: Agent,
}

/// An atom that is lowered.
pub(super) trait LowerAtom {
    /// Lowers an op that has the atom; `None` if such an op is not lowered with it yet.
    fn lower(
        &self,
        _cx: &mut Cx<'_>,
        _site: &Site<'_>,
        _pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        None
    }
}

impl LowerAtom for CopyAtom {
    fn lower(&self, cx: &mut Cx<'_>, site: &Site<'_>, pass: &mut LowerFragments<'_>) -> Option<Translated> {
        with_copy_atom!(self, atom => atom.lower(cx, site, pass))
    }
}

impl LowerAtom for ProductAtom {
    fn lower(&self, cx: &mut Cx<'_>, site: &Site<'_>, pass: &mut LowerFragments<'_>) -> Option<Translated> {
        with_product_atom!(self, atom => atom.lower(cx, site, pass))
    }
}

/// Lowers an op with its atom, which is called `word`.
pub(super) fn lower(
    (atom, word): (&impl LowerAtom, &str),
    cx: &mut Cx<'_>,
    site: &Site<'_>,
    pass: &mut LowerFragments<'_>,
) -> Translated {
    // What is only an order, or waited for without a value, has no fragments.
    let old = cx.from;
    for result in old.op(site.id).results() {
        if let TileAsType::Token | TileAsType::Pending(None) = old.ty(result) {
            cx.bind(result, []);
        }
    }
    let lowered = atom.lower(cx, site, pass);
    lowered.unwrap_or_else(|| Err(not_yet(cx.origin(), word)))
}

#[cfg(test)]
mod tests {
    use tilewright_diagnostics::FileId;
    use tilewright_grammar::stages::parse_stage;
    use tilewright_irs::core::verify;
    use tilewright_irs::scheduled::Scheduled;

    use super::super::lower_fragments;

    #[test]
    fn an_op_that_is_not_lowered_with_its_atom_is_one_error_that_names_it() {
        let threads = "linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [0, 0], [0, 0]], warp = \
                       [[0, 0], [0, 0]], shape = [8, 8]>";
        let buffer = "buffer<8x8xf16, shared, linear<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], shape = [8, 8]>>";
        let by_threads = format!("cp_async<128b, {threads}>");
        for (atom, result, name) in [
            ("tma<box = [8, 8]>", buffer, "tma"),
            (&by_threads, buffer, "cp_async"),
        ] {
            let text = format!(
                "scheduled.func @f(%p: ptr<f16>, %i: i32) {{target = sm_90a, kernel_spec = {{num_warps = 4, num_ctas = \
                 1}}, shared_bytes = 0}} body {{\nscheduled.agent {{name = \"all\", first_warp = 0, warps = 4}} body {{\n\
                 %m = tileas.memref %p, [], [] : memref<64x64xf16, strides = [64, 1], align = 16, class = 0>\n\
                 %l, %t = tileas.load %m, [%i, %i] {{dim_map = [0, 1], steps = [8, 8], inbounds = [true, true], order = \
                 weak, atom = {atom}}} : {result}, token\nscheduled.end\n}}\nscf.return\n}}\n"
            );
            let parsed = parse_stage::<Scheduled>(&text, FileId(0));
            assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
            let func = parsed.module.funcs.first().expect("a function");
            assert_eq!(verify(func), Ok(()), "{text}");
            let problems = lower_fragments(func).expect_err("an atom without a lowering");
            let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            assert_eq!(messages, [format!("`{name}` is not lowered yet")], "{text}");
        }
    }
}
