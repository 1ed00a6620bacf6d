//! Costs of calls into the framework for people.

use std::fmt::Write as _;

use wattle_calibrate::ApiCalibration;
use wattle_report::clean;

/// As tables: methods with a cost, and those without.
pub fn text(found: &ApiCalibration) -> String {
    let mut text = format!(
        "power of {}, mean {:.1} mW: {} stretches in {} recording{}\n",
        clean(&found.what),
        found.mean_mw,
        found.rows,
        found.groups,
        if found.groups == 1 { "" } else { "s" }
    );
    let error = found.constant_error_mw.map_or_else(|| "-".to_owned(), |of| format!("{of:.1}"));
    let _ = writeln!(text, "without calls {:.1} mW ± {error}\n", found.constant_mw);
    let _ = writeln!(
        text,
        "{:>12} {:>24} {:>8} {:>6} method",
        "mJ a call", "90 % interval", "calls", "share"
    );
    for api in &found.costs {
        let [low, high] = api.interval.map(|joules| joules * 1e3);
        let _ = writeln!(
            text,
            "{:>12.4} {:>24} {:>8} {:>5.1}% {}{}",
            api.joules * 1e3,
            format!("{low:.4} … {high:.4}"),
            api.calls,
            api.share * 100.0,
            clean(&api.signature),
            if api.together_with.is_empty() { "" } else { " (together)" }
        );
    }
    if !found.left_out.is_empty() {
        let _ = writeln!(text, "\nwithout a cost:");
    }
    for api in &found.left_out {
        let _ = writeln!(text, "{:>46} {}: {}", api.calls, clean(&api.signature), api.why);
    }
    if let Some(deviation) = found.residual_deviation_mw {
        let _ = writeln!(
            text,
            "\nresiduals: {deviation:.1} mW with {} degrees of freedom",
            found.freedom
        );
    }
    text
}
