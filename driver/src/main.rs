//! The `tilewright` command.

fn main() -> std::process::ExitCode {
    tilewright::cli::main()
}
