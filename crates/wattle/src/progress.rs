//! Progress on a terminal, for anything over a second; or as lines, for the program that asked for them.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The duration from which a stage gets a line.
const PATIENCE: Duration = Duration::from_millis(700);

/// The variable by which a program that runs this one asks for progress: with the value `lines` it is lines `wattle-progress DONE TOTAL
/// STAGE` on standard error, quiet or not; the total is `-` where it is not known.
const VARIABLE: &str = "WATTLE_PROGRESS";
/// The time between two such lines.
const BETWEEN_LINES: Duration = Duration::from_millis(250);

/// Whether a program that runs this one asked for progress as lines.
pub fn are_lines_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|it| it == "lines")
}

/// A bar on standard error that appears only on a terminal, and only when a stage takes long.
#[derive(Debug)]
pub struct Bar {
    stage: &'static str,
    line: ProgressBar,
    started: Instant,
    wanted: bool,
    /// The time of the last line, where lines were asked for.
    lined: Option<Instant>,
}

impl Bar {
    /// For a command that reads; `quiet` never shows anything.
    pub fn new(quiet: bool) -> Self {
        Self::named("reading", quiet)
    }

    /// For a command that does something else with bytes.
    pub fn named(stage: &'static str, quiet: bool) -> Self {
        let wanted = !quiet && std::io::stderr().is_terminal();
        let started = Instant::now();
        let lined = are_lines_wanted().then_some(started);
        Self { stage, line: ProgressBar::hidden(), started, wanted, lined }
    }

    /// Writes a line if one is due.
    fn advance_lines(&mut self, done: u64, total: Option<u64>) {
        if let Some(last) = &mut self.lined
            && last.elapsed() >= BETWEEN_LINES
        {
            *last = Instant::now();
            let total = total.map_or_else(|| "-".to_owned(), |total| total.to_string());
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "wattle-progress {done} {total} {}", self.stage);
        }
    }
}

impl wattle_ingest::Progress for Bar {
    fn advance(&mut self, done: u64, total: Option<u64>) {
        self.advance_lines(done, total);
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        if self.line.is_hidden() {
            self.line.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let template = match total {
                Some(_) => "{prefix} {wide_bar} {bytes}/{total_bytes} {eta}",
                None => "{prefix} {spinner} {bytes}",
            };
            self.line.set_prefix(self.stage);
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.line.set_style(style);
            }
        }
        if let Some(total) = total {
            self.line.set_length(total);
        }
        self.line.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

/// A line on standard error that says what is being done; it appears only on a terminal, and only when that takes
/// long.
#[derive(Debug)]
pub struct Activity {
    line: ProgressBar,
}

impl Activity {
    /// For a command; `quiet` never shows anything.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        let line = ProgressBar::hidden();
        if !quiet && std::io::stderr().is_terminal() {
            line.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{msg} {elapsed} {spinner}") {
                line.set_style(style);
            }
            line.set_message(what);
            // The first tick is the first that is seen.
            line.enable_steady_tick(PATIENCE);
        }
        Self { line }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
