//! Branches and loops.

use rand::RngExt;

use super::super::numbers::{Fill, Ty};
use super::views::{Place, Wish};
use super::{Counter, Generator, Range, Shape, Tile, tile};

/// A tile that a loop or a branch gives.
#[derive(Clone)]
pub(super) struct Carried {
    pub(super) shape: Shape,
    pub(super) ty: Ty,
    pub(super) range: Option<Range>,
}

impl Carried {
    fn text(&self) -> String {
        tile(&self.shape, self.ty.name())
    }
}

fn types(carried: &[Carried]) -> String {
    let types: Vec<String> = carried.iter().map(Carried::text).collect();
    types.join(", ")
}

impl Generator {
    pub(super) fn control(&mut self) {
        if self.depth > 1 {
            return self.integers();
        }
        match self.below(10) {
            0..=2 => self.branch(),
            3..=5 => self.counted(),
            6 => self.open_ended(),
            7 => self.stores_in_a_loop(),
            8 => self.early_end(),
            _ => self.sum_of_products(),
        }
    }

    fn carried(&mut self) -> Vec<Carried> {
        let count = self.choose(&[1, 1, 2, 3]);
        let one = |generator: &mut Self| {
            let ty = generator.any_type();
            let range = ty.is_float() && generator.chance(60);
            Carried {
                shape: generator.shape(),
                ty,
                range: range.then_some(Range { grid: -1, top: 4 }),
            }
        };
        (0..count).map(|_| one(self)).collect()
    }

    /// A tile as a region gives it, within its bounds.
    fn given(&mut self, carried: &Carried) -> Tile {
        let Carried { shape, ty, range } = carried;
        let Some(within) = *range else {
            return self.pick(shape, *ty);
        };
        if self.chance(40) {
            return self.pick_exact(shape, *ty, within);
        }
        // Rounded and limited.
        let from = self.pick_exact(shape, *ty, Range { grid: -8, top: 7 });
        let (to, name) = (from.text(), ty.name());
        let whole = self.let_be(&format!("floor {} : {to}", from.name));
        let most = self.let_be(&format!("constant <{name}: 16.0> : {to}"));
        let least = self.let_be(&format!("constant <{name}: -16.0> : {to}"));
        let low = self.let_be(&format!("minf {whole}, {most} : {to}"));
        self.made(shape, *ty, *range, &format!("maxf {low}, {least} : {to}"))
    }

    /// Generates the ops of a region, which ends with a line that passes tiles on.
    pub(super) fn region(
        &mut self,
        known: &[Tile],
        passed: &[Carried],
        turns: u64,
        end: impl FnOnce(&mut Self, &[Tile]) -> String,
    ) {
        let scope = self.enter();
        self.tiles.extend_from_slice(known);
        self.depth += 1;
        self.turns *= turns.max(1);
        let ops = self.choose(&[1, 2, 3, 5]);
        for _ in 0..ops {
            self.op();
        }
        let given: Vec<Tile> = passed.iter().map(|passed| self.given(passed)).collect();
        let end = end(self, &given);
        self.line(&end);
        self.turns /= turns.max(1);
        self.depth -= 1;
        self.leave(&scope);
    }

    fn results(&mut self, carried: &[Carried]) -> (String, Vec<Tile>) {
        let tiles: Vec<Tile> = carried
            .iter()
            .map(|carried| Tile {
                name: self.name(),
                shape: carried.shape.clone(),
                ty: carried.ty,
                range: carried.range,
            })
            .collect();
        (list(&tiles), tiles)
    }

    /// A Boolean that all threads of a block have.
    fn condition(&mut self) -> String {
        match self.below(4) {
            0 => {
                let bound = self.random.random_range(0..3);
                let bound = self.scalar(Ty::I32, bound);
                self.let_be(&format!(
                    "cmpi less_than %block, {bound}, signed : tile<i32> -> tile<i1>"
                ))
            }
            1 if !self.counters.is_empty() => {
                let counters = self.counters.clone();
                let Counter { name, ty } = self.choose(&counters);
                let ty = ty.name();
                let bound = self.let_be(&format!("constant <{ty}: 1> : tile<{ty}>"));
                self.let_be(&format!(
                    "cmpi equal {name}, {bound}, signed : tile<{ty}> -> tile<i1>"
                ))
            }
            _ => self.pick(&[], Ty::I1).name,
        }
    }

    fn branch(&mut self) {
        let carried = self.carried();
        let condition = self.condition();
        let (names, tiles) = self.results(&carried);
        let types = types(&carried);
        self.line(&format!("{names} = if {condition} -> ({types}) {{"));
        for word in ["} else {", "}"] {
            self.region(&[], &carried, 1, |_, given| {
                format!("yield {} : {types}\n{word}", list(given))
            });
        }
        self.tiles.extend(tiles);
    }

    /// Bounds of a loop, and how often it runs.
    fn bounds(&mut self) -> (Ty, String, u64) {
        let ty = self.choose(&[Ty::I32, Ty::I32, Ty::I32, Ty::I64]);
        let from = self.choose(&[0, 0, 0, 1, -1]);
        let turns = self.choose(&[0, 1, 1, 2, 3, 4]);
        let step = self.choose(&[1, 1, 1, 2, 3]);
        // The last step need not end at the bound.
        let to = from + turns * step - self.random.random_range(0..step) * i64::from(turns > 0);
        let [from, to, step] = [from, to, step].map(|number| self.scalar(ty, number));
        (
            ty,
            format!("({from} to {to}, step {step})"),
            turns.cast_unsigned(),
        )
    }

    fn counted(&mut self) {
        let carried = self.carried();
        let initial: Vec<Tile> = carried.iter().map(|carried| self.given(carried)).collect();
        let (ty, bounds, turns) = self.bounds();
        let (names, tiles) = self.results(&carried);
        let (_, inner) = self.results(&carried);
        let counter = self.name();
        let types = types(&carried);
        let pairs: Vec<String> = inner
            .iter()
            .zip(&initial)
            .map(|(inner, initial)| format!("{} = {}", inner.name, initial.name))
            .collect();
        self.line(&format!(
            "{names} = for {counter} in {bounds} : tile<{}> iter_values({}) -> ({types}) {{",
            ty.name(),
            pairs.join(", ")
        ));
        let outer = self.counters.len();
        self.counters.push(Counter { name: counter, ty });
        self.region(&inner, &carried, turns, |_, given| {
            format!("continue {} : {types}\n}}", list(given))
        });
        self.counters.truncate(outer);
        self.tiles.extend(tiles);
    }

    /// A loop that ends by `break`, in the middle.
    fn open_ended(&mut self) {
        let carried = self.carried();
        let initial: Vec<Tile> = carried.iter().map(|carried| self.given(carried)).collect();
        let turns = self.random.random_range(0..4i64);
        let most = self.scalar(Ty::I32, turns);
        let (names, tiles) = self.results(&carried);
        let (_, inner) = self.results(&carried);
        let [counter, done, next] = [(); 3].map(|()| self.name());
        let types = types(&carried);
        let pairs: Vec<String> = inner
            .iter()
            .zip(&initial)
            .map(|(inner, initial)| format!("{} = {}", inner.name, initial.name))
            .collect();
        self.line(&format!(
            "{names} = loop iter_values({}, {counter} = %i0) : {types}, tile<i32> -> {types} {{",
            pairs.join(", ")
        ));
        self.line(&format!(
            "{done} = cmpi greater_than_or_equal {counter}, {most}, signed : tile<i32> -> tile<i1>"
        ));
        self.line(&format!("if {done} {{\nbreak {} : {types}\n}}", list(&inner)));
        self.line(&format!("{next} = addi {counter}, %i1 : tile<i32>"));
        let outer = self.counters.len();
        self.counters.push(Counter {
            name: counter,
            ty: Ty::I32,
        });
        self.region(&inner, &carried, turns.cast_unsigned(), |_, given| {
            format!("continue {}, {next} : {types}, tile<i32>\n}}", list(given))
        });
        self.counters.truncate(outer);
        self.tiles.extend(tiles);
    }

    /// A loop whose iterations store a tile each.
    fn stores_in_a_loop(&mut self) {
        if self.depth > 0 {
            return self.counted();
        }
        let turns = self.choose(&[1u32, 2, 3]);
        let shape = match &self.lanes {
            Some(lanes) => lanes.shape.clone(),
            None => self.shape(),
        };
        let ty = self.choose(&[Ty::I8, Ty::I16, Ty::I32, Ty::F16, Ty::F32, Ty::Bf16, Ty::F64]);
        let to = self.scalar(Ty::I32, turns.into());
        let rows = self.let_be(&format!("constant <i32: {turns}> : tile<i32>"));
        let first = self.let_be(&format!("muli %block, {rows} : tile<i32>"));
        let counter = self.name();
        let place = self.result_place(ty);
        self.line(&format!(
            "for {counter} in (%i0 to {to}, step %i1) : tile<i32> {{"
        ));
        let outer = self.counters.len();
        self.counters.push(Counter {
            name: counter.clone(),
            ty: Ty::I32,
        });
        let carried = [Carried {
            shape,
            ty,
            range: None,
        }];
        let tiles = self.block_count() * turns;
        self.region(&[], &carried, turns.into(), |generator, given| {
            let row = generator.let_be(&format!("addi {first}, {counter} : tile<i32>"));
            for value in given {
                if value.shape.is_empty() || generator.chance(30) {
                    generator.store_pointers(&place, value, &row, tiles);
                } else {
                    generator.store_view(&place, value, &row, tiles);
                }
            }
            "continue\n}".to_owned()
        });
        self.counters.truncate(outer);
    }

    /// An array for results.
    fn result_place(&mut self, ty: Ty) -> Place {
        self.output(ty, Fill::Bits, 1)
    }

    /// Some blocks end before they store.
    fn early_end(&mut self) {
        if self.depth > 0 || self.chance(50) {
            return self.branch();
        }
        let condition = self.condition();
        self.line(&format!("if {condition} {{"));
        let scope = self.enter();
        self.depth += 1;
        for _ in 0..2 {
            self.op();
        }
        self.depth -= 1;
        self.leave(&scope);
        self.line("return\n}");
    }

    /// The product of two matrices that are loaded tile by tile.
    pub(super) fn sum_of_products(&mut self) {
        let (ty, to, within) = self.product_types();
        let (m, n, k, batch) = self.product_extents();
        let shape = |rows: u32, columns: u32| -> Shape { batch.into_iter().chain([rows, columns]).collect() };
        let turns = self.choose(&[1u32, 2, 2, 3, 4]);
        let sum = within.product(within).times(k * turns).sum(within);
        let is_alien = self.lanes.as_ref().is_some_and(|lanes| !lanes.multiplies);
        if is_alien || ty.is_float() && !sum.fits(to) || self.depth > 0 && turns > 2 {
            return self.counted();
        }
        let initial = match to.is_float() {
            true => self.pick_exact(&shape(m, n), to, Range { grid: 0, top: 1 }),
            false => self.pick(&shape(m, n), to),
        };
        let loaded = if ty == Ty::Tf32 { Ty::F32 } else { ty };
        let views = [shape(m, k), shape(k, n)].map(|shape| {
            let found = self
                .inputs
                .iter()
                .find(|input| {
                    input.ty == loaded
                        && (!ty.is_float()
                            || input
                                .range
                                .is_some_and(|range| range.grid >= within.grid && range.top <= within.top))
                })
                .cloned();
            let place = match found {
                Some(input) => Place {
                    pointer: input.pointer,
                    argument: input.argument,
                    ty: input.ty,
                },
                None => {
                    let bits = (within.top - within.grid).unsigned_abs();
                    let fill = match ty.is_float() {
                        true => Fill::Exact {
                            grid: within.grid,
                            bits,
                        },
                        false => Fill::Bits,
                    };
                    self.output(loaded, fill, 1)
                }
            };
            let kind = self.view_kind(shape.len());
            let wish = Wish {
                tile: &shape,
                padding: Some("zero"),
                kind,
                apart: vec![None; shape.len()],
            };
            self.view(&place, &wish)
        });
        let (result, inner, counter) = (self.name(), self.name(), self.name());
        let to_text = tile(&shape(m, n), to.name());
        let last = self.scalar(Ty::I32, turns.into());
        self.line(&format!(
            "{result} = for {counter} in (%i0 to {last}, step %i1) : tile<i32> iter_values({inner} = {}) -> ({to_text}) {{",
            initial.name
        ));
        let scope = self.enter();
        self.counters.push(Counter {
            name: counter,
            ty: Ty::I32,
        });
        self.turns *= u64::from(turns);
        self.depth += 1;
        let [a, b] = views.map(|view| {
            let loaded = self.load_tile(&view, loaded, Some(within));
            if ty != Ty::Tf32 {
                return loaded;
            }
            let op = format!(
                "ftof {} : {} -> {}",
                loaded.name,
                loaded.text(),
                tile(&loaded.shape, "tf32")
            );
            self.made(&loaded.shape, Ty::Tf32, Some(within), &op)
        });
        if self.chance(30) {
            self.op();
        }
        let inner = Tile {
            name: inner,
            shape: shape(m, n),
            ty: to,
            range: None,
        };
        let made = self.product(&a, &b, &inner, None);
        self.line(&format!("continue {} : {to_text}\n}}", made.name));
        self.depth -= 1;
        self.turns /= u64::from(turns);
        self.leave(&scope);
        let made = Tile {
            name: result,
            range: to.is_float().then_some(sum),
            ..inner
        };
        let made = match to.is_float() {
            true => self.positive_zeros(&made),
            false => made,
        };
        self.tiles.push(made);
    }
}

fn list(tiles: &[Tile]) -> String {
    let names: Vec<&str> = tiles.iter().map(|tile| tile.name.as_str()).collect();
    names.join(", ")
}
