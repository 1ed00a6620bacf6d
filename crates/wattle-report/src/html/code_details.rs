//! Details behind the rows of methods and APIs in the page: short keys, names once, the longest lists cut.

use serde::Serialize;

use super::strings::{Strings, five_digits};
use crate::{
    ApiRow, CodeReport, Figure, LineShare, MethodApi, MethodPlace, MethodRow, MethodThread,
};

/// Lines, APIs, threads of a method, callers of an API: what a reader looks at. JSON has all.
const LINES: usize = 12;
const APIS: usize = 8;
const THREADS: usize = 6;
const CALLERS: usize = 8;
const CALLEES: usize = 4;

/// A name and how often.
type Calls = (usize, u64);

/// Details of methods and APIs, in the order of their tables.
#[derive(Serialize)]
pub struct Code {
    methods: Vec<Method>,
    apis: Vec<Api>,
    /// Whether the energy by tables of costs comes first, because the ledger has none.
    api_leads: bool,
}

#[derive(Serialize)]
struct Method {
    name: usize,
    file: Option<usize>,
    line: Option<u32>,
    only_calls: bool,
    known: [u64; 2],
    threads: Vec<(usize, u32, Option<f64>)>,
    lines: Vec<Line>,
    apis: Vec<CalledApi>,
    left_out: [usize; 2],
}

#[derive(Serialize)]
struct Line {
    place: usize,
    share: Option<f64>,
    total: Option<f64>,
    api: Option<f64>,
    callees: Vec<Calls>,
    left_out: usize,
}

#[derive(Serialize)]
struct CalledApi {
    name: usize,
    calls: u64,
    api: Option<f64>,
    matched: Option<wattle_power::ApiMatch>,
    greedy: bool,
}

#[derive(Serialize)]
struct Api {
    callers: Vec<Calls>,
    left_out: usize,
}

fn joules(figure: Figure) -> Option<f64> {
    figure.joules().map(|joules| five_digits(joules.value()))
}

impl Code {
    /// With at most that many rows in each list.
    pub fn new(code: &CodeReport, most: usize, names: &mut Strings) -> Self {
        let method = |row| Method::new(row, code.api_leads, names);
        let methods = code.methods.iter().take(most).map(method).collect();
        Self {
            methods,
            apis: code.apis.iter().take(most).map(|row| Api::new(row, names)).collect(),
            api_leads: code.api_leads,
        }
    }
}

impl Method {
    fn new(row: &MethodRow, api_leads: bool, names: &mut Strings) -> Self {
        let thread = |thread: &MethodThread, names: &mut Strings| {
            (names.id(&thread.name), thread.tid, joules(thread.energy))
        };
        let api = |api: &MethodApi, names: &mut Strings| CalledApi {
            name: names.id(&api.name),
            calls: api.calls,
            api: joules(api.energy),
            matched: api.matched,
            greedy: api.greedy,
        };
        let MethodPlace { name, file, line, .. } = &row.place;
        let lines = row.lines.iter().take(LINES);
        Self {
            name: names.id(name),
            file: file.as_ref().map(|file| names.id(file)),
            line: *line,
            only_calls: row.only_calls,
            known: [row.api_calls.known, row.api_calls.all],
            threads: row.threads.iter().take(THREADS).map(|it| thread(it, names)).collect(),
            lines: lines.map(|it| Line::new(it, api_leads, names)).collect(),
            apis: row.apis.iter().take(APIS).map(|it| api(it, names)).collect(),
            left_out: [row.lines.len().saturating_sub(LINES), row.apis.len().saturating_sub(APIS)],
        }
    }
}

impl Line {
    fn new(row: &LineShare, api_leads: bool, names: &mut Strings) -> Self {
        let shown = row.callees.iter().take(CALLEES);
        Self {
            place: names.id(&row.place()),
            share: if api_leads { row.api_share } else { row.share }.map(five_digits),
            total: joules(row.total),
            api: joules(row.api_total),
            callees: shown.map(|callee| (names.id(&callee.name), callee.calls)).collect(),
            left_out: row.callees.len().saturating_sub(CALLEES) + row.callees_left_out,
        }
    }
}

impl Api {
    fn new(row: &ApiRow, names: &mut Strings) -> Self {
        let shown = row.callers.iter().take(CALLERS);
        Self {
            callers: shown.map(|caller| (names.id(&caller.name), caller.calls)).collect(),
            left_out: row.callers.len().saturating_sub(CALLERS) + row.callers_left_out,
        }
    }
}
