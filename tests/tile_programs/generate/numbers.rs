//! Elementwise ops on numbers.

use std::cmp::Ordering;

use super::super::numbers::Ty;
use super::{FLOATS, Generator, INTS, Range, SIGNS, tile};

const PREDICATES: [&str; 6] = [
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
];

impl Generator {
    pub(super) fn integers(&mut self) {
        let (shape, ty) = (self.shape(), self.integer_type());
        let a = self.pick(&shape, ty).name;
        let b = self.pick(&shape, ty).name;
        let to = tile(&shape, ty.name());
        let sign = self.choose(&SIGNS);
        let op = self.choose(&[
            "addi", "addi", "subi", "muli", "mulhii", "andi", "ori", "xori", "maxi", "mini", "absi", "negi",
            "divide", "shift",
        ]);
        let text = match op {
            "maxi" | "mini" => format!("{op} {a}, {b} {sign} : {to}"),
            "absi" | "negi" => format!("{op} {a} : {to}"),
            "divide" if ty != Ty::I1 => {
                // From 1 to 127: neither 0 nor -1.
                let (low, one) = (self.splat(&shape, ty, 126), self.splat(&shape, ty, 1));
                let even = self.let_be(&format!("andi {b}, {low} : {to}"));
                let by = match self.chance(30) {
                    true => {
                        let by = self.choose(&[1, 2, 3, 7, 16, 100]);
                        self.splat(&shape, ty, by)
                    }
                    false => self.let_be(&format!("ori {even}, {one} : {to}")),
                };
                match (self.below(3), sign) {
                    (0, _) => format!("remi {a}, {by} {sign} : {to}"),
                    (1, "signed") => format!("divi {a}, {by} signed rounding<negative_inf> : {to}"),
                    (1, _) => format!("divi {a}, {by} {sign} rounding<positive_inf> : {to}"),
                    (_, _) => format!("divi {a}, {by} {sign} : {to}"),
                }
            }
            "shift" if ty != Ty::I1 => {
                let most = self.splat(&shape, ty, i64::from(ty.bits()) - 1);
                let by = self.let_be(&format!("andi {b}, {most} : {to}"));
                match self.chance(50) {
                    true => format!("shli {a}, {by} : {to}"),
                    false => format!("shri {a}, {by} {sign} : {to}"),
                }
            }
            "divide" | "shift" => format!("xori {a}, {b} : {to}"),
            _ => format!("{op} {a}, {b} : {to}"),
        };
        self.define(&shape, ty, None, &text);
    }

    pub(super) fn floats(&mut self) {
        let (shape, ty) = (self.shape(), self.float_type());
        let to = tile(&shape, ty.name());
        let within = Range { grid: -3, top: 4 };
        let [a, b, c] = match self.chance(50) {
            true => [(); 3].map(|()| self.pick_exact(&shape, ty, within)),
            false => [(); 3].map(|()| self.pick(&shape, ty)),
        };
        let rounding = self.choose(&[
            "",
            "",
            "",
            " rounding<zero>",
            " rounding<negative_inf>",
            " rounding<positive_inf>",
        ]);
        let flush = match ty == Ty::F32 && self.chance(25) {
            true => " flush_to_zero",
            false => "",
        };
        let nan = self.choose(&["", " propagate_nan"]);
        let two = a.range.zip(b.range);
        let op = self.choose(&[
            "addf", "addf", "subf", "mulf", "mulf", "divf", "fma", "fma", "maxf", "minf", "remf", "absf",
            "negf", "ceil", "floor", "sqrt",
        ]);
        let (range, text) = match op {
            "addf" | "subf" => (
                two.map(|(a, b)| a.sum(b)),
                format!("{op} {}, {}{rounding}{flush} : {to}", a.name, b.name),
            ),
            "mulf" => (
                two.map(|(a, b)| a.product(b)),
                format!("{op} {}, {}{rounding}{flush} : {to}", a.name, b.name),
            ),
            "fma" => (
                two.zip(c.range).map(|((a, b), c)| a.product(b).sum(c)),
                format!("fma {}, {}, {}{rounding}{flush} : {to}", a.name, b.name, c.name),
            ),
            "maxf" | "minf" => (
                two.map(|(a, b)| a.union(b)),
                format!("{op} {}, {}{flush}{nan} : {to}", a.name, b.name),
            ),
            "absf" | "negf" => (a.range, format!("{op} {} : {to}", a.name)),
            "ceil" | "floor" => (
                a.range.map(|range| Range {
                    grid: range.grid.max(0),
                    top: range.top.max(0) + 1,
                }),
                format!("{op} {} : {to}", a.name),
            ),
            "sqrt" => (None, format!("sqrt {}{rounding}{flush} : {to}", a.name)),
            "remf" => (None, format!("remf {}, {} : {to}", a.name, b.name)),
            _ => (
                None,
                format!("{op} {}, {}{rounding}{flush} : {to}", a.name, b.name),
            ),
        };
        self.define(&shape, ty, range.filter(|range| range.fits(ty)), &text);
    }

    pub(super) fn conversions(&mut self) {
        let shape = self.shape();
        let sign = self.choose(&SIGNS);
        let (int, float) = (self.integer_type(), self.float_type());
        match self.below(7) {
            0 => {
                let a = self.pick(&shape, int);
                let range = match (int, sign) {
                    (Ty::I8, "signed") => Some(Range { grid: 0, top: 7 }),
                    (Ty::I8, _) => Some(Range { grid: 0, top: 8 }),
                    _ => None,
                };
                let op = format!(
                    "itof {} {sign} : {} -> {}",
                    a.name,
                    a.text(),
                    tile(&shape, float.name())
                );
                self.define(&shape, float, range.filter(|range| range.fits(float)), &op);
            }
            1 => {
                let a = self.pick(&shape, float);
                let to = tile(&shape, int.name());
                self.define(
                    &shape,
                    int,
                    None,
                    &format!("ftoi {} {sign} saturating : {} -> {to}", a.name, a.text()),
                );
            }
            2 => {
                let a = self.pick_exact(&shape, float, Range { grid: -3, top: 6 });
                let int = self.choose(&INTS[1..]);
                let to = tile(&shape, int.name());
                let sign = if sign == "unsigned" {
                    "unsigned saturating"
                } else {
                    sign
                };
                self.define(
                    &shape,
                    int,
                    None,
                    &format!("ftoi {} {sign} : {} -> {to}", a.name, a.text()),
                );
            }
            // Two numbers of the narrowest format share a byte.
            3 if self.chance(15) && shape.iter().any(|extent| extent % 2 == 0) => {
                // It has the multiples of 0.5 up to 2.
                let a = self.pick_exact(&shape, float, Range { grid: -1, top: 1 });
                let narrow = tile(&shape, "f4E2M1FN");
                let op = format!("ftof {} : {} -> {narrow}", a.name, a.text());
                let few = self.let_be(&op);
                let to = self.float_type();
                let op = format!("ftof {few} : {narrow} -> {}", tile(&shape, to.name()));
                self.define(&shape, to, a.range.filter(|range| range.fits(to)), &op);
            }
            3 => {
                // Through a narrow format and back.
                let narrow = self.choose(&[Ty::Tf32, Ty::E4m3, Ty::E5m2]);
                let a = match self.chance(60) {
                    true => self.pick_exact(&shape, float, Range { grid: -1, top: 2 }),
                    false => self.pick(&shape, float),
                };
                let range = a.range.filter(|range| range.fits(narrow));
                let op = format!(
                    "ftof {} : {} -> {}",
                    a.name,
                    a.text(),
                    tile(&shape, narrow.name())
                );
                let narrow = self.define(&shape, narrow, range, &op);
                let to = self.float_type();
                let op = format!(
                    "ftof {} : {} -> {}",
                    narrow.name,
                    narrow.text(),
                    tile(&shape, to.name())
                );
                self.define(&shape, to, range.filter(|range| range.fits(to)), &op);
            }
            4 => {
                let a = self.pick(&shape, float);
                let others: Vec<Ty> = FLOATS.into_iter().filter(|&ty| ty != float).collect();
                let to = self.choose(&others);
                let range = a.range.filter(|range| range.fits(to));
                let op = format!("ftof {} : {} -> {}", a.name, a.text(), tile(&shape, to.name()));
                self.define(&shape, to, range, &op);
            }
            5 => {
                let others: Vec<Ty> = INTS.into_iter().filter(|&ty| ty != int).collect();
                let to = self.choose(&others);
                let a = self.pick(&shape, int);
                let target = tile(&shape, to.name());
                let text = match to.bits().cmp(&int.bits()) {
                    Ordering::Less => format!("trunci {} : {} -> {target}", a.name, a.text()),
                    Ordering::Equal | Ordering::Greater => {
                        format!("exti {} {sign} : {} -> {target}", a.name, a.text())
                    }
                };
                self.define(&shape, to, None, &text);
            }
            _ => {
                let (int, float) = self.choose(&[
                    (Ty::I32, Ty::F32),
                    (Ty::I16, Ty::Bf16),
                    (Ty::I16, Ty::F16),
                    (Ty::I64, Ty::F64),
                ]);
                let (a, to) = match self.chance(50) {
                    true => (self.pick(&shape, int), float),
                    false => {
                        let within = Range { grid: -4, top: 7 };
                        (self.pick_exact(&shape, float, within), int)
                    }
                };
                let op = format!("bitcast {} : {} -> {}", a.name, a.text(), tile(&shape, to.name()));
                self.define(&shape, to, None, &op);
            }
        }
    }

    pub(super) fn comparisons(&mut self) {
        let shape = self.shape();
        let (predicate, sign) = (self.choose(&PREDICATES), self.choose(&SIGNS));
        let truth = tile(&shape, "i1");
        let text = if self.chance(50) {
            let ty = self.integer_type();
            let (a, b) = (self.pick(&shape, ty), self.pick(&shape, ty));
            format!(
                "cmpi {predicate} {}, {}, {sign} : {} -> {truth}",
                a.name,
                b.name,
                a.text()
            )
        } else {
            let (ty, ordering) = (self.float_type(), self.choose(&["ordered", "unordered"]));
            let (a, b) = (self.pick(&shape, ty), self.pick(&shape, ty));
            format!(
                "cmpf {predicate} {ordering} {}, {} : {} -> {truth}",
                a.name,
                b.name,
                a.text()
            )
        };
        let condition = self.define(&shape, Ty::I1, None, &text).name;
        let ty = self.any_type();
        let (a, b) = (self.pick(&shape, ty), self.pick(&shape, ty));
        let range = a.range.zip(b.range).map(|(a, b)| a.union(b));
        let op = format!(
            "select {condition}, {}, {} : {truth}, {}",
            a.name,
            b.name,
            a.text()
        );
        self.define(&shape, ty, range.filter(|range| range.fits(ty)), &op);
    }
}
