//! Where a kernel's shared memory lies in its dynamic shared memory, and how many bytes of it a launch gives.

use std::num::{NonZeroU32, NonZeroU64};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_layouts::cute::LastOf;

use super::attribute::Attribute;
use super::dialects::{CuteNvgpuOp, CuteOp};
use super::module::Mlir;
use super::ops::MlirOp;
use super::types::Type;
use crate::core::{Func, OpData, OpId, Origin};
use crate::cute_types::{Element, Kind, Pointer, Space, View, ViewLayout};

/// The attribute of a kernel whose shared memory is placed: its bytes, an `i64`.
pub const SHARED_BYTES: &str = "smem.bytes";

/// The bytes that the beginning of dynamic shared memory is aligned to.
pub const SHARED_ALIGN: NonZeroU64 = NonZeroU64::new(1024).unwrap();

/// The bits of a byte.
const BYTE: NonZeroU32 = NonZeroU32::new(8).unwrap();

/// The attribute of an allocation: the number of its partition. Partitions follow each other.
const PARTITION: &str = "smem.partition_id";

/// The allocations of a kernel's shared memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedMemory {
    /// The bytes of all.
    pub bytes: u64,
    /// Each allocation with the byte where it begins, in the order of memory.
    pub places: Vec<(OpId, u64)>,
}

/// The bytes of shared memory that a launch of a kernel has to give, before and after they are placed.
///
/// # Errors
/// Those of [`shared_memory`].
pub fn shared_bytes(kernel: &Func<Mlir>) -> Result<u64, Diagnostic<Origin>> {
    let placed = match kernel.attrs.attributes.get(SHARED_BYTES) {
        Some(Attribute::Integer(bytes, Type::I64)) => u64::try_from(*bytes).ok(),
        _ => None,
    };
    match placed {
        Some(bytes) => Ok(bytes),
        None => shared_memory(kernel).map(|memory| memory.bytes),
    }
}

/// Places the allocations of a kernel: partition by partition, within one in the order of the text, each at the next
/// multiple of its alignment, as version 4.8.1 of the library does. Allocations without a partition
/// (`cute.memref.alloc_smem`, `cute_nvgpu.arch.alloc_smem`), which the library keeps apart, come last.
///
/// # Errors
/// An allocation is of a size that is known only at run time, is aligned to more than [`SHARED_ALIGN`], or is too large for
/// any memory.
pub fn shared_memory(kernel: &Func<Mlir>) -> Result<SharedMemory, Diagnostic<Origin>> {
    let body = &kernel.body;
    let mut found = Vec::new();
    for id in body.walk() {
        let op = body.op(id);
        if let Some(allocation) = Allocation::of(op, |nth| body.ty(op.result(nth)))? {
            found.push((allocation, id));
        }
    }
    found.sort_by_key(|(allocation, _)| allocation.partition);

    let mut memory = SharedMemory::default();
    for (allocation, id) in found {
        let place = memory.bytes.checked_next_multiple_of(allocation.align);
        let end = place.and_then(|place| place.checked_add(allocation.bytes));
        let (Some(place), Some(end)) = (place, end) else {
            let bytes = allocation.bytes;
            return Err(refused(
                body.op(id),
                Code::SharedMemory,
                format!("{bytes} bytes are more than any shared memory has"),
            ));
        };
        memory.places.push((id, place));
        memory.bytes = end;
    }
    Ok(memory)
}

struct Allocation {
    /// The partition; those without one are last.
    partition: i64,
    bytes: u64,
    align: u64,
}

impl Allocation {
    fn of<'a>(
        op: &OpData<Mlir>,
        result: impl Fn(usize) -> &'a Type,
    ) -> Result<Option<Self>, Diagnostic<Origin>> {
        let (pointer, elements, partition) = match &op.kind {
            MlirOp::Cute(CuteOp::MemrefAlloca { .. }) => match shared_view(result(0)) {
                Some(view) => (view.pointer.clone(), elements(op, view)?, partition(op)),
                None => return Ok(None),
            },
            MlirOp::Cute(CuteOp::MemrefAllocSmem {}) => match shared_view(result(0)) {
                Some(view) => (view.pointer.clone(), elements(op, view)?, i64::MAX),
                None => return Ok(None),
            },
            MlirOp::CuteNvgpu(CuteNvgpuOp::ArchAllocSmem { input }) => match result(0).kind() {
                Some(Kind::Pointer(pointer)) => {
                    let count = u64::try_from(*input);
                    let count = count.map_err(|_| {
                        refused(
                            op,
                            Code::AttributeValue,
                            format!("{input} elements are none to allocate"),
                        )
                    })?;
                    (pointer.clone(), count, i64::MAX)
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let align = pointer.align().get();
        if !align.is_power_of_two() || align > SHARED_ALIGN.get() {
            let most = SHARED_ALIGN;
            let message = format!(
                "shared memory cannot be aligned to {align} bytes: its beginning is aligned to {most}"
            );
            return Err(refused(op, Code::HardwareLimit, message));
        }
        let bits = elements.checked_mul(u64::from(pointer.element_bits()));
        let bits = bits.ok_or_else(|| {
            refused(
                op,
                Code::SharedMemory,
                format!("{elements} elements are more than any shared memory has"),
            )
        })?;
        Ok(Some(Self {
            partition,
            bytes: bits.div_ceil(8),
            align,
        }))
    }
}

fn shared_view(ty: &Type) -> Option<&View> {
    match ty.kind()? {
        Kind::View(view) if view.pointer.space() == Space::Shared => Some(view),
        _ => None,
    }
}

fn partition(op: &OpData<Mlir>) -> i64 {
    match op.tag.get(PARTITION) {
        Some(Attribute::Integer(partition, _)) => *partition,
        _ => 0,
    }
}

/// The elements that a view reaches: a swizzle stays within blocks of its period.
fn elements(op: &OpData<Mlir>, view: &View) -> Result<u64, Diagnostic<Origin>> {
    let (layout, period) = match &view.layout {
        ViewLayout::Plain(layout) => (layout, 1),
        ViewLayout::Composed(composed) => match composed.last() {
            LastOf::Layout(layout) => (layout, 1),
            LastOf::Swizzle(swizzle) => (composed.layout(), swizzle.period()),
        },
    };
    let cosize = layout.cosize().ok().and_then(|cosize| cosize.value());
    let cosize = cosize.and_then(|cosize| u64::try_from(cosize).ok());
    let elements = cosize.and_then(|cosize| cosize.checked_next_multiple_of(period));
    elements.ok_or_else(|| {
        refused(
            op,
            Code::UnsupportedFeature,
            format!("shared memory of the layout {layout} has no size that is known now"),
        )
    })
}

fn refused(op: &OpData<Mlir>, code: Code, message: String) -> Diagnostic<Origin> {
    Diagnostic::error(code, message).at(op.origin, "allocated here")
}

/// The beginning of dynamic shared memory: bytes.
pub fn shared_base() -> Pointer {
    Pointer::new(Some(Element::integer(BYTE)), Space::Shared, SHARED_ALIGN, None)
}
