//! One source line.

use serde::Serialize;
use wattle_table::{Column, describe};
use wattle_units::Estimate;

use super::cases::{API_BESIDE, API_LEADS, LEDGER_BESIDE, LEDGER_LEADS};
use crate::Figure;

/// Lines and callees of a row in views.
const NAMES: usize = 3;

/// A source line of a method, with all that is called from it.
#[derive(Clone, Debug)]
pub struct LineShare {
    /// Kind of the row.
    pub kind: LineKind,
    /// The file, where it is known.
    pub file: Option<String>,
    /// The line; several where it is one of them, none where it is not known.
    pub lines: Vec<u32>,
    /// Its energy, without that of other methods of the app.
    pub own: Figure,
    /// Its energy with theirs.
    pub total: Figure,
    /// The total's part of the method's.
    pub share: Option<f64>,
    /// The calls into the framework on it, by tables of costs. Beside the ledger.
    pub api_own: Figure,
    /// The same with those of the methods that it calls.
    pub api_total: Figure,
    /// That total's part of the method's.
    pub api_share: Option<f64>,
    /// Calls from it; `None` of the method's own code.
    pub calls: Option<u64>,
    /// Methods that it calls, most calls first.
    pub callees: Vec<LineCallee>,
    /// Those that have no row.
    pub callees_left_out: usize,
}

describe!(
    LineShare,
    "line_share",
    "a source line of a method; totals of all lines add up to the method's",
    [
        Column::word(
            "kind",
            "a line; the method's own code; calls from a line that is not known",
            &["line", "itself", "unknown"],
            |row: &LineShare| Some(&row.kind)
        ),
        Column::maybe_text("file", "source file", |row: &LineShare| row.file.as_deref()),
        Column::ids("lines", "the line; several where it is one of them", |row: &LineShare| &row
            .lines),
        Column::energy("self", "without what other methods of the app drew", |row: &LineShare| row
            .own
            .0),
        Column::energy("total", "with it", |row: &LineShare| row.total.0),
        Column::share("share", "total's part of the method's", |row: &LineShare| row.share),
        Column::energy(
            "api_self",
            "calls into the framework on it, by tables",
            |row: &LineShare| row.api_own.0
        ),
        Column::energy(
            "api_total",
            "with those of the methods that it calls",
            |row: &LineShare| row.api_total.0
        ),
        Column::share("api_share", "that total's part of the method's", |row: &LineShare| row
            .api_share),
        Column::maybe_count(
            "calls",
            "calls from it; null of the method's own code",
            |row: &LineShare| row.calls
        ),
        Column::list::<LineCallee>("callees", "most calls first", |row: &LineShare| &row.callees),
        Column::count("callees_left_out", "those that have no row", |row: &LineShare| row
            .callees_left_out
            as u64),
    ]
);

impl LineShare {
    /// `Main.java:12`, `Main.java:12 or 15`.
    pub fn place(&self) -> String {
        match self.kind {
            LineKind::Itself => "in the method itself".to_owned(),
            LineKind::Unknown => "line not known".to_owned(),
            LineKind::Line => {
                let numbers: Vec<_> = self.lines.iter().take(NAMES).map(u32::to_string).collect();
                let others = if self.lines.len() > NAMES { " or others" } else { "" };
                let numbers = numbers.join(" or ");
                match &self.file {
                    Some(file) => format!("{file}:{numbers}{others}"),
                    None => format!("line {numbers}{others}"),
                }
            }
        }
    }

    fn by_calls(&self, figure: Figure) -> Option<Estimate> {
        figure.divided(self.calls.unwrap_or(0)).0
    }
}

/// Kind of a row of lines.
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

/// A method that a line calls.
#[derive(Clone, Debug)]
pub struct LineCallee {
    /// Its name.
    pub name: String,
    /// Whether it is one of the framework.
    pub is_api: bool,
    /// Number of calls.
    pub calls: u64,
}

describe!(
    LineCallee,
    "line_callee",
    "what a line calls",
    [
        Column::text("name", "class and method", |row: &LineCallee| &row.name),
        Column::flag("is_api", "one of the framework", |row: &LineCallee| row.is_api),
        Column::count("calls", "how often", |row: &LineCallee| row.calls),
    ]
);

/// A source line in the list of all.
#[derive(Clone, Debug)]
pub struct LineRow {
    /// The method that it stands in, as in the report's `methods`.
    pub method: String,
    /// Bytes of it that are its package, which a narrow view leaves out.
    pub(super) short: usize,
    /// The line.
    pub line: LineShare,
    /// The line's total as a part of the whole. A line that calls holds what other lines hold, too.
    pub whole_share: Option<f64>,
    /// The same of what all calls cost.
    pub api_whole_share: Option<f64>,
}

describe!(
    LineRow,
    "line",
    "a source line in the list of all",
    [
        Column::made("place", "file and line", |row: &LineRow| row.line.place())
            .label("line")
            .elastic(),
        Column::made("short", "class and method without package", |row: &LineRow| {
            row.method[row.short..].to_owned()
        })
        .label("method")
        .soft()
        .elastic()
        .not_in_page(),
        Column::text("method", "the method's name in methods", |row: &LineRow| &row.method)
            .label("method")
            .only_in_page(),
        Column::made("called", "what the line calls", |row: &LineRow| row.called())
            .label("calls")
            .only_in_page(),
        Column::flat::<LineShare>(|row: &LineRow| &row.line),
        Column::energy("", "without other methods of the app", |row: &LineRow| row.line.own.0)
            .hidden()
            .label("self")
            .strong()
            .case(LEDGER_LEADS),
        Column::energy("", "with them", |row: &LineRow| row.line.total.0)
            .hidden()
            .label("total")
            .strong()
            .case(LEDGER_LEADS),
        Column::interval(|row: &LineRow| row.line.total.0)
            .label("90 % interval")
            .only_in_page()
            .case(LEDGER_LEADS),
        Column::share("whole_share", "total's part of the whole", |row: &LineRow| row.whole_share)
            .label("share")
            .case(LEDGER_LEADS),
        Column::energy("", "calls on it, by tables", |row: &LineRow| row.line.api_own.0)
            .hidden()
            .label("API self")
            .strong()
            .case(API_LEADS),
        Column::energy("", "with those of methods that it calls", |row: &LineRow| row
            .line
            .api_total
            .0)
        .hidden()
        .label("API total")
        .strong()
        .case(API_LEADS),
        Column::share("api_whole_share", "the same of what all calls cost", |row: &LineRow| row
            .api_whole_share)
        .label("share")
        .page_label("API share")
        .case(API_LEADS),
        Column::energy("", "calls into the framework, by tables", |row: &LineRow| row
            .line
            .api_total
            .0)
        .hidden()
        .label("API energy")
        .page_label("API total")
        .case(API_BESIDE),
        Column::maybe_count("", "calls from it", |row: &LineRow| row.line.calls)
            .hidden()
            .label("calls"),
        Column::energy("", "API energy by calls", |row: &LineRow| row
            .line
            .by_calls(row.line.api_total))
        .hidden()
        .label("API mean")
        .page_label("mean a call")
        .case(API_LEADS),
        Column::energy("", "with other methods of the app", |row: &LineRow| row.line.total.0)
            .hidden()
            .label("total")
            .soft()
            .case(LEDGER_BESIDE),
        Column::energy("", "total by calls", |row: &LineRow| row.line.by_calls(row.line.total))
            .hidden()
            .label("mean")
            .page_label("mean a call")
            .case(LEDGER_LEADS),
    ]
);

impl LineRow {
    /// Callees of the line, most calls first.
    fn called(&self) -> String {
        let line = &self.line;
        let name = |callee: &LineCallee| match callee.calls {
            1 => callee.name.clone(),
            calls => format!("{} × {calls}", callee.name),
        };
        let mut names: Vec<_> = line.callees.iter().take(NAMES).map(name).collect();
        let others = line.callees.len() + line.callees_left_out - names.len();
        if others > 0 {
            names.push(format!("{others} more"));
        }
        names.join(", ")
    }
}
