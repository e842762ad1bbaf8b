//! What an op's declaration says of its parts: operands, regions, and properties by the Rust types of their values.

use std::fmt;

use tilewright_diagnostics::Code;

use crate::core::{Flag, Region, Term, TermCodec, TermError, Value};
use crate::cute_types::{CuteType, Kind};

use tilewright_layouts::cute::Swizzle;

use super::attribute::{ArrayType, Attribute, SymbolRef};
use super::reader::TextReader;
use super::scan::{Read, write_string};
use super::types::{Signedness, Type};

/// A kind of property, as data.
#[derive(Debug)]
pub struct PropertyKind {
    /// What its attribute is, as a noun.
    pub what: &'static str,
    /// Whether an attribute is of this kind.
    pub accepts: fn(&Attribute) -> bool,
    /// Its value where the text has none; `None` if it must be given.
    pub missing: fn() -> Option<Attribute>,
    /// Reads it where its op's text has a place of its own for it.
    pub read: fn(&mut TextReader<'_>) -> Read<Attribute>,
    /// Writes it there.
    pub write: fn(&Attribute, &mut String) -> fmt::Result,
}

/// The type of a property.
pub trait Property: Sized + 'static {
    /// What its attribute is, as a noun.
    const WHAT: &'static str;
    /// The value of an attribute.
    fn from_attribute(attribute: &Attribute) -> Option<Self>;
    /// Its attribute.
    fn attribute(&self) -> Attribute;
    /// Its value where the text has none.
    fn missing() -> Option<Self> {
        None
    }
    /// Reads it where its op's text has a place of its own for it.
    fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
        reader.attribute()
    }
    /// Writes it there.
    fn write(attribute: &Attribute, out: &mut String) -> fmt::Result {
        attribute.write_bare(out)
    }
    /// As data.
    const KIND: &'static PropertyKind = &PropertyKind {
        what: Self::WHAT,
        accepts: |attribute| Self::from_attribute(attribute).is_some(),
        missing: || Self::missing().map(|value| value.attribute()),
        read: Self::read,
        write: Self::write,
    };
}

/// The kind of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// One operand.
    Operand,
    /// An operand that may be absent.
    OptionalOperand,
    /// Any number of operands.
    Operands,
    /// A region of one block, or of none.
    Region,
    /// A property that is there or not.
    Flag,
    /// A property.
    Property(&'static PropertyKind),
    /// A property that may be absent.
    OptionalProperty(&'static PropertyKind),
}

/// A field of an op that is being read.
#[derive(Clone, Debug, Default)]
pub enum FieldValue {
    /// Nothing.
    #[default]
    Absent,
    /// An operand.
    Operand(Value),
    /// Any number of operands.
    Operands(Vec<Value>),
    /// A region.
    Region(Region),
    /// A property.
    Property(Attribute),
}

/// A field of an op that is being printed.
#[derive(Clone, Debug)]
pub enum FieldView<'a> {
    /// Nothing.
    Absent,
    /// Operands.
    Operands(&'a [Value]),
    /// A region.
    Region(Region),
    /// A property.
    Property(Attribute),
}

/// A type that a declaration may use for a field.
pub trait MlirField: Sized {
    /// The kind.
    const KIND: FieldKind;
    /// Takes the value of a field that was read; `None` if it is of another kind.
    fn take(value: FieldValue) -> Option<Self>;
    /// The field for a printer.
    fn view(&self) -> FieldView<'_>;
}

impl MlirField for Value {
    const KIND: FieldKind = FieldKind::Operand;
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Operand(value) => Some(value),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        FieldView::Operands(std::slice::from_ref(self))
    }
}

impl MlirField for Option<Value> {
    const KIND: FieldKind = FieldKind::OptionalOperand;
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Operand(value) => Some(Some(value)),
            FieldValue::Absent => Some(None),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        FieldView::Operands(self.as_slice())
    }
}

impl MlirField for Vec<Value> {
    const KIND: FieldKind = FieldKind::Operands;
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Operands(values) => Some(values),
            FieldValue::Absent => Some(Self::new()),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        FieldView::Operands(self)
    }
}

impl MlirField for Region {
    const KIND: FieldKind = FieldKind::Region;
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Region(region) => Some(region),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        FieldView::Region(*self)
    }
}

impl MlirField for Flag {
    const KIND: FieldKind = FieldKind::Flag;
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Absent => Some(Self(false)),
            FieldValue::Property(Attribute::Unit) => Some(Self(true)),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        match self.0 {
            true => FieldView::Property(Attribute::Unit),
            false => FieldView::Absent,
        }
    }
}

impl<P: Property> MlirField for P {
    const KIND: FieldKind = FieldKind::Property(P::KIND);
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Property(attribute) => P::from_attribute(&attribute),
            FieldValue::Absent => P::missing(),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        FieldView::Property(self.attribute())
    }
}

impl<P: Property> MlirField for Option<P> {
    const KIND: FieldKind = FieldKind::OptionalProperty(P::KIND);
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Property(attribute) => P::from_attribute(&attribute).map(Some),
            FieldValue::Absent => Some(None),
            _ => None,
        }
    }
    fn view(&self) -> FieldView<'_> {
        self.as_ref().map_or(FieldView::Absent, |property| {
            FieldView::Property(property.attribute())
        })
    }
}

impl Property for Attribute {
    const WHAT: &'static str = "an attribute";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        Some(attribute.clone())
    }
    fn attribute(&self) -> Attribute {
        self.clone()
    }
}

impl Property for bool {
    const WHAT: &'static str = "`true` or `false`";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::Bool(value) => Some(*value),
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::Bool(*self)
    }
    fn missing() -> Option<Self> {
        Some(false)
    }
}

impl Property for String {
    const WHAT: &'static str = "a string";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::String(text) => Some(text.to_string()),
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::String(self.as_str().into())
    }
}

impl Property for SymbolRef {
    const WHAT: &'static str = "a symbol";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::Symbol(symbol) => Some(symbol.clone()),
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::Symbol(self.clone())
    }
}

impl Property for Type {
    const WHAT: &'static str = "a type";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::Type(ty) => Some(ty.clone()),
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::Type(self.clone())
    }
}

/// Declares an integer of a type as a property; in an op's own text it stands without the type.
macro_rules! integer_property {
    ($($ty:ty, $sign:ident $width:literal, $what:literal, $make:expr, $get:expr;)+) => {$(
        impl Property for $ty {
            const WHAT: &'static str = $what;
            fn from_attribute(attribute: &Attribute) -> Option<Self> {
                match attribute {
                    Attribute::Integer(value, Type::Integer(Signedness::$sign, $width)) => {
                        (*value).try_into().ok().map($make)
                    }
                    _ => None,
                }
            }
            fn attribute(&self) -> Attribute {
                let get: fn(&Self) -> _ = $get;
                Attribute::Integer(i64::from(get(self)), Type::Integer(Signedness::$sign, $width))
            }
            fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
                let value = reader.scan.integer($what)?;
                Ok($make(value).attribute())
            }
        }
    )+};
}

/// A 16-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Int16(pub i16);

/// A signed 32-bit integer, `si32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignedInt(pub i32);

macro_rules! number_codec {
    ($($ty:ident($number:ty);)+) => {$(
        impl TermCodec for $ty {
            fn write(&self) -> Term {
                Term::int(self.0)
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                term.to_int(concat!("an integer that fits ", stringify!($number))).map(Self)
            }
        }
        crate::attribute_field!($ty);
    )+};
}
number_codec! {
    Int16(i16);
    SignedInt(i32);
}

integer_property! {
    i32, Signless 32, "an `i32`", |value: i32| value, |value| *value;
    i64, Signless 64, "an `i64`", |value: i64| value, |value| *value;
    Int16, Signless 16, "an `i16`", Int16, |value| value.0;
    SignedInt, Signed 32, "an `si32`", SignedInt, |value| value.0;
}

/// Declares an array of numbers as a property; in an op's own text its items stand with commas between them.
macro_rules! array_property {
    ($($item:ty, $ty:ident, $what:literal;)+) => {$(
        impl Property for Vec<$item> {
            const WHAT: &'static str = $what;
            fn from_attribute(attribute: &Attribute) -> Option<Self> {
                match attribute {
                    Attribute::Numbers(ArrayType::$ty, values) => {
                        values.iter().map(|&value| <$item>::try_from(value).ok()).collect()
                    }
                    _ => None,
                }
            }
            fn attribute(&self) -> Attribute {
                Attribute::Numbers(ArrayType::$ty, self.iter().map(|&value| i64::from(value)).collect())
            }
            fn missing() -> Option<Self> {
                Some(Self::new())
            }
            fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
                let mut values: Vec<$item> = Vec::new();
                if reader.scan.peek().is_some_and(|byte| byte == b'-' || byte.is_ascii_digit()) {
                    values.push(reader.scan.integer("such a number")?);
                    while reader.scan.eat(",") {
                        values.push(reader.scan.integer("such a number")?);
                    }
                }
                Ok(values.attribute())
            }
            fn write(attribute: &Attribute, out: &mut String) -> fmt::Result {
                use fmt::Write as _;
                let Attribute::Numbers(_, values) = attribute else {
                    return Ok(());
                };
                for (i, value) in values.iter().enumerate() {
                    write!(out, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                Ok(())
            }
        }
    )+};
}
array_property! {
    i32, I32, "an array of `i32`";
    i64, I64, "an array of `i64`";
}

/// Numbers of 64 bits as an array of attributes: `[0, 4]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntegerArray(pub Vec<i64>);

impl TermCodec for IntegerArray {
    fn write(&self) -> Term {
        TermCodec::write(&self.0)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        <Vec<i64> as TermCodec>::read(term).map(Self)
    }
}
crate::attribute_field!(IntegerArray);

impl Property for IntegerArray {
    const WHAT: &'static str = "an array of integers of 64 bits";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        let Attribute::Array(items) = attribute else {
            return None;
        };
        let number = |item: &Attribute| match item {
            Attribute::Integer(number, Type::Integer(Signedness::Signless, 64)) => Some(*number),
            _ => None,
        };
        items.iter().map(number).collect::<Option<_>>().map(Self)
    }
    fn attribute(&self) -> Attribute {
        let item = |&number: &i64| Attribute::Integer(number, Type::Integer(Signedness::Signless, 64));
        Attribute::Array(self.0.iter().map(item).collect())
    }
}

impl Property for Vec<bool> {
    const WHAT: &'static str = "an array of `i1`";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::Numbers(ArrayType::I1, values) => {
                Some(values.iter().map(|&value| value != 0).collect())
            }
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::Numbers(
            ArrayType::I1,
            self.iter().map(|&value| i64::from(value)).collect(),
        )
    }
}

/// Declares attributes of `cute` that hold a string: `#cute.coord<"(1,_,1)">`, in an op's own text the string alone.
macro_rules! string_property {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal;)+) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub String);

        impl TermCodec for $name {
            fn write(&self) -> Term {
                TermCodec::write(&self.0)
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                <String as TermCodec>::read(term).map(Self)
            }
        }
        crate::attribute_field!($name);

        impl Property for $name {
            const WHAT: &'static str = concat!("`#", $text, "<\"…\">`");
            fn from_attribute(attribute: &Attribute) -> Option<Self> {
                let body = attribute.body_of($text)?;
                let text = TextReader::whole(body, |reader| Ok(reader.scan.string()?.into_owned())).ok()?;
                // The text is that of the type of the same name.
                CuteType::parse(&format!("{}<\"{text}\">", $text)).ok()?;
                Some(Self(text))
            }
            fn attribute(&self) -> Attribute {
                let mut body = String::new();
                // A string takes any text.
                let _ = write_string(&self.0, &mut body);
                Attribute::dialect($text, body)
            }
            fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
                reader.scan.skip();
                let start = reader.scan.at();
                let attribute = Self(reader.scan.string()?.into_owned()).attribute();
                match Self::from_attribute(&attribute) {
                    Some(_) => Ok(attribute),
                    None => {
                        let message = format!("this is not the text of {}", Self::WHAT);
                        reader.scan.wrong_since(start, Code::AttributeValue, message, "malformed")
                    }
                }
            }
            fn write(attribute: &Attribute, out: &mut String) -> fmt::Result {
                match Self::from_attribute(attribute) {
                    Some(own) => write_string(&own.0, out),
                    None => Ok(()),
                }
            }
        }
    )+};
}
string_property! {
    /// A coordinate.
    CoordAttribute = "cute.coord";
    /// A shape.
    ShapeAttribute = "cute.shape";
    /// A layout.
    LayoutAttribute = "cute.layout";
}

/// `#ub.poison`, all that a value without meaning can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoisonAttribute;

impl TermCodec for PoisonAttribute {
    fn write(&self) -> Term {
        TermCodec::write(&"poison".to_owned())
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match <String as TermCodec>::read(term)?.as_str() {
            "poison" => Ok(Self),
            _ => Err(term.wrong("`poison`")),
        }
    }
}
crate::attribute_field!(PoisonAttribute);

impl Property for PoisonAttribute {
    const WHAT: &'static str = "`#ub.poison`";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        match attribute {
            Attribute::Dialect(text) if &**text == "ub.poison" => Some(Self),
            _ => None,
        }
    }
    fn attribute(&self) -> Attribute {
        Attribute::Dialect("ub.poison".into())
    }
    fn missing() -> Option<Self> {
        Some(Self)
    }
}

/// A swizzle; in an op's own text without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwizzleAttribute(pub Swizzle);

impl SwizzleAttribute {
    fn of_text(text: &str) -> Option<Self> {
        let ty = CuteType::parse(&format!("cute.swizzle<\"{text}\">")).ok()?;
        match ty.kind() {
            Kind::Swizzle(swizzle) => Some(Self(*swizzle)),
            _ => None,
        }
    }
}

/// As NVIDIA writes it.
impl fmt::Display for SwizzleAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(swizzle) = self;
        write!(f, "S<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift())
    }
}

impl TermCodec for SwizzleAttribute {
    fn write(&self) -> Term {
        TermCodec::write(&self.to_string())
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let text = <String as TermCodec>::read(term)?;
        Self::of_text(&text).ok_or_else(|| term.wrong("a swizzle, as `S<3,4,3>`"))
    }
}
crate::attribute_field!(SwizzleAttribute);

impl Property for SwizzleAttribute {
    const WHAT: &'static str = "`#cute.swizzle<\"…\">`";
    fn from_attribute(attribute: &Attribute) -> Option<Self> {
        let body = attribute.body_of("cute.swizzle")?;
        let text = TextReader::whole(body, |reader| Ok(reader.scan.string()?.into_owned())).ok()?;
        Self::of_text(&text)
    }
    fn attribute(&self) -> Attribute {
        let mut body = String::new();
        // A string takes any text.
        let _ = write_string(&self.to_string(), &mut body);
        Attribute::dialect("cute.swizzle", body)
    }
    fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
        reader.scan.skip();
        let start = reader.scan.at();
        reader.expect_word("S")?;
        reader.scan.brackets()?;
        match Self::of_text(reader.scan.since(start)) {
            Some(own) => Ok(own.attribute()),
            None => {
                let message = "this is not the text of a swizzle, as `S<3,4,3>`";
                reader
                    .scan
                    .wrong_since(start, Code::AttributeValue, message, "malformed")
            }
        }
    }
    fn write(attribute: &Attribute, out: &mut String) -> fmt::Result {
        use fmt::Write as _;
        match Self::from_attribute(attribute) {
            Some(own) => write!(out, "{own}"),
            None => Ok(()),
        }
    }
}
