//! Splits reductions and scans between warps into ones within warps and exchanges through shared memory. `tileas` to
//! `tileas`.
//!
//! In: any function. Out: the same program, where the scope of every reduction and scan is a thread or a warp. A
//! reduction between warps becomes
//!
//! ```text
//! %t = tile.reshape %x : tile<4x32xf32, …>
//! %w = tileas.reduce [%t] {axis = 1, atom = shuffle, …} : tile<4xf32, …>
//! %r = tileas.convert_layout %w : tile<4xf32, …>
//! %s = tileas.reduce [%r] {axis = 0, atom = thread, …} : f32
//! ```
//!
//! where the axis is first reshaped so that warps have axes of their own, and every thread then takes what the warps
//! made of their parts. [`lower_conversions`](mod@super::lower_conversions) lowers the conversion to the exchange. A body
//! that is not known to be commutative combines elements in order: the parts below the warps are reduced before the
//! exchange, and the parts above them after it. The exchange gives the tile the layout that all uses of the result convert
//! it to, if a thread holds less of it then, and distributes what is reduced later over lanes that would hold copies. A
//! scan exchanges the totals of the warps in the same way.
//!
//! Refused: a scope of several blocks (E0503), and an axis whose warps alternate so often with other elements that the
//! reshaped tile has too many axes (E0408).

mod parts;
mod scans;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Value, translate_func,
};
use tilewright_irs::dialects::fold_rules::{Fold, is_commutative};
use tilewright_irs::tileas::{ReduceAtom, TileAs, TileAsDialect, TileAsOp, TileAsType};
use tilewright_layouts::{Dim, LinearLayout, MAX_RANK};

use parts::{Cx, Exchange, Parts, exchanged, finish, reduce, reshaped};

/// Splits the reductions and scans between warps.
///
/// # Errors
/// See the module.
pub fn split_reductions(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let mut split = Split {
        wanted: wanted(&func.body),
    };
    translate_func(func, func.attrs.clone(), &mut split)
}

struct Split {
    /// The layout that all uses of a value convert it to; `None` if they differ or are no conversions. Values without
    /// uses have no entry.
    wanted: SideTable<Value, Option<LinearLayout>>,
}

/// The layouts that all uses of a value convert it to.
fn wanted(body: &Body<TileAs>) -> SideTable<Value, Option<LinearLayout>> {
    let mut wanted: SideTable<Value, Option<LinearLayout>> = body.value_table();
    for (_, op) in body.ops() {
        let layout = match op.kind {
            TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) => body.ty(op.result(0)).layout(),
            _ => None,
        };
        op.kind.operands(&mut |value| {
            let same = wanted.get(value).is_none_or(|known| known.as_ref() == layout);
            wanted.set(value, layout.filter(|_| same).cloned());
        });
    }
    wanted
}

impl Translate<TileAs, TileAs> for Split {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = op.kind
            && let source = cx.one(source)
            && cx.ty(source).layout() == cx.from.ty(op.result(0)).layout()
        {
            cx.bind(op.result(0), [source]);
            return Ok(());
        }
        if let TileAsOp::TileAs(own) = &op.kind
            && let TileAsDialect::Reduce { atom, .. } | TileAsDialect::Scan { atom, .. } = own
            && let Some(fold) = own.fold()
        {
            match (atom, own) {
                (ReduceAtom::Thread | ReduceAtom::Shuffle, _) => {}
                (ReduceAtom::Shared, TileAsDialect::Scan { reverse, .. }) => {
                    return scans::split(self, cx, id, &fold, *reverse);
                }
                (ReduceAtom::Shared, _) => return self.reduction(cx, id, &fold),
                (ReduceAtom::Cluster, _) => {
                    let message = format!("`{atom}`, a reduction between blocks, is not supported yet");
                    return Err(Diagnostic::error(Code::UnsupportedFeature, message).at(op.origin, ""));
                }
            }
        }
        cx.carry(id, &op.kind, self)
    }
}

impl Split {
    fn reduction(&mut self, cx: &mut Cx<'_>, id: OpId, fold: &Fold<'_>) -> Translated {
        let parts = Parts::of(cx, fold)?;
        // The bits along the axis, smallest step first, in runs of warps and of others.
        let mut runs: Vec<(bool, u32)> = Vec::new();
        for &(dim, _) in &parts.bits {
            match runs.last_mut() {
                Some((warps, bits)) if *warps == (dim == Dim::Warp) => *bits += 1,
                _ => runs.push((dim == Dim::Warp, 1)),
            }
        }
        let shape = parts.shape(&extents(&runs));
        if shape.len() > MAX_RANK {
            let message = format!(
                "a reduction along axis {} alternates {} times between warps and others; a tile has at most {MAX_RANK} axes",
                fold.axis,
                runs.len() - 1
            );
            return Err(Diagnostic::error(Code::BadLayout, message).at(cx.origin(), ""));
        }
        let mut values = reshaped(cx, &parts.operands, &shape)?;
        let own = cx
            .old(id)
            .results()
            .next()
            .and_then(|result| cx.from.ty(result).layout());
        let wanted = self.wanted_of(cx, id).filter(|wanted| {
            let fewer = |own: &LinearLayout| wanted.in_size(Dim::Register) < own.in_size(Dim::Register);
            own.is_some_and(fewer)
        });
        let mut taken = None;
        let commutes = is_commutative(cx.from, fold.body);
        while !runs.is_empty() {
            // Without an order, all that is in a warp comes first, registers before lanes; then all warps at once.
            let next = match commutes {
                true => runs.iter().rposition(|(warps, _)| !warps),
                false => Some(0),
            };
            let next = next.unwrap_or_else(|| {
                runs = vec![(true, runs.iter().map(|(_, bits)| bits).sum())];
                0
            });
            values = reshaped(cx, &values, &parts.shape(&extents(&runs)))?;
            let last = parts.first + runs.len() - 1;
            let axis = last - next;
            let (warps, _) = runs.remove(next);
            if warps {
                taken = wanted.as_ref().filter(|_| runs.is_empty());
                let exchange = Exchange {
                    axis,
                    later: (parts.first..=last).filter(|&other| other != axis).collect(),
                    wanted: taken,
                };
                values = exchanged(cx, &values, &exchange)?;
            }
            values = reduce(self, cx, fold, &values, axis, false)?;
        }
        for (result, value) in cx.old(id).results().zip(values) {
            finish(cx, result, value, taken)?;
        }
        Ok(())
    }

    /// The layout that all uses of a reduction's results convert them to.
    fn wanted_of(&self, cx: &Cx<'_>, id: OpId) -> Option<LinearLayout> {
        let mut used = cx.old(id).results().filter_map(|result| self.wanted.get(result));
        let first = used.next()?.as_ref()?;
        used.all(|other| other.as_ref() == Some(first))
            .then(|| first.clone())
    }
}

/// The extents of runs of bits, the largest step first.
fn extents(runs: &[(bool, u32)]) -> Vec<u32> {
    runs.iter().rev().map(|(_, bits)| 1 << bits).collect()
}
