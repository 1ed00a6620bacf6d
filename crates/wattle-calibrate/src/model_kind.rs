//! Kinds of models, from the simplest.

use serde::Serialize;
use wattle_fit::{
    Design, FitError, Folds, GaussianOptions, GaussianProcess, Kneed, KneedOptions, LinearFit,
    LinearOptions, Robustness, Scores, pick,
};

use crate::CalibrateError;

/// Form of the function that is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// A sum of products, by least squares of errors in watts.
    Linear,
    /// A sum of lines with knees, by robust least squares of relative errors.
    Kneed,
    /// The same, mixed with a Gaussian process of the logarithm of power.
    Gaussian,
}

impl std::str::FromStr for ModelKind {
    type Err = CalibrateError;

    fn from_str(text: &str) -> Result<Self, CalibrateError> {
        match text {
            "linear" => Ok(Self::Linear),
            "kneed" => Ok(Self::Kneed),
            "gaussian" => Ok(Self::Gaussian),
            other => Err(CalibrateError::Request {
                what: "--kind",
                expected: "auto, linear, kneed or gaussian".to_owned(),
                found: format!("{other:?}"),
            }),
        }
    }
}

impl std::fmt::Display for ModelKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Linear => "linear",
            Self::Kneed => "kneed",
            Self::Gaussian => "gaussian",
        })
    }
}

/// Rows that a model is fitted to.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) design: Design,
    pub(crate) power: Vec<f64>,
    /// Number of the group of each.
    pub(crate) groups: Vec<usize>,
    /// Weight of the square of an error in watts, for [`ModelKind::Linear`]; all 1 when `None`.
    pub(crate) weights: Option<Vec<f64>>,
}

/// Settings of a fit, whatever the kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FitSettings {
    pub(crate) robust: bool,
    pub(crate) unconstrained: bool,
    /// Penalty; chosen by cross-validation when `None`.
    pub(crate) ridge: Option<f64>,
}

/// A fitted model of any kind.
#[derive(Clone, Debug)]
pub(crate) struct FittedModel {
    pub(crate) linear: Option<LinearFit>,
    pub(crate) kneed: Option<Kneed>,
    pub(crate) process: Option<(GaussianProcess, f64)>,
    /// Penalty that was chosen.
    pub(crate) ridge: f64,
    /// Power below which a prediction's logarithm is not taken.
    least: f64,
}

/// A model whose error is larger by less than this share is as good: nobody would take a more complex one, or one without standard
/// errors, for it. A judgement.
pub(crate) const AS_GOOD: f64 = 0.05;
/// Penalties that are tried, in units of rows.
const RIDGES: [f64; 3] = [0.0, 1.0, 10.0];
/// Inner folds by which penalties, knees and shares are chosen.
const INNER: usize = 5;
/// Tolerance of the robust fits that candidates are compared by.
const COARSE: f64 = 0.1;
/// Rows of a Gaussian process: the work grows with the cube.
const MOST_POINTS: usize = 1500;
/// Fewer rows say nothing of a smooth function of several parameters.
const LEAST_POINTS: usize = 40;

impl Rows {
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self {
            design: self.design.select(rows),
            power: pick(&self.power, rows),
            groups: pick(&self.groups, rows),
            weights: self.weights.as_ref().map(|weights| pick(weights, rows)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.power.len()
    }

    /// Folds of whole groups, where there are three or more; else of neighbouring rows.
    pub(crate) fn folds(&self, count: usize) -> Folds {
        let alone = Folds::leave_one_group_out(&self.groups);
        if alone.count() < 3 {
            Folds::blocked(self.len(), count)
        } else {
            Folds::grouped(&self.groups, count)
        }
    }

    /// Rows that err together: groups where there are five or more, else stretches of neighbouring rows; none where rows are too few for
    /// either.
    pub(crate) fn clusters(&self) -> Option<Vec<usize>> {
        let alone = Folds::leave_one_group_out(&self.groups);
        if alone.count() >= 5 {
            return Some(alone.fold_of_row().to_vec());
        }
        let stretches = (self.len() / 10).min(20);
        (stretches >= 5).then(|| Folds::blocked(self.len(), stretches).fold_of_row().to_vec())
    }

    /// Whether a kind can be fitted to so many rows.
    pub(crate) fn allows(&self, kind: ModelKind) -> bool {
        let positive = self.power.iter().filter(|power| **power > 0.0).count();
        let numbers = self.design.width() + 2;
        match kind {
            ModelKind::Linear => self.len() >= numbers,
            ModelKind::Kneed => self.len() >= 3 * numbers,
            ModelKind::Gaussian => self.len() >= 3 * numbers && positive >= LEAST_POINTS,
        }
    }
}

/// Errors of candidates on the same folds, from the simplest: the first that is not worse than the best by more than one standard
/// error of their difference, or by more than this share of the best one's error.
pub(crate) fn simplest_of_best(errors: &[Vec<f64>], margin: f64) -> usize {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let best = (0..errors.len())
        .min_by(|a, b| {
            let of = |index: &usize| errors.get(*index).map_or(f64::INFINITY, |e| mean(e));
            of(a).total_cmp(&of(b))
        })
        .unwrap_or_default();
    let Some(least) = errors.get(best) else { return 0 };
    let is_close = |candidate: &Vec<f64>| {
        let differences: Vec<f64> = candidate.iter().zip(least).map(|(a, b)| a - b).collect();
        let over = mean(&differences);
        let squares: f64 = differences.iter().map(|d| (d - over) * (d - over)).sum();
        let folds = differences.len() as f64;
        folds > 1.0 && over <= (squares / (folds - 1.0) / folds).sqrt().max(margin * mean(least))
    };
    errors.iter().take(best).position(is_close).unwrap_or(best)
}

/// The mean relative error of predictions in each fold.
pub(crate) fn fold_errors(folds: &Folds, power: &[f64], predicted: &[f64]) -> Vec<f64> {
    let errors = folds
        .splits()
        .filter_map(|split| Scores::new(&pick(power, &split.test), &pick(predicted, &split.test)));
    errors.map(|scores| scores.mean).collect()
}

impl FittedModel {
    /// Fits one kind; penalties, knees and shares are chosen by folds of these rows alone.
    pub(crate) fn fit(
        kind: ModelKind,
        rows: &Rows,
        settings: FitSettings,
    ) -> Result<Self, FitError> {
        let positive: Vec<f64> = rows.power.iter().copied().filter(|power| *power > 0.0).collect();
        let least = wattle_fit::order::median(&positive).unwrap_or_default() * 1e-3;
        let mut model = Self { linear: None, kneed: None, process: None, ridge: 0.0, least };
        if kind == ModelKind::Linear {
            let ridge = match settings.ridge {
                Some(ridge) => ridge,
                None => chosen(rows, &RIDGES, AS_GOOD, &|rows, ridge| {
                    let fit = linear_options(rows, settings, *ridge, false)
                        .fit(&rows.design, &rows.power)?;
                    Ok(Box::new(move |design: &Design| fit.predict_all(design)))
                })?,
            };
            let options = linear_options(rows, settings, ridge, true);
            model.linear = Some(options.fit(&rows.design, &rows.power)?);
            model.ridge = ridge;
            return Ok(model);
        }
        let options = kneed_options(rows, settings)?;
        let clusters = rows.clusters().unwrap_or_default();
        let kneed = options.fit_in_groups(&rows.design, &rows.power, &clusters)?;
        model.ridge = options.ridge;
        if kind == ModelKind::Gaussian {
            model.process = Some(process(rows, &options, &kneed, least)?);
        }
        model.kneed = Some(kneed);
        Ok(model)
    }

    /// Power at every row.
    pub(crate) fn predict(&self, design: &Design) -> Vec<f64> {
        let plain = match (&self.linear, &self.kneed) {
            (Some(linear), _) => return linear.predict_all(design),
            (None, Some(kneed)) => kneed.predict_all(design),
            (None, None) => return vec![f64::NAN; design.rows()],
        };
        let Some((process, share)) = &self.process else { return plain };
        let smooth = process.predict_all(design);
        plain.iter().zip(&smooth).map(|(p, s)| mixed(*p, *s, *share, self.least)).collect()
    }
}

/// Watts from watts and a logarithm of watts.
fn mixed(plain: f64, smooth: f64, share: f64, least: f64) -> f64 {
    (share * smooth + (1.0 - share) * plain.max(least).ln()).exp()
}

fn linear_options(rows: &Rows, settings: FitSettings, ridge: f64, errors: bool) -> LinearOptions {
    let huber = Robustness::Huber(1.345);
    LinearOptions {
        non_negative: !settings.unconstrained,
        robustness: if settings.robust { huber } else { Robustness::LeastSquares },
        ridge,
        weights: rows.weights.clone(),
        clusters: if errors { rows.clusters() } else { None },
        ..LinearOptions::default()
    }
}

/// Predicts rows of a design.
type Predictor = Box<dyn Fn(&Design) -> Vec<f64>>;

/// The candidate that inner folds prefer, the first of those that are as good.
fn chosen<C: Clone>(
    rows: &Rows,
    candidates: &[C],
    margin: f64,
    fit: &dyn Fn(&Rows, &C) -> Result<Predictor, FitError>,
) -> Result<C, FitError> {
    let folds = rows.folds(INNER);
    let mut errors = Vec::new();
    for candidate in candidates {
        let predicted = folds.out_of_fold(|split| {
            let predictor = fit(&rows.select(&split.train), candidate)?;
            Ok::<_, FitError>(predictor(&rows.design.select(&split.test)))
        });
        // A candidate that some fold leaves too few rows for is none.
        errors.push(match predicted {
            Ok(predicted) => fold_errors(&folds, &rows.power, &predicted),
            Err(_) => vec![f64::INFINITY; folds.count()],
        });
    }
    let first = candidates.first().cloned();
    let best = candidates.get(simplest_of_best(&errors, margin)).cloned().or(first);
    best.ok_or(FitError::TooFew { what: "a choice of settings", needed: 1, found: 0 })
}

/// Knees and penalty: straight lines, lines with knees that rise, such that rise or fall; then the penalty.
fn kneed_options(rows: &Rows, settings: FitSettings) -> Result<KneedOptions, FitError> {
    // Candidates differ by more than what the last rounds of a robust fit change.
    let fit = |rows: &Rows, options: &KneedOptions| -> Result<Predictor, FitError> {
        let coarse = KneedOptions { tolerance: COARSE, ..options.clone() };
        let fit = coarse.fit(&rows.design, &rows.power)?;
        Ok(Box::new(move |design: &Design| fit.predict_all(design)))
    };
    let shape = |stretches, either_way| KneedOptions {
        stretches,
        either_way,
        ridge: settings.ridge.unwrap_or_default(),
        ..KneedOptions::default()
    };
    let shapes = [shape(1, false), shape(4, false), shape(4, true)];
    let best = chosen(rows, &shapes, 0.0, &fit)?;
    if settings.ridge.is_some() {
        return Ok(best);
    }
    let ridges = RIDGES.map(|ridge| KneedOptions { ridge, ..best.clone() });
    chosen(rows, &ridges, AS_GOOD, &fit)
}

/// The smooth part, and its share by inner folds.
fn process(
    rows: &Rows,
    options: &KneedOptions,
    kneed: &Kneed,
    least: f64,
) -> Result<(GaussianProcess, f64), FitError> {
    let positive: Vec<usize> = (0..rows.len())
        .filter(|row| rows.power.get(*row).is_some_and(|power| *power > 0.0))
        .collect();
    let count = positive.len().min(MOST_POINTS);
    let spread: Vec<usize> = (0..count).map(|k| k * positive.len() / count.max(1)).collect();
    let rows = rows.select(&pick(&positive, &spread));
    let logarithms: Vec<f64> = rows.power.iter().map(|power| power.ln()).collect();
    let process = GaussianOptions::default().fit(&rows.design, &logarithms)?;
    let folds = rows.folds(INNER);
    let smooth = folds.out_of_fold(|split| {
        let again = process
            .fit_again(&rows.design.select(&split.train), &pick(&logarithms, &split.train))?;
        Ok::<_, FitError>(again.predict_all(&rows.design.select(&split.test)))
    })?;
    let plain = folds.out_of_fold(|split| {
        let part = rows.select(&split.train);
        let coarse = KneedOptions { tolerance: COARSE, ..options.clone() };
        let fit = coarse.fit(&part.design, &part.power)?;
        Ok::<_, FitError>(fit.predict_all(&rows.design.select(&split.test)))
    });
    let plain = plain.unwrap_or_else(|_| kneed.predict_all(&rows.design));
    let error = |share: f64| {
        let pairs = plain.iter().zip(&smooth);
        let both: Vec<f64> = pairs.map(|(p, s)| mixed(*p, *s, share, least)).collect();
        Scores::new(&rows.power, &both).map_or(f64::INFINITY, |scores| scores.mean)
    };
    let shares = (0..=10).map(|tenth| f64::from(tenth) / 10.0);
    let share = shares.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(1.0);
    Ok((process, share))
}
