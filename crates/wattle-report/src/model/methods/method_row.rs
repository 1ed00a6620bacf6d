//! One method.

use wattle_ledger::CallQuantiles;
use wattle_power::ApiMatch;
use wattle_table::{Column, Free, Row, describe};
use wattle_units::{Joules, Nanos};

use super::cases::{API_QUANTILES, QUANTILES, TIMES};
use super::{CodeMeasures, LineShare};
use crate::Figure;

/// One method of the app, or all slices of one name of which no place in the code is known.
#[derive(Clone, Debug)]
pub struct MethodRow {
    /// Its names and its place in the code.
    pub place: MethodPlace,
    /// Its energies and calls.
    pub measures: CodeMeasures,
    /// Its durations.
    pub times: MethodTimes,
    /// Calls into the framework below it, those with a known cost and all.
    pub api_calls: CallCoverage,
    /// Only the calls in it have probes: its energies are the sums over those.
    pub only_calls: bool,
    /// Energy of single calls on a CPU.
    pub per_call: Option<QuantilesRow>,
    /// Cost of the framework calls of single calls.
    pub api_per_call: Option<QuantilesRow>,
    /// Threads that it ran on, most energy first.
    pub threads: Vec<MethodThread>,
    /// Threads that have no row.
    pub threads_left_out: usize,
    /// Methods of the framework that are called below it, most energy first.
    pub apis: Vec<MethodApi>,
    /// Whether some have no row.
    pub apis_left_out: bool,
    /// Its source lines, most energy first; their totals add up to its own.
    pub lines: Vec<LineShare>,
}

/// A quantile over single calls, in joules.
fn quantile(of: Option<QuantilesRow>, get: fn(QuantilesRow) -> Joules) -> Option<f64> {
    of.map(|row| get(row).value())
}

describe!(
    MethodRow,
    "method",
    "a method of the app, or slices of which only the name is known",
    [
        Column::flat::<MethodPlace>(|row: &MethodRow| &row.place),
        Column::flat::<MethodTimes>(|row: &MethodRow| &row.times),
        Column::flat::<CodeMeasures>(|row: &MethodRow| &row.measures),
        Column::maybe_joules("p50", "median of single calls", |row: &MethodRow| quantile(
            row.per_call,
            |it| it.p50_joules
        ))
        .hidden()
        .label("p50")
        .soft()
        .case(QUANTILES)
        .rare(),
        Column::maybe_joules("p95", "95th percentile of single calls", |row: &MethodRow| quantile(
            row.per_call,
            |it| it.p95_joules
        ))
        .hidden()
        .label("p95")
        .soft()
        .case(QUANTILES)
        .rare(),
        Column::maybe_joules("api_p50", "median of single calls", |row: &MethodRow| quantile(
            row.api_per_call,
            |it| it.p50_joules
        ))
        .hidden()
        .label("p50")
        .soft()
        .case(API_QUANTILES)
        .rare(),
        Column::maybe_joules("api_p95", "95th percentile of single calls", |row: &MethodRow| {
            quantile(row.api_per_call, |it| it.p95_joules)
        })
        .hidden()
        .label("p95")
        .soft()
        .case(API_QUANTILES)
        .rare(),
        Column::object::<CallCoverage>(
            "api_calls",
            "calls into the framework below it, those with a known cost and all",
            |row: &MethodRow| &row.api_calls
        ),
        Column::flag(
            "only_calls",
            "only the calls in it have probes: its energies are the sums over those",
            |row: &MethodRow| row.only_calls
        ),
        Column::maybe_object::<QuantilesRow>(
            "per_call",
            "energy of single calls on a CPU",
            |row: &MethodRow| row.per_call.as_ref().map(|it| it as &dyn Row)
        ),
        Column::maybe_object::<QuantilesRow>(
            "api_per_call",
            "cost of the framework calls of single calls",
            |row: &MethodRow| row.api_per_call.as_ref().map(|it| it as &dyn Row)
        ),
        Column::list::<MethodThread>("threads", "most energy first", |row: &MethodRow| &row
            .threads),
        Column::count("threads_left_out", "threads that have no row", |row: &MethodRow| row
            .threads_left_out
            as u64),
        Column::list::<MethodApi>(
            "apis",
            "methods of the framework called below it, most energy first",
            |row: &MethodRow| &row.apis
        ),
        Column::flag("apis_left_out", "whether some have no row", |row: &MethodRow| row
            .apis_left_out),
        Column::list::<LineShare>("lines", "most energy first", |row: &MethodRow| &row.lines),
    ]
);

/// The names of a method and its place in the code.
#[derive(Clone, Debug)]
pub struct MethodPlace {
    /// `com.example.Main.onCreate`; with parameters and result where a class has several methods of that name.
    pub name: String,
    /// Its class; `None` where only the name of slices is known.
    pub class: Option<String>,
    /// The class's package; empty for the default one.
    pub package: Option<String>,
    /// Its name alone.
    pub method: String,
    /// Its parameters and result, `(I)V`.
    pub descriptor: Option<String>,
    /// Its source file.
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
}

describe!(
    MethodPlace,
    "method_place",
    "the names of a method and its place in the code",
    [
        Column::made("short", "class and method without package", |row: &MethodPlace| short(
            &row.name,
            row.package.as_deref()
        )
        .to_owned())
        .label("method")
        .elastic()
        .not_in_page(),
        Column::text(
            "name",
            "class and method; with parameters where a class has several of that name",
            |row: &MethodPlace| &row.name
        )
        .label("method")
        .only_in_page(),
        Column::maybe_text(
            "class",
            "null where only the name of slices is known",
            |row: &MethodPlace| row.class.as_deref()
        ),
        Column::maybe_text("package", "empty for the default one", |row: &MethodPlace| row
            .package
            .as_deref()),
        Column::text("method", "its name alone", |row: &MethodPlace| &row.method),
        Column::maybe_text("descriptor", "parameters and result", |row: &MethodPlace| row
            .descriptor
            .as_deref()),
        Column::maybe_text("file", "source file", |row: &MethodPlace| row.file.as_deref()),
        Column::maybe_id("line", "first line", |row: &MethodPlace| row.line),
    ]
);

/// `Main.onCreate` of `com.example.Main.onCreate(I)V`: class and method without package.
pub(super) fn short<'a>(name: &'a str, package: Option<&str>) -> &'a str {
    package.and_then(|package| name.strip_prefix(package)?.strip_prefix('.')).unwrap_or(name)
}

/// Durations of a method, from entry to exit; of one that calls itself the outermost call counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct MethodTimes {
    /// Callees included; `None` where only the calls in it have probes.
    pub wall: Option<Nanos>,
    /// Wall time without what was called.
    pub own_wall: Option<Nanos>,
    /// Time on a CPU, by the thread's own clock; `None` where nobody read that.
    pub clock_cpu: Option<Nanos>,
    /// The same without what was called.
    pub own_clock_cpu: Option<Nanos>,
    /// Time on a CPU, by the thread's own clock, else by the scheduler; `None` where neither is known.
    pub cpu: Option<Nanos>,
    /// The same without what was called.
    pub own_cpu: Option<Nanos>,
}

describe!(
    MethodTimes,
    "method_times",
    "how long a method took",
    [
        Column::maybe_time(
            "self_cpu_s",
            "the same as `cpu_s` without what was called",
            |row: &MethodTimes| row.own_cpu
        )
        .label("self CPU")
        .strong()
        .case(TIMES),
        Column::maybe_time(
            "cpu_s",
            "time on a CPU by the thread's own clock, else by the scheduler, seconds; null where neither is known",
            |row: &MethodTimes| row.cpu
        )
        .label("CPU time")
        .strong()
        .case(TIMES),
        Column::maybe_time(
            "self_clock_cpu_s",
            "the same as `clock_cpu_s` without what was called",
            |row: &MethodTimes| row.own_clock_cpu
        ),
        Column::maybe_time(
            "clock_cpu_s",
            "time on a CPU from entry to exit by the thread's own clock, seconds; null where nobody read that clock",
            |row: &MethodTimes| row.clock_cpu
        ),
        Column::maybe_time(
            "self_wall_s",
            "the same as `wall_s` without what was called",
            |row: &MethodTimes| row.own_wall
        )
        .label("self wall")
        .case(TIMES),
        Column::maybe_time(
            "wall_s",
            "from entry to exit, callees included, seconds; of a method that calls itself the outermost call counts; null where only the calls in it have probes",
            |row: &MethodTimes| row.wall
        )
        .label("wall time")
        .case(TIMES),
    ]
);

/// Calls of which a cost is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCoverage {
    /// Those with a known cost.
    pub known: u64,
    /// All.
    pub all: u64,
}

describe!(
    CallCoverage,
    "call_coverage",
    "how many of which a cost is known",
    [
        Column::count("known", "those with a known cost", |row: &CallCoverage| row.known),
        Column::count("all", "all", |row: &CallCoverage| row.all),
    ]
);

/// Quantiles over calls, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantilesRow {
    /// The median.
    pub p50_joules: Joules,
    /// The 95th percentile.
    pub p95_joules: Joules,
    /// The most.
    pub max_joules: Joules,
}

describe!(
    QuantilesRow,
    "call_quantiles",
    "quantiles over calls, by nearest rank",
    [
        Column::joules("p50_joules", "the median", |row: &QuantilesRow| row.p50_joules.value()),
        Column::joules("p95_joules", "the 95th percentile", |row: &QuantilesRow| row
            .p95_joules
            .value()),
        Column::joules("max_joules", "the most", |row: &QuantilesRow| row.max_joules.value()),
    ]
);

impl From<CallQuantiles> for QuantilesRow {
    fn from(quantiles: CallQuantiles) -> Self {
        let CallQuantiles { p50, p95, max } = quantiles;
        Self { p50_joules: p50, p95_joules: p95, max_joules: max }
    }
}

/// A method on one thread.
#[derive(Clone, Debug)]
pub struct MethodThread {
    /// The thread's name.
    pub name: String,
    /// Its number.
    pub tid: u32,
    /// Its process's name.
    pub process: String,
    /// That one's number.
    pub pid: Option<u32>,
    /// Number of its calls there; `None` if only the calls in it have probes.
    pub calls: Option<u64>,
    /// Its total there.
    pub energy: Figure,
}

describe!(
    MethodThread,
    "method_thread",
    "a method on one thread",
    [
        Column::text("name", "thread", |row: &MethodThread| &row.name),
        Column::id("tid", "thread", |row: &MethodThread| row.tid),
        Column::text("process", "process", |row: &MethodThread| &row.process),
        Column::maybe_id("pid", "process", |row: &MethodThread| row.pid),
        Column::maybe_count("calls", "how often it was called there", |row: &MethodThread| row
            .calls),
        Column::energy("", "its total there", |row: &MethodThread| row.energy.0),
    ]
);

/// A method of the framework behind a method of the app.
#[derive(Clone, Debug)]
pub struct MethodApi {
    /// Index into the report's `apis`.
    pub api: usize,
    /// `android.widget.Toast.makeText`.
    pub name: String,
    /// Calls below the method.
    pub calls: u64,
    /// Cost of these calls by the tables.
    pub energy: Figure,
    /// The match that gave its cost; `None` if none is known.
    pub matched: Option<ApiMatch>,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
}

describe!(
    MethodApi,
    "method_api",
    "a method of the framework behind a method",
    [
        Column::count("api", "index into apis", |row: &MethodApi| row.api as u64),
        Column::text("name", "class and method", |row: &MethodApi| &row.name),
        Column::count("calls", "calls below the method", |row: &MethodApi| row.calls),
        Column::energy("api", "what they cost by tables", |row: &MethodApi| row.energy.0),
        Column::word(
            "matched",
            "how its cost was found; null where none is known",
            &["exact", "inherited", "overloads"],
            |row: &MethodApi| row.matched.as_ref().map(|it| it as &dyn Free)
        )
        .nullable(),
        Column::flag("greedy", "energy-greedy by its table", |row: &MethodApi| row.greedy),
    ]
);
