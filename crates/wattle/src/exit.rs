//! Exit codes, in one place.

use std::io::Write as _;
use std::process::ExitCode;

/// Why a command ended. The numbers are documented in the README and stable.
#[derive(Debug)]
pub enum Failure {
    /// 1: a gate says no. What it looked at could be read, and the reasons have been said.
    Refused(anyhow::Error),
    /// 2: the command line or the configuration asks for something that cannot be.
    Usage(anyhow::Error),
    /// 3: an input cannot be read at all. A damaged input that could be read in part is no failure.
    Input(anyhow::Error),
    /// 4: the device or the environment does not do its part: it went away, an output cannot be written.
    Environment(anyhow::Error),
    /// 130: a person ended it, and what had been changed is as it was.
    Interrupted(anyhow::Error),
    /// 70: Wattle itself is wrong (a ledger that does not close).
    Internal(anyhow::Error),
}

/// What a command gives.
pub type Outcome = Result<(), Failure>;

/// Prints the failure with its causes and turns the outcome into the exit code.
pub fn report(outcome: &Outcome) -> ExitCode {
    let (code, error) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Refused(error)) => (1, error),
        Err(Failure::Usage(error)) => (2, error),
        Err(Failure::Input(error)) => (3, error),
        Err(Failure::Environment(error)) => {
            // Whoever reads our output has seen enough (`wattle report … | head`): not an error.
            if is_broken_pipe(error) {
                return ExitCode::SUCCESS;
            }
            (4, error)
        }
        Err(Failure::Interrupted(error)) => (130, error),
        Err(Failure::Internal(error)) => (70, error),
    };
    // Nothing is left to do if standard error is closed too.
    let _ = writeln!(std::io::stderr(), "wattle: {}", with_causes(error));
    ExitCode::from(code)
}

/// The error and its causes, `a: b: c`, without those whose words the error above has already.
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
