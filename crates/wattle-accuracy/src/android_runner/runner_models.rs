use std::collections::BTreeSet;

use wattle_fit::order;

use super::Runs;
use crate::error_line::{Line, Predictions, Role, lines};
use crate::error_table::SetEntry;

const SET: &str = "android-runner";

/// Compares the energy of each run with that of other sessions of the same app, and Android's own estimate with the
/// meter.
pub(crate) fn judge(runs: &Runs) -> (SetEntry, Vec<Line>) {
    let mut all = repeated(runs);
    let (estimated, mut notes) = estimates(runs);
    all.extend(estimated);
    if runs.failed > 0 {
        notes
            .push(format!("{} runs are marked as failed or have no energy: left out", runs.failed));
    }
    let metered: usize = runs.metered.values().map(Vec::len).sum();
    let calculated: usize = runs.estimated.values().map(Vec::len).sum();
    let entry = SetEntry {
        name: SET,
        files: runs.files(),
        rows: metered + calculated,
        groups: format!(
            "{metered} metered runs of {} apps, {calculated} estimated runs of {} apps",
            runs.metered.len(),
            runs.estimated.len()
        ),
        held_out: "one session at a time for the same app; one app at a time for the calibration"
            .to_owned(),
        inputs: "joules that Android Runner calculated from batterystats, systrace and the power profile"
            .to_owned(),
        truth: "energy of the whole phone per run, by a Monsoon meter".to_owned(),
        notes,
    };
    (entry, all)
}

/// Predicts the runs of a session from the other sessions: no model that does not see inside a run can be closer.
/// Intervals come from the other apps, which were run in the same sessions: three sessions alone would not show how
/// sessions differ.
fn repeated(runs: &Runs) -> Vec<Line> {
    let sessions: BTreeSet<&str> =
        runs.metered.values().flatten().map(|run| run.session.as_str()).collect();
    let mut measured = Vec::new();
    let mut groups = Vec::new();
    let mut by_app = Vec::new();
    let mut by_all = Vec::new();
    for session in &sessions {
        let other = |of: &[super::metered_runs::Metered]| -> Vec<f64> {
            of.iter().filter(|run| run.session != *session).map(|run| run.joules).collect()
        };
        let everything: Vec<f64> = runs.metered.values().flat_map(|app| other(app)).collect();
        let Some(any) = order::median(&everything) else { continue };
        for (number, app) in runs.metered.values().enumerate() {
            let Some(same) = order::median(&other(app)) else { continue };
            for run in app.iter().filter(|run| run.session == *session) {
                measured.push(run.joules);
                groups.push(number);
                by_app.push(same);
                by_all.push(any);
            }
        }
    }
    let said = [
        Predictions {
            model: "median of all apps",
            role: Role::Baseline,
            predicted: by_all,
            has_interval: true,
        },
        Predictions {
            model: "same app, other sessions",
            role: Role::Best,
            predicted: by_app,
            has_interval: true,
        },
    ];
    lines(SET, "run's joules, same app", &measured, &groups, &said)
}

/// Android's estimate beside the meter, as it is and calibrated on the other apps.
fn estimates(runs: &Runs) -> (Vec<Line>, Vec<String>) {
    let mut notes = Vec::new();
    let pairs: Vec<(f64, Vec<f64>)> = runs
        .estimated
        .iter()
        .filter_map(|(experiment, joules)| {
            let metered = runs.metered_of(experiment)?.iter().map(|run| run.joules).collect();
            Some((order::median(joules)?, metered))
        })
        .collect();
    let unpaired = runs.estimated.len() - pairs.len();
    if unpaired > 0 {
        notes.push(format!("{unpaired} estimated apps have no metered runs"));
    }
    if pairs.len() < 3 {
        return (Vec::new(), notes);
    }
    // An interval for a new app needs 19 other apps, however many runs each has.
    if pairs.len() < 20 {
        notes.push(format!(
            "no interval for a new app: {} apps are too few for 90 %, which takes 20",
            pairs.len()
        ));
    }
    let has_interval = pairs.len() >= 20;
    let mut measured = Vec::new();
    let mut groups = Vec::new();
    let mut others = Vec::new();
    let mut plain = Vec::new();
    let mut calibrated = Vec::new();
    for (number, (estimate, metered)) in pairs.iter().enumerate() {
        let rest = pairs.iter().enumerate().filter(|(other, _)| *other != number);
        let rest: Vec<(f64, f64)> = rest
            .filter_map(|(_, (estimate, metered))| Some((*estimate, order::median(metered)?)))
            .collect();
        let truths: Vec<f64> = rest.iter().map(|(_, truth)| *truth).collect();
        // One factor is what five apps can tell.
        let factors: Vec<f64> = rest.iter().map(|(estimate, truth)| truth / estimate).collect();
        let factor = order::median(&factors).unwrap_or(f64::NAN);
        for joules in metered {
            measured.push(*joules);
            groups.push(number);
            others.push(order::median(&truths).unwrap_or(f64::NAN));
            plain.push(*estimate);
            calibrated.push(factor * estimate);
        }
    }
    let said = [
        Predictions {
            model: "median of other apps",
            role: Role::Baseline,
            predicted: others,
            has_interval,
        },
        Predictions {
            model: "batterystats",
            role: Role::Reference,
            predicted: plain,
            has_interval: false,
        },
        Predictions {
            model: "batterystats × one factor",
            role: Role::Interpretable,
            predicted: calibrated,
            has_interval,
        },
    ];
    (lines(SET, "run's joules, new app", &measured, &groups, &said), notes)
}
