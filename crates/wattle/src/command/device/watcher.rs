//! Progress shown while a device is recorded.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use wattle_device::Progress;
use wattle_recording::{Outcome, TestFacts};

/// A line that says what is being done, and lines for what should be known, on standard error.
#[derive(Debug)]
pub struct Watcher {
    line: Mutex<ProgressBar>,
    quiet: bool,
    on_terminal: bool,
}

impl Watcher {
    /// `quiet` shows nothing.
    pub fn new(quiet: bool) -> Self {
        let on_terminal = !quiet && std::io::stderr().is_terminal();
        let line = ProgressBar::hidden();
        if on_terminal {
            line.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                line.set_style(style);
            }
            line.enable_steady_tick(Duration::from_millis(200));
        }
        Self { line: Mutex::new(line), quiet, on_terminal }
    }

    fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        let line = self.line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Standard error that is closed is nobody who watches.
        line.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{text}");
        });
    }
}

impl Progress for Watcher {
    fn stage(&self, name: &str, iteration: Option<(u32, u32)>) {
        let text = match iteration {
            Some((number, count)) if count > 1 => format!("{name} (run {} of {count})", number + 1),
            _ => name.to_owned(),
        };
        if self.on_terminal {
            let line = self.line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            line.reset_elapsed();
            line.set_message(text);
        } else {
            self.say(&format!("· {text}"));
        }
    }

    fn note(&self, text: &str) {
        self.say(&format!("  note: {text}"));
    }

    fn test(&self, test: &TestFacts) {
        let seconds = (test.end_host_ns - test.start_host_ns) as f64 * 1e-9;
        let outcome = match test.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed => "FAILED",
            Outcome::Crashed => "CRASHED",
            Outcome::Skipped if test.is_not_executed() => "not executed",
            Outcome::Skipped => "skipped",
            Outcome::Interrupted => "interrupted",
        };
        self.say(&format!("  {outcome} {}#{} ({seconds:.1} s)", test.class, test.method));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let line = self.line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        line.finish_and_clear();
    }
}
