//! Calls of `vprintf` by a thread. (CUDA C++ Programming Guide, "Formatted Output".)

use tilewright_irs::core::{Language, Translation, Value};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Signedness};
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::format::{self, Conversion};

const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);
const I64: DesugaredType = DesugaredType::Scalar(ElementType::I64);
const F32: DesugaredType = DesugaredType::Scalar(ElementType::Scalar(ScalarType::F32));
const F64: DesugaredType = DesugaredType::Scalar(ElementType::Scalar(ScalarType::F64));

/// A lowering to code of a thread.
type Cx<'a, A> = Translation<'a, A, CuteDesugared>;

/// Prints that an assertion does not hold, and traps.
pub(crate) fn fail<A: Language>(cx: &mut Cx<'_, A>, message: &str, coordinates: Vec<Value>) {
    let place = match coordinates.len() {
        0 => String::new(),
        rank => format!(" at element [{}]", vec!["%d"; rank].join(", ")),
    };
    let message = format::escaped(message);
    let format = format!("an assertion does not hold{place}: {message}\n");
    let mut build = cx.build();
    build.effect(GpuOp::Printf {
        format,
        values: coordinates,
    });
    build.effect(GpuOp::Trap {});
}

/// A call of `vprintf` under construction.
#[derive(Default)]
pub(crate) struct Call {
    format: String,
    values: Vec<Value>,
}

impl Call {
    /// Appends text.
    pub(crate) fn text(&mut self, text: &str) {
        self.format += &format::escaped(text);
    }

    /// Appends a number or an address in this form.
    pub(crate) fn value<A: Language>(
        &mut self,
        cx: &mut Cx<'_, A>,
        form: &Conversion,
        value: Value,
        element: ElementType,
    ) {
        let (form, value) = argument(cx, form, value, element);
        self.format += &form;
        self.values.push(value);
    }

    /// The elements of nested lists whose lengths are `sizes`, or of a part of them.
    pub(crate) fn elements<A: Language>(
        &mut self,
        cx: &mut Cx<'_, A>,
        form: &Conversion,
        elements: &[Value],
        element: ElementType,
        sizes: &[u32],
    ) {
        let at_end = |index: u32| sizes.iter().filter(|&&size| index.is_multiple_of(size)).count();
        for (index, &value) in (0..).zip(elements) {
            if index > 0 {
                self.text(", ");
            }
            self.text(&"[".repeat(at_end(index)));
            self.value(cx, form, value, element);
            self.text(&"]".repeat(at_end(index + 1)));
        }
    }

    /// Appends the call.
    pub(crate) fn emit<A: Language>(self, cx: &mut Cx<'_, A>) {
        let Self { format, values } = self;
        cx.build().effect(GpuOp::Printf { format, values });
    }
}

/// The form of an element for `vprintf`, and the element in a type that it takes. A letter that does not match the
/// element's type is replaced by `f` or `d`.
fn argument<A: Language>(
    cx: &mut Cx<'_, A>,
    form: &Conversion,
    value: Value,
    element: ElementType,
) -> (String, Value) {
    let layout = &form.layout;
    let scalar = match element {
        ElementType::Ptr(_) => {
            let value = cx.value(ArithOp::PtrToInt { source: value }, I64);
            return (format!("%#{layout}llx"), value);
        }
        ElementType::Scalar(scalar) => scalar,
    };
    if scalar.is_float() {
        let letter = match form.letter {
            letter @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G') => letter,
            _ => 'f',
        };
        let mut widen = |source: Value, ty: DesugaredType| {
            let rounding = FloatRounding::NearestEven;
            cx.value(ArithOp::FToF { source, rounding }, ty)
        };
        let value = match scalar {
            ScalarType::F64 => value,
            ScalarType::F32 => widen(value, F64),
            _ => {
                let value = widen(value, F32);
                widen(value, F64)
            }
        };
        return (format!("%{layout}{letter}"), value);
    }
    let letter = match form.letter {
        letter @ ('u' | 'x' | 'X' | 'o') => letter,
        _ => 'd',
    };
    if scalar == ScalarType::I64 {
        return (format!("%{layout}ll{letter}"), value);
    }
    let signed = letter == 'd' && scalar != ScalarType::I1;
    let signedness = if signed {
        Signedness::Signed
    } else {
        Signedness::Unsigned
    };
    let value = match scalar {
        ScalarType::I32 => value,
        _ => cx.value(
            ArithOp::ExtI {
                source: value,
                signedness,
            },
            I32,
        ),
    };
    (format!("%{layout}{letter}"), value)
}
