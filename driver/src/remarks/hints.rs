//! Remarks on hints that were not followed, one for each op that has one.

use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::Hint;
use tilewright_passes::hints::Wish;

use super::{Category, Kind, Remark, remark};
use crate::database::Compiler;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::Language;

/// The remarks on a kernel.
pub(super) fn remarks(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Vec<(Origin, Remark)> {
    let mut remarks = Vec::new();
    for unmet in pipeline::unmet_hints(compiler, kernel, options, Language::Ptx) {
        let category = match unmet.hint {
            Wish::Hint(Hint::AllowTma | Hint::Latency) | Wish::Access => Category::Memory,
            Wish::Hint(Hint::NumWarps | Hint::Occupancy | Hint::NumStages)
            | Wish::Persistent
            | Wish::MaxRegisters => Category::Schedule,
            // The remark on clusters says it.
            Wish::Hint(Hint::NumCtas) => continue,
        };
        let made = remark(
            Kind::Missed,
            category,
            "RemarkHintNotFollowed",
            sentence(&unmet.message()),
        );
        remarks.extend(unmet.origins.iter().map(|&origin| (origin, made.clone())));
    }
    remarks
}

/// A message, with a capital letter.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
