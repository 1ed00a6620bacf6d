//! Scores as text.

use std::fmt::Write as _;

use crate::gate_run::GateScores;
use crate::kind_score::KindScore;
use crate::series_kind::SeriesKind;

const HEAD: [&str; 13] = [
    "tool",
    "false alarms",
    "1 %",
    "2 %",
    "3 %",
    "5 %",
    "10 %",
    "sign",
    "delay",
    "F1",
    "Jaccard",
    "runs",
    "with steps",
];

/// A Markdown table for each kind of series. Tools that gave no answer have no row.
pub fn table(scores: &GateScores) -> String {
    let mut text = String::new();
    for kind in SeriesKind::ALL {
        let rows: Vec<[String; 13]> = scores
            .iter()
            .filter(|((of_kind, _), _)| *of_kind == kind)
            .map(|((_, tool), score)| row(tool.text(), score))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let head = HEAD.map(str::to_owned);
        let width = |column: usize| {
            rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
        let _ = writeln!(text, "### {}\n", kind.name());
        write_row(&mut text, &head, &widths);
        let rule: Vec<String> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| match column {
                0 => "-".repeat(*width),
                _ => format!("{}:", "-".repeat(width - 1)),
            })
            .collect();
        let _ = writeln!(text, "| {} |", rule.join(" | "));
        for row in &rows {
            write_row(&mut text, row, &widths);
        }
        text.push('\n');
    }
    text
}

fn write_row(text: &mut String, row: &[String; 13], widths: &[usize]) {
    let cells: Vec<String> = row
        .iter()
        .zip(widths)
        .enumerate()
        .map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        })
        .collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn row(tool: &str, score: &KindScore) -> [String; 13] {
    let percent = |share: f64| number(100.0 * share, 1);
    [
        tool.to_owned(),
        number(score.false_alarms(), 2),
        percent(score.found_soon(0)),
        percent(score.found_soon(1)),
        percent(score.found_soon(2)),
        percent(score.found_soon(3)),
        percent(score.found_soon(4)),
        percent(score.right_signs()),
        number(score.delay(), 1),
        number(score.f1(), 3),
        number(score.similarity(), 2),
        number(score.quiet_runs_per_commit(), 1),
        number(score.runs_per_commit(), 1),
    ]
}

fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.digits$}") }
}
