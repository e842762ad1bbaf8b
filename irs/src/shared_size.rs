//! The size of a kernel's shared memory.

use tilewright_diagnostics::Code;

use crate::core::{Flag, Origin, Part, Problems};

/// Checks that shared memory whose size a launch says is not also of a fixed size. `part` is the attribute `shared_dynamic`.
pub(crate) fn verify_shared_size(dynamic: Flag, bytes: u32, part: Part, problems: &mut Problems) {
    if dynamic.0 && bytes > 0 {
        let message = format!("`shared_dynamic` and `shared_bytes = {bytes}` exclude each other");
        problems.error_at(Origin::FUNCTION, part, Code::ConflictingAttributes, message);
    }
}
