//! All tables, and looking up in them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::signature::{self, CONSTRUCTOR};
use super::{ApiName, ApiRow, ApiSignature, ApiTable, framework_hierarchy, shipped_tables};

/// Tables of costs; of two that have a method the later one counts.
#[derive(Clone, Debug, Default)]
pub struct ApiCosts {
    tables: Vec<ApiTable>,
    /// By [`ApiSignature::key`]: the row that counts.
    methods: FxHashMap<String, Place>,
    /// By [`ApiSignature::overloads`]: rows of the last table that has any.
    overloads: FxHashMap<String, Vec<Place>>,
}

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    table: usize,
    row: usize,
}

/// Kind of match by which a method was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ApiMatch {
    /// By its class, name and parameters.
    Exact,
    /// The same of a class that its class extends, within the framework.
    Inherited,
    /// By its name alone: the mean of the overloads that the table has.
    Overloads,
}

/// Cost of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiCost<'a> {
    /// Joules a call. What was found otherwise than exactly is never *measured*, and what was found by its name alone *assumed*.
    pub per_call: Estimate,
    /// Kind of match by which it was found.
    pub matched: ApiMatch,
    /// As the table writes it; of several overloads without parameters.
    pub signature: Cow<'a, str>,
    /// Index into [`ApiCosts::tables`].
    pub table: usize,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
}

impl ApiCosts {
    /// The tables that come with Wattle: the 806 methods of Linares-Vásquez et al., MSR 2014.
    pub fn library() -> &'static Self {
        shipped_tables::library()
    }

    /// The tables.
    pub fn tables(&self) -> &[ApiTable] {
        &self.tables
    }

    /// Adds a table, which counts before those that are there; one of the same name is replaced as a whole.
    pub fn add(&mut self, table: ApiTable) {
        self.tables.retain(|known| known.name != table.name);
        self.tables.push(table);
        self.methods.clear();
        self.overloads.clear();
        for (table, of) in self.tables.iter().enumerate() {
            for (row, method) in of.rows().iter().enumerate() {
                let place = Place { table, row };
                self.methods.insert(method.signature.key(), place);
                let overloads = self.overloads.entry(method.signature.overloads()).or_default();
                if overloads.first().is_some_and(|other| other.table != table) {
                    overloads.clear();
                }
                overloads.push(place);
            }
        }
    }

    /// Returns the cost of a method; `None` if no table has it, which is not 0.
    ///
    /// Asked are, in this order: its class, name and parameters; the same of classes that its class extends or implements within
    /// the framework, nearest first (constructors are not inherited); its class and name alone; the same of the classes above.
    /// Methods whose parameters are not known (Orka's logs) are looked up by the latter two only, even if the table has
    /// one method of the name: the framework may have more of them than the table.
    pub fn find(&self, api: &ApiName<'_>) -> Option<ApiCost<'_>> {
        let (class, method) = (api.class, api.method);
        let above = if method == CONSTRUCTOR {
            Vec::new()
        } else {
            framework_hierarchy::framework().ancestors(class)
        };
        let known = api
            .descriptor
            .and_then(|descriptor| ApiSignature::of_bytecode(class, method, descriptor));
        if let Some(known) = known {
            if let Some(place) = self.methods.get(&known.key()) {
                return self.cost(&[*place], ApiMatch::Exact);
            }
            let mut inherited =
                above.iter().filter_map(|class| self.methods.get(&known.key_in(class)));
            if let Some(place) = inherited.next() {
                return self.cost(&[*place], ApiMatch::Inherited);
            }
        }
        let mut classes = std::iter::once(class).chain(above);
        let overloads =
            classes.find_map(|class| self.overloads.get(&signature::overloads(class, method)))?;
        self.cost(overloads, ApiMatch::Overloads)
    }

    /// The mean of rows of one table.
    fn cost(&self, places: &[Place], matched: ApiMatch) -> Option<ApiCost<'_>> {
        let first = places.first()?;
        let table = self.tables.get(first.table)?;
        let rows: Vec<&ApiRow> =
            places.iter().filter_map(|place| table.rows().get(place.row)).collect();
        let estimates = rows.iter().map(|row| table.estimate(row));
        let sum = estimates.clone().map(|of| of.joules).fold(Joules::ZERO, |sum, of| sum + of);
        let joules = if rows.len() == 1 { sum } else { sum / rows.len() as f64 };
        let interval = estimates
            .map(|of| of.interval)
            .reduce(|all, of| Interval { low: all.low.min(of.low), high: all.high.max(of.high) })?;
        let provenance = table.provenance.weakest(match matched {
            ApiMatch::Exact => Provenance::Measured,
            ApiMatch::Inherited => Provenance::Modelled,
            ApiMatch::Overloads => Provenance::Assumed,
        });
        let signature = match rows.as_slice() {
            [only] => only.signature.to_string(),
            rows => rows.first()?.signature.without_parameters(),
        };
        Some(ApiCost {
            per_call: Estimate { joules, interval, provenance },
            matched,
            signature: Cow::Owned(signature),
            table: first.table,
            greedy: table.is_greedy(joules),
        })
    }
}

impl FromIterator<ApiTable> for ApiCosts {
    fn from_iter<T: IntoIterator<Item = ApiTable>>(tables: T) -> Self {
        let mut costs = Self::default();
        for table in tables {
            costs.add(table);
        }
        costs
    }
}
