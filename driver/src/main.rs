//! The program `tilewright`, which acts as `tileiras` or `tileirdisasm` when it is started under that name.

/// A kernel compiles in a few milliseconds, and the system's allocator would take half of that time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tilewright::main()
}
