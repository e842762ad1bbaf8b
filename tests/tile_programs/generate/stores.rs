//! Stores of results, atomic ops, and memory that a block uses by itself.

use rand::RngExt;

use super::super::case::{Argument, Array};
use super::super::numbers::{Fill, Ty};
use super::views::{Kind, Place, View, Wish};
use super::{Generator, Range, Tile, count, tile};

/// The results that a program stores at most.
const RESULTS: usize = 4;

impl Generator {
    /// A new array that the program modifies.
    pub(super) fn output(&mut self, ty: Ty, fill: Fill, count: usize) -> Place {
        let vector = 16 / ty.bytes();
        let from = match self.is_even() {
            true => self.choose(&[0, vector]),
            false => self.choose(&[0, vector, 1]),
        };
        let argument = self.arguments.len();
        let seed = self.random.random::<u32>().into();
        self.arguments.push(Argument::Array(Array {
            ty,
            // What is stored before or behind is noticed.
            count: from + count + 4,
            from,
            fill,
            seed,
        }));
        let mut pointer = format!("%p{argument}");
        if from != 1 && (self.is_even() || self.chance(70)) {
            pointer = self.let_be(&format!(
                "assume div_by<16>, {pointer} : tile<ptr<{}>>",
                ty.name()
            ));
        }
        Place {
            pointer,
            argument,
            ty,
        }
    }

    /// Stores the last values, each in an array of its own.
    pub(super) fn keep(&mut self) {
        let has_part = |tile: &&Tile| {
            self.lanes
                .as_ref()
                .is_none_or(|lanes| lanes.has_part(&tile.shape))
        };
        let last = self.tiles.iter().rev().filter(has_part).take(RESULTS);
        let last: Vec<Tile> = last.cloned().collect();
        for value in last {
            let value = match value.ty {
                Ty::I1 => {
                    let to = self.choose(&[Ty::I8, Ty::I32]);
                    let op = format!(
                        "exti {} unsigned : {} -> {}",
                        value.name,
                        value.text(),
                        tile(&value.shape, to.name())
                    );
                    self.made(&value.shape, to, None, &op)
                }
                Ty::Tf32 => {
                    let op = format!(
                        "ftof {} : {} -> {}",
                        value.name,
                        value.text(),
                        tile(&value.shape, "f32")
                    );
                    self.made(&value.shape, Ty::F32, value.range, &op)
                }
                _ => value,
            };
            let place = self.output(value.ty, Fill::Bits, 1);
            if value.shape.is_empty() || self.chance(35) {
                self.store_pointers(&place, &value, "%block", self.block_count());
            } else {
                self.store_view(&place, &value, "%block", self.block_count());
            }
        }
    }

    /// Stores a tile through a view: the tiles of this index, which is below `tiles`, are apart along a dimension.
    pub(super) fn store_view(&mut self, place: &Place, value: &Tile, index: &str, tiles: u32) {
        let rank = value.shape.len();
        let kind = self.view_kind(rank);
        let along = match kind {
            Kind::Gather { sparse } => sparse,
            Kind::Partition | Kind::Strided => self.random.random_range(0..rank),
        };
        let apart = (0..rank)
            .map(|axis| (axis == along).then_some(i64::from(tiles)))
            .collect();
        let wish = Wish {
            tile: &value.shape,
            padding: None,
            kind,
            apart,
        };
        let view = self.view(place, &wish);
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for axis in 0..rank {
            let extent = value.shape[axis];
            if axis != along {
                names.push(match self.chance(80) {
                    true => "%i0".to_owned(),
                    false => {
                        let outside: &[i64] = match self.lanes {
                            Some(_) => &[1, 1, 1 << 28, i32::MAX.into()],
                            None => &[1],
                        };
                        let index = self.choose(outside);
                        self.scalar(Ty::I32, index)
                    }
                });
                types.push("tile<i32>".to_owned());
            } else if let Kind::Gather { .. } = kind {
                // The rows of a block, in another order.
                let to = tile(&[extent], "i32");
                let iota = self.let_be(&format!("iota : {to}"));
                let turn = self.random.random_range(0..extent);
                let turn = self.splat(&[extent], Ty::I32, turn.into());
                let turned = self.let_be(&format!("xori {iota}, {turn} : {to}"));
                let extent = self.let_be(&format!("constant <i32: {extent}> : tile<i32>"));
                let start = self.let_be(&format!("muli {index}, {extent} : tile<i32>"));
                let start = Tile {
                    name: start,
                    shape: vec![],
                    ty: Ty::I32,
                    range: None,
                };
                let start = self.fit(&start, &[value.shape[axis]]).name;
                names.push(self.let_be(&format!("addi {turned}, {start} : {to}")));
                types.push(to);
            } else {
                names.push(index.to_owned());
                types.push("tile<i32>".to_owned());
            }
        }
        let types = match kind {
            Kind::Gather { .. } => types.join(", "),
            Kind::Partition | Kind::Strided => "tile<i32>".to_owned(),
        };
        // It could store what another block of a cluster still has to load.
        let after = self.after(3);
        let at = format!("{}[{}]", view.name, names.join(", "));
        self.store_at(value, &view, &at, &types, &after);
    }

    /// Stores a tile at indices of these types, after what a token says; returns a token.
    pub(super) fn store_at(
        &mut self,
        value: &Tile,
        view: &View,
        at: &str,
        types: &str,
        after: &str,
    ) -> String {
        let hints = self.access_hints(true);
        self.work += u64::from(count(&value.shape)) * self.turns * 2;
        self.let_be(&format!(
            "store_view_tko weak {}, {at}{after}{hints} : {}, {}, {types} -> token",
            value.name,
            value.text(),
            view.text
        ))
    }

    /// Distinct offsets of a tile's elements: those of an index are apart from those of another.
    fn own_offsets(&mut self, shape: &[u32], index: &str) -> Tile {
        let size = count(shape);
        // Blocks share a tile whose axes are apart from the beginning.
        let line = match self.lanes {
            Some(_) => shape.to_vec(),
            None => vec![size],
        };
        let to = tile(&line, "i32");
        let mut at = self.numbered(&line, Ty::I32);
        if self.chance(40) {
            let turn = self.random.random_range(0..size);
            let turn = self.splat(&line, Ty::I32, turn.into());
            at = self.made(&line, Ty::I32, None, &format!("xori {}, {turn} : {to}", at.name));
        }
        let size = self.let_be(&format!("constant <i32: {size}> : tile<i32>"));
        let start = self.let_be(&format!("muli {index}, {size} : tile<i32>"));
        let start = Tile {
            name: start,
            shape: vec![],
            ty: Ty::I32,
            range: None,
        };
        let start = self.fit(&start, &line).name;
        let at = self.made(&line, Ty::I32, None, &format!("addi {}, {start} : {to}", at.name));
        self.fit(&at, shape)
    }

    /// Stores a tile through pointers, those of each index apart.
    pub(super) fn store_pointers(&mut self, place: &Place, value: &Tile, index: &str, tiles: u32) {
        let shape = value.shape.clone();
        self.extend(place.argument, (count(&shape) * tiles) as usize + 4);
        let offsets = self.own_offsets(&shape, index);
        let at = self.moved(&place.pointer, value.ty, &shape, &offsets);
        let pointers = tile(&shape, &format!("ptr<{}>", value.ty.name()));
        let hints = self.access_hints(false);
        let (mask, bits) = match self.chance(30) {
            true => (
                format!(", {}", self.pick(&shape, Ty::I1).name),
                format!(", {}", tile(&shape, "i1")),
            ),
            false => Default::default(),
        };
        self.let_be(&format!(
            "store_ptr_tko weak {at}, {}{mask}{hints} : {pointers}, {}{bits} -> token",
            value.name,
            value.text()
        ));
        self.work += u64::from(count(&shape)) * self.turns * 2;
    }

    /// Combines a tile with an array atomically, in any order; or modifies elements that no one else does, and keeps
    /// what was there.
    pub(super) fn atomics(&mut self) {
        let shape = match &self.lanes {
            Some(lanes) => lanes.shape.clone(),
            None => self.shape(),
        };
        let ty = self.choose(&[
            Ty::I32,
            Ty::I32,
            Ty::I64,
            Ty::F32,
            Ty::F32,
            Ty::F64,
            Ty::F16,
            Ty::Bf16,
        ]);
        let size = count(&shape);
        // Blocks of a cluster share no atomic accesses through pointers.
        let by_view = self.lanes.is_some();
        if !by_view && self.chance(40) && self.depth == 0 {
            return self.own_atomics(&shape, ty);
        }
        // Every iteration of every block adds the whole tile to one element at most.
        let all = u64::from(size * self.block_count()) * self.turns;
        let mut bits = 64 - all.leading_zeros();
        let value = match ty.float() {
            None => self.pick(&shape, ty),
            Some((_, mantissa)) => {
                bits = mantissa.saturating_sub(bits + 1).min(3);
                if bits == 0 {
                    return;
                }
                self.pick_exact(
                    &shape,
                    ty,
                    Range {
                        grid: 0,
                        top: bits.cast_signed() - 1,
                    },
                )
            }
        };
        let mode = match ty.is_float() {
            true => "addf",
            false => self.choose(&["add", "add", "and", "or", "xor", "max", "min", "umax", "umin"]),
        };
        if value.range.is_some_and(|range| {
            let sum = range.times(u32::try_from(all).unwrap_or(u32::MAX).max(2));
            !sum.fits(ty)
        }) {
            return;
        }
        let fill = match ty.is_float() {
            true => Fill::Zero,
            false => Fill::Bits,
        };
        let scope = self.choose(&["device", "device", "sys"]);
        let order = self.choose(&["relaxed", "relaxed", "acquire", "release", "acq_rel"]);
        if by_view || !shape.is_empty() && self.chance(40) {
            let place = self.output(ty, fill, 1);
            let kind = match self.view_kind(shape.len()) {
                Kind::Gather { .. } => Kind::Partition,
                kind => kind,
            };
            let apart = vec![None; shape.len()];
            let wish = Wish {
                tile: &shape,
                padding: None,
                kind,
                apart,
            };
            let view = self.view(&place, &wish);
            let at = self.indices(&view);
            let (at, types) = at.split_once(" @ ").unwrap_or((&at, ""));
            let scope = if scope == "sys" { "device" } else { scope };
            self.let_be(&format!(
                "atomic_red_view_tko relaxed {scope} {at}, {mode}, {} : {}, {}, {types} -> token",
                value.name,
                value.text(),
                view.text
            ));
        } else {
            let few = self.choose(&[0u32, 1, 7, 63]);
            let place = self.output(ty, fill, few as usize + 1);
            let from = self.pick(&shape, Ty::I32);
            let mask = self.splat(&shape, Ty::I32, few.into());
            let op = format!("andi {}, {mask} : {}", from.name, from.text());
            let offsets = self.made(&shape, Ty::I32, None, &op);
            self.rmw(&place, &value, &offsets, mode, &format!("{order} {scope}"));
        }
        self.work += u64::from(size) * self.turns * 8;
    }

    fn rmw(&mut self, place: &Place, value: &Tile, offsets: &Tile, mode: &str, order: &str) -> Tile {
        let (ty, shape) = (place.ty, value.shape.clone());
        let at = self.moved(&place.pointer, ty, &shape, offsets);
        let pointers = tile(&shape, &format!("ptr<{}>", ty.name()));
        let (mask, bits) = match self.chance(25) {
            true => (
                format!(", {}", self.pick(&shape, Ty::I1).name),
                format!(", {}", tile(&shape, "i1")),
            ),
            false => Default::default(),
        };
        let (name, token) = (self.name(), self.name());
        let text = value.text();
        self.line(&format!(
            "{name}, {token} = atomic_rmw_tko {order} {at}, {mode}, {}{mask} : {pointers}, {text}{bits} -> {text}, token",
            value.name
        ));
        Tile {
            name,
            shape,
            ty,
            // A masked element has no known result.
            range: None,
        }
    }

    /// Each element of memory once, by one block; what was there is used.
    fn own_atomics(&mut self, shape: &[u32], ty: Ty) {
        let size = count(shape);
        let fill = match ty.is_float() {
            true => Fill::Near,
            false => Fill::Bits,
        };
        let place = self.output(ty, fill, (size * self.block_count()) as usize);
        let offsets = self.own_offsets(shape, "%block");
        let value = self.pick(shape, ty);
        let order = self.choose(&[
            "relaxed device",
            "acq_rel device",
            "acquire sys",
            "relaxed tl_blk",
        ]);
        let is_short = ty.bits() == 16;
        if !is_short && self.chance(25) {
            let at = self.moved(&place.pointer, ty, shape, &offsets);
            let pointers = tile(shape, &format!("ptr<{}>", ty.name()));
            let expected = self.pick(shape, ty);
            let (name, token) = (self.name(), self.name());
            let text = value.text();
            self.line(&format!(
                "{name}, {token} = atomic_cas_tko {order} {at}, {}, {} : {pointers}, {text} -> {text}, token",
                expected.name, value.name
            ));
            self.work += u64::from(size) * 8;
            self.tiles.push(Tile {
                name,
                shape: shape.to_vec(),
                ty,
                range: None,
            });
            return;
        }
        let mode = match (ty.is_float(), is_short) {
            (true, true) => "addf",
            (true, false) => self.choose(&["addf", "xchg"]),
            (false, _) => self.choose(&["add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg"]),
        };
        let old = self.rmw(&place, &value, &offsets, mode, order);
        self.work += u64::from(size) * 8;
        self.tiles.push(old);
    }

    /// Memory that a block stores to and loads from in another order, tied by tokens.
    pub(super) fn scratch(&mut self) {
        if let Some(lanes) = self.lanes.clone() {
            return self.own_tile(&lanes);
        }
        let shape = self.shape();
        let ty = self.choose(&[Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F16, Ty::F32, Ty::F64]);
        let value = self.pick(&shape, ty);
        let size = count(&shape);
        let name = ty.name();
        let pointer = match self.chance(50) && self.depth == 0 {
            true => self.let_be(&format!(
                "alloca num_elem = {size}, alignment = 16 : tile<ptr<{name}>>"
            )),
            false if self.depth == 0 => {
                let count = (size * self.block_count()) as usize;
                let place = self.output(ty, Fill::Bits, count);
                let size = self.let_be(&format!("constant <i32: {size}> : tile<i32>"));
                let start = self.let_be(&format!("muli %block, {size} : tile<i32>"));
                self.let_be(&format!(
                    "offset {}, {start} : tile<ptr<{name}>>, tile<i32> -> tile<ptr<{name}>>",
                    place.pointer
                ))
            }
            false => return,
        };
        let first = self.own_offsets(&shape, "%i0");
        let to = self.moved(&pointer, ty, &shape, &first);
        let (pointers, data) = (tile(&shape, &format!("ptr<{name}>")), value.text());
        let stored = self.let_be(&format!(
            "store_ptr_tko weak {to}, {} : {pointers}, {data} -> token",
            value.name
        ));
        let other = self.own_offsets(&shape, "%i0");
        let from = self.moved(&pointer, ty, &shape, &other);
        let (loaded, token) = (self.name(), self.name());
        self.line(&format!(
            "{loaded}, {token} = load_ptr_tko weak {from} token={stored} : {pointers} -> {data}, token"
        ));
        self.work += u64::from(size) * 6;
        self.tiles.push(Tile {
            name: loaded,
            shape,
            ty,
            range: value.range,
        });
    }
}
