//! Rules of buffers and of copies within the block.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::legality::{Allocation, TMEM_COLUMNS, TensorMemoryAccess, TensorMemoryAddress};

use super::{Checked, Refusal, Rules, want};
use crate::SharedAlign;
use crate::core::{Language, TermCodec, Value, ValueType, term_text};
use crate::dialects::tile_rules::ShapedType;
use crate::element::ElementType;
use crate::machine::Machine;
use crate::tileas::atoms::{Completion, CopyAtom, Place};
use crate::tileas::buffer::{Buffer, BufferLayout, Space};
use crate::tileas::types::{Pending, TileAsType};

impl<'a, L: Language<Type = TileAsType>> Rules<'a, L> {
    fn buffer(&self, value: Value) -> Result<&'a Buffer, Refusal> {
        match self.ty(value) {
            TileAsType::Buffer(buffer) => Ok(buffer),
            other => Err(Refusal {
                code: Code::OperandType,
                message: format!("this op is about a buffer, not `{}`", term_text(&other.write())),
            }),
        }
    }

    pub(super) fn alloc(&self, align: u32, offset: Option<u32>) -> Checked {
        let buffer = self.buffer(self.op.result(0))?;
        want(
            buffer.is_whole(),
            Code::BadLayout,
            "the layout of an allocation has exactly one place for each element",
        )?;
        want(
            SharedAlign::new(align).is_some(),
            Code::AttributeValue,
            format!(
                "buffers begin at multiples of a power of two up to {}, not of {align}",
                SharedAlign::MAX
            ),
        )?;
        let target = self.attrs.target;
        match buffer.space {
            Space::Shared => {
                let (bytes, limit) = (buffer.bytes(), Machine::of(target).multiprocessor.shared_static.0);
                want(
                    bytes <= limit,
                    Code::SharedMemory,
                    format!(
                        "the buffer has {bytes} bytes; a block on {target} has at most {limit} of shared memory"
                    ),
                )?;
                let Some(offset) = offset else { return Ok(()) };
                want(
                    offset.is_multiple_of(align),
                    Code::AttributeValue,
                    format!("the buffer begins at byte {offset}, which is no multiple of {align}"),
                )?;
                let base = self.attrs.shared_align.unwrap_or_default().bytes();
                want(
                    align <= base,
                    Code::AttributeValue,
                    format!("the buffer is aligned to {align} bytes, the kernel's shared memory to {base}"),
                )?;
                let (end, have) = (u64::from(offset) + bytes, self.attrs.shared_bytes);
                want(
                    end <= u64::from(have),
                    Code::AttributeValue,
                    format!(
                        "the buffer has {} from {offset} on, the kernel has {have} of shared memory",
                        counted(bytes, "byte")
                    ),
                )
            }
            Space::Tensor => {
                want(
                    matches!(target.sm, 100..120),
                    Code::TargetLacksFeature,
                    format!("{target} has no tensor memory; sm_100a, sm_103a and sm_110a have"),
                )?;
                let columns = buffer.columns();
                let columns = u32::try_from(columns).unwrap_or(u32::MAX);
                let allocation = Allocation::for_columns(columns);
                want(
                    allocation.is_some(),
                    Code::TensorMemory,
                    format!("the buffer has {columns} columns of tensor memory; there are {TMEM_COLUMNS}"),
                )?;
                let Some(column) = offset else { return Ok(()) };
                let first_lanes = TensorMemoryAccess {
                    warp: 0,
                    address: TensorMemoryAddress {
                        lane: 0,
                        column: u16::try_from(column).unwrap_or(u16::MAX),
                    },
                    lanes: 1,
                    columns,
                };
                first_lanes.check().map_err(|violations| Refusal {
                    code: Code::TensorMemory,
                    message: format!(
                        "the buffer has {} of tensor memory from {column} on: {}",
                        counted(columns, "column"),
                        violations.to_string().replace('\n', "; "),
                    ),
                })
            }
        }
    }

    pub(super) fn subview(&self, buffer: Value, stage: Option<Value>, offsets: &[u32]) -> Checked {
        let (buffer, result) = (self.buffer(buffer)?, self.buffer(self.op.result(0))?);
        let one = stage.is_some();
        if let Some(stage) = stage {
            want(
                *self.ty(stage) == TileAsType::Scalar(ElementType::I32),
                Code::OperandType,
                "the number of a stage is an i32",
            )?;
        }
        let stages = if one { buffer.stage() } else { buffer.clone() };
        let wanted = if offsets.is_empty() {
            stages
        } else {
            let slice = stages.slice(offsets, &result.shape);
            slice.map_err(|message| Refusal {
                code: Code::BadLayout,
                message,
            })?
        };
        self.is_view(result, &wanted)
    }

    pub(super) fn transpose(&self, buffer: Value, permutation: &[u32]) -> Checked {
        let (buffer, result) = (self.buffer(buffer)?, self.buffer(self.op.result(0))?);
        let axes: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
        let wanted = buffer.permuted(&axes).map_err(|message| Refusal {
            code: Code::BadDimMap,
            message,
        })?;
        self.is_view(result, &wanted)
    }

    pub(super) fn reinterpret(&self, buffer: Value) -> Checked {
        let (buffer, result) = (self.buffer(buffer)?, self.buffer(self.op.result(0))?);
        let linear = |buffer: &Buffer| matches!(buffer.layout, BufferLayout::Linear(_)) && !buffer.is_slice();
        want(
            linear(buffer)
                && linear(result)
                && buffer.space == Space::Shared
                && result.space == Space::Shared,
            Code::BadLayout,
            "the bytes of whole buffers in shared memory with linear layouts can be read otherwise",
        )?;
        let (have, wanted) = (buffer.bytes(), result.bytes());
        want(
            have == wanted && buffer.stages == result.stages,
            Code::TypeMismatch,
            format!(
                "{} of {} in all cannot be read as {} of {wanted}",
                counted(buffer.stages, "stage"),
                counted(have, "byte"),
                counted(result.stages, "stage")
            ),
        )
    }

    fn is_view(&self, result: &Buffer, wanted: &Buffer) -> Checked {
        let text = |buffer: &Buffer| term_text(&buffer.write());
        want(
            result == wanted,
            Code::TypeMismatch,
            format!("this view is a `{}`, not a `{}`", text(wanted), text(result)),
        )
    }

    /// A copy within the block.
    pub(super) fn local_copy(&self, source: Value, to: Option<Value>, atom: &CopyAtom) -> Checked {
        let from = self.ty(source);
        let pending = atom.completion() == Completion::Asynchronous;
        let results: Vec<&TileAsType> = self.op.results().map(|value| self.ty(value)).collect();
        let made = match (to, results.as_slice()) {
            (Some(to), []) if !pending => self.ty(to).clone(),
            (Some(to), [TileAsType::Pending(Some(what))]) if pending => {
                let ready = what.ready();
                want(
                    ready == *self.ty(to),
                    Code::TypeMismatch,
                    "a copy into a buffer gives that buffer, pending",
                )?;
                ready
            }
            (None, [made @ (TileAsType::Tile { .. } | TileAsType::Scalar(_))]) if !pending => (*made).clone(),
            (None, [TileAsType::Pending(Some(what))]) if pending => match &**what {
                Pending::Tile(..) => what.ready(),
                Pending::Buffer(_) => {
                    return want(
                        false,
                        Code::TypeMismatch,
                        "a copy without a destination makes a tile",
                    );
                }
            },
            _ => {
                let message = format!(
                    "`{}` {}; a copy into a buffer has {}, a copy to registers makes {}",
                    atom.word(),
                    if pending {
                        "is waited for"
                    } else {
                        "is done at once"
                    },
                    if pending {
                        "the pending buffer as result"
                    } else {
                        "no result"
                    },
                    if pending { "a pending tile" } else { "a tile" }
                );
                return want(false, Code::TypeMismatch, message);
            }
        };
        let of = |ty: &TileAsType| match ty {
            TileAsType::Buffer(buffer) => Some((buffer.shape.clone(), ElementType::Scalar(buffer.element))),
            other => other.extents().map(<[u32]>::to_vec).zip(other.element()),
        };
        want(
            of(from).is_some() && of(from) == of(&made),
            Code::TypeMismatch,
            "a copy keeps extents and element type",
        )?;
        for ty in [from, &made] {
            if let TileAsType::Buffer(buffer) = ty {
                want(
                    buffer.stages == 1,
                    Code::OperandType,
                    format!("a copy is about one stage, the buffer has {}", buffer.stages),
                )?;
            }
        }
        match (Place::of(from), Place::of(&made)) {
            (Some(from), Some(to)) => atom.check(&self.copy(from, to, &[])),
            _ => want(false, Code::OperandType, "a copy is about tiles and buffers"),
        }
    }

    pub(super) fn copy_wait(&self, copy: Value) -> Checked {
        let results: Vec<TileAsType> = self.op.results().map(|value| self.ty(value).clone()).collect();
        self.waits(copy, &results)
    }

    pub(super) fn dot_wait(&self, product: Value) -> Checked {
        let results: Vec<TileAsType> = self.op.results().map(|value| self.ty(value).clone()).collect();
        match results.as_slice() {
            [] => want(
                matches!(self.ty(product), TileAsType::Pending(_)),
                Code::OperandType,
                "only what is pending is waited for",
            ),
            results => self.waits(product, results),
        }
    }

    fn waits(&self, pending: Value, results: &[TileAsType]) -> Checked {
        let TileAsType::Pending(what) = self.ty(pending) else {
            return want(false, Code::OperandType, "only what is pending is waited for");
        };
        let ready: Vec<TileAsType> = what.iter().map(|what| what.ready()).collect();
        want(
            results == ready,
            Code::TypeMismatch,
            "a wait gives what its operand will have made",
        )
    }
}
