//! Elementary functions, whose last bits no one promises: a program compares the result with that in f64, and keeps
//! whether they are close.

use super::super::numbers::Ty;
use super::{Generator, Range, Tile, tile};

const UNARY: [&str; 11] = [
    "exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "rsqrt",
];
const BINARY: [&str; 2] = ["atan2", "fpowf"];

impl Generator {
    /// A function of operands of at most 8, and the truth of a difference of at most 8 units in the last place, or of
    /// next to nothing where the result is subnormal. NaN and infinity are far from everything.
    pub(super) fn functions(&mut self) {
        let shape = self.shape();
        let (ty, mantissa, least) = self.choose(&[
            (Ty::F16, 10, "4.0e-7"),
            (Ty::Bf16, 7, "1.0e-30"),
            (Ty::F32, 23, "1.0e-30"),
        ]);
        let (op, count) = match self.chance(80) {
            true => (self.choose(&UNARY), 1),
            false => (self.choose(&BINARY), 2),
        };
        let within = Range { grid: -3, top: 3 };
        let operands: Vec<Tile> = (0..count).map(|_| self.pick_exact(&shape, ty, within)).collect();
        let (to, wide) = (tile(&shape, ty.name()), tile(&shape, "f64"));
        let names: Vec<&str> = operands.iter().map(|operand| operand.name.as_str()).collect();
        let found = self.let_be(&format!("{op} {} : {to}", names.join(", ")));
        let found = self.let_be(&format!("ftof {found} : {to} -> {wide}"));
        let names: Vec<String> = operands
            .iter()
            .map(|operand| self.let_be(&format!("ftof {} : {to} -> {wide}", operand.name)))
            .collect();
        let wanted = self.let_be(&format!("{op} {} : {wide}", names.join(", ")));
        let apart = self.let_be(&format!("subf {found}, {wanted} : {wide}"));
        let apart = self.let_be(&format!("absf {apart} : {wide}"));
        let size = self.let_be(&format!("absf {wanted} : {wide}"));
        let unit = 8.0 / f64::from(1 << mantissa);
        let unit = self.let_be(&format!("constant <f64: {unit:e}> : {wide}"));
        let least = self.let_be(&format!("constant <f64: {least}> : {wide}"));
        let bound = self.let_be(&format!("fma {size}, {unit}, {least} : {wide}"));
        self.work += u64::from(super::count(&shape)) * self.turns * 30;
        let truth = tile(&shape, "i1");
        let close = format!("cmpf less_than_or_equal ordered {apart}, {bound} : {wide} -> {truth}");
        self.define(&shape, Ty::I1, None, &close);
    }
}
