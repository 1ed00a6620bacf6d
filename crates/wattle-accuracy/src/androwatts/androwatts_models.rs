use std::collections::BTreeMap;

use wattle_calibrate::ModelKind;
use wattle_fit::{BoostOptions, FitError, Folds, Split, pick};

use super::calibrated::Calibrated;
use super::import::{AndroWatts, Target};
use crate::Options;
use crate::error_line::{Line, Predictions, Role, lines};
use crate::error_table::SetEntry;

const SET: &str = "androwatts";

/// The baseline.
const TREES: &str = "boosted trees";

/// Names and roles of the kinds of models of `wattle calibrate`.
const KINDS: [(ModelKind, &str, Role); 3] = [
    (ModelKind::Kneed, "calibrate --kind kneed", Role::Interpretable),
    (ModelKind::Linear, "calibrate --kind linear", Role::Interpretable),
    (ModelKind::Gaussian, "calibrate --kind gaussian", Role::Best),
];

/// Power of each target from what a program can see without rails.
pub(crate) fn judge(
    found: &[(String, AndroWatts)],
    options: &Options,
) -> Result<(SetEntry, Vec<Line>), FitError> {
    // Several files of this set are versions of one another: the longest says all.
    let longest = found.iter().rev().max_by_key(|(_, set)| set.rows);
    let Some((file, set)) = longest else {
        return Err(FitError::TooFew { what: SET, needed: 1, found: 0 });
    };
    let mut all = Vec::new();
    let mut unjudged = Vec::new();
    let mut by_kind = BTreeMap::new();
    for target in &set.targets {
        match judge_target(set, target, options) {
            Ok((lines, chosen)) => {
                all.extend(lines);
                by_kind.entry(chosen).or_insert_with(Vec::new).push(target.name);
            }
            Err(FitError::TooFew { needed, found, .. }) => unjudged.push(format!(
                "{}: {found} runs have a measured figure, {needed} are needed: not judged",
                target.name
            )),
            Err(other) => return Err(other),
        }
    }
    if all.is_empty() {
        return Err(FitError::TooFew { what: SET, needed: needed(options), found: set.rows });
    }
    let mut notes = vec![
        "one phone: folds are stretches of time, and nothing is said of another phone".to_owned(),
    ];
    for (kind, targets) in by_kind {
        notes.push(format!("calibrate without --kind chooses {kind} for {}", targets.join(", ")));
    }
    notes.append(&mut unjudged);
    if found.len() > 1 {
        notes.push(format!("{} files of this set: the one with most rows is used", found.len()));
    }
    if set.left_out > 0 {
        notes.push(format!("{} runs have no measured figure and are left out", set.left_out));
    }
    if set.missing > 0 {
        notes.push(format!(
            "{} input cells have no number; models know them as missing",
            set.missing
        ));
    }
    let entry = SetEntry {
        name: SET,
        files: vec![file.clone()],
        rows: set.rows,
        groups: "runs of half a minute on one phone".to_owned(),
        held_out: format!("one of {} stretches of consecutive runs at a time", options.folds),
        inputs: "colours, brightness, clocks of CPU, GPU and memory, Wi-Fi bytes, temperature, charge; no rail"
            .to_owned(),
        truth: format!(
            "{} power rails of the phone; battery: its discharge current at a fixed 4.4 V",
            set.rails
        ),
        notes,
    };
    Ok((entry, all))
}

/// The fewest rows that leave something to learn from in every fold.
fn needed(options: &Options) -> usize {
    2 * options.folds.max(2) + 20
}

fn judge_target(
    set: &AndroWatts,
    target: &Target,
    options: &Options,
) -> Result<(Vec<Line>, ModelKind), FitError> {
    let known: Vec<usize> = (0..set.rows)
        .filter(|row| target.watts.get(*row).is_some_and(|watts| watts.is_finite()))
        .collect();
    let needed = needed(options);
    if known.len() < needed {
        return Err(FitError::TooFew { what: target.name, needed, found: known.len() });
    }
    let inputs = set.inputs.select(&known);
    let watts = pick(&target.watts, &known);
    let folds = Folds::blocked(known.len(), options.folds.max(2));
    let splits: Vec<Split> = folds.splits().collect();
    let threads = wattle_workers::available(options.threads);
    let answers = wattle_workers::ordered(threads, &splits, |split| {
        let train = inputs.select(&split.train);
        let logarithms: Vec<f64> = pick(&watts, &split.train).iter().map(|y| y.ln()).collect();
        let options = BoostOptions { seed: options.seed, ..BoostOptions::default() };
        let trees = options.fit(&train, &logarithms)?;
        let of_test = trees.predict_all(&inputs.select(&split.test));
        Ok::<Vec<f64>, FitError>(of_test.into_iter().map(f64::exp).collect())
    });
    let mut answers = answers.into_iter();
    let predicted = folds.out_of_fold(|_| answers.next().unwrap_or_else(|| Ok(Vec::new())))?;
    let prediction =
        |model, role, predicted| Predictions { model, role, predicted, has_interval: true };
    let mut said = vec![prediction(TREES, Role::Baseline, predicted)];
    let calibrated = Calibrated::new(&inputs, &watts, folds.count(), options.threads)?;
    for (kind, name, role) in KINDS {
        let found = calibrated.kinds.iter().find(|(of, _)| *of == kind);
        said.extend(found.map(|(_, predicted)| prediction(name, role, predicted.clone())));
    }
    Ok((lines(SET, target.name, &watts, folds.fold_of_row(), &said), calibrated.chosen))
}
