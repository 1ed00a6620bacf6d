//! One source line.

use serde::Serialize;

use crate::model::Figure;
use crate::model::figure::named;

/// A source line of a method, with all that is called from it.
#[derive(Clone, Debug, Serialize)]
pub struct LineShare {
    /// What the row is.
    pub kind: LineKind,
    /// The file, where it is known.
    pub file: Option<String>,
    /// The line; several where it is one of them, none where it is not known.
    pub lines: Vec<u32>,
    /// Its energy, without that of other methods of the app.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// Its energy with theirs.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
    /// The total's part of the method's.
    pub share: Option<f64>,
    /// The calls into the framework on it, by tables of costs. Beside the ledger.
    #[serde(flatten, serialize_with = "named::api_own")]
    pub api_own: Figure,
    /// The same with those of the methods that it calls.
    #[serde(flatten, serialize_with = "named::api_total")]
    pub api_total: Figure,
    /// That total's part of the method's.
    pub api_share: Option<f64>,
    /// Calls from it; `None` of the method's own code.
    pub calls: Option<u64>,
    /// What it calls, most calls first.
    pub callees: Vec<LineCallee>,
    /// Those that have no row.
    pub callees_left_out: usize,
}

/// What a row of lines is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineKind {
    /// A line, or several of which it is one.
    Line,
    /// The method's own code, wherever in it.
    Itself,
    /// Calls from a line that is not known.
    Unknown,
}

/// What a line calls.
#[derive(Clone, Debug, Serialize)]
pub struct LineCallee {
    /// Its name.
    pub name: String,
    /// Whether it is one of the framework.
    pub is_api: bool,
    /// How often.
    pub calls: u64,
}

/// A source line in the list of all.
#[derive(Clone, Debug, Serialize)]
pub struct LineRow {
    /// The method that it stands in, as in the report's `methods`.
    pub method: String,
    /// The line.
    #[serde(flatten)]
    pub line: LineShare,
    /// The line's total as a part of the whole. A line that calls holds what other lines hold, too.
    pub whole_share: Option<f64>,
    /// The same of what all calls cost.
    pub api_whole_share: Option<f64>,
}
