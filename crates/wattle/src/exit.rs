//! Exit codes, in one place.

use std::io::Write as _;
use std::process::ExitCode;

/// The reason why a command failed. The exit codes are documented in the README and stable.
#[derive(Debug)]
pub enum Failure {
    /// 1: a check failed. The input could be read, and the reasons were printed.
    Refused(anyhow::Error),
    /// 2: the command line or the configuration is wrong.
    Usage(anyhow::Error),
    /// 3: an input cannot be read at all. An input that could be read in part is not a failure.
    Input(anyhow::Error),
    /// 4: the device or the environment failed: the device disconnected, an output cannot be written.
    Environment(anyhow::Error),
    /// 130: the user interrupted the command; the device has been restored.
    Interrupted(anyhow::Error),
    /// 70: an internal error, such as totals that do not reconcile.
    Internal(anyhow::Error),
}

impl Failure {
    /// The reason alone.
    pub fn into_error(self) -> anyhow::Error {
        match self {
            Self::Refused(error)
            | Self::Usage(error)
            | Self::Input(error)
            | Self::Environment(error)
            | Self::Interrupted(error)
            | Self::Internal(error) => error,
        }
    }
}

/// Exit code of a program that a person ended.
pub const INTERRUPTED: i32 = 130;
/// The exit code of [`Failure::Input`].
pub const INPUT: u8 = 3;

/// The result of a command.
pub type Outcome = Result<(), Failure>;

/// Prints a failure with its causes and returns the exit code.
pub fn report(outcome: &Outcome) -> ExitCode {
    let (code, error) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Refused(error)) => (1, error),
        Err(Failure::Usage(error)) => (2, error),
        Err(Failure::Input(error)) => (INPUT, error),
        Err(Failure::Environment(error)) => {
            // The reader of our output closed the pipe (`wattle report … | head`): not an error.
            if is_broken_pipe(error) {
                return ExitCode::SUCCESS;
            }
            (4, error)
        }
        Err(Failure::Interrupted(error)) => (130, error),
        Err(Failure::Internal(error)) => (70, error),
    };
    // Nothing is left to do if standard error is closed too.
    let _ = writeln!(std::io::stderr(), "wattle: {}", shown(&with_causes(error)));
    ExitCode::from(code)
}

/// Characters of a message that anybody reads.
const LONGEST: usize = 4000;

/// A message fit to be looked at: it may contain names from the input. Its lines stay lines.
fn shown(text: &str) -> String {
    let line = |(at, line): (usize, &str)| {
        let line = wattle_report::clean(line);
        // To the runner of GitHub Actions, a line that begins so is a command.
        if at > 0 && line.trim_start().starts_with("::") { format!("> {line}") } else { line }
    };
    let mut shown = text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n");
    if let Some((end, _)) = shown.char_indices().nth(LONGEST) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// The error and its causes, `a: b: c`, without causes that the text above them already contains.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_fit_to_be_looked_at() {
        assert_eq!(
            shown("no slice \x1b[31mX\n  second line"),
            "no slice \u{fffd}[31mX\n  second line"
        );
        let long = "a".repeat(LONGEST + 5);
        assert_eq!(shown(&long).chars().count(), LONGEST + 1);
    }
}
