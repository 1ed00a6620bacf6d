//! The table of one simulated run: truth beside estimate.

use std::fmt::Write as _;

use wattle_ledger::Ledger;
use wattle_sim::Simulated;

use super::true_value::{Compared, Level};

/// Methods and threads below this share of the processor's energy are left out.
const LEAST_SHARE: f64 = 0.01;

/// The levels of the table, with the headings above them.
const PARTS: [(&[Level], &str); 4] = [
    (&[Level::Cpu, Level::Component, Level::Total], "component"),
    (&[Level::Account], "CPU energy by kind of consumer"),
    (&[Level::Thread], "CPU energy by thread"),
    (&[Level::Method], "CPU energy by method (self), 1 % or more"),
];

/// The table for the terminal.
pub fn table(simulated: &Simulated, ledger: &Ledger) -> String {
    let truth = &simulated.truth;
    let mut text = String::new();
    // Writing to a String does not fail.
    let all = Compared::all(truth, ledger, LEAST_SHARE);
    let (mut rows, mut inside) = (0, 0);
    for (levels, heading) in PARTS {
        let _ = writeln!(
            text,
            "{}{heading:<44} {:>9} {:>9} {:>7}   90 % interval",
            if rows == 0 { "" } else { "\n" },
            "truth",
            "estimate",
            "error"
        );
        for compared in all.iter().filter(|compared| levels.contains(&compared.level)) {
            rows += 1;
            inside += u32::from(compared.is_inside());
            let _ = writeln!(text, "{}", line(compared));
        }
    }
    let worst = ledger.closure.iter().map(|closure| closure.error).fold(0.0, f64::max);
    let exactness = if worst > 0.0 { format!(" to {worst:.0e}") } else { " exactly".to_owned() };
    let _ = writeln!(
        text,
        "\n{inside} of {rows} true values are inside their 90 % interval. Totals reconcile{exactness}."
    );
    text
}

fn line(compared: &Compared) -> String {
    let mut name = compared.name.clone();
    if name.chars().count() > 44 {
        let keep: Vec<char> = name.chars().collect();
        name = std::iter::once('…').chain(keep[keep.len() - 43..].iter().copied()).collect();
    }
    let truth = compared.truth.to_string();
    let Some(estimate) = compared.estimate else {
        return format!("{name:<44} {truth:>9} {:>9}", "no data");
    };
    // Without the sign of a zero.
    let off = ((estimate.joules / compared.truth - 1.0) * 1000.0).round() / 10.0 + 0.0;
    format!(
        "{name:<44} {truth:>9} {:>9} {off:>+5.1} %   {} – {}{}",
        estimate.joules.to_string(),
        estimate.interval.low,
        estimate.interval.high,
        if compared.is_inside() { "" } else { "  (outside)" }
    )
}
