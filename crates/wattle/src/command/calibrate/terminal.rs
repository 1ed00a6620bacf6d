//! A calibration for people.

use std::fmt::Write as _;

use wattle_calibrate::{
    AnchorCalibration, CalibratedTerm, CrossValidation, CurveCalibration, FoldKind, IntervalScope,
    LinearCalibration, PredictionErrors, SlopeCalibration,
};
use wattle_report::clean;

use super::outcome::{Found, Outcome};
use super::{api_costs_text, update_text};
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
        Found::Anchor(found) => anchor(&mut text, found),
        Found::Rails(found) => update_text::text(&mut text, found),
        Found::ApiCosts(found) => {
            text.push_str(&api_costs_text::text(found));
            match &found.cross_validation {
                Some(held_out) => scores(&mut text, held_out),
                None => text.push_str(NONE_HELD_OUT),
            }
        }
    }
    if let Some(errors) = &outcome.tested {
        text.push_str(&test_errors(errors));
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
    let used = found.terms.iter().filter(|term| term.between.is_none() || term.coefficient != 0.0);
    for term in std::iter::once(&found.intercept).chain(used) {
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
    let ridge = if found.ridge > 0.0 {
        format!(", penalty of {} rows", found.ridge)
    } else {
        String::new()
    };
    let _ = writeln!(text, "\nmodel: {}{ridge}", found.model);
    if found.kinds.len() > 1 {
        for score in &found.kinds {
            let _ = match &score.cross_validation {
                Some(of) => writeln!(
                    text,
                    "  {:<9} {:>5.2} % ± {:.2} mean error of rows held out",
                    score.kind,
                    of.mean_error * 100.0,
                    of.mean_error_deviation * 100.0
                ),
                None => writeln!(text, "  {:<9} not tried: too few rows", score.kind),
            };
        }
    }
    match &found.cross_validation {
        Some(held_out) => scores(text, held_out),
        None => text.push_str(NONE_HELD_OUT),
    }
}

/// Errors on a table that the model has not seen.
pub fn test_errors(errors: &PredictionErrors) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut text = format!(
        "test table, {} rows: mean error {}, median {}, p95 {}, bias {:+.1} %, total {:+.1} %\n",
        errors.rows,
        percent(errors.mean_error),
        percent(errors.median_error),
        percent(errors.p95_error),
        errors.bias * 100.0,
        errors.total_bias * 100.0
    );
    let worst = errors.worst_coverage.map_or_else(String::new, |worst| {
        format!(", {} of the group where they hold least", percent(worst))
    });
    let _ = match errors.interval_coverage {
        Some(coverage) => writeln!(
            text,
            "90 % prediction intervals hold {} of the test table{worst}",
            percent(coverage)
        ),
        None => writeln!(text, "no prediction interval: the calibration promises none"),
    };
    text
}

fn anchor(text: &mut String, found: &AnchorCalibration) {
    let [low, high] = found.scale_interval;
    let _ = writeln!(
        text,
        "scaled by {:.4} ({low:.4} … {high:.4} with 90 %) by {} runs\n\
         mean error of these runs: {:.1} % before, {:.1} % after, each by the factor of the others",
        found.scale,
        found.runs,
        found.error_before * 100.0,
        found.error_after * 100.0
    );
    let [low, high] = found.interval.map(|end| end * 100.0);
    let _ = writeln!(text, "90 % prediction interval: {low:+.1} … {high:+.1} %");
}

fn row(text: &mut String, term: &CalibratedTerm) {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let error = or_none(term.standard_error.map(|error| format!("{error:.4}")));
    let interval = or_none(term.interval.map(|[low, high]| format!("{low:.3} … {high:.3}")));
    let inflation = or_none(term.inflation.map(|factor| format!("{factor:.1}")));
    let knees = term
        .between
        .map_or_else(String::new, |[low, high]| format!(" {} … {}", short(low), short(high)));
    let _ = writeln!(
        text,
        "{:<34} {:<12} {:>12.4} {:<9} {error:>10} {interval:>24} {inflation:>6} {:>5.1}%",
        format!("{}{knees}", clean(&term.parameter)),
        clean(term.component.name()),
        term.coefficient,
        clean(&term.unit),
        term.share * 100.0
    );
}

/// Four digits.
fn short(value: f64) -> String {
    if value == 0.0 || (0.001..1e6).contains(&value.abs()) {
        let digits = 3 - value.abs().max(1e-3).log10().floor() as i32;
        return format!("{value:.*}", digits.clamp(0, 6) as usize);
    }
    format!("{value:.3e}")
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
    let rows = match held_out.interval_scope {
        IntervalScope::NewGroup => "a row of a new group",
        IntervalScope::SameGroups => "another row of the same groups",
    };
    let _ = match (held_out.interval, held_out.interval_coverage) {
        (Some([low, high]), Some(coverage)) => {
            let worst = held_out.worst_coverage.map_or_else(String::new, |worst| {
                format!(", {} of the group or block where they hold least", percent(worst))
            });
            writeln!(
                text,
                "90 % prediction interval of {rows}: {:+.1} … {:+.1} %, by {:.0} independent rows; such intervals hold {} \
                 of what was held out{worst}",
                low * 100.0,
                high * 100.0,
                held_out.effective_rows,
                percent(coverage)
            )
        }
        _ => writeln!(
            text,
            "no 90 % prediction interval: {:.0} independent rows are too few",
            held_out.effective_rows
        ),
    };
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
