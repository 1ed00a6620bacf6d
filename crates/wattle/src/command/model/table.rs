//! One table of API costs.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use wattle_power::{ApiRow, ApiTable};
use wattle_report::clean;
use wattle_units::{Joules, Provenance};

use super::list::API_COSTS;
use super::printing::write;
use crate::cli::TableOutput;
use crate::command::output;
use crate::exit::Outcome;

#[derive(Serialize)]
struct Shown {
    name: String,
    kind: &'static str,
    source: String,
    provenance: Provenance,
    error: f64,
    error_source: String,
    remarks: Vec<String>,
    methods: usize,
    greedy_above: Option<f64>,
    /// The costliest first.
    costs: Vec<ShownCost>,
}

#[derive(Serialize)]
struct ShownCost {
    signature: String,
    joules: f64,
    interval_joules: [f64; 2],
    calls: Option<u64>,
    greedy: bool,
}

/// Shows it, and writes it as a file if that is wanted.
pub fn show(table: &ApiTable, toml: Option<&Path>, to: &TableOutput) -> Outcome {
    if let Some(path) = toml {
        output::write_file(path, table.to_toml().as_bytes())?;
    }
    let shown = shown(table);
    write(to, &shown, || text(&shown))
}

fn shown(table: &ApiTable) -> Shown {
    let cost = |row: &ApiRow| {
        let estimate = table.estimate(row);
        ShownCost {
            signature: row.signature.to_string(),
            joules: row.joules.value(),
            interval_joules: [estimate.interval.low, estimate.interval.high].map(Joules::value),
            calls: row.calls,
            greedy: table.is_greedy(row.joules),
        }
    };
    let mut costs: Vec<ShownCost> = table.rows().iter().map(cost).collect();
    costs.sort_by(|a, b| b.joules.total_cmp(&a.joules));
    Shown {
        name: table.name.clone(),
        kind: API_COSTS,
        source: table.source.clone(),
        provenance: table.provenance,
        error: table.error,
        error_source: table.error_source.clone(),
        remarks: table.remarks.clone(),
        methods: table.methods,
        greedy_above: table.greedy_above.map(Joules::value),
        costs,
    }
}

/// Writing to a `String` does not fail.
fn text(shown: &Shown) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} ({}, {})", clean(&shown.name), shown.kind, shown.provenance);
    if !shown.source.is_empty() {
        let _ = writeln!(text, "source: {}", clean(&shown.source));
    }
    let _ = writeln!(text, "error: {:.0} % {}", shown.error * 100.0, clean(&shown.error_source));
    for remark in &shown.remarks {
        let _ = writeln!(text, "note: {}", clean(remark));
    }
    let greedy = shown.costs.iter().filter(|cost| cost.greedy).count();
    let _ = match shown.greedy_above {
        Some(fence) => writeln!(
            text,
            "{} methods; {greedy} are energy-greedy (*): above {:.6} mJ a call",
            shown.methods,
            fence * 1e3
        ),
        None => writeln!(text, "{} methods, too few to call any energy-greedy", shown.methods),
    };
    let _ = writeln!(text, "\n{:>14} {:>23} {:>8}   method", "mJ a call", "90 % interval", "calls");
    for cost in &shown.costs {
        let [low, high] = cost.interval_joules.map(|joules| joules * 1e3);
        let interval = format!("{low:.6} … {high:.6}");
        let calls = cost.calls.map_or_else(|| "-".to_owned(), |calls| calls.to_string());
        let _ = writeln!(
            text,
            "{:>14.6} {interval:>23} {calls:>8} {} {}",
            cost.joules * 1e3,
            if cost.greedy { "*" } else { " " },
            clean(&cost.signature)
        );
    }
    text
}
