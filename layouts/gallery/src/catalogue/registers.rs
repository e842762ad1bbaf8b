//! Named register layouts.

use tilewright_layouts::distributed::Blocked;

use super::words::Words;
use super::{CatalogueError, Named};

/// Parses names such as `([1,4],[8,4],[4,1],[1,0]) 64x64`.
pub(super) fn blocked(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    words.open()?;
    let size_per_thread = words.list()?;
    words.comma()?;
    let threads_per_warp = words.list()?;
    words.comma()?;
    let warps_per_cta = words.list()?;
    words.comma()?;
    let order = words.axes()?;
    words.close()?;
    let shape = words.shape()?;
    let blocked = Blocked {
        size_per_thread,
        threads_per_warp,
        warps_per_cta,
        order,
    };
    let layout = blocked
        .to_linear(&shape)
        .map_err(|error| words.impossible(error))?;
    Ok(Named { layout, width: None })
}

/// Parses names such as `(4,4,[1,0]) 32x64`.
pub(super) fn coalesced(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    words.open()?;
    let vector = words.number()?;
    words.comma()?;
    let warps = words.number()?;
    words.comma()?;
    let order = words.axes()?;
    words.close()?;
    let shape = words.shape()?;
    let layout = Blocked::coalesced(&shape, vector, &order, warps)
        .and_then(|blocked| blocked.to_linear(&shape))
        .map_err(|error| words.impossible(error))?;
    Ok(Named { layout, width: None })
}
