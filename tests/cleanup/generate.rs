//! Random programs whose ops are all defined for all arguments.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The types of values in programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    I1,
    I8,
    I32,
    F32,
    Row,
}

impl Ty {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::I1 => "tile<i1>",
            Self::I8 => "tile<i8>",
            Self::I32 => "tile<i32>",
            Self::F32 => "tile<f32>",
            Self::Row => "tile<8xi32>",
        }
    }
}

/// Numbers that rules match, and others.
const INTEGERS: &[i32] = &[
    0,
    0,
    1,
    1,
    -1,
    2,
    3,
    7,
    8,
    31,
    100,
    i32::MIN,
    i32::MAX,
    0x5555_5555,
];
/// Floats that are small integers.
const WHOLE: &[&str] = &["0.0", "1.0", "-1.0", "2.0", "-7.0", "64.0"];
const FLOATS: &[&str] = &[
    "0.0", "-0.0", "1.0", "1.0", "-1.0", "0.5", "3.25", "1.0e-40", "3.0e38", "7.0e-3",
];

/// A program under construction.
pub(crate) struct Program<'a> {
    pub(super) rng: &'a mut ChaCha8Rng,
    text: String,
    pub(super) values: Vec<(String, Ty)>,
    count: usize,
    pub(super) depth: usize,
    /// Whether the position is in a loop, from which a kernel may not return.
    pub(super) in_loop: bool,
    /// Whether all floats are small integers, so that products and their sums are exact.
    whole: bool,
    /// Whether the program prints and returns early.
    pub(super) effects: bool,
}

/// The kind of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    /// All floats are small integers.
    pub(crate) whole: bool,
    /// The program has side effects and assumptions, which only the evaluator supports.
    pub(crate) effects: bool,
}

/// The text of a kernel `@k` of `(ptr<i32>, ptr<f32>, i32, i32, f32, f32)`, which stores one number through each
/// pointer.
pub(crate) fn program(rng: &mut ChaCha8Rng, kind: Kind) -> String {
    let arguments = [("%a", Ty::I32), ("%b", Ty::I32), ("%x", Ty::F32), ("%y", Ty::F32)];
    let mut program = Program {
        rng,
        text: String::new(),
        values: arguments.map(|(name, ty)| (name.to_owned(), ty)).to_vec(),
        count: 0,
        depth: 0,
        in_loop: false,
        whole: kind.whole,
        effects: kind.effects,
    };
    for _ in 0..14 {
        program.statement();
    }
    let sum = program.sum();
    let float = program.pick(Ty::F32);
    format!(
        "entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<f32>>, %a: tile<i32>, %b: tile<i32>, %x: tile<f32>, %y: tile<f32>) {{
{}  %s1 = store_ptr_tko weak %p, {sum} : tile<ptr<i32>>, tile<i32> -> token
  %s2 = store_ptr_tko weak %q, {float} : tile<ptr<f32>>, tile<f32> -> token
  return
}}
",
        program.text
    )
}

impl Program<'_> {
    pub(super) fn line(&mut self, text: &str) {
        self.text += &"  ".repeat(self.depth + 1);
        self.text += text;
        self.text.push('\n');
    }

    pub(super) fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    pub(super) fn define(&mut self, ty: Ty, op: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {op}"));
        self.values.push((name.clone(), ty));
        name
    }

    /// Picks a value of a type; sometimes, or if there is none, a new constant.
    pub(super) fn pick(&mut self, ty: Ty) -> String {
        let known: Vec<String> = self
            .values
            .iter()
            .filter(|(_, other)| *other == ty)
            .map(|(name, _)| name.clone())
            .collect();
        match known.choose(self.rng) {
            Some(name) if self.rng.random_bool(0.7) => name.clone(),
            _ => self.constant(ty),
        }
    }

    pub(super) fn constant(&mut self, ty: Ty) -> String {
        let number = *INTEGERS.choose(self.rng).expect("numbers");
        let text = match ty {
            Ty::I1 => format!("constant <i1: {}> : tile<i1>", number % 2 == 0),
            Ty::I8 => format!("constant <i8: {}> : tile<i8>", number % 128),
            Ty::I32 => format!("constant <i32: {number}> : tile<i32>"),
            Ty::F32 => {
                let numbers = if self.whole { WHOLE } else { FLOATS };
                let number = numbers.choose(self.rng).expect("numbers");
                format!("constant <f32: {number}> : tile<f32>")
            }
            Ty::Row if self.rng.random_bool(0.5) => "iota : tile<8xi32>".to_owned(),
            Ty::Row => format!("constant <i32: {number}> : tile<8xi32>"),
        };
        self.define(ty, &text)
    }

    /// Sums some integers.
    pub(super) fn sum(&mut self) -> String {
        let mut sum = self.pick(Ty::I32);
        for _ in 0..3 {
            let other = self.pick(Ty::I32);
            sum = self.define(Ty::I32, &format!("addi {sum}, {other} : tile<i32>"));
        }
        sum
    }

    pub(super) fn statement(&mut self) {
        match self.rng.random_range(0..30u32) {
            0..=6 => self.integer(),
            7..=9 => self.float(),
            10 => self.comparison(),
            11 | 12 => self.conversion(),
            13 | 14 => self.select(),
            15 | 16 => self.row(),
            17 | 18 if self.depth < 3 => self.branch(),
            19 | 20 if self.depth < 2 => self.counted(),
            21 if self.depth < 2 => self.endless(),
            22 if self.depth < 3 => self.choice(),
            23 | 24 if self.depth < 3 => self.twins(),
            25 if self.depth < 3 => self.nest(),
            26 if self.effects => self.leave(),
            27 if self.effects => self.promise(),
            28 if self.effects => self.print(),
            29 if self.effects => self.reduction(),
            _ => self.integer(),
        }
    }

    pub(super) fn integer(&mut self) {
        let ty = *[Ty::I32, Ty::I32, Ty::I32, Ty::I8, Ty::I1, Ty::Row]
            .choose(self.rng)
            .expect("types");
        let t = ty.text();
        let (a, b) = (self.pick(ty), self.pick(ty));
        let sign = *["signed", "unsigned"].choose(self.rng).expect("words");
        let op = match self.rng.random_range(0..14u32) {
            0 | 1 => format!("addi {a}, {b} : {t}"),
            2 | 3 => format!("subi {a}, {b} : {t}"),
            4 | 5 => format!("muli {a}, {b} : {t}"),
            6 => format!("andi {a}, {b} : {t}"),
            7 => format!("ori {a}, {b} : {t}"),
            8 => format!("xori {a}, {b} : {t}"),
            9 if ty != Ty::I1 => format!("maxi {a}, {b} {sign} : {t}"),
            10 if ty != Ty::I1 => format!("mini {a}, {b} {sign} : {t}"),
            11 if ty == Ty::I32 => {
                let amount = self.rng.random_range(0..32u32);
                let amount = self.define(Ty::I32, &format!("constant <i32: {amount}> : tile<i32>"));
                let shifts = [
                    format!("shri {a}, {amount} {sign} : {t}"),
                    format!("shli {a}, {amount} : {t}"),
                ];
                shifts.choose(self.rng).expect("a shift").clone()
            }
            12 if ty == Ty::I32 => {
                let divisor = *[1, 2, 3, 7, 100].choose(self.rng).expect("divisors");
                let divisor = self.define(Ty::I32, &format!("constant <i32: {divisor}> : tile<i32>"));
                let op = *["divi", "remi"].choose(self.rng).expect("ops");
                format!("{op} {a}, {divisor} {sign} : {t}")
            }
            13 if ty == Ty::I32 => format!("mulhii {a}, {b} : {t}"),
            _ => format!("xori {a}, {b} : {t}"),
        };
        self.define(ty, &op);
    }

    pub(super) fn float(&mut self) {
        if self.whole {
            return self.whole_float();
        }
        let (a, b) = (self.pick(Ty::F32), self.pick(Ty::F32));
        let c = self.pick(Ty::F32);
        let modes = [
            "",
            " rounding<zero>",
            " rounding<negative_inf>",
            " rounding<positive_inf>",
        ];
        let mode = *modes.choose(self.rng).expect("modes");
        let flush = *["", "", " flush_to_zero"].choose(self.rng).expect("words");
        let op = match self.rng.random_range(0..12u32) {
            11 => {
                let product = self.define(Ty::F32, &format!("mulf {a}, {b}{mode} : tile<f32>"));
                format!("addf {product}, {c}{mode} : tile<f32>")
            }
            0 | 1 => format!("addf {a}, {b}{mode}{flush} : tile<f32>"),
            2 | 3 => format!("subf {a}, {b}{mode}{flush} : tile<f32>"),
            4 | 5 => format!("mulf {a}, {b}{mode}{flush} : tile<f32>"),
            6 => format!("fma {a}, {b}, {c}{mode}{flush} : tile<f32>"),
            7 => format!("negf {a} : tile<f32>"),
            8 => format!("absf {a} : tile<f32>"),
            9 => format!("maxf {a}, {b} : tile<f32>"),
            _ => format!("minf {a}, {b} : tile<f32>"),
        };
        self.define(Ty::F32, &op);
    }

    pub(super) fn comparison(&mut self) {
        let predicates = [
            "equal",
            "not_equal",
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
        ];
        let predicate = *predicates.choose(self.rng).expect("predicates");
        let op = if self.rng.random_bool(0.3) {
            let (a, b) = (self.pick(Ty::F32), self.pick(Ty::F32));
            let ordering = *["ordered", "unordered"].choose(self.rng).expect("words");
            format!("cmpf {predicate} {ordering} {a}, {b} : tile<f32> -> tile<i1>")
        } else {
            let (a, b) = (self.pick(Ty::I32), self.pick(Ty::I32));
            let sign = *["signed", "unsigned"].choose(self.rng).expect("words");
            format!("cmpi {predicate} {a}, {b}, {sign} : tile<i32> -> tile<i1>")
        };
        self.define(Ty::I1, &op);
    }

    pub(super) fn conversion(&mut self) {
        match self.rng.random_range(0..5u32) {
            0 => {
                let a = self.pick(Ty::I32);
                self.define(Ty::I8, &format!("trunci {a} : tile<i32> -> tile<i8>"));
            }
            1 => {
                let a = self.pick(Ty::I8);
                let sign = *["signed", "unsigned"].choose(self.rng).expect("words");
                self.define(Ty::I32, &format!("exti {a} {sign} : tile<i8> -> tile<i32>"));
            }
            2 => {
                let a = self.pick(Ty::I1);
                self.define(Ty::I32, &format!("exti {a} unsigned : tile<i1> -> tile<i32>"));
            }
            3 if !self.whole => {
                let a = self.pick(Ty::I32);
                self.define(Ty::F32, &format!("itof {a} signed : tile<i32> -> tile<f32>"));
            }
            _ => {
                let a = self.pick(Ty::I32);
                self.define(Ty::I1, &format!("trunci {a} : tile<i32> -> tile<i1>"));
            }
        }
    }

    pub(super) fn select(&mut self) {
        let ty = *[Ty::I32, Ty::I32, Ty::F32, Ty::I1]
            .choose(self.rng)
            .expect("types");
        let (c, a, b) = (self.pick(Ty::I1), self.pick(ty), self.pick(ty));
        let t = ty.text();
        self.define(ty, &format!("select {c}, {a}, {b} : tile<i1>, {t}"));
    }

    /// Converts scalars to rows and back.
    pub(super) fn row(&mut self) {
        if self.rng.random_bool(0.5) {
            let a = self.pick(Ty::I32);
            let r = self.name();
            self.line(&format!("{r} = reshape {a} : tile<i32> -> tile<1xi32>"));
            self.define(Ty::Row, &format!("broadcast {r} : tile<1xi32> -> tile<8xi32>"));
        } else {
            let a = self.pick(Ty::Row);
            let r = self.name();
            self.line(&format!("{r} = reshape {a} : tile<8xi32> -> tile<2x4xi32>"));
            let s = self.name();
            self.line(&format!(
                "{s} = permute {r} [1, 0] : tile<2x4xi32> -> tile<4x2xi32>"
            ));
            self.define(Ty::Row, &format!("reshape {s} : tile<4x2xi32> -> tile<8xi32>"));
        }
    }
}
