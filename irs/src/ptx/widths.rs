//! How wide the registers of each instruction must be.
//!
//! A register is as wide as the instruction's type; those of loads, stores and conversions may be wider.

use super::instructions::Instruction as I;
use super::modifiers::Part;
use super::operands::MoveSource;
use super::types::{Address, Base, Class, Predicate, Register, Type, Value};

/// Collects the registers that are not as wide as they must be.
struct Misfits(Vec<Register>);

impl Misfits {
    fn fits(&mut self, register: Register, fits: bool) {
        if !fits {
            self.0.push(register);
        }
    }

    fn exact(&mut self, bits: u32, registers: &[Register]) {
        for register in registers {
            self.fits(*register, register.class.bits() == bits);
        }
    }

    fn values(&mut self, bits: u32, values: &[Value]) {
        for value in values {
            if let Value::Register(register) = value {
                self.exact(bits, &[*register]);
            }
        }
    }

    fn at_least(&mut self, bits: u32, register: Register) {
        self.fits(
            register,
            register.class != Class::Pred && register.class.bits() >= bits,
        );
    }

    fn value_at_least(&mut self, bits: u32, value: &Value) {
        if let Value::Register(register) = value {
            self.at_least(bits, *register);
        }
    }

    fn source(&mut self, bits: u32, source: &MoveSource) {
        if let MoveSource::Value(value) = source {
            self.values(bits, &[*value]);
        }
    }

    fn predicates(&mut self, predicates: &[Predicate]) {
        for predicate in predicates {
            self.exact(1, &[predicate.register]);
        }
    }

    fn address(&mut self, address: &Address) {
        if let Base::Register(register) = address.base {
            self.fits(register, matches!(register.class, Class::B32 | Class::B64));
        }
    }
}

/// The registers of `instruction` that are not as wide as they must be.
#[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
pub(super) fn misfits(instruction: &I) -> Vec<Register> {
    let mut found = Misfits(Vec::new());
    let m = &mut found;
    match instruction {
        I::Mov { ty, d, a } => {
            m.exact(ty.bits(), &[*d]);
            m.source(ty.bits(), a);
        }
        I::Pack { ty, d, a } => {
            m.exact(ty.bits(), &[*d]);
            m.values(part(*ty, a.0.len()), &a.0);
        }
        I::Unpack { ty, d, a } => {
            m.exact(part(*ty, d.0.len()), &d.0);
            m.exact(ty.bits(), &[*a]);
        }
        I::Mul {
            part: Some(Part::Wide),
            ty,
            d,
            a,
            b,
            ..
        } => {
            m.exact(ty.bits() * 2, &[*d]);
            m.values(ty.bits(), &[*a, *b]);
        }
        I::Mad {
            part: Part::Wide,
            ty,
            d,
            a,
            b,
            c,
            ..
        } => {
            m.exact(ty.bits() * 2, &[*d]);
            m.values(ty.bits(), &[*a, *b]);
            m.values(ty.bits() * 2, &[*c]);
        }
        I::Add { ty, d, a, b, .. }
        | I::Sub { ty, d, a, b, .. }
        | I::Mul { ty, d, a, b, .. }
        | I::Div { ty, d, a, b, .. }
        | I::Rem { ty, d, a, b }
        | I::Min { ty, d, a, b, .. }
        | I::Max { ty, d, a, b, .. }
        | I::Copysign { ty, d, a, b }
        | I::And { ty, d, a, b }
        | I::Or { ty, d, a, b }
        | I::Xor { ty, d, a, b } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b]);
        }
        I::Mad { ty, d, a, b, c, .. }
        | I::Fma { ty, d, a, b, c, .. }
        | I::Shf { ty, d, a, b, c, .. }
        | I::Prmt { ty, d, a, b, c, .. } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b, *c]);
        }
        I::Neg { ty, d, a, .. }
        | I::Abs { ty, d, a, .. }
        | I::Sqrt { ty, d, a, .. }
        | I::Rsqrt { ty, d, a, .. }
        | I::Rcp { ty, d, a, .. }
        | I::Ex2 { ty, d, a, .. }
        | I::Lg2 { ty, d, a, .. }
        | I::Sin { ty, d, a, .. }
        | I::Cos { ty, d, a, .. }
        | I::Tanh { ty, d, a, .. }
        | I::Not { ty, d, a }
        | I::Brev { ty, d, a } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a]);
        }
        I::Testp { ty, d, a, .. } => {
            m.exact(1, &[*d]);
            m.values(ty.bits(), &[*a]);
        }
        I::Shl { ty, d, a, b } | I::Shr { ty, d, a, b } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a]);
            m.values(32, &[*b]);
        }
        I::Lop3 {
            ty,
            d,
            a,
            b,
            c,
            table,
        } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b, *c, *table]);
        }
        I::Bfe { ty, d, a, b, c } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a]);
            m.values(32, &[*b, *c]);
        }
        I::Bfi { ty, d, a, b, c, e } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b]);
            m.values(32, &[*c, *e]);
        }
        I::Popc { ty, d, a } | I::Clz { ty, d, a } => {
            m.exact(32, &[*d]);
            m.values(ty.bits(), &[*a]);
        }
        I::Setp { ty, d, a, b, .. } => {
            m.exact(1, &[*d]);
            m.values(ty.bits(), &[*a, *b]);
        }
        I::SetpCombine { ty, d, a, b, c, .. } => {
            m.exact(1, &[*d]);
            m.values(ty.bits(), &[*a, *b]);
            m.predicates(&[*c]);
        }
        I::Set { to, ty, d, a, b, .. } => {
            m.exact(to.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b]);
        }
        I::Selp { ty, d, a, b, c } => {
            m.exact(ty.bits(), &[*d]);
            m.values(ty.bits(), &[*a, *b]);
            m.predicates(&[*c]);
        }
        I::AndPred { d, a, b } | I::OrPred { d, a, b } | I::XorPred { d, a, b } => {
            m.exact(1, &[*d]);
            m.predicates(&[*a, *b]);
        }
        I::NotPred { d, a } => {
            m.exact(1, &[*d]);
            m.predicates(&[*a]);
        }
        I::Cvt { to, from, d, a, .. }
        | I::CvtClamp { to, from, d, a, .. }
        | I::CvtToFp8 { to, from, d, a, .. }
        | I::CvtFromFp8 { to, from, d, a, .. } => {
            m.at_least(to.bits(), *d);
            m.value_at_least(from.bits(), a);
        }
        I::CvtPack {
            to, from, d, a, b, ..
        }
        | I::CvtPackFp8 {
            to, from, d, a, b, ..
        } => {
            m.at_least(to.bits(), *d);
            m.value_at_least(from.bits(), a);
            m.value_at_least(from.bits(), b);
        }
        I::Cvta { ty, d, a, .. } => {
            m.exact(ty.bits(), &[*d]);
            m.source(ty.bits(), a);
        }
        I::Ld { ty, d, a, .. } | I::LdNc { ty, d, a, .. } => {
            for d in &d.0 {
                m.at_least(ty.bits(), *d);
            }
            m.address(a);
        }
        I::St { ty, a, b, .. } => {
            m.address(a);
            for b in &b.0 {
                m.value_at_least(ty.bits(), b);
            }
        }
        I::Atom { ty, d, a, b, .. } => {
            m.exact(ty.bits(), &[*d]);
            m.address(a);
            m.values(ty.bits(), &[*b]);
        }
        I::AtomCas { ty, d, a, b, c, .. } => {
            m.exact(ty.bits(), &[*d]);
            m.address(a);
            m.values(ty.bits(), &[*b, *c]);
        }
        I::Red { ty, a, b, .. } => {
            m.address(a);
            m.values(ty.bits(), &[*b]);
        }
        I::BarSync { a, b } | I::BarrierCtaSync { a, b, .. } | I::BarrierSync { a, b, .. } => {
            m.values(32, &[*a]);
            m.values(32, b.as_slice());
        }
        I::BarArrive { a, b } | I::BarrierCtaArrive { a, b, .. } => m.values(32, &[*a, *b]),
        I::BarWarpSync { mask } => m.values(32, &[*mask]),
        I::ShflSync { d, a, b, c, mask, .. } => {
            m.exact(32, &[d.register]);
            m.exact(1, d.predicate.as_slice());
            m.values(32, &[*a, *b, *c, *mask]);
        }
        I::VoteSync { d, a, mask, .. } => {
            m.exact(1, &[*d]);
            m.predicates(&[*a]);
            m.values(32, &[*mask]);
        }
        I::VoteBallot { d, a, mask, .. } => {
            m.exact(32, &[*d]);
            m.predicates(&[*a]);
            m.values(32, &[*mask]);
        }
        I::ReduxSync { d, a, mask, .. } => {
            m.exact(32, &[*d]);
            m.values(32, &[*a, *mask]);
        }
        I::Activemask { d, .. } => m.exact(32, &[*d]),
        I::ElectSync { d, mask } => {
            m.exact(32, &[d.register]);
            m.exact(1, d.predicate.as_slice());
            m.values(32, &[*mask]);
        }
        I::Nanosleep { a, .. } => m.values(32, &[*a]),
        I::Membar { .. } | I::Fence { .. } | I::Bra { .. } | I::Ret { .. } | I::Exit {} | I::Trap {} => {}
    }
    found.0
}

/// The width of one of the parts of a packed register.
fn part(ty: Type, parts: usize) -> u32 {
    u32::try_from(parts)
        .ok()
        .and_then(|parts| ty.bits().checked_div(parts))
        .unwrap_or(0)
}
