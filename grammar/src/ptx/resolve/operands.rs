//! Resolves operands of instructions: registers, labels, symbols and numbers.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::ptx::{Address, Base, Immediate, RawOperand, Register, Special, Symbol};

use super::Resolver;
use crate::ptx::directives::integer;
use crate::ptx::names::{Declaration, Scope};
use crate::ptx::tree::{self, Scalar, Word};

impl Resolver<'_> {
    pub(super) fn register(&mut self, word: Word<'_>, names: &mut Scope) -> Option<Register> {
        let register = names.register(word.text);
        if register.is_none() && names.is_news(word.text) {
            self.undeclared_register(word, names);
        }
        register.map(|(register, declaration)| {
            self.used(word, declaration, Some(register));
            register
        })
    }

    fn used(&mut self, word: Word<'_>, declaration: Declaration, register: Option<Register>) {
        let at = self.span((word.start, word.end));
        self.parsed.names.add_use(at, declaration, register);
    }

    /// Resolves the name of a parameter, a variable or a function.
    fn symbol(&mut self, word: Word<'_>, names: &Scope) -> Option<Symbol> {
        let (symbol, declaration) = names.symbol(word.text)?;
        self.used(word, declaration, None);
        Some(symbol)
    }

    fn undeclared_register(&mut self, word: Word<'_>, names: &Scope) {
        let message = format!("register `{}` is not declared", word.text);
        let at = self.span((word.start, word.end));
        let problem = Diagnostic::error(Code::UndefinedValue, message).at(at, "not declared");
        let declared = names.declared(word.text).and_then(|(count, declaration)| {
            let declared = self.parsed.names.get(declaration)?;
            Some((count, declared.at))
        });
        self.parsed.diagnostics.push(match declared {
            Some((count, at)) => problem.also(at, format!("declared here, {count} in number")),
            None => problem,
        });
    }

    /// Resolves an operand; reports unknown names and numbers that are out of range.
    pub(super) fn operand(&mut self, operand: &tree::Operand<'_>, names: &mut Scope) -> Option<RawOperand> {
        match operand {
            tree::Operand::Scalar(scalar) => self.scalar(scalar, names),
            tree::Operand::Negated(word) => self.register(*word, names).map(RawOperand::Negated),
            tree::Operand::Pair(a, b) => {
                let (a, b) = (self.register(*a, names), self.register(*b, names));
                Some(RawOperand::Pair(a?, b?))
            }
            tree::Operand::Offset(name, offset) => {
                let offset = self.offset(*offset);
                match self.symbol(*name, names) {
                    Some(symbol) => Some(RawOperand::Symbol(symbol, offset?)),
                    None => self.unknown_name(*name, names),
                }
            }
            tree::Operand::Address(address, _, _) => {
                let offset = address.offset.map_or(Some(0), |offset| self.offset(offset));
                let base = if let Some((register, declaration)) = names.register(address.base.text) {
                    self.used(address.base, declaration, Some(register));
                    Base::Register(register)
                } else if let Some(symbol) = self.symbol(address.base, names) {
                    Base::Symbol(symbol)
                } else {
                    return self.unknown_name(address.base, names);
                };
                Some(RawOperand::Address(Address {
                    base,
                    offset: offset?,
                }))
            }
            tree::Operand::Vector(scalars, _, _) => self.scalars(scalars, names).map(RawOperand::Vector),
            tree::Operand::Tensor(map, scalars, _, _) => {
                let (map, coordinates) = (self.register(*map, names), self.scalars(scalars, names));
                Some(RawOperand::Tensor(map?, coordinates?))
            }
            tree::Operand::Group(words, _, _) => {
                let symbols: Vec<_> = words
                    .iter()
                    .filter_map(|word| {
                        self.symbol(*word, names)
                            .or_else(|| self.unknown_name(*word, names))
                    })
                    .collect();
                (symbols.len() == words.len()).then_some(RawOperand::Group(symbols))
            }
        }
    }

    fn scalars(&mut self, scalars: &[Scalar<'_>], names: &mut Scope) -> Option<Vec<RawOperand>> {
        let parts: Vec<_> = scalars
            .iter()
            .filter_map(|scalar| self.scalar(scalar, names))
            .collect();
        (parts.len() == scalars.len()).then_some(parts)
    }

    fn unknown_name<T>(&mut self, name: Word<'_>, names: &mut Scope) -> Option<T> {
        if !names.is_news(name.text) {
            return None;
        }
        if name.text.starts_with('%') {
            self.undeclared_register(name, names);
        } else {
            let message = format!("`{}` is no register, label, parameter or variable", name.text);
            self.report(
                Code::UnknownSymbol,
                (name.start, name.end),
                message,
                "not declared",
            );
        }
        None
    }

    fn offset(&mut self, word: Word<'_>) -> Option<i32> {
        let offset = integer(word.text).and_then(|offset| i32::try_from(offset).ok());
        if offset.is_none() {
            let message = format!("the offset {} does not fit 32 bits", word.text);
            self.report(Code::BadLiteral, (word.start, word.end), message, "too large");
        }
        offset
    }

    fn scalar(&mut self, scalar: &Scalar<'_>, names: &mut Scope) -> Option<RawOperand> {
        match scalar {
            Scalar::Name(word) => {
                if let Some((register, declaration)) = names.register(word.text) {
                    self.used(*word, declaration, Some(register));
                    Some(RawOperand::Register(register))
                } else if let Some((label, declaration)) = names.label(word.text) {
                    self.used(*word, declaration, None);
                    Some(RawOperand::Label(label))
                } else if let Some(symbol) = self.symbol(*word, names) {
                    Some(RawOperand::Symbol(symbol, 0))
                } else if let Some(special) = Special::from_word(word.text) {
                    Some(RawOperand::Special(special))
                } else if word.text == "_" {
                    Some(RawOperand::Sink)
                } else if word.text == "WARP_SZ" {
                    Some(RawOperand::Immediate(Immediate::Int(32)))
                } else {
                    self.unknown_name(*word, names)
                }
            }
            Scalar::Special(first, last) => {
                let special = Special::from_word(&format!("{}.{}", first.text, last.text));
                if special.is_none() {
                    let message = format!("there is no special register `{}.{}`", first.text, last.text);
                    self.report(Code::UnknownSymbol, (first.start, last.end), message, "unknown");
                }
                special.map(RawOperand::Special)
            }
            Scalar::Integer(word) => {
                let value = integer(word.text).and_then(wrap);
                if value.is_none() {
                    let message = format!("{} does not fit 64 bits", word.text);
                    self.report(Code::BadLiteral, (word.start, word.end), message, "too large");
                }
                value.map(|value| RawOperand::Immediate(Immediate::Int(value)))
            }
            Scalar::Float(word) => {
                let immediate = float(word.text);
                if immediate.is_none() {
                    let message = format!("{} is no float literal", word.text);
                    self.report(Code::BadLiteral, (word.start, word.end), message, "");
                }
                immediate.map(RawOperand::Immediate)
            }
        }
    }
}

/// Signed and unsigned 64-bit values, the latter in two's complement.
fn wrap(value: i128) -> Option<i64> {
    i64::try_from(value)
        .ok()
        .or_else(|| u64::try_from(value).ok().map(u64::cast_signed))
}

fn float(text: &str) -> Option<Immediate> {
    let digits = text.get(2..)?;
    match text.get(..2)? {
        "0f" | "0F" => u32::from_str_radix(digits, 16).ok().map(Immediate::F32),
        "0d" | "0D" => u64::from_str_radix(digits, 16).ok().map(Immediate::F64),
        _ => None,
    }
}
