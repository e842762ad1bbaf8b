//! The `tilewright` command, which is `tileiras` and `tileirdisasm` as well where it has their name.

/// A kernel compiles in a few milliseconds, half of which the system's allocator would take.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tilewright::main()
}
