//! Expected texts: the output of each pass for its inputs, and whole kernels in every language.
//!
//! Expected texts are snapshots of `insta`, beside their inputs. `cargo insta test --review -p tilewright-tests
//! --test golden` shows each difference and accepts or rejects it; without `cargo-insta`, `INSTA_UPDATE=always cargo
//! test -p tilewright-tests --test golden` writes all texts anew.

mod ladders;
mod passes;

use std::path::{Path, PathBuf};

/// The folder that the snapshots are in.
fn golden() -> PathBuf {
    tilewright_tests::repository().join("golden")
}

/// The settings of snapshots in `folder`.
fn beside(folder: &Path) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.remove_snapshot_suffix();
    settings.set_omit_expression(true);
    settings
}
