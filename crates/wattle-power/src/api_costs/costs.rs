//! All tables, and looking up in them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use wattle_units::Estimate;

use super::{ApiName, ApiTable};

/// Tables of costs; of two that have a method the later one counts.
#[derive(Clone, Debug, Default)]
pub struct ApiCosts {
    tables: Vec<ApiTable>,
}

/// How a method was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApiMatch {
    /// By its class, name and parameters.
    Exact,
    /// The same of a class that its class extends, within the framework.
    Inherited,
    /// By its name alone: the mean of the overloads that the table has.
    Overloads,
}

/// What a method costs.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiCost<'a> {
    /// Joules a call.
    pub per_call: Estimate,
    /// How it was found.
    pub matched: ApiMatch,
    /// As the table writes it; of several overloads without parameters.
    pub signature: Cow<'a, str>,
    /// Index into [`ApiCosts::tables`].
    pub table: usize,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
}

impl ApiCosts {
    /// The tables that come with Wattle.
    pub fn library() -> &'static Self {
        static LIBRARY: ApiCosts = ApiCosts { tables: Vec::new() };
        &LIBRARY
    }

    /// The tables.
    pub fn tables(&self) -> &[ApiTable] {
        &self.tables
    }

    /// What a method costs; `None`: no table has it, which is not 0.
    pub fn find(&self, _api: &ApiName<'_>) -> Option<ApiCost<'_>> {
        None
    }
}
