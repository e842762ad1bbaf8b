//! The `tilewright` command.

/// A kernel compiles in a few milliseconds, half of which the system's allocator would take.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tilewright::cli::main()
}
