//! `tilewright.h` is what the interface is now. `UPDATE_DOCS=1` writes it.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_that_of_the_interface() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = folder.join("src/lib.rs");
    let configuration = folder.join("cbindgen.toml");
    let config = cbindgen::Config::from_file(&configuration).expect("the configuration");
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(source)
        .generate();
    let mut made = Vec::new();
    bindings.expect("the interface").write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = folder.join("tilewright.h");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &made).expect("written");
    }
    let found = fs::read_to_string(&path).expect("the header");
    assert!(
        found == made,
        "tilewright.h is not that of capi/src/lib.rs: run this test with UPDATE_DOCS=1"
    );
}
