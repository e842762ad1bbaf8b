//! Links the program at a fixed address where that is possible: the declarations are tables full of pointers, and
//! relocating them would be a fifth of the time that a small kernel takes to compile.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
