//! The role of each parameter of a `cuda_tile` kernel: the pointer, an extent or a stride of an array, or a number of its own;
//! and which tile block stores which tile.
//!
//! They are found in the program's views: a `make_tensor_view` says which parameters describe one array.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value, ValueType};
use tilewright_irs::cuda_tile::{
    CastOp, ControlOp, CudaTile, MemoryOp, Predicate, ShapeOp, TensorView, TileOp, TileType, ViewOp,
};
use tilewright_irs::element::{ElementType, ScalarType};

use super::lists::{Column, Sources};
use crate::units::TileKernel;

/// What a parameter is to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The pointer of an array.
    Pointer,
    /// An extent of the array whose pointer is another parameter.
    Extent {
        /// The parameter that is the pointer.
        of: usize,
        /// The dimension.
        dim: usize,
    },
    /// A stride of the array whose pointer is another parameter.
    Stride {
        /// The parameter that is the pointer.
        of: usize,
        /// The dimension.
        dim: usize,
    },
    /// An integer that is neither an extent nor a stride.
    Integer,
    /// A float.
    Float,
    /// A number that the program does not read.
    Unused,
}

/// The values of a non-negative number that the program's assumptions allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The largest value, if the program says so.
    pub most: Option<u64>,
    /// What it is a multiple of; 1 if the program does not say.
    pub multiple: u64,
}

impl Default for Allowed {
    fn default() -> Self {
        Self {
            most: None,
            multiple: 1,
        }
    }
}

impl Allowed {
    /// The values that an assumption allows.
    fn of(predicate: &Predicate) -> Self {
        match *predicate {
            Predicate::DivBy { divisor, .. } => Self {
                multiple: divisor,
                ..Self::default()
            },
            Predicate::Bounded { upper, .. } => Self {
                most: upper.and_then(|upper| u64::try_from(upper).ok()),
                ..Self::default()
            },
            Predicate::SameElements(_) => Self::default(),
        }
    }

    /// The values that both assumptions allow. Divisors are powers of two.
    fn and(self, other: Self) -> Self {
        Self {
            most: self.most.into_iter().chain(other.most).min(),
            multiple: self.multiple.max(other.multiple),
        }
    }

    /// The least allowed value that is not below `number`, or else the largest allowed one.
    pub fn fit(self, number: u64) -> u64 {
        let multiple = self.multiple.max(1);
        let up = number.checked_next_multiple_of(multiple).unwrap_or(number);
        self.most.map_or(up, |most| up.min(most / multiple * multiple))
    }
}

/// A dimension of an array as the kernel sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim {
    /// The extent, if the program fixes it.
    pub extent: Option<u64>,
    /// The stride in elements, if the program fixes it.
    pub stride: Option<u64>,
    /// Which extents the program allows, if it does not fix it.
    pub extents: Allowed,
    /// Which strides the program allows, if it does not fix it.
    pub strides: Allowed,
    /// The largest extent of a tile along it; 1 without tiles.
    pub tile: u64,
}

/// An array of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayUse {
    /// The element type.
    pub element: ScalarType,
    /// The dimensions; `None` if the kernel computes addresses itself.
    pub dims: Option<Vec<Dim>>,
    /// Whether the kernel reads it.
    pub read: bool,
    /// Whether the kernel writes it.
    pub written: bool,
}

/// The meaning of a column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRole {
    /// The addresses of arrays; this entry of [`Roles::arrays`] says how the kernel uses them.
    Address(usize),
    /// An extent or a stride of the array in the same row.
    Number(Role),
}

/// A store through a view, which tells how many blocks the grid has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The array in [`Roles::arrays`].
    pub array: usize,
    /// The dimensions along which the index of the stored tile varies: the dimension, the extent of a tile along it, and the axis
    /// of the grid whose block index is the index of the tile, if it is one.
    pub tiles: Vec<(usize, u64, Option<usize>)>,
}

/// The parameters of a kernel and their uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The role of each parameter.
    pub roles: Vec<Role>,
    /// Which values the program allows for each parameter that is an integer.
    pub allowed: Vec<Allowed>,
    /// The array of each parameter that is a pointer; after them, the arrays in lists.
    pub arrays: Vec<Option<ArrayUse>>,
    /// The columns of lists of arrays: those with addresses are [`Role::Pointer`].
    pub columns: Vec<(Column, ColumnRole)>,
    /// The largest extent of any tile.
    pub tile: u64,
    /// The stores through views.
    pub stores: Vec<Stored>,
    /// The most elements of a tile that is stored through pointers.
    pub stored_by_pointer: Option<u64>,
    /// The axes of the grid whose block index the kernel uses.
    pub axes: [bool; 3],
}

impl Roles {
    /// Whether elements of the array of this parameter are addresses.
    pub fn is_list(&self, parameter: usize) -> bool {
        self.columns
            .iter()
            .any(|(column, role)| column.list == parameter && matches!(role, ColumnRole::Address(_)))
    }

    /// What the program assumes of the extent or the stride of an array.
    fn allowed_of(&mut self, role: Role) -> Option<&mut Allowed> {
        let (Role::Extent { of, dim } | Role::Stride { of, dim }) = role else {
            return None;
        };
        let dim = self.arrays.get_mut(of)?.as_mut()?.dims.as_mut()?.get_mut(dim)?;
        let is_extent = matches!(role, Role::Extent { .. });
        Some(if is_extent {
            &mut dim.extents
        } else {
            &mut dim.strides
        })
    }
}

/// Finds the roles of a kernel's parameters.
pub fn roles(kernel: &TileKernel) -> Roles {
    let body = &kernel.func.body;
    let mut finder = Finder {
        body,
        definitions: body.definitions(),
        sources: Sources::of(body),
        listed: FxHashMap::default(),
    };
    let params = body.params();
    let ops = body.walk();
    let element = |value: Value| match body.ty(value).element() {
        Some(ElementType::Ptr(element)) => Some(element),
        Some(ElementType::Scalar(_)) | None => None,
    };
    let is_integer = |value: Value| match body.ty(value).element() {
        Some(ElementType::Scalar(scalar)) => scalar.is_int(),
        Some(ElementType::Ptr(_)) | None => false,
    };
    let array = |&param: &Value| {
        element(param).map(|element| ArrayUse {
            element,
            dims: None,
            read: false,
            written: false,
        })
    };
    let mut found = Roles {
        roles: params
            .iter()
            .map(|&param| match element(param) {
                Some(_) => Role::Pointer,
                None if !ops.iter().any(|&op| finder.uses(op, param)) => Role::Unused,
                None if is_integer(param) => Role::Integer,
                None => Role::Float,
            })
            .collect(),
        allowed: finder.allowed(&ops),
        arrays: params.iter().map(array).collect(),
        columns: Vec::new(),
        tile: 1,
        stores: Vec::new(),
        stored_by_pointer: None,
        axes: [false; 3],
    };
    finder.lists(&mut found);
    for &op in &ops {
        let op = body.op(op);
        match &op.kind {
            TileOp::View(ViewOp::MakeTensorView {
                base,
                dynamic_shape,
                dynamic_strides,
            }) => {
                if let Some(tensor) = op
                    .results()
                    .next()
                    .and_then(|view| body.ty(view).as_tensor_view())
                {
                    finder.tensor(*base, tensor, dynamic_shape, dynamic_strides, &mut found);
                }
            }
            TileOp::Control(ControlOp::GetTileBlockId {}) => {
                let mut used = vec![false; 3];
                for (axis, result) in op.results().enumerate() {
                    let uses = ops.iter().any(|&other| finder.uses(other, result));
                    if let Some(slot) = used.get_mut(axis) {
                        *slot = uses;
                    }
                }
                for (axis, used) in found.axes.iter_mut().zip(used) {
                    *axis |= used;
                }
            }
            _ => {}
        }
        for result in op.results() {
            if let Some(tile) = body.ty(result).as_tile() {
                found.tile = tile
                    .shape
                    .iter()
                    .fold(found.tile, |most, &extent| most.max(extent));
            }
        }
    }
    for &op in &ops {
        finder.access(&body.op(op).kind, &mut found);
    }
    found
}

struct Finder<'a> {
    body: &'a Body<CudaTile>,
    definitions: SideTable<Value, OpId>,
    sources: Sources<'a>,
    /// For each integer that is cast to a pointer, its arrays in [`Roles::arrays`].
    listed: FxHashMap<Value, Vec<usize>>,
}

impl Finder<'_> {
    fn definition(&self, value: Value) -> Option<&TileOp> {
        self.definitions.get(value).map(|&op| &self.body.op(op).kind)
    }

    /// Whether an op has this operand.
    fn uses(&self, op: OpId, value: Value) -> bool {
        let mut uses = false;
        self.body
            .op(op)
            .kind
            .operands(&mut |operand| uses |= operand == value);
        uses
    }

    /// What the program assumes of each parameter.
    fn allowed(&self, ops: &[OpId]) -> Vec<Allowed> {
        let mut allowed = vec![Allowed::default(); self.body.params().len()];
        for &op in ops {
            let TileOp::Shape(ShapeOp::Assume { value, predicate }) = &self.body.op(op).kind else {
                continue;
            };
            let Some(allowed) = self.parameter(*value).and_then(|at| allowed.get_mut(at)) else {
                continue;
            };
            *allowed = allowed.and(Allowed::of(predicate));
        }
        allowed
    }

    /// The parameter that a value is, traced through assumptions.
    fn parameter(&self, value: Value) -> Option<usize> {
        let own = self.body.params().iter().position(|&param| param == value);
        own.or_else(|| match self.definition(value)? {
            TileOp::Shape(ShapeOp::Assume { value, .. }) => self.parameter(*value),
            _ => None,
        })
    }

    /// Finds the arrays in lists.
    fn lists(&mut self, found: &mut Roles) {
        for (integer, pointer) in self.sources.made() {
            let Some(ElementType::Ptr(element)) = self.body.ty(pointer).element() else {
                continue;
            };
            for column in self.sources.columns(integer) {
                let known = found.columns.iter().find_map(|&(other, role)| match role {
                    ColumnRole::Address(array) if other == column => Some(array),
                    ColumnRole::Address(_) | ColumnRole::Number(_) => None,
                });
                let array = known.unwrap_or_else(|| {
                    found
                        .columns
                        .push((column, ColumnRole::Address(found.arrays.len())));
                    found.arrays.push(Some(ArrayUse {
                        element,
                        dims: None,
                        read: false,
                        written: false,
                    }));
                    found.arrays.len() - 1
                });
                self.listed.entry(pointer).or_default().push(array);
            }
        }
    }

    /// The entries of [`Roles::arrays`] that a pointer or a view may point to.
    fn memories(&self, value: Value) -> Vec<usize> {
        let mut found = Vec::new();
        for base in self.sources.bases(value) {
            match self.body.params().iter().position(|&param| param == base) {
                Some(param) => found.push(param),
                None => found.extend(self.listed.get(&base).into_iter().flatten()),
            }
        }
        found
    }

    /// What the program assumes of a number on its way from a list.
    fn assumed(&self, value: Value) -> Allowed {
        match self.definition(value) {
            Some(TileOp::Shape(ShapeOp::Assume { value, predicate })) => {
                Allowed::of(predicate).and(self.assumed(*value))
            }
            Some(TileOp::Cast(CastOp::TruncI { from, .. } | CastOp::ExtI { from, .. })) => {
                self.assumed(*from)
            }
            _ => Allowed::default(),
        }
    }

    /// The axis of the grid whose block index a value is.
    fn axis(&self, value: Value) -> Option<usize> {
        let &op = self.definitions.get(value)?;
        let op = self.body.op(op);
        match &op.kind {
            TileOp::Control(ControlOp::GetTileBlockId {}) => op.results().position(|result| result == value),
            TileOp::Shape(ShapeOp::Assume { value, .. })
            | TileOp::Cast(CastOp::ExtI { from: value, .. } | CastOp::TruncI { from: value, .. }) => {
                self.axis(*value)
            }
            _ => None,
        }
    }

    fn is_constant(&self, value: Value) -> bool {
        matches!(
            self.definition(value),
            Some(TileOp::Shape(ShapeOp::Constant { .. }))
        )
    }

    fn tensor(
        &self,
        base: Value,
        tensor: &TensorView,
        shape: &[Value],
        strides: &[Value],
        found: &mut Roles,
    ) {
        for of in self.memories(base) {
            self.tensor_of(of, tensor, shape, strides, found);
        }
    }

    /// Records the array that a tensor view describes.
    fn tensor_of(
        &self,
        of: usize,
        tensor: &TensorView,
        shape: &[Value],
        strides: &[Value],
        found: &mut Roles,
    ) {
        let dims = tensor.shape.iter().zip(&tensor.strides);
        let dims = dims.map(|(&extent, &stride)| Dim {
            extent,
            stride,
            tile: 1,
            ..Dim::default()
        });
        if let Some(Some(array)) = found.arrays.get_mut(of) {
            array.dims.get_or_insert_with(|| dims.collect());
        }
        let open = |list: &[Option<u64>]| -> Vec<usize> {
            let open = list.iter().enumerate().filter(|(_, known)| known.is_none());
            open.map(|(dim, _)| dim).collect()
        };
        let extents = open(&tensor.shape).into_iter().zip(shape);
        let extents = extents.map(|(dim, value)| (value, Role::Extent { of, dim }));
        let strides = open(&tensor.strides).into_iter().zip(strides);
        let strides = strides.map(|(dim, value)| (value, Role::Stride { of, dim }));
        for (&value, role) in extents.chain(strides) {
            let Some(param) = self.parameter(value) else {
                self.number_in_list(value, role, found);
                continue;
            };
            // A number may be that of several arrays; it is passed as that of the first.
            if let Some(slot) = found.roles.get_mut(param).filter(|slot| **slot == Role::Integer) {
                *slot = role;
            }
            let assumed = found.allowed.get(param).copied().unwrap_or_default();
            if let Some(allowed) = found.allowed_of(role) {
                *allowed = allowed.and(assumed);
            }
        }
    }

    /// Records a number that is loaded from a list as an extent or a stride.
    fn number_in_list(&self, value: Value, role: Role, found: &mut Roles) {
        let columns = self.sources.columns(value);
        if columns.is_empty() {
            return;
        }
        let assumed = self.assumed(value);
        if let Some(allowed) = found.allowed_of(role) {
            *allowed = allowed.and(assumed);
        }
        for column in columns {
            if found.columns.iter().all(|(other, _)| *other != column) {
                found.columns.push((column, ColumnRole::Number(role)));
            }
        }
    }

    /// Records an access to memory.
    fn access(&self, op: &TileOp, found: &mut Roles) {
        let (memory, read, written, index) = match op {
            TileOp::View(ViewOp::LoadViewTko { view, .. }) => (*view, true, false, None),
            TileOp::View(ViewOp::StoreViewTko { view, index, .. }) => (*view, false, true, Some(index)),
            TileOp::View(ViewOp::AtomicRedViewTko { view, index, .. }) => (*view, true, true, Some(index)),
            TileOp::Memory(MemoryOp::LoadPtrTko { source, .. }) => (*source, true, false, None),
            TileOp::Memory(MemoryOp::StorePtrTko { destination, .. }) => (*destination, false, true, None),
            TileOp::Memory(
                MemoryOp::AtomicRmwTko { pointers, .. } | MemoryOp::AtomicCasTko { pointers, .. },
            ) => (*pointers, true, true, None),
            _ => return,
        };
        let ty = self.body.ty(memory);
        let arrays = self.memories(memory);
        for &array in &arrays {
            let Some(Some(array)) = found.arrays.get_mut(array) else {
                continue;
            };
            array.read |= read;
            array.written |= written;
            for (dim, extent) in tile_dims(ty) {
                if let Some(dim) = array.dims.as_mut().and_then(|dims| dims.get_mut(dim)) {
                    dim.tile = dim.tile.max(extent);
                }
            }
        }
        if let (Some(index), false) = (index, arrays.is_empty()) {
            let dims = tile_dims(ty).into_iter().zip(index);
            let tiles: Vec<_> = dims
                .filter(|&(_, &index)| !self.is_constant(index))
                .map(|((dim, extent), &index)| (dim, extent, self.axis(index)))
                .collect();
            found.stores.extend(arrays.into_iter().map(|array| Stored {
                array,
                tiles: tiles.clone(),
            }));
        } else if written && let Some(tile) = ty.as_tile() {
            let elements = tile.shape.iter().product();
            found.stored_by_pointer = found.stored_by_pointer.max(Some(elements));
        }
    }
}

/// The dimension of the tensor and the extent of each dimension of a view's tile.
fn tile_dims(ty: &TileType) -> Vec<(usize, u64)> {
    let place = |(&extent, &dim): (&u64, &u32)| (usize::try_from(dim).unwrap_or(usize::MAX), extent);
    match ty {
        TileType::PartitionView(view) => view.tile.iter().zip(&view.dim_map).map(place).collect(),
        TileType::StridedView(view) => view.tile.iter().copied().enumerate().collect(),
        TileType::GatherScatterView(view) => view.tile.iter().copied().enumerate().collect(),
        TileType::Tile(_) | TileType::TensorView(_) | TileType::Token => Vec::new(),
    }
}
