//! Where the ops are whose attributes are followed.

use std::collections::BTreeMap;

use tilewright_irs::core::Origin;

use super::Life;
use crate::database::Db;
use crate::inputs::Source;
use crate::kernel::Kernel;
use crate::lines::LineStarts;

/// A life with the place of its op in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The life.
    pub life: Life,
    /// The name of the op of the source; `None` for an attribute of the kernel.
    pub op: Option<&'static str>,
    /// The file, the line and the column, if they are known.
    pub at: Option<(String, u32, u32)>,
}

/// Lives of a kernel with their places, in its file or in the source that its debug information names; without places if no file
/// is given.
pub fn placed(db: &dyn Db, kernel: Kernel<'_>, source: Option<Source>, lives: &[Life]) -> Vec<Placed> {
    let ops: BTreeMap<Origin, &'static str> = kernel.body(db).op_names().into_iter().collect();
    let file = source.map(|source| (source.name(db), LineStarts::of(source.bytes(db))));
    let places = kernel.places(db);
    let of = |life: &Life| {
        let location = match life.origin {
            Origin::FUNCTION => places.function(),
            origin => places.get(origin),
        };
        let line = file.as_ref().zip(location.as_ref());
        let line = line.and_then(|((name, starts), location)| starts.line(name, location));
        Placed {
            life: life.clone(),
            op: ops.get(&life.origin).copied(),
            at: line.map(|line| (line.path.to_owned(), line.line, line.column)),
        }
    };
    lives.iter().map(of).collect()
}
