//! Arrays in the memory of a thread.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, counted};

use crate::core::{Language, OpData, Problems};

/// Bytes of local memory that a thread has at most. (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".)
const MOST_BYTES: u64 = 512 << 10;
/// The largest alignment of an array: that of the widest access.
const MOST_ALIGN: u32 = 16;

/// Checks arrays: each op with its slot, and the size and the alignment of the array in bytes.
pub(crate) fn check_arrays<'a, L: Language>(
    arrays: impl Iterator<Item = (&'a OpData<L>, u32, (u32, u32))>,
    problems: &mut Problems,
) {
    let mut known: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    let mut total = 0;
    for (op, slot, (bytes, align)) in arrays {
        let mut wrong = |field: &str, message: String| {
            problems.error_at(op.origin, op.part(field), Code::AttributeValue, message);
        };
        if bytes == 0 {
            wrong("bytes", "an array has at least one byte".to_owned());
        }
        if !align.is_power_of_two() || align > MOST_ALIGN {
            wrong(
                "align",
                format!("an array is aligned to a power of two up to {MOST_ALIGN}, not to {align}"),
            );
        }
        match known.entry(slot) {
            Entry::Vacant(new) => {
                new.insert((bytes, align));
                let before = total;
                total += u64::from(bytes);
                if total > MOST_BYTES && before <= MOST_BYTES {
                    let message = format!(
                        "the arrays of a thread have at most {MOST_BYTES} bytes together, these {total}"
                    );
                    wrong("bytes", message);
                }
            }
            Entry::Occupied(first) if *first.get() != (bytes, align) => {
                let (size, aligned) = *first.get();
                let message = format!(
                    "slot {slot} is an array of {}, aligned to {aligned}, elsewhere",
                    counted(size, "byte")
                );
                wrong("slot", message);
            }
            Entry::Occupied(_) => {}
        }
    }
}
