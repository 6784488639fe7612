//! The command `openveil`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(openveil_cli::main(std::env::args_os()))
}
