//! `--version`. Front ends read the CUDA release from it, and caches of compiled kernels take the whole text as the identity of
//! the compiler. So it differs from build to build and with tuned hints, and has no other dotted number before the release.

use std::fs;

use crate::tuned;

/// The release of CUDA whose `tileiras` this one stands in for: the last that every front end knows.
const RELEASE: &str = "13.4";

/// The text of a program, which is `purpose`.
pub(super) fn text(name: &str, purpose: &str) -> String {
    // With other hints, the same bytecode gives another kernel.
    let tuned = tuned::variable().and_then(|path| fs::read(path).ok());
    let tuned = tuned.map(|bytes| format!("-{:016x}", tuned::hash(&bytes)));
    format!(
        "{name}: {purpose} (compatible with the release below)\n\
         Cuda compilation tools, release {RELEASE}, V{RELEASE}.0\n\
         Build tilewright-{}-{}{}\n",
        env!("CARGO_PKG_VERSION"),
        env!("TILEWRIGHT_BUILD"),
        tuned.unwrap_or_default(),
    )
}
