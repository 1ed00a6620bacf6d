//! A series on a terminal.

use std::fmt::Write as _;

use wattle_compare::{Outlook, Verdict};
use wattle_units::Joules;

use super::{DifferenceRow, PartDifferenceRow, SeriesReport, SeriesRun};
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
    for difference in &series.differences {
        answer(series, difference, (columns, painter), &mut text);
    }
    means(series, (columns, painter), &mut text);
    for difference in &series.differences {
        let outside = difference.outside_methods_joules;
        text += &parts("Components", &difference.components, None, columns, painter);
        text += &parts("Methods (self)", &difference.methods, outside, columns, painter);
    }
    runs(series, (columns, painter), &mut text);
    text
}

/// The answer of a comparison, and what its statistics say.
fn answer(
    series: &SeriesReport,
    difference: &DifferenceRow,
    (columns, painter): (usize, Painter),
    text: &mut String,
) {
    for line in wrap(
        &clean(&format!("{}: {}", series.app.as_deref().unwrap_or("device"), sentence(difference))),
        columns,
    ) {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}", painter.paint(Style::Strong, line.trim_end()));
    }
    for line in notes(series, difference) {
        for line in wrap(&clean(&line), columns.max(4) - 2) {
            let _ = writeln!(text, "  {}", painter.paint(Style::Dim, line.trim_end()));
        }
    }
    text.push('\n');
}

/// The mean of each build's runs.
fn means(series: &SeriesReport, (columns, painter): (usize, Painter), text: &mut String) {
    // Writing to a String does not fail.
    let _ = writeln!(text, "{}", painter.paint(Style::Heading, "Mean of a run"));
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
    table.write(columns, painter, text);
    for build in &series.builds {
        let (Some(human), Some(units)) = (&build.human, &series.human_units) else { continue };
        let name = build.build.as_deref().map_or(String::new(), |name| format!("{name} "));
        for line in
            wrap(&clean(&format!("{name}{}", sentence_of(human, units))), columns.max(4) - 2)
        {
            let _ = writeln!(text, "  {}", painter.paint(Style::Dim, &line));
        }
    }
}

/// The runs, and what their figures cover.
fn runs(series: &SeriesReport, (columns, painter): (usize, Painter), text: &mut String) {
    let _ = writeln!(text, "\n{}", painter.paint(Style::Heading, "Runs"));
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
            run.label(),
            run.build.clone().unwrap_or_default(),
            run.outcome.clone(),
            time(run.duration),
            joules(run.total),
            joules(run.app),
            range(run.app),
            run.message.clone().unwrap_or_default(),
        ]);
    }
    table.write(columns, painter, text);
    for line in coverage(series) {
        for line in wrap(&clean(&line), columns.max(4) - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
}

/// Rows of a table of parts.
const PARTS: usize = 8;

/// The parts that explain a difference; the last rows close the sum.
fn parts(
    heading: &str,
    rows: &[PartDifferenceRow],
    outside: Option<Joules>,
    columns: usize,
    painter: Painter,
) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    // Writing to a String does not fail.
    let _ = writeln!(text, "\n{}", painter.paint(Style::Heading, heading));
    let mut table = Table::new(
        &[
            ("part", Align::Left, Style::Plain),
            ("difference", Align::Right, Style::Strong),
            ("90 % interval", Align::Left, Style::Dim),
            ("", Align::Left, Style::Plain),
        ],
        &[0],
    );
    let (shown, rest) = rows.split_at(rows.len().min(PARTS));
    for row in shown {
        let interval =
            row.change.interval().map(|i| format!("{} to {}", signed(i.low), signed(i.high)));
        table.row([
            clean(&row.name),
            signed(row.change.change.joules),
            interval.unwrap_or_default(),
            row.change.verdict().name().to_owned(),
        ]);
    }
    let sum: Joules = rest.iter().map(|row| row.change.change.joules).sum();
    let others = (!rest.is_empty()).then(|| (format!("{} others", rest.len()), sum));
    let outside = outside.map(|joules| ("outside these methods".to_owned(), joules));
    for (name, joules) in others.into_iter().chain(outside) {
        table.row([name, signed(joules), String::new(), String::new()]);
    }
    table.write(columns, painter, &mut text);
    text
}

/// The coverage of the figures, or why there are none: once where all runs agree, else with the numbers of the runs.
fn coverage(series: &SeriesReport) -> Vec<String> {
    // The order of components is that of their energies: it makes no other statement.
    let words = |line: &str| {
        let mut words: Vec<String> = line.split([' ', ',']).map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for run in &series.runs {
        let reason = run.no_energy_reason.as_ref().map(|why| format!("no energy figure: {why}"));
        let Some(line) = reason.or_else(|| run.coverage.clone()) else { continue };
        match lines.iter_mut().find(|(known, _)| words(known) == words(&line)) {
            Some((_, runs)) => runs.push(run.label()),
            None => lines.push((line, vec![run.label()])),
        }
    }
    let of_runs = |(line, runs): (String, Vec<String>)| {
        if runs.len() == series.runs.len() {
            return line;
        }
        let noun = if runs.len() == 1 { "run" } else { "runs" };
        format!("{noun} {}: {line}", runs.join(", "))
    };
    lines.into_iter().map(of_runs).collect()
}

/// The answer: the verdict with its facts.
fn sentence(difference: &DifferenceRow) -> String {
    let name = |build: &Option<String>| build.clone().unwrap_or_else(|| "the first".to_owned());
    let (from, to) = (name(&difference.from), name(&difference.to));
    let share = signed_percent(difference.share).replace('-', "−");
    let interval = difference
        .change
        .interval()
        .map_or_else(String::new, |i| format!(", 90 %: {} to {}", signed(i.low), signed(i.high)));
    let joules = signed(difference.change.change.joules);
    let facts = format!("{joules} ({share}){interval}");
    match difference.change.verdict() {
        Verdict::Higher => format!("{to} is higher than {from}: {facts}"),
        Verdict::Lower => format!("{to} is lower than {from}: {facts}"),
        Verdict::Equal => {
            let threshold = difference.change.change.threshold;
            format!("{to} and {from} are equal within {threshold}: {facts}")
        }
        Verdict::Inconclusive => {
            let outlook = difference.change.outlook().sentence().unwrap_or_default();
            format!("{to} − {from} is inconclusive: {facts}; {outlook}")
        }
    }
}

/// A difference with its sign.
fn signed(joules: Joules) -> String {
    let sign = if joules < Joules::ZERO { "−" } else { "+" };
    format!("{sign}{}", joules.abs())
}

/// Facts on the statistics that a reader has to know.
fn notes(series: &SeriesReport, difference: &DifferenceRow) -> Vec<String> {
    let mut notes = Vec::new();
    if difference.change.outlook() == Outlook::ScatterUnknown {
        notes.push(
            "Repeat the series with at least three runs of each build (--repeat 3), better five."
                .to_owned(),
        );
    } else {
        let detectable = difference.change.change.detectable;
        notes.push(format!(
            "These runs show a true difference of {detectable} or more in nine cases of ten."
        ));
    }
    if let Some(number) = difference.left_out_run {
        let run = series.runs.iter().find(|run| run.number == number);
        let run = run.map_or_else(|| number.to_string(), SeriesRun::label);
        notes.push(format!(
            "Run {run} does not belong to the others and was left out of the difference."
        ));
    }
    notes
}
