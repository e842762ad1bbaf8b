//! The `tilewright` command.

/// A kernel compiles in a few milliseconds, and half of its instructions would be the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tilewright::cli::main()
}
