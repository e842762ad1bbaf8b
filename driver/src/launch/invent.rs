//! Makes up the inputs of a kernel: arrays that fit its views, and a grid that covers what it stores.
//!
//! Every open extent is the same number, so that the arrays of a product fit each other: a multiple of the largest tile.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Origin, ValueType};
use tilewright_irs::element::{ElementType, ScalarType};

use super::arguments::Bound;
use super::dtype::DType;
use super::generate::is_too_large;
use super::npy::Array;
use super::roles::{ArrayUse, ColumnRole, Dim, Role, Roles};
use super::{Address, Parameter};
use crate::units::{Stage, TileKernel};

/// Inputs of a launch.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The arguments.
    pub bound: Bound,
    /// The arrays in lists, whose addresses are elements of other arrays.
    pub listed: Vec<Listed>,
    /// The types of those that are numbers.
    pub numbers: Vec<Option<DType>>,
    /// The blocks along x, y and z.
    pub grid: [u32; 3],
    /// Whether the grid follows from the program.
    pub covers: bool,
}

/// An array in a list.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The parameter that is the pointer of the list.
    pub list: usize,
    /// The row of the list that has its address.
    pub row: usize,
    /// Its use in [`Roles::arrays`].
    pub array: usize,
    /// Its index in the launch.
    pub buffer: usize,
    /// The type of its elements.
    pub dtype: DType,
}

/// The sizes and values to use where the program leaves them open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The extent of open dimensions.
    pub extent: u64,
    /// The elements of an array above which it gets extents of its own.
    pub most_elements: u64,
    /// The value of integers that are neither extents nor strides.
    pub number: u64,
    /// The elements of an array that no view describes.
    pub elements: u64,
    /// The rows of lists of arrays.
    pub rows: u64,
    /// The integers in arrays.
    pub integers: Integers,
}

/// A value for integers that may be the iterations of nested loops, and the least size of the smallest guess.
const SMALL: u64 = 16;

/// The range of the random integers in arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// The indices of an open dimension, including 0.
    Indices,
    /// The indices of an open dimension without 0, so that they can be divisors.
    Positive,
    /// 0 and 1, for indices into dimensions of few elements.
    Small,
}

impl Integers {
    /// The integers, where open dimensions have this extent.
    fn range(self, open: u64) -> std::ops::Range<u32> {
        let end = u32::try_from(open.min(1 << 16)).unwrap_or(1 << 16);
        match self {
            Self::Indices => 0..end,
            Self::Positive => 1..end,
            Self::Small => 0..2,
        }
    }
}

impl Guess {
    /// The guesses, to be tried in this order until the program has a defined result. Open dimensions have the extent `size`, if
    /// it is given.
    pub fn all(roles: &Roles, size: Option<u64>) -> Vec<Self> {
        let extent = size.unwrap_or_else(|| extent(roles));
        let most_elements = size.map_or(MOST_ELEMENTS, |_| u64::MAX);
        let numbers = match roles.roles.contains(&Role::Integer) {
            true => vec![extent, SMALL, 1, 0],
            false => vec![extent],
        };
        let raw = roles.arrays.iter().flatten().any(|array| array.dims.is_none());
        let sizes = match raw {
            true => vec![
                extent,
                extent.saturating_mul(16),
                extent.saturating_mul(extent).clamp(1, 1 << 22),
            ],
            false => vec![extent],
        };
        let has_integers = roles.arrays.iter().flatten().any(|array| array.element.is_int());
        let integers = match has_integers {
            true => vec![Integers::Indices, Integers::Positive, Integers::Small],
            false => vec![Integers::Indices],
        };
        let rows_of_lists = if roles.columns.is_empty() {
            &ROWS[..1]
        } else {
            &ROWS
        };
        let mut guesses = Vec::new();
        for integers in integers {
            for &rows in rows_of_lists {
                for &number in &numbers {
                    guesses.extend(sizes.iter().map(|&elements| Self {
                        extent,
                        most_elements,
                        number,
                        elements,
                        rows,
                        integers,
                    }));
                }
            }
        }
        // Much smaller arrays, for a kernel that takes too long.
        let small = extent.min(largest_tile(roles).max(SMALL));
        if let (Some(&first), None, true) = (guesses.first(), size, small < extent) {
            guesses.push(Self {
                extent: small,
                number: small,
                elements: first.elements.min(small.saturating_mul(small)),
                ..first
            });
        }
        guesses
    }
}

/// Extents of arrays with one dimension, with two, and with more: large enough for several tiles, and small enough for an
/// interpreter.
const EXTENTS: [u64; 3] = [4096, 128, 16];

/// The extent of an open dimension of three or more along which tiles have one element.
const BATCH: u64 = 2;

/// The elements of an array above which it gets extents of its own, unless the extent is asked for.
const MOST_ELEMENTS: u64 = 1 << 24;

/// The rows of a list of arrays, if the program leaves them open: few, and enough for a program that asks for some by number.
const ROWS: [u64; 2] = [3, 16];

/// The most arrays that are made for one list, and the most elements that they have in total. Further rows repeat these arrays.
const LISTED: u64 = 64;
const LISTED_ELEMENTS: u64 = 1 << 24;

/// The extent of every other open dimension.
fn extent(roles: &Roles) -> u64 {
    let open = |dims: &Vec<Dim>| dims.iter().filter(|dim| dim.extent.is_none()).count();
    let rank = roles
        .arrays
        .iter()
        .flatten()
        .filter_map(|array| array.dims.as_ref().map(open));
    let rank = rank.max().unwrap_or(1).clamp(1, EXTENTS.len());
    let tile = largest_tile(roles);
    let twice = if rank == 1 { tile.saturating_mul(2) } else { tile };
    twice.max(least_extent(rank))
}

/// The largest extent of a tile of a view; without views, of all tiles.
fn largest_tile(roles: &Roles) -> u64 {
    let arrays = roles.arrays.iter().flatten();
    let dims = arrays.filter_map(|array| array.dims.as_ref());
    dims.flatten().map(|dim| dim.tile).max().unwrap_or(roles.tile)
}

fn least_extent(rank: usize) -> u64 {
    EXTENTS
        .get(rank.clamp(1, EXTENTS.len()) - 1)
        .copied()
        .unwrap_or(1)
}

/// The extents of an array.
fn extents(dims: &[Dim], open: u64) -> Vec<u64> {
    let one = |dim: &Dim| {
        // A batch of which each tile has one.
        let open = if dims.len() > 2 && dim.tile == 1 {
            BATCH
        } else {
            open
        };
        dim.extent.unwrap_or_else(|| dim.extents.fit(open))
    };
    dims.iter().map(one).collect()
}

/// The shape and the strides of an array, in elements.
fn layout(dims: &[Dim], guess: Guess) -> (Vec<u64>, Vec<u64>) {
    let mut shape = extents(dims, guess.extent);
    let elements = shape
        .iter()
        .fold(1u64, |product, &extent| product.saturating_mul(extent));
    // A tile of one dimension may be as large as those of this array with all its dimensions.
    if elements > guess.most_elements {
        let tile = dims.iter().map(|dim| dim.tile).max().unwrap_or(1);
        shape = extents(dims, tile.max(least_extent(dims.len())));
    }
    let mut strides: Vec<u64> = dims.iter().map(|dim| dim.stride.unwrap_or(0)).collect();
    let known = dims
        .iter()
        .zip(&shape)
        .filter_map(|(dim, extent)| Some(dim.stride?.saturating_mul(*extent)));
    let mut next = known.max().unwrap_or(1).max(1);
    for ((dim, stride), extent) in dims.iter().zip(&mut strides).zip(&shape).rev() {
        if dim.stride.is_none() {
            *stride = dim.strides.fit(next);
            next = stride.saturating_mul(*extent).max(1);
        }
    }
    (shape, strides)
}

/// Makes up the inputs of a kernel.
///
/// # Errors
/// An array is too large.
pub fn inputs(
    kernel: &TileKernel,
    roles: &Roles,
    guess: Guess,
    seed: u64,
) -> Result<Inputs, Diagnostic<Origin>> {
    let mut bound = Bound::default();
    let of_list = Guess {
        extent: guess.rows,
        ..guess
    };
    let layout_of = |(at, array): (usize, &Option<ArrayUse>)| {
        let dims = array.as_ref()?.dims.as_ref()?;
        let guess = if roles.is_list(at) { of_list } else { guess };
        Some(layout(dims, guess))
    };
    let layouts: Vec<_> = roles.arrays.iter().enumerate().map(layout_of).collect();
    let mut listed = Vec::new();
    let params = kernel.func.body.params();
    let mut numbers = vec![None; params.len()];
    for (at, (&param, role)) in params.iter().zip(&roles.roles).enumerate() {
        let seed = seed.wrapping_add(u64::try_from(at).unwrap_or(0));
        let ty = kernel.func.body.ty(param).element();
        let of = |of: usize| layouts.get(of).and_then(Option::as_ref);
        let number = match *role {
            Role::Pointer => {
                let element = match ty {
                    Some(ElementType::Ptr(element) | ElementType::Scalar(element)) => element,
                    None => ScalarType::I8,
                };
                let (shape, strides) = match of(at) {
                    Some((shape, strides)) => (shape.clone(), strides.clone()),
                    None => (vec![guess.elements], vec![1]),
                };
                let one = Made {
                    element,
                    layout: (shape, strides),
                    guess,
                    seed,
                };
                let mut array = one.array(&format!("argument {at}"))?;
                if roles.is_list(at) {
                    listed.extend(fill_list(
                        roles, at, &mut array, &layouts, guess, seed, &mut bound,
                    )?);
                }
                bound.owners.push(Some((bound.buffers.len(), array.dtype)));
                bound.parameters.push(Parameter::Pointer {
                    buffer: bound.buffers.len(),
                    offset: 0,
                });
                bound.names.push(format!("argument {at}"));
                bound.buffers.push(array);
                continue;
            }
            Role::Extent { of: array, dim } => of(array).and_then(|(shape, _)| shape.get(dim)).copied(),
            Role::Stride { of: array, dim } => of(array).and_then(|(_, strides)| strides.get(dim)).copied(),
            Role::Integer => {
                let allowed = roles.allowed.get(at).copied().unwrap_or_default();
                Some(allowed.fit(guess.number))
            }
            Role::Float | Role::Unused => Some(1),
        };
        bound.owners.push(None);
        let ty = match ty {
            Some(ElementType::Scalar(ty)) => ty,
            Some(ElementType::Ptr(_)) | None => ScalarType::I64,
        };
        bound
            .parameters
            .push(Parameter::Scalar(scalar(ty, number.unwrap_or(1), seed)));
        if let Some(slot) = numbers.get_mut(at) {
            *slot = Some(dtype(ty));
        }
    }
    let (grid, covers) = grid(roles, &layouts, guess);
    Ok(Inputs {
        bound,
        listed,
        numbers,
        grid,
        covers,
    })
}

/// An array that is to be made.
struct Made {
    element: ScalarType,
    /// The extents and strides.
    layout: (Vec<u64>, Vec<u64>),
    guess: Guess,
    seed: u64,
}

impl Made {
    fn array(self, name: &str) -> Result<Array, Diagnostic<Origin>> {
        let (shape, strides) = self.layout;
        let last = shape.iter().zip(&strides);
        let last = last.fold(0u64, |sum, (&extent, &stride)| {
            sum.saturating_add(extent.saturating_sub(1).saturating_mul(stride))
        });
        let elements = last.saturating_add(1);
        if is_too_large(dtype(self.element), elements) {
            return Err(Diagnostic::error(
                Code::BadArgument,
                format!("{name} would be an array of {elements} elements, which is too large"),
            ));
        }
        let indices = self.guess.integers.range(self.guess.extent);
        Ok(random(self.element, shape, elements, indices, self.seed))
    }
}

/// Makes the arrays of a list, and writes their extents and strides into it. The addresses are filled in at the launch.
fn fill_list(
    roles: &Roles,
    list: usize,
    holder: &mut Array,
    layouts: &[Option<(Vec<u64>, Vec<u64>)>],
    guess: Guess,
    seed: u64,
    bound: &mut Bound,
) -> Result<Vec<Listed>, Diagnostic<Origin>> {
    let bytes = holder.dtype.bytes();
    // Each row is the last dimension; an array that the program addresses itself has rows of one element.
    let is_raw = layouts.get(list).is_none_or(Option::is_none);
    let row_length = if is_raw {
        1
    } else {
        holder.shape.last().copied().unwrap_or(1).max(1)
    };
    let rows = holder.len() / row_length;
    let columns = roles.columns.iter().filter(|(column, _)| column.list == list);
    let columns: Vec<_> = columns
        .filter_map(|&(column, role)| {
            let at = usize::try_from(column.at).ok()?;
            (at < row_length).then_some((at, role))
        })
        .collect();
    // The list comes after its arrays, of which there are this many.
    let mut made: Vec<Listed> = Vec::new();
    let mut addresses = Vec::new();
    for &(column, role) in &columns {
        let ColumnRole::Address(array) = role else {
            continue;
        };
        let Some(Some(used)) = roles.arrays.get(array) else {
            continue;
        };
        let layout = layouts.get(array).cloned().flatten();
        let layout = layout.unwrap_or_else(|| (vec![guess.elements], vec![1]));
        let size: u64 = layout
            .0
            .iter()
            .fold(1, |size, &extent| size.saturating_mul(extent));
        let most = (LISTED_ELEMENTS / size.max(1)).clamp(1, LISTED);
        let first = made.len();
        for row in 0..rows {
            let name = format!("array {row} of argument {list}");
            if u64::try_from(row).is_ok_and(|row| row < most) {
                let one = Made {
                    element: used.element,
                    layout: layout.clone(),
                    guess,
                    // Apart from those of arguments, which count from the seed on.
                    seed: seed.wrapping_add(u64::try_from(made.len() + 1).unwrap_or(0) << 32),
                };
                let array_of_row = one.array(&name)?;
                made.push(Listed {
                    list,
                    row,
                    array,
                    buffer: bound.buffers.len(),
                    dtype: array_of_row.dtype,
                });
                bound.names.push(name);
                bound.buffers.push(array_of_row);
            }
            let count = made.len() - first;
            if let Some(target) = made.get(first + row % count.max(1)) {
                addresses.push(((row * row_length + column) * bytes, target.buffer));
            }
        }
    }
    let mut put = |at: usize, number: u64| {
        if let Some(slot) = holder.data.get_mut(at..at + bytes) {
            for (byte, new) in slot.iter_mut().zip(number.to_le_bytes()) {
                *byte = new;
            }
        }
    };
    for row in 0..rows {
        for &(column, role) in &columns {
            let of = |of: usize| layouts.get(of).and_then(Option::as_ref);
            let number = match role {
                ColumnRole::Address(_) => Some(0),
                ColumnRole::Number(Role::Extent { of: array, dim }) => {
                    of(array).and_then(|(shape, _)| shape.get(dim).copied())
                }
                ColumnRole::Number(Role::Stride { of: array, dim }) => {
                    of(array).and_then(|(_, strides)| strides.get(dim).copied())
                }
                ColumnRole::Number(Role::Pointer | Role::Integer | Role::Float | Role::Unused) => None,
            };
            if let Some(number) = number {
                put((row * row_length + column) * bytes, number);
            }
        }
    }
    let holder = bound.buffers.len();
    bound.addresses.extend(
        addresses
            .into_iter()
            .map(|(at, target)| Address { holder, at, target }),
    );
    Ok(made)
}

/// The grid that covers what a kernel stores to these arrays; `None` if the program does not say what that is.
pub fn grid_of(own: &Stage, bound: &Bound) -> Option<[u32; 3]> {
    let Stage::CudaTile(kernel) = own else { return None };
    let roles = super::roles::roles(kernel);
    let layouts: Vec<_> = bound
        .parameters
        .iter()
        .map(|parameter| {
            let Parameter::Pointer { buffer, .. } = parameter else {
                return None;
            };
            let array = bound.buffers.get(*buffer)?;
            let extents = |list: &[usize]| {
                list.iter()
                    .map(|&number| u64::try_from(number).unwrap_or(u64::MAX))
                    .collect()
            };
            Some((extents(&array.shape), extents(&array.strides())))
        })
        .collect();
    let mut elements = layouts
        .iter()
        .flatten()
        .map(|(shape, _): &(Vec<u64>, Vec<u64>)| shape.iter().product());
    let elements = elements.next().unwrap_or(1);
    let guess = Guess {
        extent: elements,
        most_elements: u64::MAX,
        number: elements,
        elements,
        rows: elements,
        integers: Integers::Indices,
    };
    let (grid, covers) = grid(&roles, &layouts, guess);
    covers.then_some(grid)
}

/// The grid that covers the stores, and whether it follows from the program.
fn grid(roles: &Roles, layouts: &[Option<(Vec<u64>, Vec<u64>)>], guess: Guess) -> ([u32; 3], bool) {
    let mut grid = [1u64; 3];
    let mut covers = roles.axes == [false; 3];
    for store in &roles.stores {
        let Some(Some((shape, _))) = layouts.get(store.array) else {
            continue;
        };
        covers = true;
        let mut rest = 1u64;
        let mut taken = [false; 3];
        for &(dim, tile, axis) in &store.tiles {
            let blocks = shape.get(dim).copied().unwrap_or(1).div_ceil(tile.max(1)).max(1);
            match axis {
                Some(axis) => {
                    if let (Some(slot), Some(taken)) = (grid.get_mut(axis), taken.get_mut(axis)) {
                        (*slot, *taken) = ((*slot).max(blocks), true);
                    }
                }
                None => rest = rest.saturating_mul(blocks),
            }
        }
        // The tiles whose index is computed are for the first axis that is in use and is no index itself.
        let free =
            (0..3).find(|&axis| roles.axes.get(axis) == Some(&true) && taken.get(axis) == Some(&false));
        if let Some(slot) = free.and_then(|axis| grid.get_mut(axis)) {
            *slot = (*slot).max(rest);
        }
    }
    if let (false, Some(tile), [true, ..]) = (covers, roles.stored_by_pointer, roles.axes) {
        grid = [
            guess
                .elements
                .min(guess.number.max(1))
                .div_ceil(tile.max(1))
                .max(1),
            1,
            1,
        ];
        covers = true;
    }
    (
        grid.map(|blocks| u32::try_from(blocks).unwrap_or(u32::MAX).min(65_535)),
        covers,
    )
}

/// The bytes of a number.
fn scalar(ty: ScalarType, number: u64, seed: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let normal: f64 = StandardNormal.sample(&mut random);
    let mut bytes = Vec::new();
    match dtype(ty) {
        DType::Bool => bytes.push(u8::from(number != 0)),
        dtype if dtype.is_float() => dtype.push(normal, &mut bytes),
        dtype => bytes.extend(number.to_le_bytes().iter().take(dtype.bytes())),
    }
    bytes
}

/// The type of an array with these elements.
fn dtype(element: ScalarType) -> DType {
    match element {
        ScalarType::F16 => DType::F16,
        ScalarType::BF16 => DType::BF16,
        ScalarType::F32 | ScalarType::TF32 => DType::F32,
        ScalarType::F64 => DType::F64,
        ScalarType::I1 => DType::Bool,
        ScalarType::I16 => DType::Int(2),
        ScalarType::I32 => DType::Int(4),
        ScalarType::I64 => DType::Int(8),
        ScalarType::I8 => DType::Int(1),
        ScalarType::I4
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F4E2M1FN
        | ScalarType::F8E5M3FNU => DType::UInt(1),
    }
}

/// An array of random elements: normally distributed floats, or these integers, each of which occurs once before any is repeated.
fn random(
    element: ScalarType,
    shape: Vec<u64>,
    elements: u64,
    indices: std::ops::Range<u32>,
    seed: u64,
) -> Array {
    let dtype = dtype(element);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let count = usize::try_from(elements).unwrap_or(usize::MAX);
    // Two elements of 4 bits share a byte.
    let count = if element.bits() == 4 {
        count.div_ceil(2)
    } else {
        count
    };
    let mut data = Vec::with_capacity(count.saturating_mul(dtype.bytes()));
    // In any order, so that a kernel may gather from and scatter to them.
    let least = indices.start;
    let mut indices: Vec<u32> = indices.collect();
    for at in 0..count {
        if element.is_int() && at.is_multiple_of(indices.len()) {
            indices.shuffle(&mut random);
        }
        let index = |at: usize| indices.get(at % indices.len().max(1)).copied().unwrap_or(least);
        let value = match element {
            element if element.bits() == 4 => f64::from(random.random_range(0..=255u32)),
            // Positive and negative numbers of the small formats, without the exponents of infinity and NaN.
            ScalarType::F8E4M3FN | ScalarType::F8E5M2 | ScalarType::F8E5M3FNU => {
                f64::from(random.random_range(0..=255u32) & 0b1011_0111)
            }
            ScalarType::F8E8M0FNU => f64::from(random.random_range(124..=130u32)),
            ScalarType::I1 => f64::from(random.random_range(0..=1u32)),
            ScalarType::I8 | ScalarType::I16 => f64::from(least + index(at) % 100),
            ScalarType::I32 | ScalarType::I64 => f64::from(index(at)),
            _ => StandardNormal.sample(&mut random),
        };
        dtype.push(value, &mut data);
    }
    let shape: Vec<_> = shape
        .iter()
        .map(|&extent| usize::try_from(extent).unwrap_or(usize::MAX))
        .collect();
    let dense = shape
        .iter()
        .try_fold(1usize, |product, &extent| product.checked_mul(extent))
        == Some(count);
    let shape = if dense { shape } else { vec![count] };
    Array { dtype, shape, data }
}
