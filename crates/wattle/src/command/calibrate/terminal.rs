//! A calibration for people.

use std::fmt::Write as _;

use wattle_calibrate::{
    CalibratedTerm, CrossValidation, CurveCalibration, FoldKind, LinearCalibration,
    SlopeCalibration,
};
use wattle_report::clean;

use super::api_costs_text;
use super::outcome::{Found, Outcome};
use crate::cli::Calibrate;
use crate::command::output;
use crate::exit;

const NONE_HELD_OUT: &str = "no observation was held out: errors of new ones are not known\n";

/// As JSON and on the terminal, as asked for.
pub(super) fn show(calibrate: &Calibrate, outcome: &Outcome) -> exit::Outcome {
    if let Some(path) = &calibrate.json {
        output::write_json(path, outcome)?;
    }
    if !calibrate.quiet && !output::is_stdout(calibrate.json.as_deref()) {
        output::print(text(outcome).as_bytes())?;
    }
    Ok(())
}

/// The outcome as text. Writing to a `String` does not fail.
fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    match &outcome.found {
        Found::Linear(found) => linear(&mut text, found),
        Found::Curves(found) => curves(&mut text, found),
        Found::Slope(found) => slope(&mut text, found),
        Found::ApiCosts(found) => {
            text.push_str(&api_costs_text::text(found));
            match &found.cross_validation {
                Some(held_out) => scores(&mut text, held_out),
                None => text.push_str(NONE_HELD_OUT),
            }
        }
    }
    for warning in outcome.found.warnings() {
        let _ = writeln!(text, "  ! {}", clean(warning));
    }
    if let Some(merged) = &outcome.merged {
        let _ = writeln!(text, "\nmerged into {}", clean(&merged.into));
        for (what, names) in
            [("replaced", &merged.replaced), ("added", &merged.added), ("removed", &merged.removed)]
        {
            for name in names {
                let _ = writeln!(text, "  {what} {}", clean(name));
            }
        }
    }
    if let Some(path) = &outcome.output {
        let _ = writeln!(text, "\nwrote {}", clean(path));
    }
    text
}

fn linear(text: &mut String, found: &LinearCalibration) {
    let _ = writeln!(
        text,
        "power of {}, mean {:.1} mW: {} observations in {} group{}\n",
        clean(&found.what),
        found.mean_mw,
        found.rows,
        found.groups,
        if found.groups == 1 { "" } else { "s" }
    );
    let _ = writeln!(
        text,
        "{:<34} {:<12} {:>12} {:<9} {:>10} {:>24} {:>6} {:>6}",
        "parameter", "component", "coefficient", "unit", "± error", "90 % interval", "VIF", "share"
    );
    for term in std::iter::once(&found.intercept).chain(&found.terms) {
        row(text, term);
    }
    if let Some(deviation) = found.residual_deviation_mw {
        let _ = writeln!(
            text,
            "\nresiduals: {deviation:.1} mW with {} degrees of freedom",
            found.freedom
        );
    }
    if found.weighed_down > 0 {
        let _ = writeln!(
            text,
            "robust: {} observations weighed down by half or more",
            found.weighed_down
        );
    }
    match &found.cross_validation {
        Some(held_out) => scores(text, held_out),
        None => text.push_str(NONE_HELD_OUT),
    }
}

fn row(text: &mut String, term: &CalibratedTerm) {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let error = or_none(term.standard_error.map(|error| format!("{error:.4}")));
    let interval = or_none(term.interval.map(|[low, high]| format!("{low:.3} … {high:.3}")));
    let inflation = or_none(term.inflation.map(|factor| format!("{factor:.1}")));
    let _ = writeln!(
        text,
        "{:<34} {:<12} {:>12.4} {:<9} {error:>10} {interval:>24} {inflation:>6} {:>5.1}%",
        clean(&term.parameter),
        clean(term.component.name()),
        term.coefficient,
        clean(&term.unit),
        term.share * 100.0
    );
}

fn scores(text: &mut String, held_out: &CrossValidation) {
    let kind = match held_out.kind {
        FoldKind::LeaveOneGroupOut => "each group held out",
        FoldKind::Grouped => "folds of whole groups held out",
        FoldKind::Blocked => "blocks of neighbouring rows held out",
    };
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let _ = writeln!(
        text,
        "{kind}, {} times: mean error {}, median {}, p95 {}, within 10 % {}, bias {:+.1} %",
        held_out.folds,
        percent(held_out.mean_error),
        percent(held_out.median_error),
        percent(held_out.p95_error),
        percent(held_out.within_tenth),
        held_out.bias * 100.0
    );
    if let Some(coverage) = held_out.interval_coverage {
        let _ = writeln!(
            text,
            "90 % prediction intervals hold {} of what was held out",
            percent(coverage)
        );
    }
}

fn curves(text: &mut String, found: &CurveCalibration) {
    let _ = writeln!(text, "shape learnt from {} curves of other clusters", found.learnt_from);
    for cluster in &found.clusters {
        let _ = write!(
            text,
            "\npolicy {}: {} points, {} left out",
            cluster.policy,
            cluster.points.len(),
            cluster.rejected.len()
        );
        let _ = match cluster.left_out_error {
            Some(error) => {
                writeln!(text, ", each said by the others within {:.0} %", error * 100.0)
            }
            None => writeln!(text),
        };
        let _ = writeln!(text, "{:>10} {:>10} {:>10}", "kHz", "mW", "measured");
        for (khz, milliwatts) in &cluster.curve {
            let measured = cluster.points.iter().find(|point| point.0 == *khz);
            let measured = measured.map_or_else(String::new, |point| format!("{:.1}", point.1));
            let _ = writeln!(text, "{khz:>10} {milliwatts:>10.1} {measured:>10}");
        }
    }
}

fn slope(text: &mut String, found: &SlopeCalibration) {
    let _ = writeln!(
        text,
        "{:<24} {:>12} {:>24} {:>12} {:>9} {:>10} {:>9}",
        "series", found.unit, "90 % interval", "start", "readings", "discarded", "off line"
    );
    let interval = |interval: Option<[f64; 2]>| {
        interval.map_or_else(|| "-".to_owned(), |[low, high]| format!("{low:.4} … {high:.4}"))
    };
    for series in &found.series {
        let _ = writeln!(
            text,
            "{:<24} {:>12.4} {:>24} {:>12.4} {:>9} {:>10} {:>8.1}%",
            clean(&series.name),
            series.value,
            interval(series.interval),
            series.start,
            series.rows,
            series.discarded,
            series.largest_residual * 100.0
        );
    }
    let _ = writeln!(
        text,
        "\n{} = {:.4} {} ({})",
        clean(&found.figure),
        found.value,
        found.unit,
        interval(found.interval)
    );
}
