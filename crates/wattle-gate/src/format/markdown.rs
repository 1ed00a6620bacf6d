//! For a comment on a pull request.

use std::fmt::Write as _;

use crate::{CheckVerdict, GateReport};

/// The first line of the comment. A script finds the comment of an earlier check by it, and replaces it.
pub const MARKER: &str = "<!-- wattle check -->";

/// The check as Markdown: the verdict, a table of the rules, and the runs behind it.
pub fn markdown(report: &GateReport) -> String {
    let mark = match report.verdict() {
        CheckVerdict::Passed => "✅",
        CheckVerdict::Failed => "❌",
        _ => "⚠️",
    };
    let mut text = format!("{MARKER}\n### {mark} Energy: {}\n\n", escaped(&report.headline()));
    text.push_str("| rule | energy | 90 % interval | change | verdict |\n|---|--:|--:|--:|---|\n");
    let scenarios = report.rows.iter().filter_map(|row| row.scenario.as_ref());
    let has_scenarios = scenarios.collect::<std::collections::BTreeSet<_>>().len() > 1;
    for row in &report.rows {
        let si = |joules: f64| wattle_units::Si { value: joules, unit: "J" }.to_string();
        let energy = row.measured.map_or_else(|| "–".to_owned(), |it| si(it.energy.joules));
        let interval = row.measured.map_or_else(
            || "–".to_owned(),
            |it| format!("{} – {}", si(it.energy.low), si(it.energy.high)),
        );
        let change = row.share().map_or_else(
            || "–".to_owned(),
            |share| {
                let sign = if share < 0.0 { "−" } else { "+" };
                format!("{sign}{:.1} %", share.abs() * 100.0)
            },
        );
        let verdict = row.verdict.name();
        let subject = if has_scenarios { row.title() } else { row.rule.subject.to_string() };
        // Writing to a String does not fail.
        let _ =
            writeln!(text, "| {} | {energy} | {interval} | {change} | {verdict} |", code(&subject));
    }
    let open = report.rows.iter().filter(|row| row.verdict != CheckVerdict::Passed);
    let reasons: Vec<String> = open.map(|row| format!("- {}\n", escaped(&row.text))).collect();
    if !reasons.is_empty() {
        let _ = write!(text, "\n{}", reasons.concat());
    }
    let app = if report.app.is_empty() { "the whole device" } else { &report.app };
    let _ = write!(text, "\n{} of {}", escaped(&report.runs.join(", ")), code(app));
    if !report.baseline.runs.is_empty() {
        let _ = write!(text, ", against {}", escaped(&report.baseline.described));
    }
    text.push('\n');
    text
}

/// A name in code marks. Nothing in it ends them, or a cell.
fn code(name: &str) -> String {
    format!("`{}`", name.replace('`', "'").replace('|', "¦").replace(['\n', '\r'], " "))
}

/// Text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '@' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}
