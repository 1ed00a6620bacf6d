//! Call trees as text: what `wattle top` prints where nobody sits at a terminal.

use super::style::Painter;
use super::style::Style::{self, Dim, Plain, Strong};
use super::text_columns::wrap;
use super::text_table::Align::{Left, Right};
use super::text_table::Table;
use super::{DEFAULT_WIDTH, NARROWEST};
use crate::cells::{NO_DATA, bounds, grouped, joules, percent, range, time};
use crate::clean::clean;
use crate::model::top_time;
use crate::{ForestRow, ReportOptions, TopReport};

/// More columns of components do not fit.
const COMPONENTS: usize = 3;

/// The rows as text that ends in a newline. Of the options width and color are used.
pub fn top_terminal(report: &TopReport, options: &ReportOptions) -> String {
    let has_calls = report.rows.iter().any(|row| row.calls > 0);
    let has_samples = report.rows.iter().any(|row| row.samples > 0);
    let has_energy = report.total.0.is_some();
    let drew = |name: &&String| report.rows.iter().any(|row| !of(row, name).is_empty());
    let mut shown: Vec<&String> = report.components.iter().filter(drew).collect();
    // One component has all that the total has.
    shown.truncate(if shown.len() > 1 { COMPONENTS } else { 0 });
    let mut columns = Vec::new();
    if has_energy {
        columns.extend([("total", Right, Strong), ("90 % interval", Left, Dim)]);
        columns.extend([("self", Right, Plain), ("share", Right, Plain)]);
    }
    columns.push(("CPU time", Right, Plain));
    if has_calls {
        columns.push(("calls", Right, Plain));
    }
    if has_samples {
        columns.push(("samples", Right, Plain));
    }
    if has_energy {
        columns.extend(shown.iter().map(|name| (name.as_str(), Right, Dim)));
    }
    // Last, so that long names push nothing aside.
    columns.push(("name", Left, Plain));
    let mut table = Table::new(&columns, &[columns.len() - 1]);
    for row in &report.rows {
        let cut = if row.is_cut { " …" } else { "" };
        let indent = "  ".repeat(row.depth as usize);
        let mut cells = Vec::new();
        if has_energy {
            let own = row.self_joules.map_or(NO_DATA.into(), |own| own.to_string());
            cells.extend([joules(row.energy), range(row.energy), own, percent(row.share)]);
        }
        cells.push(time(top_time(row.cpu_s)));
        if has_calls {
            cells.push(counted(row.calls));
        }
        if has_samples {
            cells.push(counted(row.samples));
        }
        if has_energy {
            cells.extend(shown.iter().map(|name| of(row, name)));
        }
        cells.push(format!("{indent}{}{cut}", row.name));
        table.row(cells);
    }
    let mut text = String::new();
    let width = options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST);
    let painter = Painter { color: options.color };
    for (style, line) in heading(report) {
        for line in wrap(&clean(&line), width) {
            text.push_str(&painter.paint(style, &line));
            text.push('\n');
        }
    }
    table.write(width, painter, &mut text);
    text
}

/// The coverage of the total, or why there is none: as in a report.
fn heading(report: &TopReport) -> Vec<(Style, String)> {
    let mut lines = Vec::new();
    if let Some(total) = report.total.0 {
        let heading = report.coverage.as_ref().map_or("Total", |of| of.heading.as_str());
        let interval = bounds(report.total, ", 90 % interval");
        let line = format!("{heading} {}{interval}, {}", total.joules, total.provenance);
        lines.push((Strong, line));
    }
    lines.extend(report.coverage.as_ref().map(|of| (Plain, format!("  {}", of.text))));
    let reason = report.no_energy_reason.as_ref();
    lines.extend(reason.map(|reason| (Style::Warning, format!("no energy figure: {reason}"))));
    lines
}

fn counted(count: u64) -> String {
    if count == 0 { String::new() } else { grouped(count) }
}

fn of(row: &ForestRow, component: &str) -> String {
    let part = row.components.iter().find(|part| part.name == component);
    part.map_or(String::new(), |part| part.joules.to_string())
}
