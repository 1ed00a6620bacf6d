use std::str::FromStr;

use crate::{Line, Role, Table};

/// A figure of a line that can be demanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    Mape,
    Weighted,
    Median,
    P95,
    WithinTenth,
    Bias,
    Coverage,
    Ratio,
}

/// Something every best model must keep, such as `ratio<=1` or `freqbench:coverage>=0.85`.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    text: String,
    set: Option<String>,
    figure: Figure,
    is_at_most: bool,
    limit: f64,
}

/// Why a demand cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected [SET:]FIGURE<=VALUE or >=, with FIGURE one of mape, weighted, median, p95, within-tenth, bias, coverage, ratio and VALUE a share, found {0}"
)]
pub struct DemandError(String);

impl FromStr for Demand {
    type Err = DemandError;

    fn from_str(text: &str) -> Result<Self, DemandError> {
        let wrong = || DemandError(text.to_owned());
        let (name, limit, is_at_most) = match (text.split_once("<="), text.split_once(">=")) {
            (Some((name, limit)), None) => (name, limit, true),
            (None, Some((name, limit))) => (name, limit, false),
            _ => return Err(wrong()),
        };
        let (set, figure) = match name.split_once(':') {
            Some((set, figure)) => (Some(set.trim().to_owned()), figure),
            None => (None, name),
        };
        let figure = match figure.trim() {
            "mape" => Figure::Mape,
            "weighted" => Figure::Weighted,
            "median" => Figure::Median,
            "p95" => Figure::P95,
            "within-tenth" => Figure::WithinTenth,
            "bias" => Figure::Bias,
            "coverage" => Figure::Coverage,
            "ratio" => Figure::Ratio,
            _ => return Err(wrong()),
        };
        let limit: f64 = limit.trim().parse().map_err(|_| wrong())?;
        if !limit.is_finite() {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), set, figure, is_at_most, limit })
    }
}

impl Demand {
    /// Lists the violations of the demand, in words; empty if all lines meet it. A demand that applies to no line of
    /// the table is violated.
    pub fn broken(&self, table: &Table) -> Vec<String> {
        let asked = |line: &&Line| {
            line.role == Role::Best && self.set.as_deref().is_none_or(|set| set == line.set)
        };
        let lines: Vec<&Line> = table.lines.iter().filter(asked).collect();
        if lines.is_empty() {
            return vec![format!("{}: no best model was judged that it speaks of", self.text)];
        }
        let broken = lines.iter().filter_map(|line| match self.value(line) {
            Some(value) if (value <= self.limit) == self.is_at_most || value == self.limit => None,
            Some(value) => {
                Some(format!("{}: {} {}: found {value:.4}", self.text, line.set, line.target))
            }
            None => Some(format!("{}: {} {}: not to be had", self.text, line.set, line.target)),
        });
        broken.collect()
    }

    fn value(&self, line: &Line) -> Option<f64> {
        match self.figure {
            Figure::Mape => Some(line.mape),
            Figure::Weighted => Some(line.weighted),
            Figure::Median => Some(line.median),
            Figure::P95 => Some(line.p95),
            Figure::WithinTenth => Some(line.within_tenth),
            Figure::Bias => Some(line.bias),
            Figure::Coverage => line.coverage,
            Figure::Ratio => line.ratio,
        }
    }
}
