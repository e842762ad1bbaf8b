//! Rules of layout conversions, products, reductions, prints and assertions.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::LinearLayout;

use super::{Checked, Refusal, Rules, want};
use crate::core::{Language, Value, ValueType};
use crate::dialects::arith::Signedness;
use crate::dialects::fold_rules::{Fold, check_fold};
use crate::dialects::product_rules;
use crate::dialects::tile_rules::ShapedType;
use crate::tileas::atoms::{Completion, Place, ProductAtom, ProductUse, ReduceAtom};
use crate::tileas::movement::{concat_registers, lane_shuffles, slice_registers};
use crate::tileas::reduced_type;
use crate::tileas::types::{Pending, TileAsType};

fn moves(message: String) -> Refusal {
    Refusal {
        code: Code::BadLayout,
        message,
    }
}

impl<L: Language<Type = TileAsType>> Rules<'_, L> {
    pub(super) fn conversion(&self, source: Value) -> Checked {
        let (from, to) = (self.ty(source), self.result(0));
        want(
            from.layout().is_some() && to.layout().is_some(),
            Code::OperandType,
            "a layout conversion is about tiles",
        )?;
        want(
            from.extents() == to.extents() && from.element() == to.element(),
            Code::TypeMismatch,
            "a layout conversion changes nothing but the layout",
        )
    }

    pub(super) fn exchange(&self, source: Value) -> Checked {
        self.conversion(source)?;
        let (from, to) = (self.ty(source), self.result(0));
        want(
            lane_shuffles(from, to).is_some(),
            Code::BadLayout,
            "an exchange would move elements to another warp; use `tileas.convert_layout` instead",
        )
    }

    pub(super) fn extract_slice(&self, source: Value, offsets: &[u32]) -> Checked {
        let (from, to) = (self.ty(source), self.result(0));
        let (Some(whole), Some(part)) = (from.layout(), to.layout()) else {
            return want(false, Code::OperandType, "a slice of a tile is a tile");
        };
        want(
            from.element() == to.element(),
            Code::TypeMismatch,
            "a slice keeps the element type",
        )?;
        slice_registers(whole, offsets, part).map(|_| ()).map_err(moves)
    }

    pub(super) fn concat(&self, parts: &[Value], axis: u32) -> Checked {
        let to = self.result(0);
        let first = parts.first().map(|&part| self.ty(part));
        let (Some(first), Some(whole)) = (first, to.layout()) else {
            return want(
                false,
                Code::OperandType,
                "parts of a tile are tiles, at least one",
            );
        };
        let Some(part) = first.layout() else {
            return want(false, Code::OperandType, "parts of a tile are tiles");
        };
        want(
            parts.iter().all(|&part| self.ty(part) == first) && first.element() == to.element(),
            Code::TypeMismatch,
            "the parts of a tile have one type, with the tile's elements",
        )?;
        let axis = axis as usize;
        let extent = |shape: Vec<u32>| shape.get(axis).copied().unwrap_or(0) as usize;
        let (have, wanted) = (extent(part.shape()) * parts.len(), extent(whole.shape()));
        want(
            have == wanted && wanted > 0,
            Code::TypeMismatch,
            format!(
                "the tile has {} along axis {axis}, the sum over {} is {have}",
                counted(wanted, "element"),
                counted(parts.len(), "part")
            ),
        )?;
        concat_registers(part, whole, axis).map(|_| ()).map_err(moves)
    }

    pub(super) fn dot(
        &self,
        [a, b, acc]: [Value; 3],
        signedness: [Signedness; 2],
        atom: &ProductAtom,
    ) -> Checked {
        // An asynchronous product adds to one that is under way.
        let accumulated = match (atom.completion(), self.ty(acc)) {
            (Completion::Asynchronous, TileAsType::Pending(Some(what))) => what.ready(),
            (_, ty) => ty.clone(),
        };
        let places = [self.ty(a), self.ty(b), &accumulated].map(Place::of);
        let [Some(of_a), Some(of_b), Some(of_acc)] = places else {
            return want(false, Code::OperandType, "a product is about tiles and buffers");
        };
        let shape = |ty: &TileAsType| match ty {
            TileAsType::Buffer(buffer) => buffer.shape.clone(),
            other => other.extents().unwrap_or_default().to_vec(),
        };
        let (shape_a, shape_b, shape_acc) = (shape(self.ty(a)), shape(self.ty(b)), shape(&accumulated));
        product_rules::extents(&shape_a, &shape_b, &shape_acc)
            .map_err(|(code, message)| Refusal { code, message })?;
        let wanted = match (atom.completion(), &accumulated) {
            (Completion::Synchronous, ty) => ty.clone(),
            (Completion::Asynchronous, TileAsType::Tile { element, layout, .. }) => {
                TileAsType::Pending(Some(Box::new(Pending::Tile(*element, layout.clone()))))
            }
            (Completion::Asynchronous, TileAsType::Buffer(buffer)) => {
                TileAsType::Pending(Some(Box::new(Pending::Buffer(buffer.clone()))))
            }
            (Completion::Asynchronous, ty) => ty.clone(),
        };
        want(
            *self.result(0) == wanted,
            Code::TypeMismatch,
            match atom.completion() {
                Completion::Synchronous => format!("`{}` gives the type of its accumulator", atom.word()),
                Completion::Asynchronous => {
                    format!(
                        "`{}` is waited for: it gives its accumulator, pending",
                        atom.word()
                    )
                }
            },
        )?;
        atom.check(&ProductUse {
            target: self.attrs.target,
            warps: self.warps,
            a: of_a,
            b: of_b,
            acc: of_acc,
            signedness,
        })
    }

    /// Rules common to reductions and scans.
    pub(super) fn combined(&self, fold: &Fold<'_>) -> Result<&LinearLayout, Refusal> {
        let layouts = fold.operands.iter().map(|&value| self.ty(value).layout());
        let first = layouts.clone().next().flatten();
        want(
            layouts.clone().any(|layout| layout.is_none()) || layouts.clone().all(|layout| layout == first),
            Code::BadLayout,
            "tiles that are combined together have one layout",
        )?;
        check_fold(self.body, fold).map_err(|(code, message)| Refusal { code, message })?;
        first.ok_or_else(|| Refusal {
            code: Code::OperandType,
            message: "tiles are combined along an axis".to_owned(),
        })
    }

    pub(super) fn reduced(&self, fold: &Fold<'_>, atom: ReduceAtom) -> Checked {
        let axis = fold.axis as usize;
        let layout = self.combined(fold)?;
        atom.check(self.attrs.target, layout, axis)?;
        let results: Vec<TileAsType> = self.op.results().map(|value| self.ty(value).clone()).collect();
        let wanted: Option<Vec<TileAsType>> = fold
            .operands
            .iter()
            .map(|&value| reduced_type(self.ty(value), axis))
            .collect();
        want(
            wanted.is_some_and(|wanted| wanted == results),
            Code::TypeMismatch,
            "a reduction gives each operand without the axis, its elements in the threads that held them",
        )
    }

    pub(super) fn scanned(&self, fold: &Fold<'_>, atom: ReduceAtom) -> Checked {
        let layout = self.combined(fold)?;
        atom.check_scan(self.attrs.target, layout, fold.axis as usize)?;
        let results = self.op.results().map(|value| self.ty(value));
        want(
            results.eq(fold.operands.iter().map(|&value| self.ty(value))),
            Code::TypeMismatch,
            "a scan gives tiles of the types of its operands",
        )
    }
}
