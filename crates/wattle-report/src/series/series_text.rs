//! A series on a terminal.

use std::fmt::Write as _;

use super::{DifferenceRow, SeriesReport, Verdict};
use crate::ReportOptions;
use crate::cells::{NO_DATA, joules, percent, range, signed_percent, time};
use crate::clean::clean;
use crate::terminal::human::sentence as sentence_of;
use crate::terminal::style::{Painter, Style};
use crate::terminal::text_columns::wrap;
use crate::terminal::text_table::{Align, Table};

/// The series as text that ends in a newline.
pub fn series_terminal(series: &SeriesReport, options: &ReportOptions) -> String {
    let painter = Painter { color: options.color };
    let columns = options.width.unwrap_or(crate::terminal::DEFAULT_WIDTH);
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}", painter.paint(Style::Heading, "Runs"));
    let mut table = Table::new(
        &[
            ("run", Align::Right, Style::Plain),
            ("build", Align::Left, Style::Plain),
            ("outcome", Align::Left, Style::Plain),
            ("time", Align::Right, Style::Plain),
            ("device", Align::Right, Style::Plain),
            ("app", Align::Right, Style::Strong),
            ("90 % interval", Align::Left, Style::Dim),
            ("", Align::Left, Style::Dim),
        ],
        &[1, 7],
    );
    for run in &series.runs {
        table.row([
            run.number.to_string(),
            run.build.clone().unwrap_or_default(),
            run.outcome.clone(),
            time(run.duration),
            joules(run.total),
            joules(run.app),
            range(run.app),
            run.message.clone().unwrap_or_default(),
        ]);
    }
    table.write(columns, painter, &mut text);
    for line in coverage(series) {
        for line in wrap(&clean(&line), columns.max(4) - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }

    let _ = writeln!(text, "\n{}", painter.paint(Style::Heading, "Mean of a run"));
    let mut table = Table::new(
        &[
            ("build", Align::Left, Style::Plain),
            ("runs", Align::Right, Style::Plain),
            ("mean", Align::Right, Style::Strong),
            ("90 % interval", Align::Left, Style::Dim),
            ("scatter", Align::Right, Style::Plain),
        ],
        &[0],
    );
    for build in &series.builds {
        let left_out = match build.left_out {
            0 => String::new(),
            count => format!(" (+{count} left out)"),
        };
        let interval = build.interval_joules.map(|i| format!("{} – {}", i.low, i.high));
        let scatter = build.deviation_joules.zip(build.mean_joules).map(|(d, m)| d / m);
        table.row([
            build.build.clone().unwrap_or_else(|| "all".to_owned()),
            format!("{}{left_out}", build.runs),
            build.mean_joules.map_or(NO_DATA.to_owned(), |mean| mean.to_string()),
            interval.unwrap_or_default(),
            percent(scatter),
        ]);
    }
    table.write(columns, painter, &mut text);
    for build in &series.builds {
        let (Some(human), Some(units)) = (&build.human, &series.human_units) else { continue };
        let name = build.build.as_deref().map_or(String::new(), |name| format!("{name} "));
        for line in
            wrap(&clean(&format!("{name}{}", sentence_of(human, units))), columns.max(4) - 2)
        {
            let _ = writeln!(text, "  {}", painter.paint(Style::Dim, &line));
        }
    }
    for difference in &series.differences {
        let _ = writeln!(text, "\n{}", clean(&sentence(difference)));
    }
    text
}

/// The coverage of the figures, or why there are none: once where all runs agree, else with the numbers of the runs.
fn coverage(series: &SeriesReport) -> Vec<String> {
    let mut lines: Vec<(String, Vec<u32>)> = Vec::new();
    for run in &series.runs {
        let reason = run.no_energy_reason.as_ref().map(|why| format!("no energy figure: {why}"));
        let Some(line) = reason.or_else(|| run.coverage.clone()) else { continue };
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, runs)) => runs.push(run.number),
            None => lines.push((line, vec![run.number])),
        }
    }
    let of_runs = |(line, runs): (String, Vec<u32>)| {
        if runs.len() == series.runs.len() {
            return line;
        }
        let noun = if runs.len() == 1 { "run" } else { "runs" };
        let numbers: Vec<String> = runs.iter().map(u32::to_string).collect();
        format!("{noun} {}: {line}", numbers.join(", "))
    };
    lines.into_iter().map(of_runs).collect()
}

fn sentence(difference: &DifferenceRow) -> String {
    let name = |build: &Option<String>| build.clone().unwrap_or_else(|| "the first".to_owned());
    let (from, to) = (name(&difference.from), name(&difference.to));
    let share = signed_percent(difference.share);
    let interval = difference
        .interval_joules
        .map_or_else(String::new, |i| format!(" [{} … {}], 90 % interval", i.low, i.high));
    let joules = difference.joules;
    match difference.verdict {
        Verdict::More => format!("{to} spends more than {from}: {joules} ({share}){interval}"),
        Verdict::Less => format!("{to} spends less than {from}: {joules} ({share}){interval}"),
        Verdict::NoDifferenceSeen => {
            format!("no difference between {from} and {to} is seen: {joules} ({share}){interval}")
        }
        Verdict::TooFewRuns => {
            format!(
                "{to} less {from}: {joules} ({share}){interval}; three runs of each at least say whether that is more than chance"
            )
        }
    }
}
