//! The report for a terminal: plain text, aligned, at least 80 columns.

mod alignments;
mod api_list;
mod apps;
mod by;
mod class_list;
mod comparison_summary;
mod coverage;
mod cpu_time_changes;
mod diff;
mod hardware;
pub(crate) mod human;
mod line_list;
mod listing;
mod lists;
mod method_details;
mod method_list;
mod overhead;
mod quality;
mod rating;
mod runtime_tax;
mod sampled;
mod sampling;
mod span_lists;
pub(crate) mod style;
mod summary;
mod suspects;
mod terminal_page;
mod test_runs;
pub(crate) mod text_columns;
pub(crate) mod text_table;
mod top;
mod transfers;
mod upper_bounds;
mod wait_lines;

pub use self::comparison_summary::diff_summary;
pub use self::cpu_time_changes::cpu_time_terminal;
pub use self::diff::diff_terminal;
use self::style::Painter;
pub use self::summary::{SummaryParts, answer_terminal, summary_terminal};
pub use self::suspects::suspects_terminal;
use self::terminal_page::Page;
pub use self::top::top_terminal;
use crate::{Report, ReportOptions};

/// The width where nothing is known of the terminal.
pub(crate) const DEFAULT_WIDTH: usize = 100;
/// Tables do not get narrower.
pub(crate) const NARROWEST: usize = 80;

/// The report as text that ends in a newline.
pub fn terminal(report: &Report, options: &ReportOptions) -> String {
    let page = Page {
        report,
        top: options.top,
        columns: options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST),
        painter: Painter { color: options.color },
        by: options.by,
        sort: options.sort,
    };
    page.write(options.view)
}
