//! Power of one unit of a parameter, stretch by stretch of a recording.

use wattle_timeline::{Timeline, Window};
use wattle_units::{Nanos, Watts};

use crate::{DeviceModel, LinearModel, LinearTerm, Parameter, parameter};

/// Length of the stretches over which terms with knees are evaluated where the model does not say how long its observations
/// were, in seconds: the default of `wattle calibrate --every`.
const EVERY: f64 = 1.0;

/// Prefix of the parameters that say that a cell of a table was empty; a recording has no such cells.
const MISSING: &str = "missing(";

/// A linear model's parameters in a recording, and the stretches over which they are averaged.
pub(crate) struct LinearGains<'a> {
    model: &'a LinearModel,
    parameters: Vec<(&'a str, Option<Parameter>)>,
    /// Disjoint, in order, covering the whole; one where every term is a plain product.
    pub(crate) stretches: Vec<Window>,
    /// Corrected over uncorrected power of each stretch; 1 where there is no correction.
    factors: Vec<f64>,
    /// Parameters of the correction that the recording does not have, or not all the time.
    pub(crate) uncorrected: Vec<String>,
}

impl<'a> LinearGains<'a> {
    /// `correct` says whether the correction may be used: it is one of all terms together.
    pub(crate) fn new(
        timeline: &Timeline,
        device: &DeviceModel,
        model: &'a LinearModel,
        window: Window,
        correct: bool,
    ) -> Self {
        let correction = model.correction.as_ref().filter(|_| correct);
        let inputs = correction.iter().flat_map(|correction| &correction.inputs);
        let names = model.terms.iter().map(|term| term.parameter.as_str());
        let mut parameters: Vec<(&str, Option<Parameter>)> = Vec::new();
        for name in names.chain(inputs.map(|input| input.parameter.as_str())) {
            if parameters.iter().all(|(known, _)| *known != name) {
                let found = if name.starts_with(MISSING) {
                    None
                } else {
                    parameter(timeline, name, Some(device))
                };
                parameters.push((name, found));
            }
        }
        let is_plain = model.terms.iter().all(|term| term.between.is_none());
        let stretches = if is_plain && correction.is_none() {
            vec![window]
        } else {
            stretches(window, model.every.unwrap_or(EVERY))
        };
        let mut gains =
            Self { model, parameters, stretches, factors: Vec::new(), uncorrected: Vec::new() };
        if correction.is_some() {
            gains.correct();
        }
        gains
    }

    fn correct(&mut self) {
        let mut unknown: Vec<String> = Vec::new();
        let mut factors = Vec::new();
        for stretch in &self.stretches {
            let means: Vec<(&str, Option<f64>)> = self
                .parameters
                .iter()
                .map(|(name, _)| (*name, self.mean(name, *stretch)))
                .collect();
            let value = |name: &str| means.iter().find(|(of, _)| *of == name)?.1;
            let with = self.model.predict(&value).filter(|power| power.is_corrected);
            let plain = LinearModel { correction: None, ..self.model.clone() }.predict(&value);
            factors.push(match (with, plain) {
                (Some(with), Some(plain)) if plain.power > Watts::ZERO => with.power / plain.power,
                _ => 1.0,
            });
            for (name, mean) in means {
                if mean.is_none() && unknown.iter().all(|known| known != name) {
                    unknown.push(name.to_owned());
                }
            }
        }
        self.factors = factors;
        self.uncorrected = unknown;
    }

    /// Whether the correction is used all the time.
    pub(crate) fn is_corrected(&self) -> bool {
        !self.factors.is_empty() && self.uncorrected.is_empty()
    }

    /// The parameter of a name, where the recording has it.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|(of, _)| *of == name)?.1.as_ref()
    }

    /// Whether a parameter says that a cell of a table was empty.
    pub(crate) fn is_of_tables(name: &str) -> bool {
        name.starts_with(MISSING)
    }

    fn mean(&self, name: &str, stretch: Window) -> Option<f64> {
        if name.starts_with(MISSING) {
            return Some(0.0);
        }
        self.parameter(name)?.mean(stretch)
    }

    /// Corrected over uncorrected power in a stretch.
    pub(crate) fn factor(&self, stretch: usize) -> f64 {
        self.factors.get(stretch).copied().unwrap_or(1.0)
    }

    /// Power of one unit of a term's parameter in each stretch; `None` where the parameter's mean is unknown, which a term with knees
    /// needs. What a term with knees costs in a stretch is split in proportion to the parameter, so that its parts have shares.
    pub(crate) fn of(&self, term: &LinearTerm) -> Vec<(Window, Option<Watts>)> {
        let each = term.unit.watts() * term.coefficient;
        let stretches = self.stretches.iter().enumerate();
        stretches
            .map(|(index, stretch)| {
                let share = match term.between {
                    None => Some(1.0),
                    Some(_) => self
                        .mean(&term.parameter, *stretch)
                        .map(|mean| if mean == 0.0 { 0.0 } else { term.part(mean) / mean }),
                };
                (*stretch, share.map(|share| each * (share * self.factor(index))))
            })
            .collect()
    }
}

/// Stretches of this many seconds; the last takes what is left where that is less than half a stretch.
fn stretches(window: Window, every: f64) -> Vec<Window> {
    let length = Nanos::from_seconds(every.max(1e-3));
    let count = (window.duration().seconds() / length.seconds()).round().max(1.0) as u64;
    let mut stretches = Vec::new();
    let mut start = window.start;
    for index in 1..=count {
        let end = if index == count { window.end } else { start + length };
        stretches.push(Window::new(start, end));
        start = end;
    }
    stretches
}
