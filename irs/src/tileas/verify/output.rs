//! Rules of prints and assertions.

use tilewright_diagnostics::{Code, counted};

use super::{Checked, Rules, want};
use crate::core::{Language, Value, ValueType};
use crate::element::ElementType;
use crate::format::{self, MAX_VALUES};
use crate::tileas::buffer::{Buffer, Space};
use crate::tileas::types::TileAsType;

impl<'a, L: Language<Type = TileAsType>> Rules<'a, L> {
    pub(super) fn assertion(&self, condition: Value) -> Checked {
        want(
            self.ty(condition).element() == Some(ElementType::I1),
            Code::OperandType,
            "a condition holds i1",
        )
    }

    /// The buffer that a value is, if it has one stage and is in shared memory.
    fn staged(&self, value: Value) -> Option<&'a Buffer> {
        let buffer = self.ty(value).buffer()?;
        (buffer.space == Space::Shared && buffer.stages == 1).then_some(buffer)
    }

    pub(super) fn printed(&self, text: &str, values: &[Value]) -> Checked {
        format::check(text, values.len()).or_else(|message| want(false, Code::AttributeValue, message))?;
        let mut staged = 0;
        for &value in values {
            if let Some(buffer) = self.staged(value) {
                staged += elements(&buffer.shape);
            } else {
                want(
                    self.ty(value).element().is_some(),
                    Code::OperandType,
                    "elements are printed, or a buffer of one stage in shared memory",
                )?;
            }
        }
        want(
            staged <= MAX_VALUES as u64,
            Code::OperandType,
            format!("`tileas.print` prints at most {MAX_VALUES} elements from buffers, not {staged}"),
        )
    }

    pub(super) fn printed_elements(&self, buffer: Value, form: &str, shape: &[u32], first: u32) -> Checked {
        format::check(form, 1).or_else(|message| want(false, Code::AttributeValue, message))?;
        let Some(buffer) = self.staged(buffer) else {
            return want(
                false,
                Code::OperandType,
                "the elements of a buffer of one stage in shared memory are printed",
            );
        };
        let (count, all) = (elements(&buffer.shape), elements(shape));
        let last = u64::from(first) + count;
        want(
            shape.iter().all(|extent| extent.is_power_of_two())
                && last <= all
                && u64::from(first).is_multiple_of(count),
            Code::AttributeValue,
            format!(
                "a tile of {} has no aligned part of {} from {first} on",
                counted(all, "element"),
                counted(count, "element")
            ),
        )
    }

    pub(super) fn first_zero(&self, source: Value) -> Checked {
        want(
            self.ty(source).layout().is_some() && self.ty(source).element() == Some(ElementType::I1),
            Code::OperandType,
            "a condition is a tile of i1",
        )?;
        want(
            self.result(0)
                .layout()
                .is_some_and(|layout| layout.shape() == [self.warps])
                && self.result(0).element() == Some(ElementType::I32),
            Code::TypeMismatch,
            format!("the result has an i32 for each warp, {} in all", self.warps),
        )
    }

    pub(super) fn trap_at(&self, places: Value) -> Checked {
        let buffer = self.staged(places);
        want(
            buffer.is_some_and(|buffer| buffer.element == crate::element::ScalarType::I32),
            Code::OperandType,
            "the places of failures are a buffer of i32 in shared memory",
        )
    }
}

fn elements(shape: &[u32]) -> u64 {
    shape.iter().map(|&extent| u64::from(extent)).product()
}
