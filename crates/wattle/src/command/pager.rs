//! Long text on a terminal, a screen at a time.

use std::io::{IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use super::standard_output;
use crate::exit::Outcome;

/// The pager where `$PAGER` names none: it shows colours and goes away by itself if the text fits on the screen.
const USUAL: [&str; 2] = ["less", "-FRX"];

/// Prints text; in a pager if it is longer than the terminal is high, and a pager is there and wanted.
pub fn print(text: &str, is_wanted: bool) -> Outcome {
    let is_long = || text.lines().count() > usize::from(rows());
    if !is_wanted || !std::io::stdout().is_terminal() || !is_long() {
        return standard_output::print(text.as_bytes());
    }
    match command().and_then(|mut command| command.stdin(Stdio::piped()).spawn().ok()) {
        None => standard_output::print(text.as_bytes()),
        Some(mut pager) => {
            if let Some(mut stdin) = pager.stdin.take() {
                // Who leaves the pager early has seen enough.
                let _ = stdin.write_all(text.as_bytes());
            }
            match pager.wait() {
                Ok(status) if status.success() => Ok(()),
                // A pager that is not there, or fails, shows nothing.
                _ => standard_output::print(text.as_bytes()),
            }
        }
    }
}

/// The height of the terminal.
fn rows() -> u16 {
    ratatui::crossterm::terminal::size().map_or(24, |(_, rows)| rows)
}

/// The user's pager; `None` where the user wants none.
fn command() -> Option<Command> {
    let Some(wanted) = std::env::var_os("PAGER") else {
        let [program, flags] = USUAL;
        let mut command = Command::new(program);
        command.arg(flags);
        return Some(command);
    };
    if wanted.is_empty() || wanted == "cat" {
        return None;
    }
    // It may have flags and quotes, as for git and man.
    let mut command = Command::new("sh");
    command.arg("-c").arg(&wanted);
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    Some(command)
}
