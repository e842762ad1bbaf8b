//! Statements for specific rules: sums of products, assumptions, side effects, reductions.

use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::generate::{Program, Ty};

impl Program<'_> {
    /// Generates a sum or difference of a product of small integers, reduced to their range.
    pub(super) fn whole_float(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.pick(Ty::F32));
        let modes = [
            "",
            " rounding<zero>",
            " rounding<negative_inf>",
            " rounding<positive_inf>",
        ];
        let mode = *modes.choose(self.rng).expect("modes");
        let flush = *["", " flush_to_zero"].choose(self.rng).expect("words");
        let product = self.name();
        self.line(&format!("{product} = mulf {a}, {b}{mode}{flush} : tile<f32>"));
        let sums = [
            format!("addf {product}, {c}{mode}{flush} : tile<f32>"),
            format!("addf {c}, {product}{mode}{flush} : tile<f32>"),
            format!("subf {product}, {c}{mode}{flush} : tile<f32>"),
            format!("subf {c}, {product}{mode}{flush} : tile<f32>"),
        ];
        let sum = self.name();
        let op = sums.choose(self.rng).expect("a sum");
        self.line(&format!("{sum} = {op}"));
        let [low, high, capped] = [(); 3].map(|()| self.name());
        self.line(&format!("{low} = constant <f32: -64.0> : tile<f32>"));
        self.line(&format!("{high} = constant <f32: 64.0> : tile<f32>"));
        self.line(&format!("{capped} = minf {sum}, {high} : tile<f32>"));
        self.define(Ty::F32, &format!("maxf {capped}, {low} : tile<f32>"));
    }

    /// Generates arithmetic with overflow assumptions that hold.
    pub(super) fn promise(&mut self) {
        let mask = self.define(Ty::I32, "constant <i32: 255> : tile<i32>");
        let (a, b) = (self.pick(Ty::I32), self.pick(Ty::I32));
        let a = self.define(Ty::I32, &format!("andi {a}, {mask} : tile<i32>"));
        let b = self.define(Ty::I32, &format!("andi {b}, {mask} : tile<i32>"));
        let promises = ["no_signed_wrap", "no_unsigned_wrap", "no_wrap"];
        let promise = *promises.choose(self.rng).expect("promises");
        let op = *["addi", "muli"].choose(self.rng).expect("ops");
        let sum = self.define(Ty::I32, &format!("{op} {a}, {b} overflow<{promise}> : tile<i32>"));
        let c = self.pick(Ty::I32);
        let c = self.define(Ty::I32, &format!("andi {c}, {mask} : tile<i32>"));
        self.define(
            Ty::I32,
            &format!("addi {sum}, {c} overflow<no_signed_wrap> : tile<i32>"),
        );
    }

    /// Generates output, whose order and count have to be preserved.
    pub(super) fn print(&mut self) {
        let a = self.pick(Ty::I32);
        let token = self.name();
        self.line(&format!("{token} = print_tko \"%d;\", {a} : tile<i32> -> token"));
    }

    /// Generates a conditional return, in one or both regions.
    pub(super) fn leave(&mut self) {
        if self.in_loop {
            return self.print();
        }
        let c = self.condition();
        match self.rng.random_range(0..9u32) {
            8 => self.guarded(),
            0 => {
                self.line(&format!("if {c} {{"));
                for last in [false, true] {
                    self.scope(|program| {
                        program.print();
                        program.line("return");
                    });
                    self.line(if last { "}" } else { "} else {" });
                }
            }
            1..=3 => {
                self.line(&format!("if {c} {{"));
                self.scope(|program| {
                    program.print();
                    program.line("return");
                });
                self.line("}");
            }
            way => {
                let name = self.name();
                self.line(&format!("{name} = if {c} -> (tile<i32>) {{"));
                for leaves in [way % 2 == 0, way % 2 != 0] {
                    self.scope(|program| {
                        let value = program.pick(Ty::I32);
                        program.line(&if leaves {
                            "return".to_owned()
                        } else {
                            format!("yield {value} : tile<i32>")
                        });
                    });
                    self.line(if leaves == (way % 2 != 0) { "}" } else { "} else {" });
                }
                self.values.push((name, Ty::I32));
            }
        }
    }

    /// Generates a remainder that is undefined where an earlier branch has returned.
    fn guarded(&mut self) {
        let (a, b) = (self.pick(Ty::I32), self.pick(Ty::I32));
        let zero = self.define(Ty::I32, "constant <i32: 0> : tile<i32>");
        let c = self.define(
            Ty::I1,
            &format!("cmpi equal {b}, {zero}, signed : tile<i32> -> tile<i1>"),
        );
        self.line(&format!("if {c} {{"));
        self.scope(|program| {
            program.print();
            program.line("return");
        });
        self.line("}");
        let rest = self.define(Ty::I32, &format!("remi {a}, {b} unsigned : tile<i32>"));
        let name = self.name();
        self.branch_on(&c, &name);
        self.define(Ty::I32, &format!("addi {name}, {rest} : tile<i32>"));
    }

    /// Generates a reduction of a row, with a constant in the body.
    pub(super) fn reduction(&mut self) {
        let a = self.pick(Ty::Row);
        let number = self.rng.random_range(0..3u32);
        let [l, r, c, s, t] = [(); 5].map(|()| self.name());
        let name = self.name();
        self.line(&format!(
            "{name} = reduce {a} dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>"
        ));
        self.line(&format!("({l}: tile<i32>, {r}: tile<i32>) {{"));
        self.line(&format!("  {c} = constant <i32: {number}> : tile<i32>"));
        self.line(&format!("  {s} = addi {r}, {l} : tile<i32>"));
        self.line(&format!("  {t} = xori {s}, {c} : tile<i32>"));
        self.line(&format!("  yield {t} : tile<i32>"));
        self.line("}");
        self.values.push((name, Ty::I32));
    }
}
