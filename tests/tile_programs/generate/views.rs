//! Views of arrays: partitions, strided views, and views that gather or scatter rows.

use rand::RngExt;

use super::super::numbers::Ty;
use super::lanes::EVEN;
use super::{Generator, Shape};

/// The array that a view is of.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) pointer: String,
    pub(super) argument: usize,
    pub(super) ty: Ty,
}

/// What a view selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Partition,
    Strided,
    /// One dimension of the tile is indexed element by element.
    Gather {
        sparse: usize,
    },
}

/// A view, and the extents of its index space.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) tile: Shape,
    /// For each dimension of the tile, how many indices are within the tensor.
    pub(super) space: Vec<i64>,
    pub(super) kind: Kind,
}

/// How a view is to be made.
pub(super) struct Wish<'a> {
    pub(super) tile: &'a [u32],
    pub(super) padding: Option<&'static str>,
    pub(super) kind: Kind,
    /// For each dimension of the tile the tiles that must not overlap, if it has any.
    pub(super) apart: Vec<Option<i64>>,
}

fn joined<T: ToString>(items: &[T], with: &str) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(with)
}

impl Generator {
    pub(super) fn view_kind(&mut self, rank: usize) -> Kind {
        if self.is_even() && self.chance(80) {
            return Kind::Partition;
        }
        // Rows that are gathered or overlap are rarely those of one block of a cluster.
        let kinds = if self.lanes.is_some() { 20 } else { 10 };
        match self.below(kinds) {
            0 | 1 => Kind::Strided,
            2 | 3 if rank > 1 => Kind::Gather {
                sparse: self.random.random_range(0..rank),
            },
            _ => Kind::Partition,
        }
    }

    /// A view of an array, with a tensor whose tiles are partly or wholly inside, in any order of its dimensions.
    pub(super) fn view(&mut self, place: &Place, wish: &Wish<'_>) -> View {
        let rank = wish.tile.len();
        let mut dim_map: Vec<usize> = (0..rank).collect();
        let is_gather = matches!(wish.kind, Kind::Gather { .. });
        if !is_gather && self.chance(35) {
            for i in (1..rank).rev() {
                let j = self.random.random_range(0..=i);
                dim_map.swap(i, j);
            }
        }
        let mut steps: Vec<i64> = wish.tile.iter().map(|&extent| extent.into()).collect();
        if wish.kind == Kind::Strided {
            for (axis, step) in steps.iter_mut().enumerate() {
                let by = match self.lanes.is_some() && *step > 1 {
                    true => self.choose(&[0, *step / 2, *step]),
                    false => self.choose(&[-1, 0, 1, 3]),
                };
                *step = match wish.apart[axis] {
                    Some(_) => *step + by.max(0),
                    None => (*step + by).max(1),
                };
            }
        }
        let mut extents = vec![0i64; rank];
        for (axis, &dim) in dim_map.iter().enumerate() {
            let tile = i64::from(wish.tile[axis]);
            let tiles = match wish.apart[axis] {
                Some(tiles) => tiles,
                None => self.random.random_range(1..=2),
            };
            let whole = steps[axis] * (tiles - 1) + tile;
            extents[dim] = match self.below(10) {
                kind if self.is_even() => {
                    let extent = match kind {
                        0..=6 => whole,
                        7 => whole + EVEN,
                        _ => (whole / 2).max(1),
                    };
                    extent + (-extent).rem_euclid(EVEN)
                }
                0..=5 => whole,
                6 => whole + self.random.random_range(1..=4),
                _ => self.random.random_range(1..=whole),
            };
        }
        let (strides, span) = self.strides(&extents);
        self.extend(place.argument, span);
        let (shape, known, index) = self.extents(&extents, &dim_map, wish.tile);
        let (list, strides, strides_known) = self.open_strides(&strides, index);
        let element = place.ty.name();
        let tensor_type = format!(
            "tensor_view<{}x{element}, strides=[{}]>",
            joined(&known, "x"),
            strides_known
        );
        let open = known.iter().any(|extent| extent == "?") || strides_known.contains('?');
        let given = match open {
            true => format!("tile<{}> -> ", index.name()),
            false => String::new(),
        };
        let _ = list;
        let tensor = self.let_be(&format!(
            "make_tensor_view {}, shape = [{}], strides = [{strides}] : {given}{tensor_type}",
            place.pointer,
            joined(&shape, ", ")
        ));
        let padding = match wish.padding {
            Some(padding) => format!(", padding_value = {padding}"),
            None => String::new(),
        };
        let map = match dim_map.is_sorted() {
            true => String::new(),
            false => format!(", dim_map=[{}]", joined(&dim_map, ", ")),
        };
        let tile = joined(wish.tile, "x");
        let (kind, text) = match wish.kind {
            Kind::Partition => (
                "partition_view",
                format!("partition_view<tile=({tile}){padding}, {tensor_type}{map}>"),
            ),
            Kind::Strided => (
                "strided_view",
                format!(
                    "strided_view<tile=({tile}), traversal_strides=[{}]{padding}, {tensor_type}{map}>",
                    joined(&steps, ",")
                ),
            ),
            Kind::Gather { sparse } => (
                "gather_scatter_view",
                format!("gather_scatter_view<tile=({tile}){padding}, {tensor_type}, sparse_dim={sparse}>"),
            ),
        };
        let name = self.let_be(&format!("make_{kind} {tensor} : {text}"));
        let space = dim_map.iter().enumerate().map(|(axis, &dim)| match is_gather {
            true => extents[dim],
            false => (extents[dim] + steps[axis] - 1) / steps[axis],
        });
        View {
            name,
            text,
            tile: wish.tile.to_vec(),
            space: space.collect(),
            kind: wish.kind,
        }
    }

    /// The strides of a tensor, in any order and with gaps, and the elements that it spans.
    fn strides(&mut self, extents: &[i64]) -> (Vec<i64>, usize) {
        let mut order: Vec<usize> = (0..extents.len()).collect();
        if self.chance(25) {
            order.reverse();
        }
        let gap = match self.is_even() {
            true => self.choose(&[0, 0, EVEN]),
            false => self.choose(&[0, 0, 0, 1, 4, 16]),
        };
        let mut strides = vec![0; extents.len()];
        let mut stride = 1;
        for &dim in order.iter().rev() {
            strides[dim] = stride;
            stride *= extents[dim] + gap;
        }
        let span: i64 = 1 + strides
            .iter()
            .zip(extents)
            .map(|(stride, extent)| stride * (extent - 1))
            .sum::<i64>();
        (strides, usize::try_from(span).expect("positive"))
    }

    /// Extents as operands and in the type, some known to the compiler; and the type of all dynamic ones.
    fn extents(
        &mut self,
        extents: &[i64],
        dim_map: &[usize],
        tile: &[u32],
    ) -> (Vec<String>, Vec<String>, Ty) {
        let index = self.choose(&[Ty::I32, Ty::I32, Ty::I64]);
        let ty = index.name();
        let (mut shape, mut known) = (Vec::new(), Vec::new());
        let hints = self.chance(60);
        for (dim, &extent) in extents.iter().enumerate() {
            if self.chance(50) {
                shape.push(extent.to_string());
                known.push(extent.to_string());
                continue;
            }
            let mut name = self.number(index, extent);
            if self.chance(30) {
                name = self.let_be(&format!("assume bounded<0, ?>, {name} : tile<{ty}>"));
            }
            let divisor = 1u32 << extent.trailing_zeros().min(5);
            if hints && divisor > 1 {
                let axis = dim_map.iter().position(|&to| to == dim).unwrap_or(0);
                let divisor = self.choose(&[divisor, divisor.min(tile[axis]).max(2)]);
                name = self.let_be(&format!("assume div_by<{divisor}>, {name} : tile<{ty}>"));
            }
            shape.push(name);
            known.push("?".to_owned());
        }
        (shape, known, index)
    }

    /// Strides as operands and in the type.
    fn open_strides(&mut self, strides: &[i64], index: Ty) -> (Vec<String>, String, String) {
        let ty = index.name();
        let (mut list, mut known) = (Vec::new(), Vec::new());
        for &stride in strides {
            if stride == 1 || self.chance(70) {
                list.push(stride.to_string());
                known.push(stride.to_string());
                continue;
            }
            let mut name = self.number(index, stride);
            let divisor = 1 << stride.trailing_zeros().min(4);
            if divisor > 1 && (self.is_even() || self.chance(60)) {
                name = self.let_be(&format!("assume div_by<{divisor}>, {name} : tile<{ty}>"));
            }
            list.push(name);
            known.push("?".to_owned());
        }
        let operands = joined(&list, ", ");
        (list, operands, joined(&known, ","))
    }

    /// The indices of a load: near the tiles of the view, beyond them, or by counters and blocks.
    pub(super) fn indices(&mut self, view: &View) -> String {
        let index = self.choose(&[Ty::I32, Ty::I32, Ty::I32, Ty::I64]);
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for axis in 0..view.tile.len() {
            match view.kind {
                Kind::Gather { sparse } if sparse == axis => {
                    let extent = view.tile[axis];
                    let rows = self.rows(extent, view.space[axis], index);
                    names.push(rows);
                    types.push(super::tile(&[extent], index.name()));
                }
                Kind::Gather { .. } | Kind::Partition | Kind::Strided => {
                    names.push(self.index(view.space[axis], index));
                    types.push(super::tile(&[], index.name()));
                }
            }
        }
        let types = match view.kind {
            Kind::Gather { .. } => types.join(", "),
            Kind::Partition | Kind::Strided => super::tile(&[], index.name()),
        };
        format!("{}[{}] @ {types}", view.name, names.join(", "))
    }

    /// Positions along a sparse dimension, some out of range.
    fn rows(&mut self, count: u32, space: i64, index: Ty) -> String {
        let ty = index.name();
        let space = space.max(1);
        match self.below(3) {
            0 => {
                let numbers: Vec<i64> = (0..count).map(|_| self.random.random_range(-1..=space)).collect();
                let list = match numbers.as_slice() {
                    [one] => one.to_string(),
                    many => format!("[{}]", joined(many, ", ")),
                };
                self.let_be(&format!("constant <{ty}: {list}> : tile<{count}x{ty}>"))
            }
            1 => {
                let low = self.pick(&[count], index);
                let most = 1 << (64 - u64::leading_zeros(space.cast_unsigned()));
                let mask = self.splat(&[count], index, most - 1);
                self.let_be(&format!("andi {}, {mask} : {}", low.name, low.text()))
            }
            _ => {
                let iota = self.let_be(&format!("iota : tile<{count}x{ty}>"));
                let by = self.random.random_range(0..space);
                let start = self.splat(&[count], index, by);
                self.let_be(&format!("addi {iota}, {start} : tile<{count}x{ty}>"))
            }
        }
    }

    /// An index along a dimension with this many.
    pub(super) fn index(&mut self, space: i64, index: Ty) -> String {
        let ty = index.name();
        let widened = |generator: &mut Self, name: String, from: Ty| {
            if from == index {
                return name;
            }
            let op = if from.bits() < index.bits() {
                "exti"
            } else {
                "trunci"
            };
            let sign = if op == "exti" { " signed" } else { "" };
            generator.let_be(&format!(
                "{op} {name}{sign} : tile<{}> -> tile<{ty}>",
                from.name()
            ))
        };
        if !self.counters.is_empty() && self.chance(60) {
            let counters = self.counters.clone();
            let counter = self.choose(&counters);
            return widened(self, counter.name, counter.ty);
        }
        match self.below(10) {
            0..=2 => widened(self, "%bx".to_owned(), Ty::I32),
            3 if self.depth == 0 => {
                // A number that depends on data.
                let most = 1 << (64 - u64::leading_zeros(space.max(1).cast_unsigned()));
                let from = self.pick(&[], index);
                let mask = self.let_be(&format!("constant <{ty}: {}> : tile<{ty}>", most - 1));
                self.let_be(&format!("andi {}, {mask} : tile<{ty}>", from.name))
            }
            4 => {
                let far = match index {
                    Ty::I64 => [i64::MIN, i64::MAX, 1 << 60, 1 << 62, 1 << 32],
                    _ => [i32::MIN.into(), i32::MAX.into(), 1 << 28, 1 << 30, -1],
                };
                let far = self.choose(&far);
                self.scalar(index, far)
            }
            5 => {
                let near = self.random.random_range(-1..=space + 1);
                self.scalar(index, near)
            }
            _ => {
                let inside = self.random.random_range(0..space.max(1));
                self.scalar(index, inside)
            }
        }
    }
}
