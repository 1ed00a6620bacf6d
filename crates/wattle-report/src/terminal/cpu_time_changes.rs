//! CPU times of two runs side by side.

use wattle_units::Nanos;

use super::style::{Painter, Style};
use super::text_columns::wrap;
use super::text_table::{Align, Table};
use super::{DEFAULT_WIDTH, NARROWEST};
use crate::cells::time;
use crate::{CpuTimeDiff, DiffReport, ReportOptions};

/// The CPU times of a comparison without energy as text that ends in a newline.
pub fn cpu_time_terminal(
    report: &DiffReport,
    diff: &CpuTimeDiff,
    options: &ReportOptions,
) -> String {
    let names = [&report.before.name, &report.after.name];
    let columns = options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST);
    let painter = Painter { color: options.color };
    let mut to = String::new();
    let line = |style: Style, text: &str, to: &mut String| {
        for line in wrap(&crate::clean(text), columns) {
            to.push_str(&painter.paint(style, &line));
            to.push('\n');
        }
    };
    let [before, after] = diff.total;
    let head = format!(
        "CPU time{}  {} → {} ({}), in {} → {} of recording",
        report.per.words(),
        time(Some(before)),
        time(Some(after)),
        signed(after - before),
        time(Some(diff.lengths[0])),
        time(Some(diff.lengths[1]))
    );
    line(Style::Strong, &head, &mut to);
    let text = format!(
        "no component has a known energy in both {} and {}: this is time on CPUs, of one run each, without an interval",
        names[0], names[1]
    );
    line(Style::Dim, &text, &mut to);
    to.push('\n');
    if diff.rows.is_empty() {
        line(Style::Plain, "no thread's code changed by a millisecond or more", &mut to);
        return to;
    }
    let headings = [
        ("change", Align::Right, Style::Strong),
        ("before", Align::Right, Style::Plain),
        ("after", Align::Right, Style::Plain),
        ("code", Align::Left, Style::Plain),
        ("thread", Align::Left, Style::Plain),
        ("process", Align::Left, Style::Plain),
    ];
    let mut table = Table::new(&headings, &[3, 5]);
    for row in diff.rows.iter().take(options.top) {
        let code = if row.code.is_empty() { "outside of sections" } else { &row.code };
        let [before, after] = row.times.map(|it| (it.value() > 0).then_some(it));
        let texts = [code, &row.thread, &row.process].map(str::to_owned);
        let figures = [signed(row.change()), time(before), time(after)];
        table.row(figures.into_iter().chain(texts));
    }
    table.write(columns, painter, &mut to);
    let shown = diff.rows.iter().take(options.top);
    let sum =
        |side: usize| diff.total[side] - shown.clone().map(|row| row.times[side]).sum::<Nanos>();
    let (before, after) = (sum(0), sum(1));
    let rest = format!(
        "  all other code: {} → {} ({})",
        time(Some(before)),
        time(Some(after)),
        signed(after - before)
    );
    line(Style::Dim, &rest, &mut to);
    to
}

/// `+12.3 ms`, `−409 ms`.
fn signed(change: Nanos) -> String {
    let sign = if change.value() < 0 { "−" } else { "+" };
    format!("{sign}{}", time(Some(Nanos::new(change.value().abs()))))
}
