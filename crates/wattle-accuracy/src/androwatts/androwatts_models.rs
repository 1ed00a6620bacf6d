use wattle_fit::{BoostOptions, FitError, Folds, Split, pick};

use super::blend::Blend;
use super::import::{AndroWatts, Target};
use super::physics::Physics;
use crate::Options;
use crate::error_line::{Line, Predictions, Role, lines};
use crate::error_table::SetEntry;

const SET: &str = "androwatts";

/// Names and roles of the models, in the order that [`predict`] answers in.
const MODELS: [(&str, Role); 3] = [
    ("boosted trees", Role::Baseline),
    ("additive watts (NNLS)", Role::Interpretable),
    ("Gaussian process + robust trees", Role::Best),
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
    for target in &set.targets {
        match judge_target(set, target, options) {
            Ok(lines) => all.extend(lines),
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
) -> Result<Vec<Line>, FitError> {
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
        let test = inputs.select(&split.test);
        predict(&train, &pick(&watts, &split.train), &test, options.seed)
    });
    let mut predicted = MODELS.map(|_| vec![f64::NAN; watts.len()]);
    for (split, answer) in splits.iter().zip(answers) {
        for (all, own) in predicted.iter_mut().zip(answer?) {
            for (row, value) in split.test.iter().zip(own) {
                if let Some(slot) = all.get_mut(*row) {
                    *slot = value;
                }
            }
        }
    }
    let said: Vec<Predictions> = MODELS
        .into_iter()
        .zip(predicted)
        .map(|((model, role), predicted)| Predictions {
            model,
            role,
            predicted,
            has_interval: true,
        })
        .collect();
    Ok(lines(SET, target.name, &watts, folds.fold_of_row(), &said))
}

/// Predicts `test` with each of [`MODELS`], fitted to `train`.
fn predict(
    train: &wattle_fit::Design,
    watts: &[f64],
    test: &wattle_fit::Design,
    seed: u64,
) -> Result<[Vec<f64>; MODELS.len()], FitError> {
    let logarithms: Vec<f64> = watts.iter().map(|y| y.ln()).collect();
    let trees = BoostOptions { seed, ..BoostOptions::default() }.fit(train, &logarithms)?;
    let physics = Physics::fit(train, watts)?;
    let blend = Blend::fit(train, watts, seed)?;
    Ok([
        trees.predict_all(test).into_iter().map(f64::exp).collect(),
        physics.predict(test),
        blend.predict(test)?,
    ])
}
