//! A diagnosis for a terminal: plain text, aligned, at least 80 columns.

mod disk;
mod findings;
mod head;
mod regions;
mod stacks;
mod wide_table;

use wattle_diagnose::Diagnosis;
use wattle_timeline::Window;
use wattle_units::{BootNanos, Estimate, Interval, Nanos};

use super::label::Labels;
use crate::ReportOptions;
use crate::cells::{NO_DATA, Seconds};
use crate::clean::clean;
use crate::terminal::style::{Painter, Style};
use crate::terminal::text_columns::wrap;
use crate::terminal::{DEFAULT_WIDTH, NARROWEST};

/// The length of a recording from which on nobody counts its seconds.
const LONG: Nanos = Nanos::new(3_600_000_000_000);

/// The diagnosis as text that ends in a newline: `top` rows of each list, `width` and `color` as in other views.
pub fn terminal(diagnosis: &Diagnosis, options: &ReportOptions) -> String {
    let view = View {
        diagnosis,
        top: options.top,
        columns: options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST),
        painter: Painter { color: options.color },
    };
    let mut to = String::new();
    view.head(&mut to);
    view.findings(&mut to);
    view.basis(&mut to);
    view.regions(&mut to);
    view.stacks(&mut to);
    view.disk(&mut to);
    view.notes(&mut to);
    to
}

/// A diagnosis on its way to the terminal.
struct View<'a> {
    diagnosis: &'a Diagnosis,
    top: usize,
    columns: usize,
    painter: Painter,
}

impl View<'_> {
    fn heading(&self, to: &mut String, text: &str) {
        self.lines(to, Style::Heading, 0, text);
    }

    /// Text in as many lines as it needs, so far in.
    fn lines(&self, to: &mut String, style: Style, indent: usize, text: &str) {
        for line in wrap(&clean(text), self.columns - indent) {
            to.push_str(&" ".repeat(indent));
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }

    /// Writes the number of rows of a list that are not shown.
    fn more(&self, to: &mut String, count: usize) {
        if count > self.top {
            self.lines(to, Style::Dim, 2, &format!("and {} more", count - self.top));
        }
    }

    /// An instant since the beginning of what was looked at: in seconds, of long recordings in hours and minutes.
    fn instant(&self, instant: BootNanos) -> String {
        let since = self.diagnosis.since(instant);
        if self.diagnosis.window.duration() >= LONG {
            return Seconds(since).to_string();
        }
        format!("{:.3} s", since.seconds())
    }

    /// A stretch of the recording: `1.200 s to 3.400 s`, `all of the time`.
    fn stretch(&self, stretch: Window) -> String {
        let whole = self.diagnosis.window;
        if stretch.start <= whole.start && whole.end <= stretch.end {
            return "all of the time".to_owned();
        }
        format!("{} to {}", self.instant(stretch.start), self.instant(stretch.end))
    }
}

/// An energy, or that there is none.
fn energy(estimate: Option<Estimate>) -> String {
    estimate.map_or(NO_DATA.into(), |estimate| estimate.joules.to_string())
}

/// Its 90 % interval; nothing where it has no width, which says nothing.
fn interval(estimate: Option<Estimate>) -> String {
    let wide = estimate.map(|estimate| estimate.interval);
    wide.filter(|Interval { low, high }| low < high)
        .map_or(String::new(), |Interval { low, high }| format!("{low} – {high}"))
}
