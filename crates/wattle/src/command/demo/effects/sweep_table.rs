//! The table on a terminal.

use std::fmt::Write as _;

use super::sweep_summary::{LevelSummary, Summary};

/// The page; `effects` is the list of effects with their sizes.
pub fn page(summary: &Summary, effects: &str) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{} simulated phones of {} s each. Effects that the estimator does not know:\n{effects}.\n\
         Errors are shares of the true energy; coverage is of the 90 % intervals.",
        summary.seeds.len(),
        summary.seconds,
    );
    for mode in &summary.modes {
        let _ = writeln!(
            text,
            "\n{:<16} {:>6} {:>7} {:>8} {:>7} {:>7} {:>9} {:>7} {:>12} {:>14}",
            mode.mode,
            "rows",
            "error",
            "weighted",
            "median",
            "bias",
            "coverage",
            "width",
            "worst error",
            "least coverage"
        );
        for level in &mode.levels {
            let _ = writeln!(text, "{}", line(level));
        }
    }
    text
}

fn line(level: &LevelSummary) -> String {
    let name = if level.least_share > 0.0 {
        format!("{} ≥ {} %", level.level, (level.least_share * 1000.0).round() / 10.0)
    } else {
        level.level.to_owned()
    };
    let (Some(pooled), Some(worst), Some(least)) =
        (&level.pooled, &level.worst, level.least_coverage)
    else {
        return format!("{name:<16} {:>6}", 0);
    };
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    format!(
        "{name:<16} {:>6} {:>7} {:>8} {:>7} {:>7} {:>9} {:>7} {:>12} {:>14}",
        pooled.rows,
        percent(pooled.mean_error),
        percent(pooled.weighted_error),
        percent(pooled.median_error),
        format!("{:+.1} %", pooled.bias * 100.0),
        percent(pooled.coverage),
        pooled.mean_width.map_or_else(String::new, percent),
        percent(worst.figures.weighted_error),
        percent(least),
    )
}
