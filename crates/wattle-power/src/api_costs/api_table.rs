//! A table of costs.

use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::ApiSignature;
use crate::{PowerError, student};

/// The value of `format` in a file of API costs.
pub const API_COSTS_FORMAT: &str = "wattle-api-costs/1";

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiTable {
    /// Its name.
    pub name: String,
    /// Origin of its figures.
    pub source: String,
    /// Provenance of its figures.
    pub provenance: Provenance,
    /// Relative size of the error (one standard deviation) of rows that have none of their own.
    pub error: f64,
    /// Origin of that size.
    pub error_source: String,
    /// Remarks that a reader should know.
    pub remarks: Vec<String>,
    /// Number of its methods.
    pub methods: usize,
    /// Cost per call above which a method is *energy-greedy*: Q3 + 1.5 · IQR of the table; `None` for tables that are
    /// too small.
    pub greedy_above: Option<Joules>,
    /// The methods, as the file has them.
    rows: Vec<ApiRow>,
}

/// Cost of one method by a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiRow {
    /// The method.
    pub signature: ApiSignature,
    /// A call.
    pub joules: Joules,
    /// Relative size of its error (one standard deviation), where it is not the table's.
    pub error: Option<f64>,
    /// Calls that the figure was learnt from, where known.
    pub calls: Option<u64>,
}

/// Fewer methods have no quartiles to speak of. A judgement.
const LEAST_METHODS: usize = 20;

impl ApiTable {
    /// A table of methods, each of which it has once.
    ///
    /// # Errors
    ///
    /// [`PowerError::ApiCosts`] for costs and errors that cannot be, and for methods that are there twice.
    pub fn new(
        name: &str,
        source: &str,
        provenance: Provenance,
        error: (f64, &str),
        rows: Vec<ApiRow>,
    ) -> Result<Self, PowerError> {
        super::api_table_checks::check(name, error.0, &rows)
            .map_err(|reason| PowerError::ApiCosts { name: name.to_owned(), reason })?;
        Ok(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            provenance,
            error: error.0,
            error_source: error.1.to_owned(),
            remarks: Vec::new(),
            methods: rows.len(),
            greedy_above: greedy_above(&rows),
            rows,
        })
    }

    /// From the text of a file of `wattle-api-costs/1`; `name` is for messages.
    ///
    /// # Errors
    ///
    /// [`PowerError::ApiCosts`] says what is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, PowerError> {
        super::api_costs_file::parse(text)
            .map_err(|reason| PowerError::ApiCosts { name: name.to_owned(), reason })
    }

    /// Whether a text says that it is a table of API costs, of whichever version.
    pub fn is_one(text: &str) -> bool {
        super::api_costs_file::format(text)
            .is_ok_and(|format| format.starts_with("wattle-api-costs/"))
    }

    /// As the text of a file. Reading it gives an equal table.
    pub fn to_toml(&self) -> String {
        super::api_costs_file::write(self)
    }

    /// The methods, as the file has them.
    pub fn rows(&self) -> &[ApiRow] {
        &self.rows
    }

    /// Returns the cost of a row, with its interval.
    pub fn estimate(&self, row: &ApiRow) -> Estimate {
        let reach = row.joules * (student::NORMAL * row.error.unwrap_or(self.error));
        Estimate {
            joules: row.joules,
            interval: Interval {
                // A call gives nothing back.
                low: (row.joules - reach).max(Joules::ZERO),
                high: row.joules + reach,
            },
            provenance: self.provenance,
        }
    }

    /// Whether a cost makes a method *energy-greedy*.
    pub fn is_greedy(&self, cost: Joules) -> bool {
        self.greedy_above.is_some_and(|fence| cost > fence)
    }
}

/// Tukey's upper fence, Q3 + 1.5 · (Q3 − Q1). Quartiles are linear between neighbours (Hyndman and Fan's seventh definition).
/// For the table of the 2014 study all nine of their definitions leave the same 131 methods above.
fn greedy_above(rows: &[ApiRow]) -> Option<Joules> {
    if rows.len() < LEAST_METHODS {
        return None;
    }
    let mut costs: Vec<f64> = rows.iter().map(|row| row.joules.value()).collect();
    costs.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let place = share * (costs.len() - 1) as f64;
        let (below, above) = (costs.get(place as usize)?, costs.get(place.ceil() as usize)?);
        Some(below + (above - below) * place.fract())
    };
    let (lower, upper) = (quantile(0.25)?, quantile(0.75)?);
    Some(Joules::new(upper + 1.5 * (upper - lower)))
}
