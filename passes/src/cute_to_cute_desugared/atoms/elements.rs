//! The elements that one instruction reads or writes: a tensor in memory of a static layout.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{Kind, Pointer, Space, ViewLayout};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_layouts::cute::{Fact, Nested, SlotOf, Traced};

use crate::cute_to_cute_desugared::memory::{load_value, pointee, store_value};
use crate::cute_to_cute_desugared::pointers::{pointer, unswizzled};
use crate::cute_to_cute_desugared::state::{Cx, unsupported};
use crate::cute_to_cute_desugared::views::{memory_view, moved, pointer_of};

/// The most elements that one instruction has of an operand.
const MOST: i64 = 1024;

/// A tensor with the places of its elements.
pub(super) struct Tensor {
    /// The pointer to its index 0.
    pub(super) start: Value,
    /// Its elements.
    pub(super) scalar: ScalarType,
    /// The index of each element, in the order of the layout's domain.
    pub(super) indices: Vec<i64>,
}

/// Adjacent elements: the number of the first, its index, how many.
struct Run {
    number: usize,
    index: i64,
    count: usize,
}

impl Tensor {
    /// The tensor that an operand of an instruction is.
    pub(super) fn of(cx: &mut Cx<'_>, operand: Value) -> Result<Self, Diagnostic<Origin>> {
        let view = memory_view(cx, operand)?;
        let indices = indices(&view.layout);
        let Some(indices) = indices else {
            let message = format!(
                "an instruction on `{}`, whose layout is not static",
                view.layout.layout().shape()
            );
            return Err(unsupported(cx.origin(), message));
        };
        let tensor = cx.one(operand);
        let start = pointer_of(cx, tensor, view);
        let scalar = match pointee(cx, start)? {
            ElementType::Scalar(scalar) => scalar,
            ElementType::Ptr(_) => return Err(unsupported(cx.origin(), "a tensor of addresses")),
        };
        Ok(Self {
            start,
            scalar,
            indices,
        })
    }

    /// The same memory, with elements of the type that another tensor has, of the same size.
    pub(super) fn with_elements_of(&self, cx: &mut Cx<'_>, other: &Self) -> Result<Self, Diagnostic<Origin>> {
        let (own, wanted) = (pointer(cx, self.start)?, pointer(cx, other.start)?);
        if own.element_bits() != wanted.element_bits() {
            let message = format!(
                "a copy of elements of {} bits to elements of {} bits",
                own.element_bits(),
                wanted.element_bits()
            );
            return Err(unsupported(cx.origin(), message));
        }
        let recast = Pointer::new(wanted.element().cloned(), own.space(), own.align(), own.swizzle());
        let ty = DesugaredType::Cute(Kind::Pointer(recast).into());
        let pointer = self.start;
        Ok(Self {
            start: cx.value(CuteOp::RecastIter { pointer }, ty),
            scalar: other.scalar,
            indices: self.indices.clone(),
        })
    }

    /// The type of so many elements.
    pub(super) fn ty(&self, count: usize) -> DesugaredType {
        let element = ElementType::Scalar(self.scalar);
        match u32::try_from(count) {
            Ok(1) | Err(_) => DesugaredType::Scalar(element),
            Ok(count) => DesugaredType::Fragment(count, element),
        }
    }

    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (number, &index) in self.indices.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if i64::try_from(run.count).is_ok_and(|count| run.index + count == index) => {
                    run.count += 1
                }
                _ => runs.push(Run {
                    number,
                    index,
                    count: 1,
                }),
            }
        }
        runs
    }

    /// The pointer to an index.
    fn at(&self, cx: &mut Cx<'_>, index: i64) -> Result<Value, Diagnostic<Origin>> {
        moved(cx, self.start, &Traced::input(Fact::Static(index), 0), &[])
    }

    /// Loads all elements: one, or a fragment.
    pub(super) fn load(&self, cx: &mut Cx<'_>, pred: Option<Value>) -> Result<Value, Diagnostic<Origin>> {
        let runs = self.runs();
        if let [run] = runs.as_slice() {
            let at = self.at(cx, run.index)?;
            return load_value(cx, at, self.ty(run.count), pred);
        }
        let mut elements = Vec::with_capacity(self.indices.len());
        for run in runs {
            let at = self.at(cx, run.index)?;
            let loaded = load_value(cx, at, self.ty(run.count), pred)?;
            elements.extend(self.elements(cx, loaded, run.count));
        }
        Ok(self.joined(cx, elements))
    }

    /// Stores all elements.
    pub(super) fn store(&self, cx: &mut Cx<'_>, value: Value, pred: Option<Value>) -> Translated {
        let runs = self.runs();
        if let [run] = runs.as_slice() {
            let at = self.at(cx, run.index)?;
            return store_value(cx, value, at, pred);
        }
        let elements = self.elements(cx, value, self.indices.len());
        for run in runs {
            let own = elements
                .get(run.number..run.number + run.count)
                .unwrap_or_default()
                .to_vec();
            let own = self.joined(cx, own);
            let at = self.at(cx, run.index)?;
            store_value(cx, own, at, pred)?;
        }
        Ok(())
    }

    /// The elements of a value of so many.
    pub(super) fn elements(&self, cx: &mut Cx<'_>, source: Value, count: usize) -> Vec<Value> {
        if count == 1 {
            return vec![source];
        }
        let all = (0..count).filter_map(|index| u32::try_from(index).ok());
        all.map(|index| cx.value(FragmentOp::Extract { source, index }, self.ty(1)))
            .collect()
    }

    /// The value of these elements.
    pub(super) fn joined(&self, cx: &mut Cx<'_>, elements: Vec<Value>) -> Value {
        match elements.as_slice() {
            [one] => *one,
            _ => {
                let ty = self.ty(elements.len());
                cx.value(FragmentOp::Make { elements }, ty)
            }
        }
    }

    /// The first element of a value of all.
    pub(super) fn first(&self, cx: &mut Cx<'_>, value: Value) -> Value {
        match self.indices.len() {
            1 => value,
            _ => cx.value(
                FragmentOp::Extract {
                    source: value,
                    index: 0,
                },
                self.ty(1),
            ),
        }
    }

    /// The address of its first element, for an op on addresses in global or shared memory.
    pub(super) fn address(&self, cx: &mut Cx<'_>) -> Result<Value, Diagnostic<Origin>> {
        let first = self.indices.first().copied().unwrap_or(0);
        let at = self.at(cx, first)?;
        let pointer_value = unswizzled(cx, at)?;
        let of: Pointer = pointer(cx, pointer_value)?;
        let ty = match of.space() {
            Space::Global => DesugaredType::Scalar(ElementType::Ptr(self.scalar)),
            Space::Shared => DesugaredType::SharedPtr(self.scalar),
            space => {
                let message = format!("an instruction on an address in `{}`", space.word());
                return Err(unsupported(cx.origin(), message));
            }
        };
        Ok(cx.value(
            CuteOp::Address {
                pointer: pointer_value,
            },
            ty,
        ))
    }

    /// Whether its elements are adjacent, in order.
    pub(super) fn is_contiguous(&self) -> bool {
        self.runs().len() == 1
    }
}

/// The index of each element of a static layout.
fn indices(layout: &ViewLayout) -> Option<Vec<i64>> {
    let size = layout
        .layout()
        .size()
        .ok()?
        .value()
        .filter(|size| *size <= MOST)?;
    let at = |number: i64| {
        let coord = Nested::Leaf(SlotOf::At(Fact::Static(number)));
        let index = match layout {
            ViewLayout::Plain(layout) => layout.index_of(&coord).ok()?,
            ViewLayout::Composed(composed) => composed.index_of(&coord).ok()?,
        };
        match index {
            Nested::Leaf(index) => index.value(),
            Nested::Tuple(_) => None,
        }
    };
    (0..size).map(at).collect()
}
