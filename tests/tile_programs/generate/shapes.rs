//! Shapes of tiles, the choice of operands, and ops that move elements.

use rand::RngExt;

use super::super::numbers::Ty;
use super::lanes::has_axes_of;
use super::{FLOATS, Generator, INTS, Range, Shape, Tile, count, tile};

impl Generator {
    /// A shape; of the program's size more often than not.
    pub(super) fn shape(&mut self) -> Shape {
        if let Some(lanes) = self.lanes.clone() {
            return self.shape_of_lanes(&lanes);
        }
        let size = match self.below(10) {
            0 => 1,
            1 => self.choose(&[2, 4, 16, 64, 256]).min(self.size * 2),
            2 => self.size * 2,
            _ => self.size,
        };
        self.shape_of(size)
    }

    /// A shape of this many elements.
    pub(super) fn shape_of(&mut self, size: u32) -> Shape {
        let rank = self.choose(&[1, 1, 2, 2, 2, 3, 4]);
        let mut shape = vec![1; rank];
        for _ in 0..size.ilog2() {
            let at = self.random.random_range(0..rank);
            shape[at] *= 2;
        }
        if size == 1 && self.chance(50) {
            shape.clear();
        }
        shape
    }

    pub(super) fn integer_type(&mut self) -> Ty {
        self.choose(&INTS)
    }

    pub(super) fn float_type(&mut self) -> Ty {
        self.choose(&FLOATS)
    }

    pub(super) fn any_type(&mut self) -> Ty {
        if self.chance(50) {
            self.integer_type()
        } else {
            self.float_type()
        }
    }

    /// A tile of these elements, whatever its range.
    pub(super) fn pick(&mut self, shape: &[u32], ty: Ty) -> Tile {
        self.pick_where(shape, ty, |_| true)
    }

    /// A tile that a later one is preferred to an earlier one for, reshaped or spread if need be, or a new one.
    fn pick_where(&mut self, shape: &[u32], ty: Ty, fits: impl Fn(&Tile) -> bool) -> Tile {
        let size = count(shape);
        let suits = |tile: &&Tile| tile.ty == ty && self.can_fit(tile, shape) && fits(tile);
        let found: Vec<Tile> = self.tiles.iter().filter(suits).cloned().collect();
        let whole: Vec<Tile> = found
            .iter()
            .filter(|tile| count(&tile.shape) == size)
            .cloned()
            .collect();
        let among = if whole.is_empty() || self.chance(10) {
            found
        } else {
            whole
        };
        if among.is_empty() || self.chance(5) {
            return self.fresh(shape, ty);
        }
        let last = among.len();
        let at = self
            .random
            .random_range(0..last)
            .max(self.random.random_range(0..last));
        let found = among[at].clone();
        self.fit(&found, shape)
    }

    /// Whether a tile can be given a shape, so that blocks still share it.
    fn can_fit(&self, tile: &Tile, shape: &[u32]) -> bool {
        match self.lanes {
            Some(_) => has_axes_of(&tile.shape, shape),
            None => count(shape).is_multiple_of(count(&tile.shape)),
        }
    }

    /// The tile with another shape of as many elements, or of a multiple.
    pub(super) fn fit(&mut self, from: &Tile, shape: &[u32]) -> Tile {
        if from.shape == shape {
            return from.clone();
        }
        if self.lanes.is_some()
            && let Some(spread) = self.spread(from, shape)
        {
            return spread;
        }
        let (ty, name) = (from.ty, from.ty.name());
        if count(&from.shape) == count(shape) {
            let to = tile(shape, name);
            let op = format!("reshape {} : {} -> {to}", from.name, from.text());
            return self.made(shape, ty, from.range, &op);
        }
        // Repeated: as an extra dimension in front that is merged with the rest.
        let (few, many) = (count(&from.shape), count(shape));
        let (line, lines) = ([1, few], [many / few, few]);
        let op = format!("reshape {} : {} -> {}", from.name, from.text(), tile(&line, name));
        let one = self.made(&line, ty, from.range, &op);
        let op = format!(
            "broadcast {} : {} -> {}",
            one.name,
            one.text(),
            tile(&lines, name)
        );
        let all = self.made(&lines, ty, from.range, &op);
        self.fit(&all, shape)
    }

    /// A constant or numbered tile.
    fn fresh(&mut self, shape: &[u32], ty: Ty) -> Tile {
        let (to, name) = (tile(shape, ty.name()), ty.name());
        if ty.is_float() {
            let (number, range) = self.choose(&[
                ("0.0", (0, 0)),
                ("1.0", (0, 0)),
                ("0.5", (-1, -1)),
                ("-1.5", (-1, 1)),
                ("2.0", (0, 1)),
                ("-3.0", (0, 2)),
            ]);
            let range = Some(Range {
                grid: range.0,
                top: range.1,
            });
            return self.made(shape, ty, range, &format!("constant <{name}: {number}> : {to}"));
        }
        if ty == Ty::I1 {
            let number = self.choose(&["true", "false"]);
            return self.made(shape, ty, None, &format!("constant <i1: {number}> : {to}"));
        }
        let size = count(shape);
        if ty == Ty::I8 || size == 1 || self.chance(60) {
            let number = self.choose(&[0, 1, -1, 2, 3, 7, 8, 100, -128]);
            return self.made(shape, ty, None, &format!("constant <{name}: {number}> : {to}"));
        }
        self.numbered(shape, ty)
    }

    /// A tile of 0, 1, 2, ….
    pub(super) fn numbered(&mut self, shape: &[u32], ty: Ty) -> Tile {
        if self.lanes.is_some() {
            return self.numbered_by_axes(shape, ty);
        }
        let line = [count(shape)];
        let numbers = self.made(&line, ty, None, &format!("iota : {}", tile(&line, ty.name())));
        self.fit(&numbers, shape)
    }

    /// An exact tile within a range.
    pub(super) fn pick_exact(&mut self, shape: &[u32], ty: Ty, within: Range) -> Tile {
        let suits = |range: Range| range.grid >= within.grid && range.top <= within.top && range.fits(ty);
        if self.chance(70) {
            let found = self
                .tiles
                .iter()
                .any(|tile| tile.ty == ty && self.can_fit(tile, shape) && tile.range.is_some_and(suits));
            if found {
                let tile = self.pick_where(shape, ty, |tile| tile.range.is_some_and(suits));
                if tile.range.is_some_and(suits) {
                    return tile;
                }
            }
        }
        // Integers of a few bits, of either sign.
        let bits = (within.top - within.grid.max(0)).clamp(0, 3);
        let integer = self.choose(&[Ty::I8, Ty::I16, Ty::I32]);
        let from = self.pick(shape, integer);
        let (to, most) = (from.text(), (1i64 << (bits + 1)) - 1);
        let mask = self.splat(shape, integer, most);
        let low = self.let_be(&format!("andi {}, {mask} : {to}", from.name));
        let half = self.splat(shape, integer, 1 << bits);
        let small = self.let_be(&format!("subi {half}, {low} : {to}"));
        let range = Range { grid: 0, top: bits };
        let wide = if ty.bits() == 8 { Ty::F32 } else { ty };
        let float = tile(shape, wide.name());
        let made = self.made(
            shape,
            wide,
            Some(range),
            &format!("itof {small} signed : {to} -> {float}"),
        );
        if wide == ty {
            self.tiles.push(made.clone());
            return made;
        }
        let op = format!("ftof {} : {float} -> {}", made.name, tile(shape, ty.name()));
        self.define(shape, ty, Some(range), &op)
    }

    pub(super) fn shapes(&mut self) {
        let ty = if self.chance(6) {
            self.choose(&[Ty::E4m3, Ty::E5m2, Ty::Tf32])
        } else {
            self.any_type()
        };
        let shape = self.shape();
        let from = match ty.is_float() && ty.bits() == 8 || ty == Ty::Tf32 {
            true => self.pick_exact(&shape, ty, Range { grid: 0, top: 2 }),
            false => self.pick(&shape, ty),
        };
        if self.lanes.is_some() {
            return self.axes_of_lanes(&from);
        }
        let (text, name) = (from.text(), ty.name());
        match self.below(8) {
            0 | 1 if shape.len() > 1 => {
                let mut order: Vec<usize> = (0..shape.len()).collect();
                while order.is_sorted() {
                    for i in (1..order.len()).rev() {
                        let j = self.random.random_range(0..=i);
                        order.swap(i, j);
                    }
                }
                let to: Shape = order.iter().map(|&at| shape[at]).collect();
                let list: Vec<String> = order.iter().map(usize::to_string).collect();
                let op = format!(
                    "permute {} [{}] : {text} -> {}",
                    from.name,
                    list.join(", "),
                    tile(&to, name)
                );
                self.define(&to, ty, from.range, &op);
            }
            2 if !shape.is_empty() => {
                // A part along some dimensions.
                let parts: Vec<u32> = shape
                    .iter()
                    .map(|&extent| 1 << self.random.random_range(0..=extent.ilog2().min(2)))
                    .collect();
                let to: Shape = shape.iter().zip(&parts).map(|(&n, &part)| n / part).collect();
                let indices: Vec<String> = parts.iter().map(|&part| self.part_index(part)).collect();
                let op = format!(
                    "extract {}[{}] : {text} -> {}",
                    from.name,
                    indices.join(", "),
                    tile(&to, name)
                );
                self.define(&to, ty, from.range, &op);
                if self.chance(40) {
                    let part = match from.range {
                        Some(range) => self.pick_exact(&to, ty, range),
                        None => self.pick(&to, ty),
                    };
                    let range = from.range.zip(part.range).map(|(a, b)| a.union(b));
                    let indices: Vec<String> = parts.iter().map(|&part| self.part_index(part)).collect();
                    let op = format!(
                        "insert {}, {}[{}] : {}, {text}",
                        part.name,
                        from.name,
                        indices.join(", "),
                        part.text()
                    );
                    self.define(&shape, ty, range, &op);
                }
            }
            3 if !shape.is_empty() && count(&shape) <= self.size => {
                let other = match from.range {
                    Some(range) => self.pick_exact(&shape, ty, range),
                    None => self.pick(&shape, ty),
                };
                let dim = self.random.random_range(0..shape.len());
                let mut to = shape.clone();
                to[dim] *= 2;
                let range = from.range.zip(other.range).map(|(a, b)| a.union(b));
                let op = format!(
                    "cat {}, {} dim = {dim} : {text}, {text} -> {}",
                    from.name,
                    other.name,
                    tile(&to, name)
                );
                self.define(&to, ty, range, &op);
            }
            4 if shape.contains(&1) && count(&shape) * 2 <= self.size * 2 => {
                let most = self.size * 2 / count(&shape);
                let times = 1 << self.random.random_range(0..=most.ilog2());
                let dim = shape.iter().position(|&extent| extent == 1).unwrap_or(0);
                let mut to = shape.clone();
                to[dim] = times;
                let op = format!("broadcast {} : {text} -> {}", from.name, tile(&to, name));
                self.define(&to, ty, from.range, &op);
            }
            5 => self.bytes(&from),
            _ => {
                let to = self.shape_of(count(&shape));
                let op = format!("reshape {} : {text} -> {}", from.name, tile(&to, name));
                self.define(&to, ty, from.range, &op);
            }
        }
    }

    /// An index below `parts`, a constant or one that the compiler does not know.
    fn part_index(&mut self, parts: u32) -> String {
        if parts == 1 {
            return "%i0".to_owned();
        }
        let at = self.below(parts);
        if self.chance(25) {
            return self.number(Ty::I32, at.into());
        }
        if self.chance(25) {
            let most = self.let_be(&format!("constant <i32: {}> : tile<i32>", parts - 1));
            return self.let_be(&format!("andi %block, {most} : tile<i32>"));
        }
        self.let_be(&format!("constant <i32: {at}> : tile<i32>"))
    }

    /// The bytes of a tile of numbers whose bits are all known, as numbers of another type.
    fn bytes(&mut self, from: &Tile) {
        let size = count(&from.shape);
        let is_known = !from.ty.is_float() || from.range.is_some();
        if !is_known || from.ty.bits() == 1 || matches!(from.ty, Ty::Tf32 | Ty::E4m3 | Ty::E5m2) {
            return;
        }
        let line = self.fit(from, &[size]);
        let total = size * from.ty.bits() / 8;
        let bytes = match from.ty {
            Ty::I8 => line.name,
            _ => self.let_be(&format!(
                "pack {} : {} -> {}",
                line.name,
                line.text(),
                tile(&[total], "i8")
            )),
        };
        let to = self.choose(&[Ty::I16, Ty::I32, Ty::I64, Ty::F16, Ty::F32]);
        let width = to.bits() / 8;
        if total < width {
            return;
        }
        let shape = [total / width];
        let op = format!(
            "unpack {bytes} : {} -> {}",
            tile(&[total], "i8"),
            tile(&shape, to.name())
        );
        self.define(&shape, to, None, &op);
    }
}
