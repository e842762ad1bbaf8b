//! Checks the rules on types that declarations name.

use std::fmt;

use tilewright_diagnostics::{Code, counted};

use super::body::{Body, OpData};
use super::element::ElementType;
use super::language::{Language, Operation, ValueType};
use super::part::Part;
use super::properties::TypeRule;
use super::term::TermCodec;
use super::text::term_text;

impl TypeRule {
    /// Checks the op's types.
    ///
    /// # Errors
    /// The operand or the result that breaks the rule.
    pub fn check<L: Language>(self, body: &Body<L>, op: &OpData<L>) -> Result<(), (Part, Code, String)> {
        if self == Self::Free {
            return Ok(());
        }
        let mut operands: Vec<L::Type> = Vec::new();
        let mut parts = Vec::new();
        op.kind.operand_parts(&mut |part, value| {
            operands.push(body.ty(value).bare());
            parts.push(part);
        });
        let results: Vec<L::Type> = op.results().map(|v| body.ty(v).bare()).collect();
        let checker = Checker::<L> {
            name: op.kind.name(),
            operands: &operands,
            parts: &parts,
            results: &results,
        };
        match self {
            Self::Free => Ok(()),
            Self::SameFloat => checker.all_same(Some(Class::Float)),
            Self::SameInt => checker.all_same(Some(Class::Int)),
            Self::Same => checker.all_same(None),
            Self::FloatPower => checker.float_power(),
            Self::CompareFloat => checker.compare(Class::Float),
            Self::CompareInt => checker.compare(Class::Int),
            Self::Select => checker.select(),
            Self::FloatToFloat => checker.cast(Class::Float, Class::Float, |_, _| true, ""),
            Self::FloatToInt => checker.cast(Class::Float, Class::Int, |_, _| true, ""),
            Self::IntToFloat => checker.cast(Class::Int, Class::Float, |_, _| true, ""),
            Self::IntExtend => checker.cast(Class::Int, Class::Int, |a, b| a < b, "a wider integer"),
            Self::IntTruncate => checker.cast(Class::Int, Class::Int, |a, b| a > b, "a narrower integer"),
            Self::Bitcast => checker.cast(Class::Number, Class::Number, |a, b| a == b, "as many bits"),
            Self::IntToPtr => checker.cast(Class::Int, Class::Ptr, |a, b| a == b, "from 64 bits"),
            Self::PtrToInt => checker.cast(Class::Ptr, Class::Int, |a, b| a == b, "64 bits"),
            Self::PtrToPtr => checker.cast(Class::Ptr, Class::Ptr, |_, _| true, ""),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    Float,
    Number,
    Ptr,
}

impl Class {
    fn admits(self, element: ElementType) -> bool {
        match (self, element) {
            (Self::Int, ElementType::Scalar(s)) => s.is_int(),
            (Self::Float, ElementType::Scalar(s)) => s.is_float(),
            (Self::Number, ElementType::Scalar(_)) | (Self::Ptr, ElementType::Ptr(_)) => true,
            (Self::Ptr, ElementType::Scalar(_))
            | (Self::Int | Self::Float | Self::Number, ElementType::Ptr(_)) => false,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Int => "integer",
            Self::Float => "float",
            Self::Number => "number",
            Self::Ptr => "pointer",
        }
    }
}

struct Checker<'a, L: Language> {
    name: &'static str,
    operands: &'a [L::Type],
    parts: &'a [Part],
    results: &'a [L::Type],
}

type Checked = Result<(), (Part, Code, String)>;

/// An operand by its number, or the result.
#[derive(Clone, Copy)]
enum Of {
    Operand(usize),
    Result,
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operand(i) => write!(f, "operand {i}"),
            Self::Result => f.write_str("the result"),
        }
    }
}

impl<L: Language> Checker<'_, L> {
    fn part(&self, what: Of) -> Part {
        match what {
            Of::Operand(i) => self.parts.get(i).copied().unwrap_or(Part::Op),
            Of::Result => Part::Result(0),
        }
    }

    fn element(&self, what: Of, ty: &L::Type, class: Class) -> Result<ElementType, (Part, Code, String)> {
        match ty.element() {
            Some(element) if class.admits(element) => Ok(element),
            _ => Err((
                self.part(what),
                Code::OperandType,
                format!(
                    "{what} of `{}` must hold {} elements, not `{}`",
                    self.name,
                    class.noun(),
                    term_text(&ty.write())
                ),
            )),
        }
    }

    fn equal(&self, what: Of, ty: &L::Type, expected: &L::Type) -> Checked {
        if ty == expected {
            return Ok(());
        }
        let (ty, expected) = (term_text(&ty.write()), term_text(&expected.write()));
        Err((
            self.part(what),
            Code::TypeMismatch,
            format!("{what} of `{}` is `{ty}`, not `{expected}`", self.name),
        ))
    }

    fn all_same(&self, class: Option<Class>) -> Checked {
        let mut all = self.operands.iter().chain(self.results);
        let Some(first) = all.next() else { return Ok(()) };
        if let Some(class) = class {
            self.element(Of::Operand(0), first, class)?;
        }
        for (i, ty) in self.operands.iter().enumerate().skip(1) {
            self.equal(Of::Operand(i), ty, first)?;
        }
        self.results
            .iter()
            .try_for_each(|ty| self.equal(Of::Result, ty, first))
    }

    fn float_power(&self) -> Checked {
        let [base, exponent] = self.operands else {
            return Ok(());
        };
        self.element(Of::Operand(0), base, Class::Float)?;
        let element = self.element(Of::Operand(1), exponent, Class::Int)?;
        self.equal(Of::Operand(1), exponent, &base.with_element(element))?;
        self.results
            .iter()
            .try_for_each(|ty| self.equal(Of::Result, ty, base))
    }

    fn compare(&self, class: Class) -> Checked {
        let Some(first) = self.operands.first() else {
            return Ok(());
        };
        self.element(Of::Operand(0), first, class)?;
        for (i, ty) in self.operands.iter().enumerate().skip(1) {
            self.equal(Of::Operand(i), ty, first)?;
        }
        let expected = first.with_element(ElementType::I1);
        self.results
            .iter()
            .try_for_each(|ty| self.equal(Of::Result, ty, &expected))
    }

    fn select(&self) -> Checked {
        let [condition, yes, no] = self.operands else {
            return Ok(());
        };
        if condition.element() != Some(ElementType::I1) {
            return Err((
                self.part(Of::Operand(0)),
                Code::OperandType,
                format!("operand 0 of `{}` must hold i1", self.name),
            ));
        }
        if yes.element().is_some() && !condition.is_single() {
            self.equal(Of::Operand(0), condition, &yes.with_element(ElementType::I1))?;
        }
        self.equal(Of::Operand(2), no, yes)?;
        self.results
            .iter()
            .try_for_each(|ty| self.equal(Of::Result, ty, yes))
    }

    fn cast(&self, from: Class, to: Class, bits: impl Fn(u32, u32) -> bool, want: &str) -> Checked {
        let ([source], [result]) = (self.operands, self.results) else {
            return Ok(());
        };
        let source_element = self.element(Of::Operand(0), source, from)?;
        let result_element = self.element(Of::Result, result, to)?;
        self.equal(Of::Result, result, &source.with_element(result_element))?;
        let (a, b) = (source_element.bits(), result_element.bits());
        if bits(a, b) {
            return Ok(());
        }
        Err((
            self.part(Of::Result),
            Code::TypeMismatch,
            format!(
                "`{}` needs {want}: the source has {}, the result {b}",
                self.name,
                counted(a, "bit")
            ),
        ))
    }
}
