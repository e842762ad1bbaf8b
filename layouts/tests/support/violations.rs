//! Accessors for violations.

use tilewright_layouts::legality::Violations;

/// The fields of all violations.
pub(crate) fn fields<F: Copy>(result: Result<(), Violations<F>>) -> Vec<F> {
    result.map_or_else(
        |found| found.iter().map(|one| one.field).collect(),
        |()| Vec::new(),
    )
}
