//! A report in 25 lines: the answer, when it was drawn, who drew most, what to do about it, how far to trust it, where to go on.

mod answer_lines;
mod closing;
mod energy_words;
mod power_strip;
mod styled_line;
mod summary_page;
mod top_consumers;
mod top_findings;

use wattle_diagnose::Diagnosis;
use wattle_ledger::PowerOverTime;

pub(super) use self::answer_lines::title;
use self::energy_words::EnergyWords;
pub(super) use self::styled_line::StyledLine;
use self::summary_page::SummaryPage;
use super::DEFAULT_WIDTH;
use super::style::Painter;
use super::terminal_page::Page;
use crate::{Report, ReportOptions};

/// Nor narrower: there is no room for a name and a number.
pub(super) const NARROWEST_SUMMARY: usize = 40;
/// Lines do not get longer: eyes lose them.
const WIDEST: usize = 120;

/// Parts of a summary besides the report.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SummaryParts<'a> {
    /// Power over time, for the strip.
    pub over_time: Option<&'a PowerOverTime>,
    /// Defects; `None` where nobody looked for them.
    pub diagnosis: Option<&'a Diagnosis>,
    /// Commands that go on from here.
    pub next: &'a [String],
}

/// The summary as text that ends in a newline.
pub fn summary_terminal(
    report: &Report,
    parts: SummaryParts<'_>,
    options: &ReportOptions,
) -> String {
    page(report, parts, options).write()
}

/// The answer alone, which is the beginning of [`summary_terminal`]: device and time, the energy and what it covers, what the input itself
/// states, the app.
pub fn answer_terminal(report: &Report, options: &ReportOptions) -> String {
    let mut answer = String::new();
    page(report, SummaryParts::default(), options).verdict(&mut answer);
    answer.truncate(answer.trim_end().len());
    answer.push('\n');
    answer
}

fn page<'a>(
    report: &'a Report,
    parts: SummaryParts<'a>,
    options: &ReportOptions,
) -> SummaryPage<'a> {
    let columns = options.width.unwrap_or(DEFAULT_WIDTH).clamp(NARROWEST_SUMMARY, WIDEST);
    let painter = Painter { color: options.color };
    let tables = Page { report, top: TOP, columns, painter, by: None, sort: options.sort };
    let words = EnergyWords { unit: options.unit };
    SummaryPage { report, parts, columns, painter, words, tables }
}

/// Lines of a summary, if none of it is longer than usual.
const LINES: usize = 25;
/// Rows of each list.
const TOP: usize = 5;
