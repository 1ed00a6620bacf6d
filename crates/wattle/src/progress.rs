//! Progress on a terminal, for anything over a second.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a stage runs before it is worth a line.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar on standard error that appears only on a terminal, and only when a stage takes long.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    wanted: bool,
}

impl Progress {
    /// For a command; `quiet` never shows anything.
    pub fn new(quiet: bool) -> Self {
        let wanted = !quiet && std::io::stderr().is_terminal();
        Self { bar: ProgressBar::hidden(), started: Instant::now(), wanted }
    }

    /// Bytes read so far, of so many.
    pub fn bytes(&self, done: u64, total: u64) {
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
            if let Ok(style) = style {
                self.bar.set_style(style);
            }
            self.bar.set_message("reading");
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
