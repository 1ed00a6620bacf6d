//! Which methods of the framework can be told apart by when they were called.

use crate::ApiCalls;
use crate::api_calls::ApiColumn;

/// Fewer calls than this tell nothing of what one costs.
const FEWEST_CALLS: u64 = 20;
/// Called in fewer stretches than this, a cost is that of those stretches.
const FEWEST_STRETCHES: usize = 5;
/// Two methods whose calls a second explain more of each other than this are one (a variance inflation above 10).
const ALIKE: f64 = 0.9;
/// A table of so many numbers fits in memory.
const MOST_CELLS: usize = 10_000_000;
/// More methods are not told apart by any recording of a reasonable length.
const MOST_APIS: usize = 200;

/// Methods that are too rare are fitted while there are so many stretches for each number.
const ROWS_EACH: usize = 10;
const IN_OTHERS: &str = "called when others are: its cost is in theirs";

/// Methods that are fitted as one, and those that are not.
#[derive(Debug, Default)]
pub(crate) struct ApiGroups<'a> {
    /// One or more methods each.
    pub(crate) groups: Vec<ApiGroup<'a>>,
    /// Methods without a cost, with their calls, and why.
    pub(crate) left_out: Vec<(String, u64, String)>,
}

/// Methods that are always called together.
#[derive(Debug)]
pub(crate) struct ApiGroup<'a> {
    pub(crate) members: Vec<(&'a str, &'a ApiColumn)>,
    /// Calls of any of them a second, by stretch.
    pub(crate) rates: Vec<f64>,
    /// Why the cost is not told: it is fitted so that it is not in those of others.
    pub(crate) rare: Option<String>,
}

impl<'a> ApiGroups<'a> {
    /// The methods with most calls first.
    pub(crate) fn from_calls(calls: &'a ApiCalls) -> Self {
        let mut found = Self::default();
        let mut apis: Vec<(&str, &ApiColumn)> =
            calls.apis.iter().map(|(name, column)| (name.as_str(), column)).collect();
        apis.sort_by_key(|(_, column)| std::cmp::Reverse(column.calls));
        let most = MOST_APIS.min(MOST_CELLS / calls.len().max(1));
        let mut shapes: Vec<Vec<f64>> = Vec::new();
        for (name, column) in apis {
            let mut leave = |why: String| found.left_out.push((name.to_owned(), column.calls, why));
            if found.groups.len() >= most {
                leave(format!("beyond the {most} methods with most calls"));
                continue;
            }
            let rates = column.rates(&calls.seconds);
            let stretches = rates.iter().filter(|rate| **rate > 0.0).count();
            let rare = if column.calls < FEWEST_CALLS {
                Some(format!("{} calls, fewer than {FEWEST_CALLS}", column.calls))
            } else if stretches < FEWEST_STRETCHES {
                Some(format!("called in {stretches} stretches, fewer than {FEWEST_STRETCHES}"))
            } else {
                None
            };
            let Some(shape) = shape(&rates) else {
                let steady = "called at the same rate all the time: it is in the constant";
                leave(rare.unwrap_or_else(|| steady.to_owned()));
                continue;
            };
            let alike = shapes.iter().position(|other| dot(other, &shape).powi(2) > ALIKE);
            // Too rare for a cost of its own, yet its calls shall not be in those of others.
            let is_fitted = rare.is_none() || found.groups.len() < calls.len() / ROWS_EACH;
            match alike {
                None if is_fitted => {
                    found.groups.push(ApiGroup { members: vec![(name, column)], rates, rare });
                    shapes.push(shape);
                }
                None => leave(rare.unwrap_or_default()),
                Some(group) => match (found.groups.get_mut(group), rare) {
                    (Some(group), None) if group.rare.is_none() => {
                        for (sum, rate) in group.rates.iter_mut().zip(&rates) {
                            *sum += rate;
                        }
                        group.members.push((name, column));
                    }
                    (_, rare) => leave(rare.unwrap_or_else(|| IN_OTHERS.to_owned())),
                },
            }
        }
        found.keep_independent();
        found
    }

    /// Leaves out what others together explain, though no single one does.
    fn keep_independent(&mut self) {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut kept = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            let rest = shape(&group.rates).map(|mut rest| {
                // Twice, as one pass of Gram and Schmidt leaves rounding behind.
                for direction in basis.iter().chain(&basis) {
                    let share = dot(direction, &rest);
                    rest.iter_mut().zip(direction).for_each(|(value, d)| *value -= share * d);
                }
                rest
            });
            let left = rest.as_ref().map_or(0.0, |rest| dot(rest, rest));
            match rest {
                Some(rest) if left >= 1.0 - ALIKE => {
                    let length = left.sqrt();
                    basis.push(rest.iter().map(|value| value / length).collect());
                    kept.push(group);
                }
                _ => {
                    let why = group.rare.as_deref().unwrap_or(IN_OTHERS);
                    let members = group.members.iter();
                    self.left_out.extend(
                        members.map(|(name, of)| ((*name).to_owned(), of.calls, why.to_owned())),
                    );
                }
            }
        }
        self.groups = kept;
    }
}

/// Without its mean, of length 1; `None` where nothing is left.
fn shape(rates: &[f64]) -> Option<Vec<f64>> {
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let centred: Vec<f64> = rates.iter().map(|rate| rate - mean).collect();
    let length = dot(&centred, &centred).sqrt();
    let whole = dot(rates, rates).sqrt();
    (length > 1e-6 * whole).then(|| centred.iter().map(|value| value / length).collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
