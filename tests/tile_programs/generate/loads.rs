//! Loads of inputs, through views and pointers.

use super::super::numbers::Ty;
use super::views::{Place, View, Wish};
use super::{Generator, Range, Shape, Tile, count, tile};

impl Generator {
    /// Loads a tile that later ops can use.
    pub(super) fn load(&mut self) {
        let inputs = self.inputs.clone();
        let input = self.choose(&inputs);
        let shape = self.shape();
        let place = Place {
            pointer: input.pointer.clone(),
            argument: input.argument,
            ty: input.ty,
        };
        let loaded = if shape.is_empty() || self.chance(35) {
            self.load_pointers(&place, &shape, input.range)
        } else {
            self.load_view(&place, &shape, input.range)
        };
        self.tiles.push(loaded.clone());
        if matches!(loaded.ty, Ty::E4m3 | Ty::E5m2) {
            let to = self.choose(&[Ty::F16, Ty::F32, Ty::Bf16]);
            let range = loaded.range.filter(|range| range.fits(to));
            let op = format!(
                "ftof {} : {} -> {}",
                loaded.name,
                loaded.text(),
                tile(&shape, to.name())
            );
            self.define(&shape, to, range, &op);
        }
    }

    /// Hints that do not change what an access does.
    pub(super) fn access_hints(&mut self, of_view: bool) -> String {
        if self.chance(75) {
            return String::new();
        }
        let latency = self.choose(&[1, 2, 3, 5, 10]);
        let tma = match of_view {
            true => self.choose(&["", "allow_tma = false, ", "allow_tma = true, "]),
            false => "",
        };
        format!(" optimization_hints = <sm_90 = {{{tma}latency = {latency}}}>")
    }

    /// What elements outside of the tensor are, and whether those are exact.
    fn padding(&mut self, ty: Ty, exact: bool) -> Option<&'static str> {
        if self.chance(4) {
            return None;
        }
        if !ty.is_float() || exact && self.chance(80) || matches!(ty, Ty::E4m3 | Ty::E5m2) {
            return Some("zero");
        }
        Some(self.choose(&["zero", "neg_zero", "nan", "pos_inf", "neg_inf"]))
    }

    pub(super) fn load_view(&mut self, place: &Place, shape: &[u32], range: Option<Range>) -> Tile {
        let padding = self.padding(place.ty, range.is_some());
        let kind = self.view_kind(shape.len());
        let wish = Wish {
            tile: shape,
            padding,
            kind,
            apart: vec![None; shape.len()],
        };
        let view = self.view(place, &wish);
        // Nothing is known about elements that are not padded.
        let range = range.filter(|_| matches!(padding, Some("zero" | "neg_zero")));
        self.load_tile(&view, place.ty, range)
    }

    /// Loads a tile of a view.
    pub(super) fn load_tile(&mut self, view: &View, ty: Ty, range: Option<Range>) -> Tile {
        let at = self.indices(view);
        let (at, types) = at.split_once(" @ ").unwrap_or((&at, ""));
        let after = self.after(40);
        let (loaded, token) = self.load_at(view, ty, at, types, &after);
        if self.lanes.is_some() {
            self.tokens.push(token);
        }
        Tile { range, ..loaded }
    }

    /// Loads a tile of a view at indices of these types, after what a token says; also returns a token.
    pub(super) fn load_at(
        &mut self,
        view: &View,
        ty: Ty,
        at: &str,
        types: &str,
        after: &str,
    ) -> (Tile, String) {
        let hints = self.access_hints(true);
        let (name, token) = (self.name(), self.name());
        self.line(&format!(
            "{name}, {token} = load_view_tko weak {at}{after}{hints} : {}, {types} -> {}, token",
            view.text,
            tile(&view.tile, ty.name())
        ));
        self.work += u64::from(count(&view.tile)) * self.turns * 2;
        let loaded = Tile {
            name,
            shape: view.tile.clone(),
            ty,
            range: None,
        };
        (loaded, token)
    }

    /// Pointers to elements of an array; the offsets are within the returned bound.
    pub(super) fn moved(&mut self, pointer: &str, ty: Ty, shape: &[u32], offsets: &Tile) -> String {
        let ptr = format!("ptr<{}>", ty.name());
        let all = tile(shape, &ptr);
        let mut base = pointer.to_owned();
        if !shape.is_empty() {
            let ones: Shape = vec![1; shape.len()];
            let one = tile(&ones, &ptr);
            base = self.let_be(&format!("reshape {base} : tile<{ptr}> -> {one}"));
            base = self.let_be(&format!("broadcast {base} : {one} -> {all}"));
        }
        self.let_be(&format!(
            "offset {base}, {} : {all}, {} -> {all}",
            offsets.name,
            offsets.text()
        ))
    }

    /// Offsets of elements below a power of two.
    fn offsets(&mut self, shape: &[u32]) -> (Tile, u32) {
        let ty = self.choose(&[Ty::I32, Ty::I32, Ty::I64]);
        let size = count(shape);
        if self.chance(55) {
            // In order, from somewhere.
            let iota = self.numbered(shape, ty);
            if self.chance(40) {
                return (iota, size);
            }
            let by = self.choose(&[1i64, 2, 4, 16, size.into()]);
            let start = match self.chance(50) {
                true => self.splat(shape, ty, by),
                false => {
                    let by = self.scalar(ty, by);
                    let scalar = Tile {
                        name: by,
                        shape: vec![],
                        ty,
                        range: None,
                    };
                    self.fit(&scalar, shape).name
                }
            };
            let op = format!("addi {}, {start} : {}", iota.name, iota.text());
            let most = size + u32::try_from(by).unwrap_or(size);
            return (self.made(shape, ty, None, &op), most);
        }
        let from = self.pick(shape, ty);
        let most = self.choose(&[7u32, 63, 255, 511]);
        let mask = self.splat(shape, ty, most.into());
        let op = format!("andi {}, {mask} : {}", from.name, from.text());
        (self.made(shape, ty, None, &op), most + 1)
    }

    fn load_pointers(&mut self, place: &Place, shape: &[u32], range: Option<Range>) -> Tile {
        let ty = place.ty;
        let (offsets, most) = self.offsets(shape);
        let at = self.moved(&place.pointer, ty, shape, &offsets);
        let (pointers, data, bits) = (
            tile(shape, &format!("ptr<{}>", ty.name())),
            tile(shape, ty.name()),
            tile(shape, "i1"),
        );
        let hints = self.access_hints(false);
        let (name, token) = (self.name(), self.name());
        let is_small = matches!(ty, Ty::E4m3 | Ty::E5m2);
        let range = if is_small || self.chance(50) {
            self.extend(place.argument, most as usize);
            self.line(&format!(
                "{name}, {token} = load_ptr_tko weak {at}{hints} : {pointers} -> {data}, token"
            ));
            range
        } else {
            // Masked, by data or by a bound beyond which no memory is.
            let mask = if self.chance(50) {
                self.extend(place.argument, most as usize);
                self.pick(shape, Ty::I1).name
            } else {
                let bound = self.below(most + 1);
                self.extend(place.argument, bound as usize);
                let bound = self.splat(shape, offsets.ty, bound.into());
                self.let_be(&format!(
                    "cmpi less_than {}, {bound}, signed : {} -> {bits}",
                    offsets.name,
                    offsets.text()
                ))
            };
            let padding = match range {
                Some(range) if self.chance(70) => self.pick_exact(shape, ty, range),
                Some(_) | None => self.pick(shape, ty),
            };
            self.line(&format!(
                "{name}, {token} = load_ptr_tko weak {at}, {mask}, {}{hints} : {pointers}, {bits}, {data} -> {data}, token",
                padding.name
            ));
            range.zip(padding.range).map(|(a, b)| a.union(b))
        };
        self.work += u64::from(count(shape)) * self.turns * 2;
        Tile {
            name,
            shape: shape.to_vec(),
            ty,
            range: range.filter(|range| range.fits(ty)),
        }
    }
}
