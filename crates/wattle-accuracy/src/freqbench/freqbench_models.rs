use std::collections::{BTreeMap, BTreeSet};

use wattle_fit::{FitError, PowerCurve, ShapePrior};

use super::anchors::anchors;
use super::{Cluster, Clusters};
use crate::error_line::{Line, Predictions, Role, lines};
use crate::error_table::SetEntry;

pub(crate) const SET: &str = "freqbench";

/// Numbers of measured clocks of a cluster.
const COUNTS: [usize; 2] = [3, 5];

/// Power at the clocks that were not measured, from those that were. The shape is learnt from other SoCs only.
pub(crate) fn judge(found: &Clusters) -> Result<(SetEntry, Vec<Line>), FitError> {
    let clusters = found.clusters();
    let socs: BTreeSet<&str> = clusters.iter().map(|cluster| cluster.soc.as_str()).collect();
    let mut priors = BTreeMap::new();
    for soc in &socs {
        let others = clusters.iter().filter(|cluster| cluster.soc != *soc);
        let curves: Vec<_> = others.map(|cluster| cluster.points.clone()).collect();
        priors.insert(*soc, ShapePrior::learn(&curves)?);
    }
    let mut all = Vec::new();
    let mut notes = Vec::new();
    for count in COUNTS {
        let judged = Judged::new(&clusters, &socs, &priors, count)?;
        if judged.skipped > 0 {
            notes.push(format!(
                "{} of {} clusters have too few clocks to predict any from {count}",
                judged.skipped,
                clusters.len()
            ));
        }
        if judged.rejected > 0 {
            notes.push(format!(
                "from {count} points: {} measured points left out as wild by the learnt shape",
                judged.rejected
            ));
        }
        let said = [
            Predictions {
                model: "log interpolation",
                role: Role::Baseline,
                predicted: judged.plain,
                has_interval: true,
            },
            Predictions {
                model: "learnt shape",
                role: Role::Best,
                predicted: judged.fitted,
                has_interval: true,
            },
        ];
        let target = format!("power(f) from {count} points");
        all.extend(lines(SET, &target, &judged.measured, &judged.groups, &said));
    }
    if found.repeated > 0 {
        notes.push(format!("{} clusters are in several files, counted once", found.repeated));
    }
    if found.powerless > 0 {
        notes.push(format!("{} points have no power and are left out", found.powerless));
    }
    let points: usize = clusters.iter().map(|cluster| cluster.points.len()).sum();
    let entry = SetEntry {
        name: SET,
        files: found.files(),
        rows: points,
        groups: format!("{} clusters of {} SoCs", clusters.len(), socs.len()),
        held_out: "one SoC at a time; errors on the clocks that were not measured".to_owned(),
        inputs: "clock and measured power of the points: lowest, highest, evenly between by clock"
            .to_owned(),
        truth: "power of one busy core over idle, by the phone's fuel gauge or a meter".to_owned(),
        notes,
    };
    Ok((entry, all))
}

#[derive(Default)]
struct Judged {
    measured: Vec<f64>,
    plain: Vec<f64>,
    fitted: Vec<f64>,
    groups: Vec<usize>,
    skipped: usize,
    rejected: usize,
}

impl Judged {
    fn new(
        clusters: &[Cluster],
        socs: &BTreeSet<&str>,
        priors: &BTreeMap<&str, ShapePrior>,
        count: usize,
    ) -> Result<Self, FitError> {
        let mut judged = Self::default();
        for cluster in clusters {
            let clocks: Vec<f64> = cluster.points.iter().map(|(clock, _)| *clock).collect();
            let prior = priors.get(cluster.soc.as_str());
            let (Some(anchors), Some(prior)) = (anchors(&clocks, count), prior) else {
                judged.skipped += 1;
                continue;
            };
            let given = wattle_fit::pick(&cluster.points, &anchors);
            let curve = PowerCurve::fit(&given, None, prior)?;
            judged.rejected += curve.rejected.len();
            let group = socs.iter().position(|soc| *soc == cluster.soc).unwrap_or_default();
            for (index, (clock, power)) in cluster.points.iter().enumerate() {
                if !anchors.contains(&index) {
                    judged.measured.push(*power);
                    judged.plain.push(straight(&given, *clock));
                    judged.fitted.push(curve.power(*clock));
                    judged.groups.push(group);
                }
            }
        }
        Ok(judged)
    }
}

/// The baseline: a straight line of the logarithm of power over the clock between the neighbouring points, nothing else.
fn straight(points: &[(f64, f64)], clock: f64) -> f64 {
    let above = points.partition_point(|(f, _)| *f < clock);
    let stretch = above.saturating_sub(1).min(points.len().saturating_sub(2));
    match (points.get(stretch), points.get(stretch + 1)) {
        (Some((f0, p0)), Some((f1, p1))) => {
            (p0.ln() + (p1.ln() - p0.ln()) * (clock - f0) / (f1 - f0)).exp()
        }
        _ => f64::NAN,
    }
}
