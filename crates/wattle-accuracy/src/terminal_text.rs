use std::fmt::Write as _;

use crate::{Line, Table};

/// The table for people.
pub fn terminal(table: &Table) -> String {
    let mut text = String::new();
    for set in &table.sets {
        let _ = writeln!(text, "{}  {} rows, {}", set.name, set.rows, set.groups);
        let _ = writeln!(text, "  from      {}", set.files.join(", "));
        let _ = writeln!(text, "  truth     {}", set.truth);
        let _ = writeln!(text, "  inputs    {}", set.inputs);
        let _ = writeln!(text, "  held out  {}", set.held_out);
        for note in &set.notes {
            let _ = writeln!(text, "  note      {note}");
        }
        text.push('\n');
        let lines: Vec<&Line> = table.lines.iter().filter(|line| line.set == set.name).collect();
        text.push_str(&errors(&lines));
        let published: Vec<_> = table.published.iter().filter(|p| p.set == set.name).collect();
        if !published.is_empty() {
            text.push_str("\n  figures of others on this set, other rows and folds\n");
            for p in published {
                let _ = writeln!(
                    text,
                    "  {:<24}{:<33}{:>7}{:>8}   {}",
                    p.target,
                    p.model,
                    percent(p.mape),
                    p.median.map_or_else(|| "-".to_owned(), percent),
                    p.source
                );
            }
        }
        text.push('\n');
    }
    text.push_str(
        "Errors are relative to what was measured, on rows the model had not seen. MAPE: their mean; sums: sum of errors over sum\n\
         of what was measured; p95: 95 % of the rows are nearer; cover: rows inside their 90 % interval, which comes from other\n\
         folds' errors (plain curves: from the model); ratio: MAPE over the baseline's (first of each target) on the same rows\n\
         and inputs; '-': unavailable.\n",
    );
    for note in &table.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn errors(lines: &[&Line]) -> String {
    let longest = lines.iter().map(|line| line.target.chars().count() + 2).max();
    let width = longest.unwrap_or_default().max(24);
    let mut text = format!(
        "  {:<width$}{:<33}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}\n",
        "target",
        "model",
        "rows",
        "MAPE",
        "sums",
        "median",
        "p95",
        "<=10 %",
        "bias",
        "cover",
        "ratio"
    );
    let mut last = "";
    for line in lines {
        let target = if line.target == last { "" } else { line.target.as_str() };
        last = &line.target;
        let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), percent);
        let _ = writeln!(
            text,
            "  {:<width$}{:<33}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}",
            target,
            line.model,
            line.rows,
            percent(line.mape),
            percent(line.weighted),
            percent(line.median),
            percent(line.p95),
            format!("{:.0} %", 100.0 * line.within_tenth),
            format!("{:+.1} %", 100.0 * line.bias),
            optional(line.coverage),
            line.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
        );
    }
    text
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.995 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}
