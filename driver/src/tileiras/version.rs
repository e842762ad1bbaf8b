//! `--version`. Front ends read the CUDA release from it, and caches of compiled kernels take the whole text as the identity of
//! the compiler. So it differs from build to build, and has no other dotted number before the release.

/// The release of CUDA whose `tileiras` this one stands in for: the last that every front end knows.
const RELEASE: &str = "13.4";

/// The text of a program, which is `purpose`.
pub(super) fn text(name: &str, purpose: &str) -> String {
    format!(
        "{name}: {purpose} (compatible with the release below)\n\
         Cuda compilation tools, release {RELEASE}, V{RELEASE}.0\n\
         Build tilewright-{}-{}\n",
        env!("CARGO_PKG_VERSION"),
        env!("TILEWRIGHT_BUILD"),
    )
}
