//! Energies and calls of methods, classes and packages.

use wattle_table::{Column, describe};

use super::cases::{API_BESIDE, API_LEADS, LEDGER_BESIDE, LEDGER_LEADS};
use crate::Figure;

/// Energies and calls of a part of the app's code: by the ledger, and beside that by tables of API costs.
#[derive(Clone, Copy, Debug)]
pub struct CodeMeasures {
    /// Its own energy: its code and the calls into the framework that stand in it, without other methods of the app.
    pub own: Figure,
    /// The energy with all that was called; once where it is open several times on a stack.
    pub total: Figure,
    /// The total's part of the whole.
    pub share: Option<f64>,
    /// The calls into the framework that stand in it, by tables of costs. Beside the ledger.
    pub api_own: Figure,
    /// The same with those of all that was called.
    pub api_total: Figure,
    /// That total's part of what all calls cost.
    pub api_share: Option<f64>,
    /// Number of calls; `None` where only the calls in it have probes.
    pub calls: Option<u64>,
    /// The total by the calls.
    pub mean: Figure,
    /// Cost of its calls into the framework, by its calls.
    pub api_mean: Figure,
}

describe!(
    CodeMeasures,
    "code_measures",
    "energies and calls of a part of the app's code",
    [
        Column::energy(
            "self",
            "its code and the calls into the framework that stand in it",
            |row: &CodeMeasures| row.own.0
        )
        .label("self")
        .strong()
        .case(LEDGER_LEADS),
        Column::energy(
            "total",
            "with all that was called; recursion counts once",
            |row: &CodeMeasures| row.total.0
        )
        .label("total")
        .strong()
        .case(LEDGER_LEADS),
        Column::interval(|row: &CodeMeasures| row.total.0)
            .label("90 % interval")
            .only_in_page()
            .case(LEDGER_LEADS),
        Column::share("share", "total's part of the whole", |row: &CodeMeasures| row.share)
            .label("share")
            .case(LEDGER_LEADS),
        Column::energy(
            "api_self",
            "calls into the framework that stand in it, by tables; beside the ledger",
            |row: &CodeMeasures| row.api_own.0
        )
        .label("API self")
        .strong()
        .case(API_LEADS),
        Column::energy("api_total", "with those of all that was called", |row: &CodeMeasures| row
            .api_total
            .0)
        .label("API total")
        .strong()
        .case(API_LEADS),
        Column::interval(|row: &CodeMeasures| row.api_total.0)
            .label("90 % interval")
            .only_in_page()
            .case(API_LEADS),
        Column::share(
            "api_share",
            "that total's part of what all calls cost",
            |row: &CodeMeasures| row.api_share
        )
        .label("share")
        .page_label("API share")
        .case(API_LEADS),
        // With both energies a terminal has one column for the second, to leave room for names.
        Column::energy("", "calls into the framework, by tables", |row: &CodeMeasures| row
            .api_total
            .0)
        .hidden()
        .label("API energy")
        .page_label("API total")
        .case(API_BESIDE),
        Column::energy("", "those that stand in it", |row: &CodeMeasures| row.api_own.0)
            .hidden()
            .label("API self")
            .only_in_page()
            .case(API_BESIDE),
        Column::share("", "their part of what all calls cost", |row: &CodeMeasures| row.api_share)
            .hidden()
            .label("API share")
            .only_in_page()
            .case(API_BESIDE),
        Column::maybe_count(
            "calls",
            "how often it was called; null where only the calls in it have probes",
            |row: &CodeMeasures| row.calls
        )
        .label("calls"),
        Column::energy(
            "api_mean",
            "what calls into the framework cost, by calls",
            |row: &CodeMeasures| row.api_mean.0
        )
        .label("API mean")
        .page_label("mean a call")
        .case(API_LEADS),
        Column::energy("", "with all that was called", |row: &CodeMeasures| row.total.0)
            .hidden()
            .label("total")
            .soft()
            .case(LEDGER_BESIDE),
        Column::energy("mean", "total by calls", |row: &CodeMeasures| row.mean.0)
            .label("mean")
            .page_label("mean a call")
            .case(LEDGER_LEADS),
    ]
);
