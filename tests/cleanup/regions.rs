//! Branches and loops of random programs.

use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::generate::{Program, Ty};

impl Program<'_> {
    /// Generates statements in their own scope.
    pub(super) fn scope(&mut self, more: impl FnOnce(&mut Self)) {
        let known = self.values.len();
        self.depth += 1;
        for _ in 0..self.rng.random_range(1..4u32) {
            self.statement();
        }
        more(self);
        self.depth -= 1;
        self.values.truncate(known);
    }

    /// Picks a condition, usually one that is true for some arguments and false for others; most boolean values are
    /// constants.
    pub(super) fn condition(&mut self) -> String {
        if self.rng.random_bool(0.3) {
            return self.pick(Ty::I1);
        }
        let word = *["less_than", "greater_than", "equal", "not_equal"]
            .choose(self.rng)
            .expect("words");
        let left = *["%a", "%b"].choose(self.rng).expect("an argument");
        let right = match self.rng.random_range(0..3u32) {
            0 => self.constant(Ty::I32),
            1 => self.pick(Ty::I32),
            _ => "%b".to_owned(),
        };
        self.define(
            Ty::I1,
            &format!("cmpi {word} {left}, {right}, signed : tile<i32> -> tile<i1>"),
        )
    }

    pub(super) fn branch(&mut self) {
        let c = self.condition();
        let name = self.name();
        self.branch_on(&c, &name);
        self.values.push((name, Ty::I32));
    }

    pub(super) fn branch_on(&mut self, condition: &str, name: &str) {
        self.line(&format!("{name} = if {condition} -> (tile<i32>) {{"));
        for last in [false, true] {
            self.scope(|program| {
                let value = program.computed();
                program.line(&format!("yield {value} : tile<i32>"));
            });
            self.line(if last { "}" } else { "} else {" });
        }
    }

    /// Picks a number, usually one computed here from another.
    fn computed(&mut self) -> String {
        let value = self.pick(Ty::I32);
        if self.rng.random_bool(0.3) {
            return value;
        }
        self.define(Ty::I32, &format!("muli {value}, {value} : tile<i32>"))
    }

    /// Generates a branch that selects among earlier values, some of which it computes.
    pub(super) fn choice(&mut self) {
        let c = self.condition();
        let name = self.name();
        let [a, b] = [(); 2].map(|()| self.pick(Ty::I32));
        let [x, y] = [(); 2].map(|()| self.pick(Ty::F32));
        let [r, s] = [(); 2].map(|()| self.pick(Ty::Row));
        let types = "tile<i32>, tile<f32>, tile<8xi32>, tile<i32>";
        self.line(&format!("{name}:4 = if {c} -> ({types}) {{"));
        for (a, x, r, last) in [(a, x, r, false), (b, y, s, true)] {
            let same = self.rng.random_bool(0.3).then(|| a.clone());
            self.scope(|program| {
                let more = same.unwrap_or_else(|| program.pick(Ty::I32));
                program.line(&format!("yield {a}, {x}, {r}, {more} : {types}"));
            });
            self.line(if last { "}" } else { "} else {" });
        }
        for (at, ty) in [Ty::I32, Ty::F32, Ty::Row, Ty::I32].into_iter().enumerate() {
            self.values.push((format!("{name}#{at}"), ty));
        }
    }

    /// Generates two branches with the same condition, or with a condition and its negation.
    pub(super) fn twins(&mut self) {
        let c = self.condition();
        let first = self.name();
        let not = self.rng.random_bool(0.4).then(|| {
            let truth = self.define(Ty::I1, "constant <i1: true> : tile<i1>");
            self.define(Ty::I1, &format!("xori {c}, {truth} : tile<i1>"))
        });
        self.branch_on(&c, &first);
        match self.rng.random_range(0..4u32) {
            0 => {}
            1 => {
                // It depends on the first branch, and the second one depends on it.
                let other = self.pick(Ty::I32);
                self.define(Ty::I32, &format!("addi {first}, {other} : tile<i32>"));
            }
            _ => {
                self.values.push((first, Ty::I32));
                self.integer();
            }
        }
        let again = not.as_ref().unwrap_or(&c);
        if self.effects && self.rng.random_bool(0.4) {
            self.line(&format!("if {again} {{"));
            self.scope(Self::print);
            self.line("}");
            return;
        }
        let second = self.name();
        let last = self.values.last().map(|(name, _)| name.clone());
        self.branch_on(again, &second);
        self.values.push((second.clone(), Ty::I32));
        if let Some(last) = last.filter(|last| last.starts_with("%v")) {
            let known = self.values.iter().find(|(name, _)| *name == last);
            if known.is_some_and(|(_, ty)| *ty == Ty::I32) {
                self.define(Ty::I32, &format!("xori {second}, {last} : tile<i32>"));
            }
        }
    }

    /// Generates a branch within a branch that contains nothing else.
    pub(super) fn nest(&mut self) {
        let (c, d) = (self.condition(), self.condition());
        if self.effects && self.rng.random_bool(0.5) {
            self.line(&format!("if {c} {{ if {d} {{"));
            self.scope(Self::print);
            self.line("} }");
            return;
        }
        let (outer, inner) = (self.name(), self.name());
        let otherwise = self.pick(Ty::I32);
        let other = if self.rng.random_bool(0.4) {
            self.pick(Ty::I32)
        } else {
            otherwise.clone()
        };
        self.line(&format!("{outer} = if {c} -> (tile<i32>) {{"));
        self.line(&format!("{inner} = if {d} -> (tile<i32>) {{"));
        self.scope(|program| {
            let value = program.computed();
            program.line(&format!("yield {value} : tile<i32>"));
        });
        self.line(&format!("}} else {{ yield {other} : tile<i32> }}"));
        self.line(&format!("yield {inner} : tile<i32>"));
        self.line(&format!("}} else {{ yield {otherwise} : tile<i32> }}"));
        self.values.push((outer, Ty::I32));
    }

    pub(super) fn counted(&mut self) {
        let mask = self.define(Ty::I32, "constant <i32: 7> : tile<i32>");
        let (a, b, init) = (self.pick(Ty::I32), self.pick(Ty::I32), self.pick(Ty::I32));
        let constant = self.rng.random_bool(0.3);
        let lower = if constant {
            self.define(Ty::I32, "constant <i32: 2> : tile<i32>")
        } else {
            self.define(Ty::I32, &format!("andi {a}, {mask} : tile<i32>"))
        };
        let upper = if constant {
            let upper = self.rng.random_range(1..5u32);
            self.define(Ty::I32, &format!("constant <i32: {upper}> : tile<i32>"))
        } else {
            self.define(Ty::I32, &format!("andi {b}, {mask} : tile<i32>"))
        };
        let step = self.rng.random_range(1..4u32);
        let step = self.define(Ty::I32, &format!("constant <i32: {step}> : tile<i32>"));
        let limit = self.pick(Ty::I32);
        let limit = self.define(Ty::I32, &format!("andi {limit}, {mask} : tile<i32>"));
        let (name, counter, carried) = (self.name(), self.name(), self.name());
        self.line(&format!(
            "{name} = for {counter} in ({lower} to {upper}, step {step}) : tile<i32> iter_values({carried} = {init}) -> (tile<i32>) {{"
        ));
        let known = self.values.len();
        self.values.push((counter.clone(), Ty::I32));
        self.values.push((carried.clone(), Ty::I32));
        let around = std::mem::replace(&mut self.in_loop, true);
        self.scope(|program| {
            if program.effects && program.rng.random_bool(0.5) {
                // In the loop, its bound is not 0; before it, the bound may be 0.
                let dividend = program.pick(Ty::I32);
                program.define(Ty::I32, &format!("remi {dividend}, {upper} unsigned : tile<i32>"));
            }
            let predicates = [
                "less_than",
                "less_than_or_equal",
                "greater_than",
                "greater_than_or_equal",
            ];
            let predicate = *predicates.choose(program.rng).expect("predicates");
            let (l, r) = if program.rng.random_bool(0.5) {
                (&counter, &limit)
            } else {
                (&limit, &counter)
            };
            let c = program.define(
                Ty::I1,
                &format!("cmpi {predicate} {l}, {r}, signed : tile<i32> -> tile<i1>"),
            );
            let part = program.name();
            program.branch_on(&c, &part);
            if program.rng.random_bool(0.3) {
                program.line(&format!("if {c} {{"));
                program.line(&format!("  continue {part} : tile<i32>"));
                program.line("}");
            }
            let next = program.define(Ty::I32, &format!("addi {carried}, {part} : tile<i32>"));
            program.line(&format!("continue {next} : tile<i32>"));
        });
        self.in_loop = around;
        self.line("}");
        self.values.truncate(known);
        self.values.push((name, Ty::I32));
    }

    /// Generates a loop that exits after a few iterations.
    pub(super) fn endless(&mut self) {
        let limit = self.rng.random_range(0..4u32);
        let limit = self.define(Ty::I32, &format!("constant <i32: {limit}> : tile<i32>"));
        let zero = self.define(Ty::I32, "constant <i32: 0> : tile<i32>");
        let one = self.define(Ty::I32, "constant <i32: 1> : tile<i32>");
        let init = self.pick(Ty::I32);
        let (name, counter, carried) = (self.name(), self.name(), self.name());
        self.line(&format!(
            "{name} = loop iter_values({counter} = {zero}, {carried} = {init}) : tile<i32>, tile<i32> -> tile<i32> {{"
        ));
        let known = self.values.len();
        self.values.push((counter.clone(), Ty::I32));
        self.values.push((carried.clone(), Ty::I32));
        let once = self.rng.random_bool(0.3);
        let around = std::mem::replace(&mut self.in_loop, true);
        self.scope(|program| {
            let c = program.define(
                Ty::I1,
                &format!("cmpi greater_than_or_equal {counter}, {limit}, signed : tile<i32> -> tile<i1>"),
            );
            let left = program.pick(Ty::I32);
            if once {
                program.line(&format!("break {left} : tile<i32>"));
            } else {
                program.line(&format!("if {c} {{"));
                program.line(&format!("  break {left} : tile<i32>"));
                program.line("}");
                let next = program.define(Ty::I32, &format!("addi {counter}, {one} : tile<i32>"));
                let value = program.pick(Ty::I32);
                program.line(&format!("continue {next}, {value} : tile<i32>, tile<i32>"));
            }
        });
        self.in_loop = around;
        self.line("}");
        self.values.truncate(known);
        self.values.push((name, Ty::I32));
    }
}
