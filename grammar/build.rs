//! Generates the parsers: every `.lalrpop` file under `src` becomes a module of the same name.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // The directives of lalrpop name the grammars there are; this notices a new one.
    println!("cargo::rerun-if-changed=src");
    lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process()
}
