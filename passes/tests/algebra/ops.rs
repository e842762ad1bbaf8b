//! The ops of layout algebra, each with random operands.

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use tilewright_irs::cute_types::{CoordTensor, CuteType, DivisorWidth, FastDivisor, Kind};
use tilewright_irs::mlir::types::Signedness;
use tilewright_irs::mlir::{Attribute, Type};
use tilewright_layouts::cute::{Bits, CoordOf, Fact, LayoutOf, Nested, Scaled, SlotOf, Swizzle, TilerOf};

use super::writer::{Property, Role, Value, Writer, modes, number, signed};

/// Writes an op, and gives its results; none if it has no result for the operands that it was given.
pub(crate) type Build = fn(&mut Writer<'_>) -> Option<Vec<Value>>;

type Tuple = Nested<Fact>;

/// Random operands.
impl Writer<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *from.choose(self.rng).expect("a choice")
    }

    /// What is known of a leaf.
    fn fact(&mut self) -> Fact {
        self.fact_of(&[1, 2, 2, 3, 4, 4, 6, 8, 16, 32])
    }

    /// The same, with one of these numbers if it is static.
    fn fact_of(&mut self, numbers: &[i64]) -> Fact {
        match self.chance(45) {
            true => Fact::Static(self.pick(numbers)),
            false => self.dynamic(),
        }
    }

    /// The same of each leaf of a tuple.
    fn powers<T>(&mut self, profile: &Nested<T>) -> Tuple {
        profile.map(&mut |_| self.fact_of(&[1, 2, 4, 8, 16, 32]))
    }

    fn dynamic(&mut self) -> Fact {
        let width = self.pick(&[Bits::B32, Bits::B32, Bits::B64]);
        let divisor: u64 = self.pick(&[1, 1, 1, 2, 4, 8]);
        Fact::dynamic(width, divisor.try_into().expect("a divisor"))
    }

    /// A tuple of these modes at most, nested once more at most.
    fn profile(&mut self, ranks: std::ops::Range<usize>, depth: usize) -> Nested<()> {
        let rank = self.rng.random_range(ranks);
        if rank == 0 {
            return Nested::Leaf(());
        }
        let modes = (0..rank).map(|_| match depth > 0 && self.chance(25) {
            true => self.profile(1..3, depth - 1),
            false => Nested::Leaf(()),
        });
        Nested::Tuple(modes.collect())
    }

    fn tuple_like<T>(&mut self, profile: &Nested<T>) -> Tuple {
        profile.map(&mut |_| self.fact())
    }

    fn tuple(&mut self) -> Tuple {
        let profile = self.profile(0..4, 1);
        self.tuple_like(&profile)
    }

    /// A tuple of several modes.
    fn several(&mut self) -> Tuple {
        let profile = self.profile(2..4, 1);
        self.tuple_like(&profile)
    }

    fn fixed_tuple<T>(&mut self, profile: &Nested<T>, from: &[i64]) -> Tuple {
        profile.map(&mut |_| Fact::Static(self.pick(from)))
    }

    /// Strides of any kind, or those of a compact layout.
    fn layout_of(&mut self, shape: Tuple) -> LayoutOf<Fact> {
        let compact = LayoutOf::column_major(&shape).expect("extents");
        if self.chance(60) {
            return compact;
        }
        let stride = shape.map(&mut |_| match self.chance(50) {
            true => Scaled::from(Fact::Static(self.pick(&[0, 1, 2, 4, 8, 24, 64]))),
            false => Scaled::from(self.dynamic()),
        });
        LayoutOf::new(shape, stride).expect("one profile")
    }

    fn layout(&mut self) -> LayoutOf<Fact> {
        let shape = self.tuple();
        self.layout_of(shape)
    }

    fn wide_layout(&mut self) -> LayoutOf<Fact> {
        let shape = self.several();
        self.layout_of(shape)
    }

    /// A layout that has no dynamic leaf.
    fn fixed_layout(&mut self, ranks: std::ops::Range<usize>) -> LayoutOf<Fact> {
        let profile = self.profile(ranks, 0);
        let shape = self.fixed_tuple(&profile, &[1, 2, 2, 4, 4, 8]);
        match self.chance(50) {
            true => LayoutOf::column_major(&shape),
            false => LayoutOf::row_major(&shape),
        }
        .expect("extents")
    }

    /// A value of a layout.
    fn a_layout(&mut self) -> Value {
        let layout = self.layout();
        self.make(Kind::Layout(layout), Role::Natural)
    }

    fn a_wide_layout(&mut self) -> Value {
        let layout = self.wide_layout();
        self.make(Kind::Layout(layout), Role::Natural)
    }

    /// A value that is a tuple or a layout, of several modes.
    fn a_wide_value(&mut self) -> Value {
        let tuple = self.several();
        self.of_some_kind(tuple)
    }

    fn of_some_kind(&mut self, tuple: Tuple) -> Value {
        match self.rng.random_range(0..5) {
            0 => self.make(Kind::IntTuple(tuple), Role::Any),
            1 => self.make(Kind::Shape(tuple), Role::Positive),
            2 => self.make(Kind::Stride(strides(&tuple)), Role::Natural),
            3 => self.make(Kind::Coord(slots(&tuple)), Role::Natural),
            _ => {
                let layout = self.layout_of(tuple);
                self.make(Kind::Layout(layout), Role::Natural)
            }
        }
    }

    /// A tile of a layout's first modes.
    fn a_tile(&mut self, most: usize) -> Value {
        let rank = self.rng.random_range(1..=most.max(1));
        let modes = (0..rank).map(|_| match self.rng.random_range(0..6) {
            0 => TilerOf::All,
            1 => TilerOf::Layout(self.fixed_layout(1..3)),
            _ => {
                let extent = Fact::Static(self.pick(&[1, 2, 2, 4, 8, 16]));
                TilerOf::Layout(LayoutOf::strided(extent, Fact::Static(1)).expect("an extent"))
            }
        });
        let modes = modes.collect();
        self.make(Kind::Tile(TilerOf::Modes(modes)), Role::Positive)
    }

    /// A coordinate of a shape, `free` percent of whose modes are `_`.
    fn coord_of(&mut self, shape: &Tuple, free: u32) -> CoordOf<Fact> {
        match shape {
            Nested::Tuple(modes) if self.chance(85) => {
                Nested::Tuple(modes.iter().map(|mode| self.coord_of(mode, free)).collect())
            }
            _ if self.chance(free) => Nested::Leaf(SlotOf::All),
            _ => Nested::Leaf(SlotOf::At(match self.chance(30) {
                true => Fact::Static(self.pick(&[0, 1, 2, 3, 5])),
                false => self.dynamic(),
            })),
        }
    }

    fn a_coord(&mut self, shape: &Tuple, free: u32) -> Value {
        let coord = self.coord_of(shape, free);
        self.make(Kind::Coord(coord), Role::Natural)
    }

    /// Two tuples, nested alike, the second one without zeros.
    fn pair(&mut self) -> Vec<Value> {
        let tuple = self.tuple();
        let other = self.tuple_like(&tuple);
        match self.chance(40) {
            true => vec![
                self.make(Kind::Shape(tuple), Role::Positive),
                self.make(Kind::Shape(other), Role::Positive),
            ],
            false => vec![
                self.make(Kind::IntTuple(tuple), Role::Any),
                self.make(Kind::IntTuple(other), Role::Positive),
            ],
        }
    }

    fn op_of(&mut self, name: &str, operands: Vec<Value>) -> Option<Vec<Value>> {
        self.op(name, &operands, &[])
    }

    /// An op on a layout and a tile of it.
    fn tiled(&mut self, name: &str) -> Option<Vec<Value>> {
        let layout = self.wide_layout();
        let rank = layout.rank();
        let layout = self.make(Kind::Layout(layout), Role::Natural);
        let tile = self.a_tile(rank);
        self.op_of(name, vec![layout, tile])
    }

    /// An op on a static layout and a layout of how it is repeated.
    fn repeated(&mut self, name: &str) -> Option<Vec<Value>> {
        let block = self.fixed_layout(1..3);
        let copies = match self.chance(50) {
            true => self.layout(),
            false => {
                let shape = self.tuple();
                LayoutOf::column_major(&shape).ok()?
            }
        };
        let block = self.make(Kind::Layout(block), Role::Natural);
        let copies = self.make(Kind::Layout(copies), Role::Natural);
        self.op_of(name, vec![block, copies])
    }

    /// An index, and a layout or a shape.
    fn indexed(&mut self, name: &str) -> Option<Vec<Value>> {
        let layout = self.a_wide_layout();
        let width = self.pick(&[Bits::B32, Bits::B64]);
        let index = self.parameter(width, 1, Role::Natural);
        self.op_of(name, vec![index, layout])
    }

    fn a_composed_layout(&mut self) -> Option<Value> {
        let outer = self.a_layout();
        let fact = self.fact();
        let offset = self.make(Kind::IntTuple(Nested::Leaf(fact)), Role::Natural);
        let inner = match self.chance(50) {
            true => {
                let base = self.rng.random_range(2..5);
                let swizzle = Swizzle::new(self.rng.random_range(1..4), base, 3).ok()?;
                self.fixed(Kind::Swizzle(swizzle))
            }
            false => self.a_layout(),
        };
        self.one("cute.make_composed_layout", &[inner, offset, outer], &[])
    }

    /// A tensor of its own coordinates.
    fn a_coord_tensor(&mut self) -> Option<Value> {
        let shape = self.several();
        let shape = self.make(Kind::Shape(shape), Role::Positive);
        self.one("cute.make_identity_tensor", &[shape], &[])
    }

    /// The same, from another coordinate on.
    fn a_moved_tensor(&mut self) -> Option<Value> {
        let shape = self.several();
        let origin = self.tuple_like(&shape);
        let shape = self.make(Kind::Shape(shape), Role::Positive);
        let layout = self.one("cute.make_identity_layout", &[shape], &[])?;
        let Some(Kind::Layout(of)) = layout.kind().cloned() else {
            return None;
        };
        let at = self.make(Kind::IntTuple(origin.clone()), Role::Natural);
        let iterator = Kind::CoordIterator(origin.clone());
        let iterator = self.only("cute.make_arith_tuple_iter", &[at], &[], iterator);
        let tensor = Kind::CoordTensor(CoordTensor { origin, layout: of });
        Some(self.only("cute.make_view", &[iterator, layout], &[], tensor))
    }

    fn an_iterator(&mut self) -> Option<Value> {
        let at = self.several();
        let tuple = self.make(Kind::IntTuple(at.clone()), Role::Natural);
        Some(self.only(
            "cute.make_arith_tuple_iter",
            &[tuple],
            &[],
            Kind::CoordIterator(at),
        ))
    }

    /// Two values of different roles for a division.
    fn dividend(&mut self) -> (Value, Value, Bits) {
        let width = Bits::B32;
        let dividend = self.parameter(width, 1, Role::Natural);
        let divisor = self.parameter(width, 1, Role::Positive);
        (dividend, divisor, width)
    }

    fn divisor_of(&mut self, number: Value) -> Value {
        let kind = Kind::FastDivisor(FastDivisor {
            width: DivisorWidth::B32,
            power_of_two: false,
        });
        self.only("cute.fast_divmod.create_divisor", &[number], &[], kind)
    }
}

fn strides(tuple: &Tuple) -> Nested<Scaled<Fact>> {
    tuple.map(&mut |fact| Scaled::from(*fact))
}

fn slots(tuple: &Tuple) -> CoordOf<Fact> {
    tuple.map(&mut |fact| SlotOf::At(*fact))
}

fn rank(value: &Value) -> usize {
    match value.kind() {
        Some(Kind::IntTuple(of) | Kind::Shape(of)) => of.rank(),
        Some(Kind::Coord(of)) => of.rank(),
        Some(Kind::Stride(of)) => of.rank(),
        Some(Kind::Layout(of)) => of.rank(),
        _ => 1,
    }
}

fn shape_of(value: &Value) -> Option<Tuple> {
    match value.kind()? {
        Kind::Layout(layout) => Some(layout.shape()),
        Kind::Composed(layout) => Some(layout.layout().shape()),
        Kind::CoordTensor(tensor) => Some(tensor.layout.shape()),
        _ => None,
    }
}

/// A coordinate as an attribute.
fn coord(of: CoordOf<Fact>) -> Attribute {
    Attribute::Dialect(CuteType::from(Kind::Coord(of)).to_string().into())
}

const I32: Type = Type::Integer(Signedness::Signless, 32);

/// Ops whose results have no dynamic leaves: their types say all.
pub(crate) const STATIC: [&str; 2] = ["cute.left_inverse", "cute.right_inverse"];

/// Every op, with how it is written.
pub(crate) const OPS: &[(&str, Build)] = &[
    ("cute.make_coord", |w| {
        let tuple = w.tuple();
        Some(vec![w.make(Kind::Coord(slots(&tuple)), Role::Any)])
    }),
    ("cute.make_int_tuple", |w| {
        let tuple = w.tuple();
        Some(vec![w.make(Kind::IntTuple(tuple), Role::Any)])
    }),
    ("cute.make_shape", |w| {
        let tuple = w.tuple();
        Some(vec![w.make(Kind::Shape(tuple), Role::Positive)])
    }),
    ("cute.make_stride", |w| {
        let tuple = w.tuple();
        Some(vec![w.make(Kind::Stride(strides(&tuple)), Role::Any)])
    }),
    ("cute.make_tile", |w| {
        let modes = (0..2).map(|_| TilerOf::Layout(w.layout())).collect();
        Some(vec![w.make(Kind::Tile(TilerOf::Modes(modes)), Role::Positive)])
    }),
    ("cute.make_layout", |w| Some(vec![w.a_layout()])),
    ("cute.make_composed_layout", |w| {
        Some(vec![w.a_composed_layout()?])
    }),
    ("cute.make_ordered_layout", |w| {
        let shape = w.several();
        let mut order: Vec<i64> = (0..).take(shape.leaves().count()).collect();
        order.shuffle(w.rng);
        let mut order = order.into_iter();
        let order = shape.map(&mut |_| Fact::Static(order.next().unwrap_or(0)));
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        let order = w.make(Kind::IntTuple(order), Role::Natural);
        w.op_of("cute.make_ordered_layout", vec![shape, order])
    }),
    ("cute.make_layout_like", |w| {
        let layout = w.a_layout();
        w.op_of("cute.make_layout_like", vec![layout])
    }),
    ("cute.make_fragment_like", |w| {
        let layout = w.a_layout();
        w.op_of("cute.make_fragment_like", vec![layout])
    }),
    ("cute.make_identity_layout", |w| {
        let shape = w.tuple();
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        w.op_of("cute.make_identity_layout", vec![shape])
    }),
    ("cute.make_identity_tensor", |w| Some(vec![w.a_coord_tensor()?])),
    ("cute.make_arith_tuple_iter", |w| Some(vec![w.an_iterator()?])),
    ("cute.deref_arith_tuple_iter", |w| {
        let iterator = w.an_iterator()?;
        w.op_of("cute.deref_arith_tuple_iter", vec![iterator])
    }),
    ("cute.make_view", |w| Some(vec![w.a_moved_tensor()?])),
    ("cute.get_iter", |w| {
        let tensor = w.a_moved_tensor()?;
        w.op_of("cute.get_iter", vec![tensor])
    }),
    ("cute.get_layout", |w| {
        let tensor = w.a_coord_tensor()?;
        w.op_of("cute.get_layout", vec![tensor])
    }),
    ("cute.get_shape", |w| {
        let layout = w.a_layout();
        w.op_of("cute.get_shape", vec![layout])
    }),
    ("cute.get_stride", |w| {
        let layout = w.a_layout();
        w.op_of("cute.get_stride", vec![layout])
    }),
    ("cute.composed_get_inner", |w| {
        let layout = w.a_composed_layout()?;
        w.op_of("cute.composed_get_inner", vec![layout])
    }),
    ("cute.composed_get_offset", |w| {
        let layout = w.a_composed_layout()?;
        w.op_of("cute.composed_get_offset", vec![layout])
    }),
    ("cute.composed_get_outer", |w| {
        let layout = w.a_composed_layout()?;
        w.op_of("cute.composed_get_outer", vec![layout])
    }),
    ("cute.get_layouts_from_tile", |w| {
        let modes = (0..2).map(|_| TilerOf::Layout(w.layout())).collect();
        let tile = w.make(Kind::Tile(TilerOf::Modes(modes)), Role::Positive);
        w.op_of("cute.get_layouts_from_tile", vec![tile])
    }),
    ("cute.get_leaves", |w| {
        let tuple = w.a_wide_value();
        w.op_of("cute.get_leaves", vec![tuple])
    }),
    ("cute.get_scalars", |w| {
        let tuple = w.tuple();
        let tuple = w.make(Kind::IntTuple(tuple), Role::Any);
        w.op("cute.get_scalars", &[tuple], &[("only_dynamic", Attribute::Unit)])
    }),
    ("cute.to_int_tuple", |w| {
        let tuple = w.tuple();
        let value = match w.chance(50) {
            true => w.make(Kind::Shape(tuple), Role::Positive),
            false => w.make(Kind::Coord(slots(&tuple)), Role::Any),
        };
        w.op_of("cute.to_int_tuple", vec![value])
    }),
    ("cute.get", |w| {
        let value = w.a_wide_value();
        let mode = w.rng.random_range(0..rank(&value));
        w.op("cute.get", &[value], &[("mode", modes(&[mode]))])
    }),
    ("cute.select", |w| {
        let value = w.a_wide_value();
        let mut chosen: Vec<usize> = (0..rank(&value)).collect();
        chosen.shuffle(w.rng);
        chosen.truncate(2);
        w.op("cute.select", &[value], &[("mode", modes(&chosen))])
    }),
    ("cute.group_modes", |w| {
        let layout = w.a_wide_layout();
        let end = w.rng.random_range(1..=rank(&layout));
        let begin = w.rng.random_range(0..end);
        let properties: [Property; 2] = [("begin", number(begin)), ("end", number(end))];
        w.op("cute.group_modes", &[layout], &properties)
    }),
    ("cute.append_to_rank", |w| appended(w, "cute.append_to_rank")),
    ("cute.prepend_to_rank", |w| appended(w, "cute.prepend_to_rank")),
    ("cute.slice", |w| {
        let layout = match w.chance(75) {
            true => w.a_wide_layout(),
            false => w.a_composed_layout()?,
        };
        let coord = w.a_coord(&shape_of(&layout)?, 50);
        w.op_of("cute.slice", vec![layout, coord])
    }),
    ("cute.dice", |w| {
        let value = w.a_wide_layout();
        let shape = shape_of(&value)?;
        let chosen = shape.modes().iter().map(|_| match w.chance(50) {
            true => Nested::Leaf(SlotOf::All),
            false => Nested::Leaf(SlotOf::At(Fact::Static(1))),
        });
        let chosen = Nested::Tuple(chosen.collect());
        w.op("cute.dice", &[value], &[("coord", coord(chosen))])
    }),
    ("cute.composition", |w| {
        let layout = w.a_layout();
        let inner = match w.chance(50) {
            true => {
                let layout = w.fixed_layout(1..3);
                w.make(Kind::Layout(layout), Role::Natural)
            }
            false => w.a_tile(rank(&layout)),
        };
        w.op_of("cute.composition", vec![layout, inner])
    }),
    ("cute.coalesce", |w| {
        let layout = w.a_wide_layout();
        match w.chance(50) {
            true => w.op_of("cute.coalesce", vec![layout]),
            false => {
                let shape = shape_of(&layout)?;
                let ones = shape
                    .modes()
                    .iter()
                    .map(|_| Nested::Leaf(SlotOf::At(Fact::Static(1))));
                let profile = w.make(Kind::Coord(Nested::Tuple(ones.collect())), Role::Natural);
                w.op_of("cute.coalesce", vec![layout, profile])
            }
        }
    }),
    ("cute.filter", |w| {
        let layout = w.a_wide_layout();
        w.op_of("cute.filter", vec![layout])
    }),
    ("cute.filter_zeros", |w| {
        let layout = w.a_wide_layout();
        w.op_of("cute.filter_zeros", vec![layout])
    }),
    ("cute.complement", |w| {
        let layout = w.fixed_layout(0..3);
        let layout = w.make(Kind::Layout(layout), Role::Natural);
        let fact = w.dynamic();
        let target = w.make(Kind::Shape(Nested::Leaf(fact)), Role::Positive);
        w.op_of("cute.complement", vec![layout, target])
    }),
    ("cute.right_inverse", |w| {
        let layout = w.a_layout();
        w.op_of("cute.right_inverse", vec![layout])
    }),
    ("cute.left_inverse", |w| {
        let layout = w.a_layout();
        w.op_of("cute.left_inverse", vec![layout])
    }),
    ("cute.recast_layout", |w| {
        // Strides have to be multiples, or parts, of the ratio.
        let profile = w.profile(0..4, 1);
        let layout = LayoutOf::new(w.powers(&profile), strides(&w.powers(&profile))).ok()?;
        let layout = w.make(Kind::Layout(layout), Role::Power);
        let (new, old) = w.pick(&[(8, 16), (8, 32), (16, 8), (32, 8), (16, 16), (64, 16)]);
        let properties: [Property; 2] = [("new_type_bits", number(new)), ("old_type_bits", number(old))];
        w.op("cute.recast_layout", &[layout], &properties)
    }),
    ("cute.tile_to_shape", |w| {
        let profile = w.profile(1..4, 0);
        let block = w.fixed_tuple(&profile, &[1, 2, 4, 8]);
        let block = LayoutOf::column_major(&block).ok()?;
        let block = w.make(Kind::Layout(block), Role::Natural);
        let shape = w.tuple_like(&profile);
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        let mut order: Vec<i64> = (0..).take(profile.rank()).collect();
        order.shuffle(w.rng);
        let order = Nested::Tuple(
            order
                .into_iter()
                .map(|at| Nested::Leaf(Fact::Static(at)))
                .collect(),
        );
        let order = w.make(Kind::IntTuple(order), Role::Natural);
        w.op_of("cute.tile_to_shape", vec![block, shape, order])
    }),
    ("cute.logical_divide", |w| w.tiled("cute.logical_divide")),
    ("cute.zipped_divide", |w| w.tiled("cute.zipped_divide")),
    ("cute.tiled_divide", |w| w.tiled("cute.tiled_divide")),
    ("cute.flat_divide", |w| w.tiled("cute.flat_divide")),
    ("cute.logical_product", |w| w.repeated("cute.logical_product")),
    ("cute.zipped_product", |w| w.repeated("cute.zipped_product")),
    ("cute.tiled_product", |w| w.repeated("cute.tiled_product")),
    ("cute.flat_product", |w| w.repeated("cute.flat_product")),
    ("cute.blocked_product", |w| w.repeated("cute.blocked_product")),
    ("cute.raked_product", |w| w.repeated("cute.raked_product")),
    ("cute.local_tile", |w| {
        let tensor = w.a_coord_tensor()?;
        let shape = shape_of(&tensor)?;
        let tiles: Vec<i64> = shape.modes().iter().map(|_| w.pick(&[1, 2, 4, 8])).collect();
        let tile = tiles.into_iter().map(|extent| {
            let layout = LayoutOf::strided(Fact::Static(extent), Fact::Static(1));
            layout.map(TilerOf::Layout)
        });
        let tile = w.make(
            Kind::Tile(TilerOf::Modes(tile.collect::<Result<_, _>>().ok()?)),
            Role::Positive,
        );
        let flat = Nested::Tuple(
            shape
                .modes()
                .iter()
                .map(|_| Nested::Leaf(Fact::Static(1)))
                .collect(),
        );
        let coord = w.a_coord(&flat, 40);
        w.op_of("cute.local_tile", vec![tensor, tile, coord])
    }),
    ("cute.local_partition", |w| {
        let tensor = w.a_coord_tensor()?;
        let modes: Vec<i64> = shape_of(&tensor)?
            .modes()
            .iter()
            .map(|_| w.pick(&[1, 2, 4]))
            .collect();
        let shape = Nested::Tuple(
            modes
                .into_iter()
                .map(|extent| Nested::Leaf(Fact::Static(extent)))
                .collect(),
        );
        let threads = w.make(Kind::Layout(LayoutOf::column_major(&shape).ok()?), Role::Natural);
        let index = w.parameter(Bits::B32, 1, Role::Natural);
        w.op_of("cute.local_partition", vec![tensor, threads, index])
    }),
    ("cute.crd2idx", |w| {
        let layout = match w.chance(75) {
            true => w.a_layout(),
            false => return composed_index(w),
        };
        let coord = w.a_coord(&shape_of(&layout)?, 0);
        w.op_of("cute.crd2idx", vec![coord, layout])
    }),
    ("cute.idx2crd", |w| {
        let shape = w.several();
        let fact = w.dynamic();
        let index = w.make(Kind::IntTuple(Nested::Leaf(fact)), Role::Natural);
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        w.op_of("cute.idx2crd", vec![index, shape])
    }),
    ("cute.get_hier_coord", |w| w.indexed("cute.get_hier_coord")),
    ("cute.get_flat_coord", |w| w.indexed("cute.get_flat_coord")),
    ("cute.get_integral_coord", |w| {
        w.indexed("cute.get_integral_coord")
    }),
    ("cute.increment_coord", |w| {
        let shape = w.tuple();
        let place = shape.map(&mut |_| SlotOf::At(w.fact()));
        let coord = w.make(Kind::Coord(place), Role::Natural);
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        w.op_of("cute.increment_coord", vec![coord, shape])
    }),
    ("cute.tuple_add", |w| of_pair(w, "cute.tuple_add")),
    ("cute.tuple_sub", |w| of_pair(w, "cute.tuple_sub")),
    ("cute.tuple_mul", |w| of_pair(w, "cute.tuple_mul")),
    ("cute.tuple_div", |w| of_pair(w, "cute.tuple_div")),
    ("cute.tuple_mod", |w| of_pair(w, "cute.tuple_mod")),
    ("cute.elem_less", |w| of_pair(w, "cute.elem_less")),
    ("cute.equal", |w| of_pair(w, "cute.equal")),
    ("cute.tuple.product", |w| of_shape(w, "cute.tuple.product")),
    ("cute.tuple.product_each", |w| {
        of_shape(w, "cute.tuple.product_each")
    }),
    ("cute.shape_div", |w| {
        // One number of each pair has to divide the other.
        let profile = w.profile(0..4, 1);
        let shape = w.powers(&profile);
        let divisor = match w.chance(50) {
            true => w.powers(&Nested::Leaf(())),
            false => w.powers(&profile),
        };
        let shape = w.make(Kind::Shape(shape), Role::Power);
        let divisor = w.make(Kind::Shape(divisor), Role::Power);
        w.op_of("cute.shape_div", vec![shape, divisor])
    }),
    ("cute.ceil_div", |w| {
        let shape = w.several();
        let rank = shape.rank();
        let shape = w.make(Kind::Shape(shape), Role::Positive);
        let tile = w.a_tile(rank);
        w.op_of("cute.ceil_div", vec![shape, tile])
    }),
    ("cute.size", |w| sized(w, "cute.size")),
    ("cute.cosize", |w| sized(w, "cute.cosize")),
    ("cute.add_offset", |w| {
        let iterator = w.an_iterator()?;
        let Some(Kind::CoordIterator(at)) = iterator.kind().cloned() else {
            return None;
        };
        let offset = w.tuple_like(&at);
        let offset = w.make(Kind::IntTuple(offset), Role::Natural);
        w.op_of("cute.add_offset", vec![iterator, offset])
    }),
    ("cute.assume", |w| {
        let fact = w.dynamic();
        let divisor: u64 = w.pick(&[2, 4, 8]);
        let fact = Fact::dynamic(fact.width(), divisor.try_into().ok()?);
        Some(vec![w.leaf(fact, Role::Any)])
    }),
    ("cute.fast_divmod.compute", |w| {
        let (dividend, divisor, _) = w.dividend();
        let divisor = w.divisor_of(divisor);
        Some(w.written(
            "cute.fast_divmod.compute",
            &[dividend, divisor],
            &[],
            vec![I32, I32],
        ))
    }),
    ("cute.fast_divmod.divide", |w| {
        let (dividend, divisor, _) = w.dividend();
        let divisor = w.divisor_of(divisor);
        Some(w.written("cute.fast_divmod.divide", &[dividend, divisor], &[], vec![I32]))
    }),
    ("cute.fast_divmod.get_divisor", |w| {
        let (_, divisor, _) = w.dividend();
        let divisor = w.divisor_of(divisor);
        w.op_of("cute.fast_divmod.get_divisor", vec![divisor])
    }),
    ("cute.fast_divmod.get_aux", |w| {
        let (_, divisor, _) = w.dividend();
        let divisor = w.divisor_of(divisor);
        w.op_of("cute.fast_divmod.get_aux", vec![divisor])
    }),
];

fn of_pair(w: &mut Writer<'_>, name: &str) -> Option<Vec<Value>> {
    let operands = w.pair();
    w.op_of(name, operands)
}

fn of_shape(w: &mut Writer<'_>, name: &str) -> Option<Vec<Value>> {
    let tuple = w.several();
    let value = match w.chance(50) {
        true => w.make(Kind::Shape(tuple), Role::Positive),
        false => w.make(Kind::IntTuple(tuple), Role::Any),
    };
    w.op_of(name, vec![value])
}

fn appended(w: &mut Writer<'_>, name: &str) -> Option<Vec<Value>> {
    let value = w.a_wide_value();
    let leaf = Nested::Leaf(w.fact());
    let mode = match value.kind()? {
        Kind::IntTuple(_) => w.make(Kind::IntTuple(leaf), Role::Any),
        Kind::Shape(_) => w.make(Kind::Shape(leaf), Role::Positive),
        Kind::Stride(_) => w.make(Kind::Stride(strides(&leaf)), Role::Natural),
        Kind::Coord(_) => w.make(Kind::Coord(slots(&leaf)), Role::Natural),
        _ => {
            let layout = w.layout_of(leaf);
            w.make(Kind::Layout(layout), Role::Natural)
        }
    };
    let rank = rank(&value) + w.rng.random_range(1..3);
    w.op(name, &[value, mode], &[("rank", signed(rank))])
}

fn sized(w: &mut Writer<'_>, name: &str) -> Option<Vec<Value>> {
    let layout = w.a_wide_layout();
    let mode = match w.chance(50) {
        true => Vec::new(),
        false => vec![w.rng.random_range(0..rank(&layout))],
    };
    w.op(name, &[layout], &[("mode", modes(&mode))])
}

fn composed_index(w: &mut Writer<'_>) -> Option<Vec<Value>> {
    let layout = w.a_composed_layout()?;
    let coord = w.a_coord(&shape_of(&layout)?, 0);
    w.op_of("cute.crd2idx", vec![coord, layout])
}
