//! Arrays whose elements are addresses of other arrays, such as the lists of arrays that cuTile passes: each row of a list has
//! the address, the extents and the strides of one array.
//!
//! They are found by data flow: integers that are cast to pointers, and those that describe the tensors at these pointers, are
//! traced back to the element of a parameter's array that they are loaded from.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, Region, SideTable, Value, ValueType};
use tilewright_irs::cuda_tile::{CastOp, ControlOp, CudaTile, MemoryOp, ShapeOp, TileOp, ViewOp};
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::Dense;

/// A column of a list: the elements at one position of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// The parameter that is the pointer of the list.
    pub list: usize,
    /// The position within a row.
    pub at: u64,
}

/// The definitions that a value may come from.
#[derive(Debug)]
pub struct Sources<'a> {
    body: &'a Body<CudaTile>,
    definitions: SideTable<Value, OpId>,
    /// For each result of a branch or a loop, and each argument of a loop's body, the values that may flow into it.
    joined: FxHashMap<Value, Vec<Value>>,
}

impl<'a> Sources<'a> {
    /// The sources of the values of a kernel.
    pub fn of(body: &'a Body<CudaTile>) -> Self {
        let mut sources = Self {
            body,
            definitions: body.definitions(),
            joined: FxHashMap::default(),
        };
        sources.join(body.root(), None);
        sources
    }

    /// Records the flow of values out of a region's terminators; `innermost` is the loop around the region, if any.
    fn join(&mut self, region: Region, innermost: Option<OpId>) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            for &id in &body.block(block).ops {
                let op = body.op(id);
                match &op.kind {
                    TileOp::Control(ControlOp::If {
                        then_region,
                        else_region,
                        ..
                    }) => {
                        for region in [*then_region, *else_region] {
                            let end = body.only_block(region).and_then(|block| body.terminator(block));
                            if let Some(TileOp::Control(ControlOp::Yield { operands })) =
                                end.map(|end| &body.op(end).kind)
                            {
                                self.flow(op.results(), operands);
                            }
                            self.join(region, innermost);
                        }
                    }
                    TileOp::Control(
                        ControlOp::For {
                            init_values,
                            body: region,
                            ..
                        }
                        | ControlOp::Loop {
                            init_values,
                            body: region,
                        },
                    ) => {
                        self.flow(self.carried(id), init_values);
                        if matches!(op.kind, TileOp::Control(ControlOp::For { .. })) {
                            self.flow(op.results(), init_values);
                        }
                        self.join(*region, Some(id));
                    }
                    TileOp::Control(ControlOp::Continue { operands }) => {
                        if let Some(around) = innermost {
                            self.flow(self.carried(around), operands);
                            self.flow(body.op(around).results(), operands);
                        }
                    }
                    TileOp::Control(ControlOp::Break { operands }) => {
                        if let Some(around) = innermost {
                            self.flow(body.op(around).results(), operands);
                        }
                    }
                    other => other.regions(&mut |region| self.join(region, innermost)),
                }
            }
        }
    }

    /// The loop-carried arguments of a loop's body.
    fn carried(&self, around: OpId) -> Vec<Value> {
        let (region, counters) = match &self.body.op(around).kind {
            TileOp::Control(ControlOp::For { body, .. }) => (*body, 1),
            TileOp::Control(ControlOp::Loop { body, .. }) => (*body, 0),
            _ => return Vec::new(),
        };
        let block = self.body.only_block(region);
        let args = block.map(|block| self.body.block(block).args.iter().skip(counters).copied());
        args.into_iter().flatten().collect()
    }

    fn flow(&mut self, to: impl IntoIterator<Item = Value>, from: &[Value]) {
        for (to, &from) in to.into_iter().zip(from) {
            self.joined.entry(to).or_default().push(from);
        }
    }

    /// The op that defines a value.
    pub fn definition(&self, value: Value) -> Option<&'a TileOp> {
        self.definitions.get(value).map(|&op| &self.body.op(op).kind)
    }

    /// The values that may reach a value, traced through control flow and assumptions.
    fn roots(&self, value: Value) -> Vec<Value> {
        let mut seen = vec![value];
        let mut next = 0;
        let mut roots = Vec::new();
        while let Some(&value) = seen.get(next) {
            next += 1;
            let assumed = match self.definition(value) {
                Some(TileOp::Shape(ShapeOp::Assume { value, .. })) => Some(*value),
                _ => None,
            };
            let joined = self.joined.get(&value);
            if assumed.is_none() && joined.is_none() {
                roots.push(value);
            }
            for other in joined.into_iter().flatten().copied().chain(assumed) {
                if !seen.contains(&other) {
                    seen.push(other);
                }
            }
        }
        roots
    }

    /// The columns from which an integer may be loaded.
    pub fn columns(&self, value: Value) -> Vec<Column> {
        let mut found = Vec::new();
        // Each with its place in the last dimension of the value.
        let mut open: Vec<_> = self.roots(value).into_iter().map(|root| (root, 0)).collect();
        let mut next = 0;
        while let Some(&(value, at)) = open.get(next) {
            next += 1;
            let from = match self.definition(value) {
                Some(
                    TileOp::Cast(CastOp::TruncI { from: source, .. } | CastOp::ExtI { from: source, .. })
                    | TileOp::Shape(ShapeOp::Reshape { source } | ShapeOp::Broadcast { source }),
                ) => Some((*source, at)),
                Some(TileOp::Shape(ShapeOp::Extract { source, indices })) => {
                    self.place(value, indices, at).map(|at| (*source, at))
                }
                Some(TileOp::View(ViewOp::LoadViewTko { view, index, .. })) => {
                    if let Some(at) = self.place(value, index, at) {
                        found.extend(self.lists(*view).map(|list| Column { list, at }));
                    }
                    None
                }
                Some(TileOp::Memory(MemoryOp::LoadPtrTko { source, .. })) => {
                    found.extend(self.lists(*source).map(|list| Column { list, at: 0 }));
                    None
                }
                _ => None,
            };
            if let Some((source, at)) = from {
                for root in self.roots(source) {
                    if !open.contains(&(root, at)) {
                        open.push((root, at));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|column| (column.list, column.at));
        found.dedup();
        found
    }

    /// The position, in the last dimension of the source, of an element of a tile that begins at these indices; `at` is its
    /// position in the tile. `None` if the index is not constant.
    fn place(&self, tile: Value, indices: &[Value], at: u64) -> Option<u64> {
        let index = match indices.last() {
            Some(&index) => self.constant(index)?,
            None => 0,
        };
        Some(at.saturating_add(index.saturating_mul(self.last_extent(tile))))
    }

    /// The extent of the last dimension of a tile; 1 without dimensions.
    fn last_extent(&self, value: Value) -> u64 {
        let tile = self.body.ty(value).as_tile();
        tile.and_then(|tile| tile.shape.last().copied()).unwrap_or(1)
    }

    fn constant(&self, value: Value) -> Option<u64> {
        match self.roots(value)[..] {
            [only] => match self.definition(only)? {
                TileOp::Shape(ShapeOp::Constant {
                    value: Dense::Splat(literal),
                }) => Some(literal.bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// The parameters that a pointer or a view may point to.
    fn lists(&self, value: Value) -> impl Iterator<Item = usize> {
        let params = self.body.params();
        let bases = self.bases(value).into_iter();
        bases.filter_map(|base| params.iter().position(|&param| param == base))
    }

    /// The pointers that a pointer or a view is derived from: parameters, and integers that are cast to pointers.
    pub fn bases(&self, value: Value) -> Vec<Value> {
        let mut open = self.roots(value);
        let mut next = 0;
        let mut bases = Vec::new();
        while let Some(&value) = open.get(next) {
            next += 1;
            let from = match self.definition(value) {
                None | Some(TileOp::Cast(CastOp::IntToPtr { .. })) => {
                    bases.push(value);
                    continue;
                }
                Some(op) => self.pointer_operand(op),
            };
            for root in from.map_or_else(Vec::new, |from| self.roots(from)) {
                if !open.contains(&root) {
                    open.push(root);
                }
            }
        }
        bases
    }

    /// The first operand that is a pointer or a view.
    fn pointer_operand(&self, op: &TileOp) -> Option<Value> {
        let mut found = None;
        op.operands(&mut |operand| {
            let ty = self.body.ty(operand);
            if ty.is_view() || matches!(ty.element(), Some(ElementType::Ptr(_))) {
                found = found.or(Some(operand));
            }
        });
        found
    }

    /// The integers that are cast to pointers, each with its pointer.
    pub fn made(&self) -> Vec<(Value, Value)> {
        let made = |id| {
            let op = self.body.op(id);
            match &op.kind {
                TileOp::Cast(CastOp::IntToPtr { source }) => Some((*source, op.results().next()?)),
                _ => None,
            }
        };
        self.body.walk().into_iter().filter_map(made).collect()
    }
}
