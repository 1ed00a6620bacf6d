//! One method of the framework.

use wattle_ledger::ApiTableEntry;
use wattle_power::ApiMatch;
use wattle_table::{Column, Free, describe};

use super::CallCoverage;
use super::cases::LEDGER_LEADS;
use super::method_row::short;
use crate::Figure;

/// One method outside of the app that it calls.
#[derive(Clone, Debug)]
pub struct ApiRow {
    /// `android.widget.Toast.makeText`; with parameters and result where several of that name are called.
    pub name: String,
    /// Its class, as Java writes it.
    pub class: String,
    /// Its name alone.
    pub method: String,
    /// Its parameters and result, where known.
    pub descriptor: Option<String>,
    /// Calls inside the window.
    pub calls: u64,
    /// Energy that the ledger attributes to its calls, without that of methods of the app that it called.
    pub own: Figure,
    /// The same with all that it called.
    pub total: Figure,
    /// The total's part of the whole.
    pub share: Option<f64>,
    /// The total by the calls.
    pub mean: Figure,
    /// Cost of its calls by the tables. Beside the ledger.
    pub energy: Figure,
    /// Its part of what all calls cost.
    pub api_share: Option<f64>,
    /// Cost of one call by the tables.
    pub cost: Figure,
    /// The match that gave this cost; `None` if no table has it.
    pub matched: Option<ApiMatch>,
    /// As the table writes it.
    pub signature: Option<String>,
    /// The table's name.
    pub table: Option<String>,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
    /// The methods in which its calls stand, most calls first.
    pub callers: Vec<ApiCaller>,
    /// Those that have no row.
    pub callers_left_out: usize,
}

describe!(
    ApiRow,
    "api",
    "a method outside of the app that it calls",
    [
        Column::made("short", "class and method without package", |row: &ApiRow| {
            let package = row.class.rsplit_once('.').map(|(package, _)| package);
            short(&row.name, package).to_owned()
        })
        .label("API")
        .elastic()
        .not_in_page(),
        Column::text(
            "name",
            "class and method; with parameters where several of that name are called",
            |row: &ApiRow| &row.name
        )
        .label("API")
        .only_in_page(),
        Column::text("class", "its class", |row: &ApiRow| &row.class),
        Column::text("method", "its name alone", |row: &ApiRow| &row.method),
        Column::maybe_text("descriptor", "parameters and result", |row: &ApiRow| row
            .descriptor
            .as_deref()),
        Column::count("calls", "calls inside the window", |row: &ApiRow| row.calls).label("calls"),
        Column::energy("self", "energy attributed to its calls", |row: &ApiRow| row.own.0)
            .label("self")
            .strong()
            .case(LEDGER_LEADS),
        Column::energy("total", "with all that it called", |row: &ApiRow| row.total.0)
            .label("total")
            .strong()
            .case(LEDGER_LEADS),
        Column::share("share", "total's part of the whole", |row: &ApiRow| row.share),
        Column::energy("mean", "total by calls", |row: &ApiRow| row.mean.0),
        Column::energy("api", "calls times cost, by tables", |row: &ApiRow| row.energy.0)
            .label("API energy")
            .strong(),
        Column::interval(|row: &ApiRow| row.energy.0).label("90 % interval").only_in_page(),
        Column::share("api_share", "its part of what all calls cost", |row: &ApiRow| row.api_share)
            .label("share")
            .page_label("API share"),
        Column::energy("cost", "cost of a call by the tables", |row: &ApiRow| row.cost.0)
            .label("a call"),
        Column::made(
            "mark",
            "One call costs more than Q3 + 1.5 IQR of its table",
            |row: &ApiRow| { if row.greedy { "greedy" } else { "" }.to_owned() }
        )
        .label("")
        .warning(),
        Column::made("found_by", "the way to its cost", |row: &ApiRow| {
            match row.matched {
                None => "no known cost",
                Some(ApiMatch::Exact) => "its signature",
                Some(ApiMatch::Inherited) => "cost of the class it inherits from",
                Some(ApiMatch::Overloads) => "mean of overloads",
            }
            .to_owned()
        })
        .label("found by")
        .only_in_page(),
        Column::word(
            "matched",
            "how its cost was found; null where none is known",
            &["exact", "inherited", "overloads"],
            |row: &ApiRow| row.matched.as_ref().map(|it| it as &dyn Free)
        )
        .nullable(),
        Column::maybe_text("signature", "as the table writes it", |row: &ApiRow| row
            .signature
            .as_deref()),
        Column::maybe_text("table", "the table's name", |row: &ApiRow| row.table.as_deref()),
        Column::flag("greedy", "energy-greedy by its table", |row: &ApiRow| row.greedy),
        Column::list::<ApiCaller>("callers", "most calls first", |row: &ApiRow| &row.callers),
        Column::count("callers_left_out", "those that have no row", |row: &ApiRow| row
            .callers_left_out
            as u64),
    ]
);

/// A method that calls one of the framework.
#[derive(Clone, Debug)]
pub struct ApiCaller {
    /// Its name as in the report's `methods`.
    pub name: String,
    /// Calls that stand in it.
    pub calls: u64,
}

describe!(
    ApiCaller,
    "api_caller",
    "a method in which calls stand",
    [
        Column::text("name", "as in methods", |row: &ApiCaller| &row.name),
        Column::count("calls", "calls", |row: &ApiCaller| row.calls),
    ]
);

/// The part of the called methods that the tables know.
#[derive(Clone, Debug)]
pub struct ApiCoverage {
    /// Calls.
    pub calls: CallCoverage,
    /// Methods of the framework.
    pub methods: CallCoverage,
    /// Cost of all calls with a known cost.
    pub energy: Figure,
    /// The tables.
    pub tables: Vec<ApiTableEntry>,
}

describe!(
    ApiCoverage,
    "api_coverage",
    "how much the tables of costs know of what was called",
    [
        Column::object::<CallCoverage>("calls", "calls", |row: &ApiCoverage| &row.calls),
        Column::object::<CallCoverage>(
            "methods",
            "methods of the framework",
            |row: &ApiCoverage| &row.methods
        ),
        Column::energy("", "what all calls with a known cost cost", |row: &ApiCoverage| row
            .energy
            .0),
        Column::list::<ApiTableEntry>("tables", "the tables", |row: &ApiCoverage| &row.tables),
    ]
);
