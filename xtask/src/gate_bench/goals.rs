//! Goals that Wattle's gate sets itself.

use wattle_gate_bench::{GateScores, KindScore, SeriesKind, ToolName};

/// Index of steps of 3 % among the sizes.
const THREE_PERCENT: usize = 2;

/// One goal on one kind of series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    pub text: String,
    pub is_met: bool,
}

/// Checks every goal on every kind of series, for Wattle with re-runs. `equal`: rules with limits that raise as many false alarms
/// as Wattle may.
pub fn check(scores: &GateScores, equal: &GateScores) -> Vec<Goal> {
    SeriesKind::ALL
        .into_iter()
        .filter_map(|kind| {
            let ours = scores.get(&(kind, ToolName::WattleWithReruns))?;
            Some(check_kind(kind, ours, scores, equal))
        })
        .flatten()
        .collect()
}

fn check_kind(
    kind: SeriesKind,
    ours: &KindScore,
    scores: &GateScores,
    equal: &GateScores,
) -> Vec<Goal> {
    let goal = |is_met: bool, what: &str, value: f64| Goal {
        text: format!("{}: {what}: {value:.3}", kind.name()),
        is_met,
    };
    let others = |scores: &GateScores, figure: fn(&KindScore) -> f64| -> Vec<f64> {
        scores
            .iter()
            .filter(|((of_kind, tool), _)| *of_kind == kind && !tool.is_ours())
            .map(|(_, score)| figure(score))
            .collect()
    };
    let alarms = ours.false_alarms();
    let found = ours.found_soon(THREE_PERCENT);
    let signs = ours.right_signs();
    let similarity = ours.similarity();
    let best_f1 = others(scores, KindScore::f1)
        .into_iter()
        .chain(others(equal, KindScore::f1))
        .fold(0.0, f64::max);
    let least_delay = others(equal, KindScore::delay).into_iter().fold(f64::INFINITY, f64::min);
    vec![
        goal(alarms <= 1.0, "false alarms in 100 commits of a suite, 1 at most", alarms),
        goal(found >= 0.9, "steps of 3 % found within 5 commits, 0.9 at least", found),
        goal(signs >= 0.99, "right directions, 0.99 at least", signs),
        goal(similarity >= 0.8, "similarity of neighbouring alerts, 0.8 at least", similarity),
        goal(ours.f1() >= best_f1, &format!("F1, greatest of others {best_f1:.3}"), ours.f1()),
        goal(
            ours.delay() <= least_delay,
            &format!("delay at equal false alarms, least of others {least_delay:.2}"),
            ours.delay(),
        ),
    ]
}
