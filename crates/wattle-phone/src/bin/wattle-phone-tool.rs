//! The programs of the simulated phone's shell, for tests: the first argument is the program's name.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(wattle_phone::tool_main(std::env::args_os().skip(1)))
}
