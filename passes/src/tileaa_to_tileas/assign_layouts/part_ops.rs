//! The ops about parts of tiles: a concatenation names registers, a part of a known index selects them, and one of an index that is
//! known at run time is chosen by its bits.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsOp, TileAsType, slice_layout};
use tilewright_layouts::{Dim, LinearLayout};

use super::MAX_REGISTERS;
use super::parts::{PartLayouts, Parts};
use super::rewrite::{Rewrite, Rewritten};

/// The index of a part along an axis.
#[derive(Clone, Copy)]
enum Index {
    Known(u32),
    Value(Value, ScalarType),
}

impl Rewrite<'_> {
    /// Emits an op about parts.
    pub(super) fn parts(&mut self, id: OpId, own: &TileAaDialect, parts: &Parts<'_>) -> Rewritten {
        let result = self.from.op(id).result(0);
        let layouts = self.part_layouts(result, parts)?;
        let element = self.element(result)?;
        let made = match own {
            TileAaDialect::Cat { parts, axis } => {
                let mut values = Vec::with_capacity(parts.len());
                for &part in parts {
                    values.push(self.value(part, Some(&layouts.part))?);
                }
                self.concat(values, *axis, element, &layouts.whole)?
            }
            TileAaDialect::Extract { source, index } => {
                let mut tile = self.value(*source, Some(&layouts.whole))?;
                let mut layout = layouts.whole.clone();
                let extents = layouts.part.shape();
                for (axis, (&index, &extent)) in index.iter().zip(&extents).enumerate() {
                    let index = self.index(index)?;
                    (tile, layout) = self.chosen(tile, &layout, (axis, extent), index, element)?;
                }
                tile
            }
            TileAaDialect::Insert {
                source,
                destination,
                index,
            } => {
                let part = self.value(*source, Some(&layouts.part))?;
                let whole = self.value(*destination, Some(&layouts.whole))?;
                let indices = index.iter().map(|&index| self.index(index));
                let indices = indices.collect::<Result<Vec<_>, _>>()?;
                let extents = layouts.part.shape();
                self.inserted((part, &extents), (whole, &layouts.whole), &indices, element)?
            }
            _ => return Err(self.bug("an op about parts of tiles")),
        };
        let own = self.layouts.of(result);
        let made_in = parts.made_in(layouts);
        let value = match own.filter(|own| **own != made_in) {
            Some(own) => self.converted(result, made, own)?,
            None => made,
        };
        self.values.set(result, value);
        Ok(())
    }

    fn part_layouts(&self, result: Value, parts: &Parts<'_>) -> Result<PartLayouts, Diagnostic<Origin>> {
        let own = |value| self.layouts.of(value).cloned();
        parts
            .layouts(self.from, result, own, self.num_warps)
            .map_err(|error| self.bug(format!("no layout for a part: {error}")))
    }

    fn element(&self, value: Value) -> Result<ElementType, Diagnostic<Origin>> {
        let element = self.from.ty(value).element();
        element.ok_or_else(|| self.bug("a tile has elements"))
    }

    fn index(&self, index: Value) -> Result<Index, Diagnostic<Origin>> {
        let definition = self.definitions.get(index).map(|&id| &self.from.op(id).kind);
        if let Some(TileAaOp::Arith(ArithOp::Constant {
            value: Dense::Splat(literal),
        })) = definition
        {
            // One that does not fit is out of range, too.
            return Ok(Index::Known(u32::try_from(literal.bits).unwrap_or(u32::MAX)));
        }
        match self.element(index)? {
            ElementType::Scalar(scalar) => Ok(Index::Value(self.scalar(index)?, scalar)),
            ElementType::Ptr(_) => Err(self.bug("an index is an integer")),
        }
    }

    /// Appends an op with one result.
    fn emit(&mut self, op: impl Into<TileAsOp>, ty: TileAsType) -> Result<Value, Diagnostic<Origin>> {
        let op = self.append(op, vec![ty])?;
        Ok(self.to.op(op).result(0))
    }

    fn tile_type(
        &self,
        element: ElementType,
        layout: &LinearLayout,
    ) -> Result<TileAsType, Diagnostic<Origin>> {
        let registers = layout.in_size(Dim::Register);
        if registers > MAX_REGISTERS {
            return Err(self.too_large(&layout.shape(), registers));
        }
        Ok(TileAsType::tile(element, layout.clone()))
    }

    fn concat(
        &mut self,
        parts: Vec<Value>,
        axis: u32,
        element: ElementType,
        layout: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        let ty = self.tile_type(element, layout)?;
        self.emit(TileAsDialect::Concat { parts, axis }, ty)
    }

    /// The slice of a tile with these extents along an axis, from an offset on.
    fn slice(
        &mut self,
        source: Value,
        layout: &LinearLayout,
        (axis, extent): (usize, u32),
        offset: u32,
        element: ElementType,
    ) -> Result<(Value, LinearLayout), Diagnostic<Origin>> {
        let mut extents = layout.shape();
        let mut offsets = vec![0; extents.len()];
        if let (Some(slot), Some(at)) = (extents.get_mut(axis), offsets.get_mut(axis)) {
            (*slot, *at) = (extent, offset);
        }
        let layout = slice_layout(layout, &extents)
            .map_err(|error| self.bug(format!("no layout for a part: {error}")))?;
        let ty = self.tile_type(element, &layout)?;
        let part = self.emit(TileAsDialect::ExtractSlice { source, offsets }, ty)?;
        Ok((part, layout))
    }

    fn constant(&mut self, ty: ScalarType, number: u32) -> Result<Value, Diagnostic<Origin>> {
        let value = Dense::Splat(Literal::new(ty, u64::from(number)));
        let ty = TileAsType::Scalar(ElementType::Scalar(ty));
        self.emit(ArithOp::Constant { value }, ty)
    }

    /// Compares an index, or some of its bits, with a number.
    fn compare(
        &mut self,
        lhs: Value,
        predicate: Predicate,
        (number, ty): (u32, ScalarType),
    ) -> Result<Value, Diagnostic<Origin>> {
        let rhs = self.constant(ty, number)?;
        let compare = ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness: Signedness::Unsigned,
        };
        self.emit(compare, TileAsType::Scalar(ElementType::I1))
    }

    /// The part of a tile at an index along one axis. Halves are chosen by the bits of the index, from the top one
    /// down; an index out of range is undefined.
    fn chosen(
        &mut self,
        tile: Value,
        layout: &LinearLayout,
        (axis, extent): (usize, u32),
        index: Index,
        element: ElementType,
    ) -> Result<(Value, LinearLayout), Diagnostic<Origin>> {
        let whole = layout.shape().get(axis).copied().unwrap_or(extent);
        if whole == extent {
            return Ok((tile, layout.clone()));
        }
        let (index, ty) = match index {
            Index::Known(index) => {
                let index = index.min(whole / extent - 1);
                return self.slice(tile, layout, (axis, extent), index * extent, element);
            }
            Index::Value(index, ty) => (index, ty),
        };
        let (mut tile, mut layout, mut half) = (tile, layout.clone(), whole / 2);
        while half >= extent {
            let (low, smaller) = self.slice(tile, &layout, (axis, half), 0, element)?;
            let (high, _) = self.slice(tile, &layout, (axis, half), half, element)?;
            let mask = self.constant(ty, half / extent)?;
            let bit = ArithOp::AndI {
                lhs: index,
                rhs: mask,
            };
            let bit = self.emit(bit, TileAsType::Scalar(ElementType::Scalar(ty)))?;
            let condition = self.compare(bit, Predicate::NotEqual, (0, ty))?;
            tile = self.select(condition, high, low, element, &smaller)?;
            (layout, half) = (smaller, half / 2);
        }
        Ok((tile, layout))
    }

    fn select(
        &mut self,
        condition: Value,
        yes: Value,
        no: Value,
        element: ElementType,
        layout: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        let ty = self.tile_type(element, layout)?;
        self.emit(ArithOp::Select { condition, yes, no }, ty)
    }

    /// A tile with a part replaced: along the first of the axes, every part that the index may name, with the rest of
    /// the axes treated within it.
    fn inserted(
        &mut self,
        (part, extents): (Value, &[u32]),
        (whole, layout): (Value, &LinearLayout),
        indices: &[Index],
        element: ElementType,
    ) -> Result<Value, Diagnostic<Origin>> {
        let axis = extents.len() - indices.len().min(extents.len());
        let (Some((&index, rest)), Some(&extent)) = (indices.split_first(), extents.get(axis)) else {
            return Ok(part);
        };
        let size = layout.shape().get(axis).copied().unwrap_or(extent);
        if size == extent {
            return self.inserted((part, extents), (whole, layout), rest, element);
        }
        let mut parts = Vec::new();
        for at in 0..size / extent {
            let (old, smaller) = self.slice(whole, layout, (axis, extent), at * extent, element)?;
            let is_named = match index {
                Index::Known(index) => index == at,
                Index::Value(..) => true,
            };
            if !is_named {
                parts.push(old);
                continue;
            }
            let new = self.inserted((part, extents), (old, &smaller), rest, element)?;
            parts.push(match index {
                Index::Known(_) => new,
                Index::Value(index, ty) => {
                    let condition = self.compare(index, Predicate::Equal, (at, ty))?;
                    self.select(condition, new, old, element, &smaller)?
                }
            });
        }
        let axis = u32::try_from(axis).unwrap_or(u32::MAX);
        self.concat(parts, axis, element, layout)
    }
}
