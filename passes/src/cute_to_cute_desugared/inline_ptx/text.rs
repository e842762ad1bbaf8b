//! Reads the text of inline PTX.

use tilewright_irs::isa::Type;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `{`: names that are declared up to its end are known up to there.
    Open,
    /// `}`
    Close,
    /// `.reg .b32 a, b;`
    Registers(Type, Vec<String>),
    /// `name:`
    Label(String),
    /// `@!p add.s32 a, b, c;`
    Instruction {
        /// The guard, and whether it is negated.
        guard: Option<(Operand, bool)>,
        /// The mnemonic and its modifiers.
        words: Vec<String>,
        /// The operands.
        operands: Vec<Operand>,
    },
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// `$0`: an operand of the op, by its number.
    Placeholder(usize),
    /// `name`
    Name(String),
    /// `%tid.x`
    Special(String),
    /// `-1`, `0x10`
    Integer(i64),
    /// `0f3F800000`, by its bits.
    Single(u32),
    /// `0d3FF0000000000000`, by its bits.
    Double(u64),
    /// `[a+4]`
    Address(Box<Self>, i32),
    /// `{a, b}`
    List(Vec<Self>),
    /// `a|b`
    Pair(Box<Self>, Box<Self>),
    /// `!p`
    Not(Box<Self>),
    /// `_`
    Sink,
}

/// Reads all statements.
///
/// # Errors
/// What is not understood.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let mut reader = Reader { rest: text };
    let mut statements = Vec::new();
    loop {
        reader.skip()?;
        if reader.rest.is_empty() {
            return Ok(statements);
        }
        if reader.eat(";") {
            continue;
        }
        statements.push(reader.statement()?);
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment
                    .find('\n')
                    .map_or("", |end| comment.get(end..).unwrap_or(""));
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                match comment.split_once("*/") {
                    Some((_, rest)) => self.rest = rest,
                    None => return Err("a comment does not end".to_owned()),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn eat(&mut self, mark: &str) -> bool {
        if self.skip().is_err() {
            return false;
        }
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        match self.eat(mark) {
            true => Ok(()),
            false => Err(format!("`{mark}` is missing before `{}`", self.shown())),
        }
    }

    /// The beginning of what follows.
    fn shown(&self) -> String {
        self.rest
            .chars()
            .take_while(|c| *c != '\n' && *c != ';')
            .take(24)
            .collect()
    }

    fn take(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn name(&mut self) -> Result<&'a str, String> {
        self.skip()?;
        match self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')) {
            "" => Err(format!("a name is missing before `{}`", self.shown())),
            name => Ok(name),
        }
    }

    fn statement(&mut self) -> Result<Statement, String> {
        if self.eat("{") {
            return Ok(Statement::Open);
        }
        if self.eat("}") {
            return Ok(Statement::Close);
        }
        if self.rest.starts_with('.') {
            return self.directive();
        }
        let guard = match self.eat("@") {
            true => {
                let negated = self.eat("!");
                Some((self.operand()?, negated))
            }
            false => None,
        };
        self.skip()?;
        let start = self.rest;
        let words = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '%'));
        if guard.is_none()
            && let Some(label) = words.strip_suffix(':')
            && !label.contains(':')
        {
            return Ok(Statement::Label(label.to_owned()));
        }
        // A label and its mark may stand apart.
        if guard.is_none() && !words.is_empty() && self.eat(":") {
            return Ok(Statement::Label(words.to_owned()));
        }
        if !words.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.rest = start;
            return Err(format!("`{}` is no instruction", self.shown()));
        }
        let words = words.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        if !self.ends()? {
            loop {
                operands.push(self.operand()?);
                if !self.eat(",") {
                    break;
                }
            }
            if !self.ends()? {
                return Err(format!("`;` is missing before `{}`", self.shown()));
            }
        }
        Ok(Statement::Instruction {
            guard,
            words,
            operands,
        })
    }

    /// Takes the end of an instruction. The last one may have none.
    fn ends(&mut self) -> Result<bool, String> {
        self.skip()?;
        Ok(self.eat(";") || self.rest.is_empty() || self.rest.starts_with('}'))
    }

    /// `.reg .b32 a, b<4>;`
    fn directive(&mut self) -> Result<Statement, String> {
        let shown = self.shown();
        self.expect(".")?;
        let word = self.name()?;
        if word != "reg" {
            return Err(format!("`{shown}`: only registers are declared in inline PTX"));
        }
        self.expect(".")?;
        let ty = self.name()?;
        let Some(ty) = Type::from_word(ty) else {
            return Err(format!("`.{ty}` is no type of a register"));
        };
        let mut names = Vec::new();
        loop {
            let name = self.name()?;
            match self.eat("<") {
                true => {
                    let count: u32 = match self.operand()? {
                        Operand::Integer(count @ 0..=MOST_REGISTERS) => count.try_into().unwrap_or(0),
                        _ => return Err(format!("`{name}<…>` has too many registers")),
                    };
                    self.expect(">")?;
                    names.extend((0..count).map(|number| format!("{name}{number}")));
                }
                false => names.push(name.to_owned()),
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(Statement::Registers(ty, names))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let first = self.simple()?;
        match self.eat("|") {
            true => Ok(Operand::Pair(Box::new(first), Box::new(self.simple()?))),
            false => Ok(first),
        }
    }

    fn simple(&mut self) -> Result<Operand, String> {
        if self.eat("!") {
            return Ok(Operand::Not(Box::new(self.simple()?)));
        }
        if self.eat("{") {
            let mut items = Vec::new();
            loop {
                items.push(self.simple()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}")?;
            return Ok(Operand::List(items));
        }
        if self.eat("[") {
            let base = self.simple()?;
            let offset = match (self.eat("+"), self.rest.starts_with('-')) {
                (false, false) => 0,
                _ => match self.simple()? {
                    Operand::Integer(offset) => {
                        i32::try_from(offset).map_err(|_| format!("an offset of {offset} is too large"))?
                    }
                    _ => return Err("the offset of an address is a number".to_owned()),
                },
            };
            self.expect("]")?;
            return Ok(Operand::Address(Box::new(base), offset));
        }
        self.skip()?;
        if let Some(rest) = self.rest.strip_prefix('$') {
            self.rest = rest;
            let braced = self.eat("{");
            let digits = self.take(|c| c.is_ascii_digit());
            let number = digits
                .parse()
                .map_err(|_| format!("`${digits}` is no operand of the op"))?;
            if braced {
                // A modifier of how the operand is written does not matter: PTX has one way.
                if self.eat(":") {
                    self.take(|c| c.is_ascii_alphabetic());
                }
                self.expect("}")?;
            }
            return Ok(Operand::Placeholder(number));
        }
        if let Some(rest) = self.rest.strip_prefix('%') {
            self.rest = rest;
            let name = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
            return Ok(Operand::Special(format!("%{name}")));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return self.number();
        }
        match self.name()? {
            "_" => Ok(Operand::Sink),
            name => Ok(Operand::Name(name.to_owned())),
        }
    }

    fn number(&mut self) -> Result<Operand, String> {
        let negative = self.eat("-");
        let digits = self.take(|c| c.is_ascii_alphanumeric());
        let wrong = || format!("`{digits}` is no number");
        let lower = digits.to_ascii_lowercase();
        if let Some(bits) = lower.strip_prefix("0f") {
            return match bits.len() {
                8 if !negative => u32::from_str_radix(bits, 16)
                    .map(Operand::Single)
                    .map_err(|_| wrong()),
                _ => Err(wrong()),
            };
        }
        if let Some(bits) = lower.strip_prefix("0d").filter(|bits| bits.len() == 16) {
            return match negative {
                false => u64::from_str_radix(bits, 16)
                    .map(Operand::Double)
                    .map_err(|_| wrong()),
                true => Err(wrong()),
            };
        }
        let plain = lower.strip_suffix('u').unwrap_or(&lower);
        let magnitude = if let Some(hex) = plain.strip_prefix("0x") {
            u64::from_str_radix(hex, 16)
        } else if let Some(bits) = plain.strip_prefix("0b") {
            u64::from_str_radix(bits, 2)
        } else if let Some(octal) = plain.strip_prefix('0').filter(|octal| !octal.is_empty()) {
            u64::from_str_radix(octal, 8)
        } else {
            plain.parse()
        };
        let value = magnitude.map_err(|_| wrong())?.cast_signed();
        Ok(Operand::Integer(match negative {
            true => value.wrapping_neg(),
            false => value,
        }))
    }
}

/// The registers that one name declares at most.
const MOST_REGISTERS: i64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read_with_their_operands() {
        let text = "{ .reg .pred p, q<2>; // two\n @!p setp.ne.b32 q0, $1, -0x10; ld.shared::cta.v2.f32 {a, _}, [$2+4]; \
                    mov.u32 $0, %tid.x; shfl.sync.idx.b32 r|p, r, 0f3F800000, 017, !q1; }";
        let read = statements(text);
        let name = |name: &str| Operand::Name(name.to_owned());
        let words = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        let plain = |text: &str, operands| Statement::Instruction {
            guard: None,
            words: words(text),
            operands,
        };
        let expected = vec![
            Statement::Open,
            Statement::Registers(Type::Pred, vec!["p".to_owned(), "q0".to_owned(), "q1".to_owned()]),
            Statement::Instruction {
                guard: Some((name("p"), true)),
                words: words("setp.ne.b32"),
                operands: vec![name("q0"), Operand::Placeholder(1), Operand::Integer(-16)],
            },
            plain(
                "ld.shared::cta.v2.f32",
                vec![
                    Operand::List(vec![name("a"), Operand::Sink]),
                    Operand::Address(Box::new(Operand::Placeholder(2)), 4),
                ],
            ),
            plain(
                "mov.u32",
                vec![Operand::Placeholder(0), Operand::Special("%tid.x".to_owned())],
            ),
            plain(
                "shfl.sync.idx.b32",
                vec![
                    Operand::Pair(Box::new(name("r")), Box::new(name("p"))),
                    name("r"),
                    Operand::Single(0x3F80_0000),
                    Operand::Integer(15),
                    Operand::Not(Box::new(name("q1"))),
                ],
            ),
            Statement::Close,
        ];
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn labels_are_read() {
        let expected = vec![
            Statement::Label("again".to_owned()),
            Statement::Label("end".to_owned()),
        ];
        assert_eq!(statements("again: end :"), Ok(expected));
    }

    #[test]
    fn what_is_no_statement_is_refused() {
        for text in [
            "add.s32 a, b, c d;",
            "add.s32 a, ;",
            "/* add",
            ".shared .b32 a;",
            ".reg .b31 a;",
            ".reg .b32 a<5000>;",
            "+;",
            "mov.b32 a, 0f12;",
            "ld.b32 a, [b",
            "mov.b32 a, {b, c;",
            "mov.b32 $x, 1;",
            "add.s32 a, 08;",
        ] {
            assert!(statements(text).is_err(), "{text}");
        }
    }
}
