//! Copies tiles that are printed or asserted to shared memory, where one thread reads them. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where
//!
//! - `tileas.print` prints scalars and buffers, at most 32 elements, which one call of `vprintf` takes. A print of more
//!   is split, and a tile of more than 32 elements is printed by `tileas.print_elements`;
//! - `tileas.assert` takes a scalar. For a tile, each warp finds its first 0 (`tileas.first_zero`), and `tileas.trap_at`
//!   reads those of all warps.
//!
//! A buffer is in row-major order. A tile that is larger than the shared memory of a block is printed in slices, parts
//! in row-major order, which are in registers of the same threads after a conversion to a row-major layout. Pointers
//! are printed as integers, and elements that do not fill bytes are extended.
//!
//! Blocks print concurrently: what one prints in several calls may be interleaved with the output of others.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Func, OpId, Origin, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::format::{self, Conversion, MAX_VALUES, Part};
use tilewright_irs::machine::Machine;
use tilewright_irs::tileas::atoms::St;
use tilewright_irs::tileas::{Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, slice_layout};
use tilewright_layouts::bank::Access;
use tilewright_layouts::conversion::SharedAccess;
use tilewright_layouts::shared::Swizzled;
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

/// Alignment of buffers, in bytes: that of the widest access.
const ALIGN: u32 = 16;

/// Copies printed and asserted tiles to shared memory; see [the module](self).
///
/// # Errors
/// See the module.
pub fn stage_prints(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let mut pass = Stage {
        limit: Machine::of(func.attrs.target).multiprocessor.shared_static.0,
        warps: func.attrs.kernel_spec.num_warps,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;
type Staged<T> = Result<T, Diagnostic<Origin>>;

struct Stage {
    /// Shared memory limit of a block in bytes.
    limit: u64,
    warps: u32,
}

impl Translate<TileAs, TileAs> for Stage {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match &cx.old(id).kind {
            TileAsOp::TileAs(TileAsDialect::Print { format, values }) => self.print(cx, format, values),
            TileAsOp::TileAs(TileAsDialect::Assert { condition, message })
                if cx.from.ty(*condition).layout().is_some() =>
            {
                let condition = cx.one(*condition);
                self.assert(cx, condition, message)
            }
            kind => cx.carry(id, kind, self),
        }
    }
}

/// The part of a print that is printed by one call.
#[derive(Default)]
struct Piece {
    format: String,
    values: Vec<Value>,
    elements: usize,
}

impl Piece {
    fn print(&mut self, cx: &mut Cx<'_>) {
        let Self { format, values, .. } = std::mem::take(self);
        if !format.is_empty() {
            cx.build().effect(TileAsDialect::Print { format, values });
        }
    }
}

/// A tile of numbers.
struct Numbers {
    tile: Value,
    scalar: ScalarType,
    bytes: u32,
    layout: LinearLayout,
}

impl Numbers {
    fn shape(&self) -> Vec<u32> {
        self.layout.shape()
    }

    fn size(&self) -> u64 {
        u64::from(self.bytes) << self.layout.total_out_bits()
    }
}

fn no_layout(origin: Origin) -> impl Fn(LayoutError) -> Diagnostic<Origin> {
    move |error| {
        let message = format!("no layout for a tile that is printed: {error}");
        Diagnostic::error(Code::BadLayout, message).at(origin, "")
    }
}

impl Stage {
    fn print(&self, cx: &mut Cx<'_>, text: &str, values: &[Value]) -> Translated {
        let origin = cx.origin();
        let parts = format::parse(text).map_err(|at| {
            let message = format!("the `%` at byte {at} of the format begins no conversion");
            Diagnostic::error(Code::AttributeValue, message).at(origin, "")
        })?;
        let mut values = values.iter();
        let mut piece = Piece::default();
        for part in parts {
            let form = match part {
                Part::Text(text) => {
                    piece.format += &format::escaped(&text);
                    continue;
                }
                Part::Conversion(form) => form,
            };
            let Some(&value) = values.next() else { break };
            let value = cx.one(value);
            let (value, elements, form) = if cx.ty(value).layout().is_some() {
                let (numbers, form) = Self::numbers(cx, value, form)?;
                let elements: u32 = numbers.shape().iter().product();
                if elements as usize > MAX_VALUES {
                    piece.print(cx);
                    self.print_elements(cx, numbers, &form)?;
                    continue;
                }
                (Self::staged(cx, &numbers)?, elements as usize, form)
            } else {
                (value, 1, form)
            };
            if piece.elements + elements > MAX_VALUES {
                piece.print(cx);
            }
            piece.format += &form.to_string();
            piece.values.push(value);
            piece.elements += elements;
        }
        piece.print(cx);
        Ok(())
    }

    /// A tile as numbers, and the form in which they are printed: pointers are hexadecimal integers.
    fn numbers(cx: &mut Cx<'_>, tile: Value, form: Conversion) -> Staged<(Numbers, Conversion)> {
        let origin = cx.origin();
        let ty = cx.ty(tile).clone();
        let layout = ty.layout().cloned();
        let (tile, scalar, form) = match ty.element() {
            Some(ElementType::Ptr(_)) => {
                let source = cx.value(
                    ArithOp::PtrToInt { source: tile },
                    ty.with_element(ElementType::I64),
                );
                let layout = format!("#{}", form.layout);
                (source, Some(ScalarType::I64), Conversion { layout, letter: 'x' })
            }
            Some(ElementType::Scalar(scalar)) => (tile, Some(scalar), form),
            None => (tile, None, form),
        };
        let (Some(scalar), Some(layout)) = (scalar, layout) else {
            return Err(Diagnostic::error(Code::OperandType, "elements are printed").at(origin, ""));
        };
        // Elements that do not fill bytes are extended.
        let (tile, scalar, bytes) = match scalar.bytes() {
            Some(bytes) => (tile, scalar, bytes),
            None if scalar.is_float() => {
                let rounding = FloatRounding::NearestEven;
                let wide = cx.ty(tile).with_element(ElementType::Scalar(ScalarType::F32));
                let tile = cx.value(
                    ArithOp::FToF {
                        source: tile,
                        rounding,
                    },
                    wide,
                );
                (tile, ScalarType::F32, 4)
            }
            None => {
                let signedness = match form.letter {
                    'u' | 'x' | 'X' | 'o' => Signedness::Unsigned,
                    _ => Signedness::Signed,
                };
                let wide = cx.ty(tile).with_element(ElementType::I32);
                let tile = cx.value(
                    ArithOp::ExtI {
                        source: tile,
                        signedness,
                    },
                    wide,
                );
                (tile, ScalarType::I32, 4)
            }
        };
        let numbers = Numbers {
            tile,
            scalar,
            bytes,
            layout,
        };
        Ok((numbers, form))
    }

    /// A buffer with a tile in row-major order.
    fn staged(cx: &mut Cx<'_>, numbers: &Numbers) -> Staged<Value> {
        let origin = cx.origin();
        let shape = numbers.shape();
        let memory = row_major(&shape).map_err(no_layout(origin))?;
        let plan = SharedAccess::plan(Access::Store, &numbers.layout, &memory, numbers.bytes, None)
            .map_err(no_layout(origin))?;
        let buffer = TileAsType::Buffer(Buffer::shared(numbers.scalar, memory));
        let alloc = TileAsDialect::Alloc {
            align: ALIGN,
            offset: None,
            depth: None,
        };
        let buffer = cx.value(alloc, buffer);
        cx.build().effect(TileAsDialect::Copy {
            source: numbers.tile,
            to: Some(buffer),
            atom: St::new(plan.vector * numbers.bytes * 8).into(),
        });
        Ok(buffer)
    }

    /// Prints a tile of many elements, in slices if it does not fit in shared memory.
    fn print_elements(&self, cx: &mut Cx<'_>, numbers: Numbers, form: &Conversion) -> Translated {
        let origin = cx.origin();
        let shape = numbers.shape();
        // The first axes of a slice have extent 1, one may be split, the last ones are whole.
        let (mut extents, mut size) = (shape.clone(), numbers.size());
        for extent in &mut extents {
            while *extent > 1 && size > self.limit {
                *extent /= 2;
                size /= 2;
            }
        }
        let form = form.to_string();
        if extents == shape {
            let buffer = Self::staged(cx, &numbers)?;
            let first = 0;
            cx.build().effect(TileAsDialect::PrintElements {
                buffer,
                form,
                shape,
                first,
            });
            return Ok(());
        }
        let element = ElementType::Scalar(numbers.scalar);
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let rows = Blocked::coalesced(&shape, 1, &order, self.warps)
            .and_then(|blocked| blocked.to_linear(&shape))
            .map_err(no_layout(origin))?;
        let slice = slice_layout(&rows, &extents).map_err(no_layout(origin))?;
        let mut tile = numbers.tile;
        if rows != numbers.layout {
            let ty = TileAsType::tile(element, rows);
            tile = cx.value(TileAsDialect::ConvertLayout { source: tile }, ty);
        }
        let count: u32 = extents.iter().product();
        for number in 0..shape.iter().product::<u32>() / count {
            let first = number * count;
            let offsets = coordinates(&shape, first);
            let ty = TileAsType::tile(element, slice.clone());
            let part = Numbers {
                tile: cx.value(
                    TileAsDialect::ExtractSlice {
                        source: tile,
                        offsets,
                    },
                    ty,
                ),
                layout: slice.clone(),
                ..numbers
            };
            let buffer = Self::staged(cx, &part)?;
            cx.build().effect(TileAsDialect::PrintElements {
                buffer,
                form: form.clone(),
                shape: shape.clone(),
                first,
            });
        }
        Ok(())
    }

    fn assert(&self, cx: &mut Cx<'_>, condition: Value, message: &str) -> Translated {
        let origin = cx.origin();
        let shape = cx
            .ty(condition)
            .layout()
            .map(LinearLayout::shape)
            .unwrap_or_default();
        let warps = (0..self.warps.trailing_zeros()).map(|bit| vec![1 << bit]);
        let layout = LinearLayout::from_bases(&[(Dim::Warp, warps.collect())], &[(Dim::Axis(0), self.warps)])
            .map_err(no_layout(origin))?;
        let ty = TileAsType::tile(ElementType::I32, layout.clone());
        let tile = cx.value(TileAsDialect::FirstZero { source: condition }, ty);
        let first = Numbers {
            tile,
            scalar: ScalarType::I32,
            bytes: 4,
            layout,
        };
        let places = Self::staged(cx, &first)?;
        let message = message.to_owned();
        cx.build().effect(TileAsDialect::TrapAt {
            places,
            shape,
            message,
        });
        Ok(())
    }
}

/// The layout of a buffer in row-major order.
fn row_major(shape: &[u32]) -> Result<LinearLayout, LayoutError> {
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    Swizzled::plain(&order).to_linear(shape)
}

/// The coordinates of an element from its index in row-major order.
fn coordinates(shape: &[u32], index: u32) -> Vec<u32> {
    let mut rest = index;
    let mut found: Vec<u32> = shape
        .iter()
        .rev()
        .map(|extent| {
            let coordinate = rest % extent;
            rest /= extent;
            coordinate
        })
        .collect();
    found.reverse();
    found
}
