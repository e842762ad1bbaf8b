//! The result of a rule.

use tilewright_diagnostics::Code;

/// The error of a rule that is broken.
pub(super) type Checked = Result<(), (Code, String)>;

/// Requires that a rule holds.
pub(super) fn want(holds: bool, code: Code, message: &str) -> Checked {
    if holds {
        Ok(())
    } else {
        Err((code, message.to_owned()))
    }
}
