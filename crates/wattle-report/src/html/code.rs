//! What the page's scripts get of methods, APIs, classes and packages: short keys, names once, the longest lists cut.

use serde::Serialize;

use super::strings::{Strings, five_digits};
use crate::{
    ApiRow, ClassRow, CodePackageRow, CodeReport, Figure, GroupSums, LineKind, LineShare,
    MethodApi, MethodRow, MethodThread, QuantilesRow,
};

/// Lines, APIs, threads of a method, callers of an API: what a reader looks at. JSON has all.
const LINES: usize = 12;
const APIS: usize = 8;
const THREADS: usize = 6;
const CALLERS: usize = 8;
const CALLEES: usize = 4;

/// Joules, low, high.
type Energy = Option<[f64; 3]>;
/// A name and how often.
type Calls = (usize, u64);

/// The tables of the app's code.
#[derive(Serialize)]
pub struct Code {
    methods: Vec<Method>,
    apis: Vec<Api>,
    classes: Vec<Group>,
    packages: Vec<Group>,
    /// Rows of each list that are not in the page.
    left_out: [usize; 4],
    /// Whether the energy by tables of costs comes first, because the ledger has none.
    api_leads: bool,
    whole: Option<f64>,
    api_whole: Option<f64>,
}

#[derive(Serialize)]
struct Method {
    name: usize,
    class: Option<usize>,
    file: Option<usize>,
    line: Option<u32>,
    own: Energy,
    total: Energy,
    api_own: Energy,
    api: Energy,
    known: [u64; 2],
    calls: Option<u64>,
    /// Median and 95th percentile over calls.
    per_call: Option<[f64; 2]>,
    api_per_call: Option<[f64; 2]>,
    threads: Vec<(usize, u32, Option<f64>)>,
    lines: Vec<Line>,
    apis: Vec<CalledApi>,
    left_out: [usize; 2],
}

#[derive(Serialize)]
struct Line {
    kind: LineKind,
    file: Option<usize>,
    lines: Vec<u32>,
    own: Energy,
    total: Energy,
    api_own: Energy,
    api: Energy,
    calls: Option<u64>,
    callees: Vec<Calls>,
    left_out: usize,
}

#[derive(Serialize)]
struct CalledApi {
    name: usize,
    calls: u64,
    api: Energy,
    matched: Option<wattle_power::ApiMatch>,
    greedy: bool,
}

#[derive(Serialize)]
struct Api {
    name: usize,
    calls: u64,
    own: Energy,
    total: Energy,
    #[serde(rename = "api")]
    by_tables: Energy,
    cost: Energy,
    matched: Option<wattle_power::ApiMatch>,
    greedy: bool,
    callers: Vec<Calls>,
    left_out: usize,
}

#[derive(Serialize)]
struct Group {
    name: Option<usize>,
    methods: usize,
    own: Energy,
    total: Energy,
    api_own: Energy,
    api: Energy,
    calls: Option<u64>,
}

fn energy(figure: Figure) -> Energy {
    let estimate = figure.0?;
    let ends = [estimate.joules, estimate.interval.low, estimate.interval.high];
    Some(ends.map(|joules| five_digits(joules.value())))
}

fn quantiles(row: Option<QuantilesRow>) -> Option<[f64; 2]> {
    row.map(|row| [row.p50_joules, row.p95_joules].map(|joules| five_digits(joules.value())))
}

impl Code {
    /// With at most that many rows in each list.
    pub fn new(code: &CodeReport, whole: Figure, most: usize, names: &mut Strings) -> Self {
        let over = |length: usize| length.saturating_sub(most);
        let number = |figure: Figure| figure.joules().map(|joules| five_digits(joules.value()));
        let coverage = code.api_coverage.as_ref();
        Self {
            methods: code.methods.iter().take(most).map(|row| Method::new(row, names)).collect(),
            apis: code.apis.iter().take(most).map(|row| Api::new(row, names)).collect(),
            classes: code.classes.iter().take(most).map(|row| of_class(row, names)).collect(),
            packages: code.packages.iter().take(most).map(|row| of_package(row, names)).collect(),
            left_out: [
                over(code.methods.len()),
                over(code.apis.len()),
                over(code.classes.len()),
                over(code.packages.len()),
            ],
            api_leads: code.api_leads,
            whole: number(whole),
            api_whole: coverage.and_then(|coverage| number(coverage.energy)),
        }
    }
}

impl Method {
    fn new(row: &MethodRow, names: &mut Strings) -> Self {
        let thread = |thread: &MethodThread, names: &mut Strings| {
            let joules = thread.energy.joules().map(|joules| five_digits(joules.value()));
            (names.id(&thread.name), thread.tid, joules)
        };
        let api = |api: &MethodApi, names: &mut Strings| CalledApi {
            name: names.id(&api.name),
            calls: api.calls,
            api: energy(api.energy),
            matched: api.matched,
            greedy: api.greedy,
        };
        Self {
            name: names.id(&row.name),
            class: row.class.as_ref().map(|class| names.id(class)),
            file: row.file.as_ref().map(|file| names.id(file)),
            line: row.line,
            own: energy(row.own),
            total: energy(row.total),
            api_own: energy(row.api_own),
            api: energy(row.api_total),
            known: [row.api_calls.known, row.api_calls.all],
            calls: row.calls,
            per_call: quantiles(row.per_call),
            api_per_call: quantiles(row.api_per_call),
            threads: row.threads.iter().take(THREADS).map(|it| thread(it, names)).collect(),
            lines: row.lines.iter().take(LINES).map(|it| Line::new(it, names)).collect(),
            apis: row.apis.iter().take(APIS).map(|it| api(it, names)).collect(),
            left_out: [row.lines.len().saturating_sub(LINES), row.apis.len().saturating_sub(APIS)],
        }
    }
}

impl Line {
    fn new(row: &LineShare, names: &mut Strings) -> Self {
        let shown = row.callees.iter().take(CALLEES);
        Self {
            kind: row.kind,
            file: row.file.as_ref().map(|file| names.id(file)),
            lines: row.lines.iter().take(CALLEES).copied().collect(),
            own: energy(row.own),
            total: energy(row.total),
            api_own: energy(row.api_own),
            api: energy(row.api_total),
            calls: row.calls,
            callees: shown.map(|callee| (names.id(&callee.name), callee.calls)).collect(),
            left_out: row.callees.len().saturating_sub(CALLEES) + row.callees_left_out,
        }
    }
}

impl Api {
    fn new(row: &ApiRow, names: &mut Strings) -> Self {
        let shown = row.callers.iter().take(CALLERS);
        Self {
            name: names.id(&row.name),
            calls: row.calls,
            own: energy(row.own),
            total: energy(row.total),
            by_tables: energy(row.energy),
            cost: energy(row.cost),
            matched: row.matched,
            greedy: row.greedy,
            callers: shown.map(|caller| (names.id(&caller.name), caller.calls)).collect(),
            left_out: row.callers.len().saturating_sub(CALLERS) + row.callers_left_out,
        }
    }
}

fn of_class(row: &ClassRow, names: &mut Strings) -> Group {
    group(row.name.as_deref(), &row.sums, names)
}

fn of_package(row: &CodePackageRow, names: &mut Strings) -> Group {
    let name = row.name.as_deref();
    group(
        name.map(|name| if name.is_empty() { "(default package)" } else { name }),
        &row.sums,
        names,
    )
}

fn group(name: Option<&str>, sums: &GroupSums, names: &mut Strings) -> Group {
    Group {
        name: name.map(|name| names.id(name)),
        methods: sums.methods,
        own: energy(sums.own),
        total: energy(sums.total),
        api_own: energy(sums.api_own),
        api: energy(sums.api_total),
        calls: sums.calls,
    }
}
