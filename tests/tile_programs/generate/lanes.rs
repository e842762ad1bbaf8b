//! Programs whose tiles the blocks of a cluster can share: all tiles have axes of one shape, and along one of them no op combines
//! elements.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::super::numbers::{Fill, Ty};
use super::control::Carried;
use super::views::{Kind, Wish};
use super::{Counter, Generator, Shape, Tile, tile};

/// The tiles of such a program.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    /// Their extents, no two of which are equal: a tile of fewer axes has some of these.
    pub(super) shape: Shape,
    /// The axis along which elements are used one by one.
    pub(super) axis: usize,
    /// Whether matrix products have this shape.
    pub(super) multiplies: bool,
    /// Whether arrays are such that tensor copies and the products of warp groups are likely.
    pub(super) is_even: bool,
}

/// The elements to which arrays are aligned then: 16 bytes of the smallest ones.
pub(super) const EVEN: i64 = 16;

impl Lanes {
    pub(super) fn random(random: &mut ChaCha8Rng) -> Self {
        if random.random_range(0..10) < 3 {
            let shapes = [
                [128, 16],
                [128, 16],
                [128, 32],
                [128, 64],
                [256, 16],
                [64, 32],
                [32, 64],
            ];
            return Self {
                shape: shapes.choose(random).expect("shapes").to_vec(),
                axis: 0,
                multiplies: true,
                is_even: random.random_range(0..3) < 2,
            };
        }
        let rank = *[1, 2, 2, 2, 3].choose(random).expect("ranks");
        let mut powers: Vec<u32> = Vec::new();
        while powers.len() < rank {
            let power = if rank == 1 {
                random.random_range(5..=10)
            } else {
                random.random_range(1..=7)
            };
            if !powers.contains(&power) && powers.iter().sum::<u32>() + power <= 10 {
                powers.push(power);
            } else if powers.iter().sum::<u32>() > 8 {
                powers.clear();
            }
        }
        Self {
            axis: random.random_range(0..rank),
            shape: powers.into_iter().map(|power| 1 << power).collect(),
            multiplies: false,
            is_even: false,
        }
    }

    /// Whether a tile is the one of a block alone in a cluster too.
    pub(super) fn has_part(&self, shape: &[u32]) -> bool {
        shape.contains(&self.shape[self.axis])
    }
}

/// The shape with extents of 1 for the axes that are not among `from`, whose other axes are in the same order.
fn aligned(from: &[u32], shape: &[u32]) -> Option<Shape> {
    let mut rest = from.iter().copied().peekable();
    let ones = shape.iter().map(|&extent| rest.next_if_eq(&extent).unwrap_or(1));
    let ones = ones.collect();
    rest.peek().is_none().then_some(ones)
}

/// Whether a tile has some of the axes of a shape.
pub(super) fn has_axes_of(from: &[u32], shape: &[u32]) -> bool {
    aligned(from, shape).is_some()
}

impl Generator {
    pub(super) fn is_even(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| lanes.is_even)
    }

    /// The shape of all axes, or one of few.
    pub(super) fn shape_of_lanes(&mut self, lanes: &Lanes) -> Shape {
        match self.below(12) {
            0 => vec![],
            1 => vec![self.choose(&lanes.shape)],
            _ => lanes.shape.clone(),
        }
    }

    /// A tile repeated along the axes that it does not have.
    pub(super) fn spread(&mut self, from: &Tile, shape: &[u32]) -> Option<Tile> {
        let ones = aligned(&from.shape, shape)?;
        let (ty, name) = (from.ty, from.ty.name());
        let op = format!("reshape {} : {} -> {}", from.name, from.text(), tile(&ones, name));
        let one = self.made(&ones, ty, from.range, &op);
        let op = format!("broadcast {} : {} -> {}", one.name, one.text(), tile(shape, name));
        Some(self.made(shape, ty, from.range, &op))
    }

    /// The numbers of a tile's elements, axis by axis.
    pub(super) fn numbered_by_axes(&mut self, shape: &[u32], ty: Ty) -> Tile {
        let (to, name) = (tile(shape, ty.name()), ty.name());
        let mut sum: Option<Tile> = None;
        for (axis, &extent) in shape.iter().enumerate() {
            let line = tile(&[extent], name);
            let mut numbers = self.let_be(&format!("iota : {line}"));
            let stride: u32 = shape[axis + 1..].iter().product();
            if stride > 1 {
                let stride = self.splat(&[extent], ty, stride.into());
                numbers = self.let_be(&format!("muli {numbers}, {stride} : {line}"));
            }
            let mut ones: Shape = vec![1; shape.len()];
            ones[axis] = extent;
            let ones = tile(&ones, name);
            let numbers = self.let_be(&format!("reshape {numbers} : {line} -> {ones}"));
            let more = self.made(shape, ty, None, &format!("broadcast {numbers} : {ones} -> {to}"));
            sum = Some(match sum {
                None => more,
                Some(sum) => self.made(
                    shape,
                    ty,
                    None,
                    &format!("addi {}, {} : {to}", sum.name, more.name),
                ),
            });
        }
        sum.unwrap_or_else(|| self.made(shape, ty, None, &format!("constant <{name}: 0> : {to}")))
    }

    /// Axes in another order, and back, or one more.
    pub(super) fn axes_of_lanes(&mut self, from: &Tile) {
        let (shape, name) = (&from.shape, from.ty.name());
        let at = self.random.random_range(0..=shape.len());
        let mut to = shape.clone();
        let op = if shape.len() > 1 && self.chance(60) {
            let by = at % (shape.len() - 1) + 1;
            to.rotate_left(by);
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.rotate_left(by);
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            format!(
                "permute {} [{}] : {} -> {}",
                from.name,
                order.join(", "),
                from.text(),
                tile(&to, name)
            )
        } else {
            to.insert(at, 1);
            format!("reshape {} : {} -> {}", from.name, from.text(), tile(&to, name))
        };
        self.define(&to, from.ty, from.range, &op);
    }

    /// After which load an access comes, if any.
    pub(super) fn after(&mut self, percent: u32) -> String {
        if self.tokens.is_empty() || !self.chance(percent) {
            return String::new();
        }
        let tokens = self.tokens.clone();
        format!(" token={}", self.choose(&tokens))
    }

    /// A tile in memory of each block, which is loaded and stored several times, one after the other.
    pub(super) fn own_tile(&mut self, lanes: &Lanes) {
        if self.depth > 0 {
            return self.integers();
        }
        let shape = lanes.shape.clone();
        let ty = self.choose(&[
            Ty::I8,
            Ty::I16,
            Ty::I32,
            Ty::I64,
            Ty::F16,
            Ty::Bf16,
            Ty::F32,
            Ty::F64,
        ]);
        let fill = if ty.is_float() { Fill::Near } else { Fill::Bits };
        let place = self.output(ty, fill, 1);
        let along = self.random.random_range(0..shape.len());
        let tiles = i64::from(self.block_count());
        let wish = Wish {
            tile: &shape,
            padding: Some("zero"),
            kind: Kind::Partition,
            apart: (0..shape.len())
                .map(|axis| (axis == along).then_some(tiles))
                .collect(),
        };
        let view = self.view(&place, &wish);
        let index: Vec<&str> = (0..shape.len())
            .map(|axis| if axis == along { "%block" } else { "%i0" })
            .collect();
        let at = format!("{}[{}]", view.name, index.join(", "));
        let turns = self.choose(&[1u32, 2, 3]);
        let to = self.scalar(Ty::I32, turns.into());
        let first = self.let_be("make_token : token");
        let [end, before, counter] = [(); 3].map(|()| self.name());
        self.line(&format!(
            "{end} = for {counter} in (%i0 to {to}, step %i1) : tile<i32> iter_values({before} = {first}) -> (token) {{"
        ));
        let outer = self.counters.len();
        self.counters.push(Counter {
            name: counter,
            ty: Ty::I32,
        });
        let (loaded, token) = self.load_at(&view, ty, &at, "tile<i32>", &format!(" token={before}"));
        let carried = [Carried {
            shape: shape.clone(),
            ty,
            range: None,
        }];
        self.region(&[loaded], &carried, turns.into(), |generator, given| {
            let mut last = token.clone();
            for value in given {
                last = generator.store_at(value, &view, &at, "tile<i32>", &format!(" token={token}"));
            }
            if generator.chance(30) {
                last = generator.let_be(&format!("join_tokens {token}, {last} : token"));
            }
            format!("continue {last} : token\n}}")
        });
        self.counters.truncate(outer);
        let (loaded, _) = self.load_at(&view, ty, &at, "tile<i32>", &format!(" token={end}"));
        self.tiles.push(loaded);
    }
}
