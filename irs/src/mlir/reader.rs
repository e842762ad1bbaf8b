//! Reads types and attributes of MLIR text, and keeps what the file has named or has had before.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Code;

use crate::cute_types::{CuteType, Dialect, open_problem};
use crate::literal::Literal;

use super::attribute::{ArrayType, Attribute, Dictionary, SymbolRef};
use super::scan::{Read, Scan};
use super::types::{FloatFormat, FunctionType, MAX_WIDTH, Signedness, Type, VectorType};

/// How deep types and attributes may be nested.
const MAX_DEPTH: u32 = 64;

/// The largest number of elements that a vector may have.
const MAX_ELEMENTS: u64 = 1 << 20;

/// The attributes of the open dialect that hold what types hold.
const VALUES: [&str; 8] = [
    "cute.int_tuple",
    "cute.shape",
    "cute.stride",
    "cute.coord",
    "cute.layout",
    "cute.tile",
    "cute.composed_layout",
    "cute.swizzle",
];

/// A text with the types and attributes that have names in it.
#[derive(Clone, Debug)]
pub struct TextReader<'a> {
    /// The place in the text.
    pub scan: Scan<'a>,
    /// Whose types of `cute` they are.
    pub dialect: Dialect,
    /// Types of dialects by their text, aliases among them: a text has few that differ.
    types: FxHashMap<&'a str, Type>,
    attributes: FxHashMap<&'a str, Attribute>,
    depth: u32,
}

impl<'a> TextReader<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            scan: Scan::new(text),
            dialect: Dialect::Library,
            types: FxHashMap::default(),
            attributes: FxHashMap::default(),
            depth: 0,
        }
    }

    /// Reads a text as one thing.
    ///
    /// # Errors
    /// The text is something else, or more.
    pub fn whole<T>(text: &'a str, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let mut reader = Self::new(text);
        let value = read(&mut reader)?;
        match reader.scan.peek() {
            None => Ok(value),
            Some(_) => reader.scan.wrong("the end"),
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("types and attributes are nested deeper than {MAX_DEPTH}");
            return self
                .scan
                .wrong_since(self.scan.at(), Code::InputTooLarge, message, "too deep");
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// `a, b, c` up to `close`, which is taken.
    pub fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::new();
        if self.scan.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.scan.eat(",") {
                self.scan.expect(close)?;
                return Ok(items);
            }
        }
    }

    /// `!name = type` or `#name = attribute`, if that is next.
    pub fn alias(&mut self) -> Read<bool> {
        let sigil = match self.scan.peek() {
            Some(b'!') => b'!',
            Some(b'#') => b'#',
            _ => return Ok(false),
        };
        let start = self.scan.at();
        self.scan.move_to(start + 1);
        self.scan.name();
        let name = self.scan.since(start);
        let known = self.types.contains_key(name) || self.attributes.contains_key(name);
        if known {
            let message = format!("`{name}` is defined twice");
            return self
                .scan
                .wrong_since(start, Code::Redefinition, message, "defined again here");
        }
        if name.contains('.') {
            let message = format!("`{name}` has a dot, which only names of dialects have");
            return self
                .scan
                .wrong_since(start, Code::Redefinition, message, "not a name of one's own");
        }
        self.scan.expect("=")?;
        if sigil == b'!' {
            let ty = self.ty()?;
            self.types.insert(name, ty);
        } else if self.scan.eat_word("loc") {
            self.location()?;
        } else {
            let attribute = self.attribute()?;
            self.attributes.insert(name, attribute);
        }
        Ok(true)
    }

    /// The rest of `loc(…)`, which is dropped.
    pub fn location(&mut self) -> Read<()> {
        match self.scan.here() {
            Some(b'(') => self.scan.brackets(),
            _ => self.scan.wrong("`(`"),
        }
    }

    /// A type.
    pub fn ty(&mut self) -> Read<Type> {
        match self.scan.peek() {
            Some(b'!') => self.dialect_type(),
            Some(b'(') => self
                .nested(Self::function_type)
                .map(|ty| Type::Function(Arc::new(ty))),
            _ => self.builtin_type(),
        }
    }

    /// `(T, T) -> T`
    pub fn function_type(&mut self) -> Read<FunctionType> {
        self.scan.expect("(")?;
        let arguments = self.list(")", Self::ty)?;
        self.scan.expect("->")?;
        let results = self.result_types()?;
        Ok(FunctionType { arguments, results })
    }

    /// `T`, or types in parentheses.
    pub fn result_types(&mut self) -> Read<Vec<Type>> {
        if self.scan.eat("(") {
            return self.list(")", Self::ty);
        }
        Ok(vec![self.ty()?])
    }

    fn builtin_type(&mut self) -> Read<Type> {
        let word = self.scan.peek_word();
        let start = self.scan.at();
        self.scan.move_to(start + word.len());
        match builtin(word) {
            Some(ty) => Ok(ty),
            None if word == "vector" => self.nested(Self::vector),
            None => {
                self.scan.move_to(start);
                self.scan.wrong("a type")
            }
        }
    }

    /// The rest of `vector<4xf32>`.
    fn vector(&mut self) -> Read<Type> {
        let start = self.scan.at();
        self.scan.expect("<")?;
        let mut shape = Vec::new();
        loop {
            self.scan.skip();
            let dimension = self.scan.at();
            let digits: usize = self.scan.rest().bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                break;
            }
            self.scan.move_to(dimension + digits);
            let extent = self
                .scan
                .since(dimension)
                .parse()
                .ok()
                .filter(|extent| (1..=MAX_ELEMENTS).contains(extent));
            let Some(extent) = extent else {
                let message = format!("an extent of a vector is from 1 to {MAX_ELEMENTS}");
                return self
                    .scan
                    .wrong_since(dimension, Code::UnknownType, message, "not such a number");
            };
            shape.push(extent);
            self.scan.expect("x")?;
        }
        let element = self.ty()?;
        self.scan.expect(">")?;
        let count = shape
            .iter()
            .try_fold(1u64, |count, extent| count.checked_mul(*extent));
        if count.is_none_or(|count| count > MAX_ELEMENTS) || shape.len() > 8 {
            let message = format!("a vector has at most {MAX_ELEMENTS} elements and 8 dimensions");
            return self
                .scan
                .wrong_since(start, Code::InputTooLarge, message, "too large");
        }
        Ok(Type::Vector(Arc::new(VectorType { shape, element })))
    }

    /// A type of `cute`, if the dialect has it.
    ///
    /// # Errors
    /// It does not.
    pub fn admitted(&self, ty: CuteType, start: usize) -> Read<Type> {
        let problem = match self.dialect {
            Dialect::Open => open_problem(ty.kind()),
            Dialect::Library => None,
        };
        match problem {
            Some(problem) => {
                let label = "not a type of the open dialect";
                self.scan.wrong_since(start, Code::UnknownType, problem, label)
            }
            None => Ok(Type::Cute(ty)),
        }
    }

    /// `!name`, `!dialect.name` or `!dialect.name<…>`
    fn dialect_type(&mut self) -> Read<Type> {
        let start = self.scan.at();
        self.scan.move_to(start + 1);
        self.scan.name();
        if self.scan.here() == Some(b'<') {
            self.scan.brackets()?;
        }
        let text = self.scan.since(start);
        if let Some(ty) = self.types.get(text) {
            return Ok(ty.clone());
        }
        let ty = self.nested(|reader| reader.new_type(text, start))?;
        self.types.insert(text, ty.clone());
        Ok(ty)
    }

    fn new_type(&mut self, text: &'a str, start: usize) -> Read<Type> {
        let inside = text.get(1..).unwrap_or_default();
        let end = self.scan.at();
        if inside.starts_with("cute.tuple<") {
            self.scan.move_to(start + "!cute.tuple<".len());
            return Ok(Type::Tuple(self.list(">", Self::ty)?.into()));
        }
        if inside.starts_with("cute.") || inside.starts_with("cute_nvgpu.") {
            let ty = match CuteType::parse(inside) {
                Ok(ty) => ty,
                Err(error) => {
                    let at = (start + 1 + error.offset).min(end);
                    return self
                        .scan
                        .wrong_since(at, Code::UnknownType, error.message, "here");
                }
            };
            return self.admitted(ty, start);
        }
        let name = inside.split('<').next().unwrap_or(inside);
        if !name.contains('.') {
            let message = format!("`!{name}` is not defined before this use");
            return self
                .scan
                .wrong_since(start, Code::UnknownType, message, "no definition in this file");
        }
        // The parts of a type that is not opaque are read where they stand.
        self.scan.move_to(start + 1 + name.len());
        match name {
            "llvm.ptr" => {
                let mut space = 0;
                if self.scan.eat("<") {
                    space = self.scan.integer("an address space")?;
                    self.scan.expect(">")?;
                }
                Ok(Type::Pointer(space))
            }
            "llvm.struct" => {
                self.scan.expect("<")?;
                self.scan.expect("(")?;
                let members = self.list(")", Self::ty)?;
                self.scan.expect(">")?;
                Ok(Type::Struct(members.into()))
            }
            "cuda.stream" => Ok(Type::Stream),
            "cuda.result" => Ok(Type::LaunchResult),
            "cuda.launch_cfg" => {
                self.scan.expect("<")?;
                self.expect_word("max_attrs")?;
                self.scan.expect("=")?;
                let attributes = self.scan.integer("a number of attributes")?;
                self.scan.expect(">")?;
                Ok(Type::LaunchConfig(attributes))
            }
            _ => {
                self.scan.move_to(end);
                let message = format!("`!{name}` is no type that this release knows");
                self.scan
                    .wrong_since(start, Code::UnknownType, message, "an unknown type")
            }
        }
    }

    /// Takes a word, which must be next.
    pub fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.scan.eat_word(word) {
            Ok(())
        } else {
            self.scan.wrong(format!("`{word}`"))
        }
    }

    /// `@a::@b`
    pub fn symbol(&mut self) -> Read<SymbolRef> {
        let mut path = vec![self.symbol_name()?];
        while self.scan.eat("::") {
            path.push(self.symbol_name()?);
        }
        Ok(SymbolRef(path))
    }

    /// `@name`, without the sigil.
    pub fn symbol_name(&mut self) -> Read<String> {
        if !self.scan.eat("@") {
            return self.scan.wrong("a symbol");
        }
        if self.scan.here() == Some(b'"') {
            return self.scan.string().map(std::borrow::Cow::into_owned);
        }
        match self.scan.name() {
            "" => self.scan.wrong("the name of a symbol"),
            name => Ok(name.to_owned()),
        }
    }

    /// `{name = value, flag}`
    pub fn dictionary(&mut self) -> Read<Dictionary> {
        self.scan.expect("{")?;
        let mut entries: Vec<(Arc<str>, Attribute)> = Vec::new();
        self.list("}", |reader| {
            reader.scan.skip();
            let start = reader.scan.at();
            let name: Arc<str> = match reader.scan.here() {
                Some(b'"') => reader.scan.string()?.into(),
                _ => reader.scan.word("the name of an attribute")?.into(),
            };
            if entries.iter().any(|(other, _)| *other == name) {
                let message = format!("`{name}` is given twice");
                return reader
                    .scan
                    .wrong_since(start, Code::Redefinition, message, "given again here");
            }
            let value = match reader.scan.eat("=") {
                true => reader.attribute()?,
                false => Attribute::Unit,
            };
            entries.push((name, value));
            Ok(())
        })?;
        Ok(Dictionary::new(entries))
    }

    /// An attribute.
    pub fn attribute(&mut self) -> Read<Attribute> {
        match self.scan.peek() {
            Some(b'"') => Ok(Attribute::String(self.scan.string()?.into())),
            Some(b'@') => self.symbol().map(Attribute::Symbol),
            Some(b'#') => self.dialect_attribute(),
            Some(b'!' | b'(') => self.ty().map(Attribute::Type),
            Some(b'{') => self.nested(Self::dictionary).map(Attribute::Dictionary),
            Some(b'[') => self.nested(|reader| {
                reader.scan.expect("[")?;
                let items = reader.list("]", Self::attribute)?;
                Ok(Attribute::Array(items.into()))
            }),
            Some(b'-' | b'0'..=b'9') => {
                let start = self.scan.at();
                let digits = self.scan.number()?;
                let ty = match self.scan.eat(":") {
                    true => Some(self.ty()?),
                    false => None,
                };
                self.number(digits, start, ty)
            }
            _ => self.word_attribute(),
        }
    }

    fn word_attribute(&mut self) -> Read<Attribute> {
        let word = self.scan.peek_word();
        let start = self.scan.at();
        let after = start + word.len();
        let constant = match word {
            "unit" => Some(Attribute::Unit),
            "true" => Some(Attribute::Bool(true)),
            "false" => Some(Attribute::Bool(false)),
            _ => None,
        };
        if let Some(attribute) = constant {
            self.scan.move_to(after);
            return Ok(attribute);
        }
        match word {
            "array" => {
                self.scan.move_to(after);
                self.numbers()
            }
            "dense" => {
                self.scan.move_to(after);
                self.nested(Self::dense)
            }
            _ if builtin(word).is_some() || word == "vector" => self.ty().map(Attribute::Type),
            _ => self.scan.wrong("an attribute"),
        }
    }

    /// A number of a type; without one it is `i64` or `f64`.
    pub fn number(&mut self, digits: &str, start: usize, ty: Option<Type>) -> Read<Attribute> {
        let is_float = digits.contains('.');
        let ty = ty.unwrap_or(if is_float {
            Type::Float(FloatFormat::F64)
        } else {
            Type::I64
        });
        let of = |range: &str| {
            (
                format!("`{digits}` is no number of type `{ty}`"),
                range.to_owned(),
            )
        };
        let (message, label) = match &ty {
            Type::Float(format) => {
                let bits = match digits.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16)
                        .ok()
                        .filter(|bits| fits(*bits, format.bits())),
                    None => format
                        .decimal()
                        .filter(|_| is_float)
                        .and_then(|scalar| Literal::parse_float(scalar, digits))
                        .map(|literal| literal.bits),
                };
                match bits {
                    Some(bits) => return Ok(Attribute::Float(bits, *format)),
                    None if format.decimal().is_none() => of("a number of this type is written as its bits"),
                    None => of("written with a point, or as bits that fit"),
                }
            }
            Type::Integer(sign, width) if !is_float => {
                let value = match digits.strip_prefix("0x") {
                    Some(hex) => i128::from_str_radix(hex, 16).ok(),
                    None => digits.parse().ok(),
                };
                let width = (*width).min(64);
                let low = if *sign == Signedness::Unsigned {
                    0
                } else {
                    -(1i128 << (width - 1))
                };
                let high = if *sign == Signedness::Signed {
                    1i128 << (width - 1)
                } else {
                    1i128 << width
                };
                let value = value.filter(|value| (low..high).contains(value));
                // The low bits of an unsigned number that needs all 64.
                #[allow(clippy::cast_possible_truncation)]
                match value.map(|value| value as i64) {
                    // A signless number prints as signed.
                    Some(value) if *sign == Signedness::Signless => {
                        let shift = 64 - width;
                        return Ok(Attribute::Integer((value << shift) >> shift, ty));
                    }
                    Some(value) => return Ok(Attribute::Integer(value, ty)),
                    None => of("does not fit"),
                }
            }
            Type::Index if !is_float => match digits.parse() {
                Ok(value) => return Ok(Attribute::Integer(value, ty)),
                Err(_) => of("does not fit"),
            },
            _ => of("not of this type"),
        };
        self.scan.wrong_since(start, Code::BadLiteral, message, label)
    }

    /// The rest of `array<i32: 1, 2>`.
    fn numbers(&mut self) -> Read<Attribute> {
        self.scan.expect("<")?;
        self.scan.skip();
        let start = self.scan.at();
        let word = self.scan.word("the type of numbers")?;
        let Some((ty, _)) = ArrayType::ALL.into_iter().find(|(_, own)| *own == word) else {
            let message = format!("an array of `{word}` is not known");
            return self
                .scan
                .wrong_since(start, Code::UnknownAttribute, message, "i1, i8, i16, i32 or i64");
        };
        if self.scan.eat(">") {
            return Ok(Attribute::Numbers(ty, [].into()));
        }
        self.scan.expect(":")?;
        let values = self.list(">", |reader| match ty {
            ArrayType::I1 => match reader.scan.eat_word("true") {
                true => Ok(1),
                false => reader.expect_word("false").map(|()| 0),
            },
            ArrayType::I8 => reader.scan.integer::<i8>("an i8").map(i64::from),
            ArrayType::I16 => reader.scan.integer::<i16>("an i16").map(i64::from),
            ArrayType::I32 => reader.scan.integer::<i32>("an i32").map(i64::from),
            ArrayType::I64 => reader.scan.integer("an i64"),
        })?;
        Ok(Attribute::Numbers(ty, values.into()))
    }

    /// The rest of `dense<[1, 2]> : vector<2xi32>`.
    fn dense(&mut self) -> Read<Attribute> {
        self.scan.expect("<")?;
        let mut written = Vec::new();
        let several = self.scan.eat("[");
        loop {
            self.scan.skip();
            let start = self.scan.at();
            let text = match self.scan.at_word() {
                true => self.scan.take_word(),
                false => self.scan.number()?,
            };
            written.push((text, start));
            if !(several && self.scan.eat(",")) {
                break;
            }
        }
        if several {
            self.scan.expect("]")?;
        }
        self.scan.expect(">")?;
        self.scan.expect(":")?;
        self.scan.skip();
        let start = self.scan.at();
        let ty = self.ty()?;
        let Type::Vector(vector) = &ty else {
            let message = format!("elements are of a vector, not of `{ty}`");
            return self
                .scan
                .wrong_since(start, Code::AttributeKind, message, "not a vector");
        };
        let count = vector.shape.iter().product::<u64>();
        if several && written.len() as u64 != count {
            let message = format!(
                "{} elements are given for `{ty}`, which has {count}",
                written.len()
            );
            return self
                .scan
                .wrong_since(start, Code::AttributeValue, message, "another number of elements");
        }
        let mut elements = Vec::with_capacity(written.len());
        for (text, start) in written {
            elements.push(match text {
                "true" | "false" if vector.element == Type::I1 => Attribute::Bool(text == "true"),
                _ => self.number(text, start, Some(vector.element.clone()))?,
            });
        }
        if elements.windows(2).all(|pair| pair.first() == pair.last()) {
            elements.truncate(1);
        }
        Ok(Attribute::Dense(elements.into(), ty))
    }

    /// `#alias`, `#dialect.name<…>` or `#dialect<name …>`
    fn dialect_attribute(&mut self) -> Read<Attribute> {
        let start = self.scan.at();
        self.scan.move_to(start + 1);
        let name = self.scan.name();
        if let Some(known) = self.attributes.get(self.scan.since(start)) {
            return Ok(known.clone());
        }
        if self.scan.here() == Some(b'<') {
            self.scan.brackets()?;
        } else if !name.contains('.') {
            let message = format!("`#{name}` is not defined before this use");
            return self.scan.wrong_since(
                start,
                Code::UnknownAttribute,
                message,
                "no definition in this file",
            );
        }
        let text = self.scan.since(start + 1);
        if self.dialect == Dialect::Open && VALUES.contains(&name) {
            // Such an attribute is written as the type of its name is.
            if let Err(error) = CuteType::parse(text) {
                let at = start + 1 + error.offset;
                return self
                    .scan
                    .wrong_since(at, Code::AttributeValue, error.message, "here");
            }
        }
        Ok(Attribute::Dialect(self.without_aliases(text, start + 1)?.into()))
    }

    /// The text of an attribute with its aliases expanded.
    fn without_aliases(&mut self, text: &'a str, start: usize) -> Read<String> {
        let mut out = String::with_capacity(text.len());
        let mut inner = Scan::new(text);
        let mut copied = 0;
        let mut quoted = false;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b'#' if !quoted => {
                    inner.move_to(at + 1);
                    let name = inner.name();
                    if name.contains('.') || inner.here() == Some(b'<') {
                        continue;
                    }
                    let Some(known) = self.attributes.get(inner.since(at)) else {
                        self.scan.move_to(start + inner.at());
                        let message = format!("`#{name}` is not defined before this use");
                        let label = "no definition in this file";
                        return self
                            .scan
                            .wrong_since(start + at, Code::UnknownAttribute, message, label);
                    };
                    out.push_str(text.get(copied..at).unwrap_or_default());
                    out.push_str(&known.to_string());
                    copied = inner.at();
                    // Aliases of aliases could double without end.
                    if out.len() > MAX_ATTRIBUTE {
                        let message = format!("an attribute is longer than {MAX_ATTRIBUTE} bytes");
                        return self
                            .scan
                            .wrong_since(start, Code::InputTooLarge, message, "too long");
                    }
                }
                _ => {}
            }
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        Ok(out)
    }
}

/// The largest text of an attribute of a dialect whose aliases are expanded.
const MAX_ATTRIBUTE: usize = 1 << 16;

/// Whether a number has no bits above these.
const fn fits(bits: u64, width: u32) -> bool {
    width >= 64 || bits >> width == 0
}

/// A builtin type that is one word.
fn builtin(word: &str) -> Option<Type> {
    let (sign, digits) = match *word.as_bytes() {
        [b'i', b'0'..=b'9', ..] => (Signedness::Signless, word.get(1..)?),
        [b's', b'i', b'0'..=b'9', ..] => (Signedness::Signed, word.get(2..)?),
        [b'u', b'i', b'0'..=b'9', ..] => (Signedness::Unsigned, word.get(2..)?),
        _ => {
            return match word {
                "index" => Some(Type::Index),
                "none" => Some(Type::None),
                _ => FloatFormat::from_word(word).map(Type::Float),
            };
        }
    };
    let width = digits
        .parse()
        .ok()
        .filter(|width| (1..=MAX_WIDTH).contains(width))?;
    Some(Type::Integer(sign, width))
}
