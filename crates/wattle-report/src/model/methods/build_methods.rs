//! The rows of methods.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::CallStats;
use wattle_timeline::SiteKind;

use super::api_lists::{self, ApiList};
use super::code_input::Code;
use super::owners::{package, site};
use super::row_order::Ranks;
use super::sums::Sums;
use super::{
    ApiRow, CallCoverage, CodeMeasures, MethodApi, MethodPlace, MethodRow, MethodThread,
    MethodTimes,
};
use super::{build_lines, line_sums, times};
use crate::CodeDetail;
use crate::model::Tally;
use crate::model::order::by_energy;

/// Threads of a method that have rows.
const THREADS: usize = 100;

/// APIs of a method that have rows. With thousands of methods that all call the same, lists would be larger than the ledger.
const APIS: usize = 50;

/// Rows, and what groups of them need.
pub(super) struct Methods {
    pub rows: Vec<MethodRow>,
    /// By method in order of the owners; `None` where it did not run.
    pub ran: Vec<Option<Ran>>,
}

/// A method that ran.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    /// Number of its runs; `None` if only the calls in it have probes.
    pub calls: Option<u64>,
}

/// Threads of a method's paths, and the number of its entries.
#[derive(Default)]
struct Entered {
    /// By thread: calls, energy.
    threads: BTreeMap<u32, (u64, Tally)>,
    calls: u64,
    /// It has paths of its own, not only calls that stand in it.
    has_paths: bool,
}

/// All methods that ran, ordered.
pub(super) fn rows(
    code: &Code<'_>,
    sums: &[Sums],
    (apis, numbers): (&[ApiRow], &[Option<usize>]),
) -> Methods {
    let count = code.methods.things.len();
    let entered = entered(code, count);
    let of_path = (code.methods.of_path.as_slice(), count);
    let is_detailed = code.detail == CodeDetail::All;
    let lists = if is_detailed {
        api_lists::by_owner(code.ledger, code.tree, of_path, &code.around, &code.apis)
    } else {
        vec![ApiList::default(); count]
    };
    let paths = line_sums::LinePaths {
        ledger: code.ledger,
        tree: code.tree,
        methods: &code.methods,
        apis: &code.apis.of_path,
        around: &code.around,
    };
    let lines = if is_detailed {
        line_sums::by_method(&paths, &code.paths)
    } else {
        vec![BTreeMap::new(); count]
    };
    let stats = stats(code);
    let times = times::by_owner(code.ledger, code.tree, &code.methods.of_path, count, &code.around);
    let mut rows = Vec::new();
    let mut ran = vec![None; count];
    let by_method = sums.iter().zip(entered).zip(lists).zip(lines);
    for (at, (((sums, entered), list), lines)) in by_method.enumerate() {
        let Some(method) = code.methods.things.get(at).filter(|_| sums.paths > 0) else { continue };
        // Samples count no calls.
        let has_paths = entered.has_paths;
        let calls = has_paths.then_some(entered.calls).filter(|calls| *calls > 0);
        ran[at] = Some(Ran { calls });
        let times = times.get(at).copied().filter(|_| has_paths);
        let total = code.figure(&sums.total);
        let api_total = sums.api_total.figure();
        let (known, all) = sums.api_total.coverage();
        let stats = stats.get(&at).copied().flatten();
        let (apis, apis_left_out) = behind(&list, apis, numbers);
        let lines = build_lines::of_method(code, lines, total, api_total);
        let (threads, threads_left_out) =
            if is_detailed { threads(code, entered) } else { (Vec::new(), 0) };
        rows.push(MethodRow {
            place: MethodPlace {
                name: code.method_names[at].clone(),
                class: method.class.map(str::to_owned),
                package: method.class.map(|class| package(class).to_owned()),
                method: method.name.to_owned(),
                descriptor: method.descriptor.map(str::to_owned),
                file: method.file.map(str::to_owned),
                line: method.line,
            },
            measures: CodeMeasures {
                own: code.figure(&sums.own),
                total,
                share: total.share_of(code.whole),
                api_own: sums.api_own.figure(),
                api_total,
                api_share: api_total.share_of(code.api_whole),
                calls,
                mean: total.divided(calls.unwrap_or(0)),
                api_mean: api_total.divided(calls.unwrap_or(0)),
            },
            times: MethodTimes {
                wall: times.map(|times| times.wall),
                own_wall: times.map(|times| times.own_wall),
                clock_cpu: times.and_then(|times| times.cpu),
                own_clock_cpu: times.and_then(|times| times.own_cpu),
                cpu: times.and_then(|times| times.cpu.or(times.scheduled)),
                own_cpu: times.and_then(|times| times.own_cpu.or(times.own_scheduled)),
            },
            api_calls: CallCoverage { known, all },
            only_calls: !has_paths,
            per_call: stats.and_then(|stats| stats.joules).map(Into::into),
            api_per_call: stats.and_then(|stats| stats.api_joules).map(Into::into),
            threads,
            threads_left_out,
            apis,
            apis_left_out,
            lines,
        });
    }
    rows.sort_by(|one, other| code.order.compare(&ranks(one), &ranks(other)));
    Methods { rows, ran }
}

fn ranks(row: &MethodRow) -> Ranks<'_> {
    let times = row.times;
    Ranks {
        times: [times.cpu.or(times.wall), times.own_cpu.or(times.own_wall)],
        ..Ranks::new(&row.measures, &row.place.name)
    }
}

/// Calls of each method, by thread: where it was entered, and not where calls stand in it.
fn entered(code: &Code<'_>, count: usize) -> Vec<Entered> {
    let mut all: Vec<Entered> = (0..count).map(|_| Entered::default()).collect();
    for (at, owner) in code.methods.of_path.iter().enumerate() {
        let path = &code.ledger.rows.paths[at];
        let Some(entered) = all.get_mut(*owner as usize) else { continue };
        let has_class = code.methods.things[*owner as usize].class.is_some();
        let is_call = site(code.ledger, path).is_some_and(|site| site.kind == SiteKind::Call);
        let (calls, energy) = entered.threads.entry(path.thread).or_default();
        if !(has_class && is_call) {
            entered.has_paths = true;
            entered.calls = entered.calls.saturating_add(path.calls);
            *calls = calls.saturating_add(path.calls);
        }
        if code.around[at].is_none() {
            energy.merge(&code.paths.total[at]);
        }
    }
    all
}

fn threads(code: &Code<'_>, entered: Entered) -> (Vec<MethodThread>, usize) {
    let has_paths = entered.has_paths;
    let row = |(thread, (calls, energy)): (u32, (u64, Tally))| {
        let thread = code.ledger.rows.threads.get(thread as usize)?;
        let process = code.ledger.rows.processes.get(thread.process as usize);
        Some(MethodThread {
            name: thread.name.clone(),
            tid: thread.tid,
            process: process.map(|process| process.name.clone()).unwrap_or_default(),
            pid: process.and_then(|process| process.pid),
            calls: has_paths.then_some(calls),
            energy: code.figure(&energy),
        })
    };
    let mut rows: Vec<_> = entered.threads.into_iter().filter_map(row).collect();
    rows.sort_by(|one, other| {
        by_energy(one.energy, other.energy).then(other.calls.cmp(&one.calls))
    });
    let left_out = rows.len().saturating_sub(THREADS);
    rows.truncate(THREADS);
    (rows, left_out)
}

/// The methods of the framework behind a method, in order of energy, and whether some are missing.
fn behind(list: &ApiList, apis: &[ApiRow], numbers: &[Option<usize>]) -> (Vec<MethodApi>, bool) {
    let row = |(api, calls): (u32, u64)| {
        let number = numbers.get(api as usize).copied().flatten()?;
        let api = apis.get(number)?;
        Some(MethodApi {
            api: number,
            name: api.name.clone(),
            calls,
            energy: api.cost.times(calls),
            matched: api.matched,
            greedy: api.greedy,
        })
    };
    let mut rows: Vec<_> = list.iter().filter_map(row).collect();
    rows.sort_by(|one, other| {
        by_energy(one.energy, other.energy)
            .then(other.calls.cmp(&one.calls))
            .then_with(|| one.name.cmp(&other.name))
    });
    let is_cut = list.is_cut || rows.len() > APIS;
    rows.truncate(APIS);
    (rows, is_cut)
}

/// Returns the statistics of single calls, by method. Leaves out methods of whose calls a part is not shown, and names
/// of which several places have quantiles of their own, which do not add up.
fn stats<'a>(code: &Code<'a>) -> BTreeMap<usize, Option<&'a CallStats>> {
    let ledger = code.ledger;
    let names: BTreeMap<&str, usize> = code
        .methods
        .things
        .iter()
        .enumerate()
        .filter(|(_, method)| method.class.is_none())
        .map(|(at, method)| (method.name, at))
        .collect();
    let of = |site: Option<u32>, name: &str| match site {
        Some(site) => code.methods.of_site.get(site as usize).map(|method| *method as usize),
        None => names.get(name).copied(),
    };
    let hidden: BTreeSet<Option<usize>> = ledger
        .rows
        .paths
        .iter()
        .zip(&code.shown)
        .filter(|(_, shown)| !**shown)
        .map(|(path, _)| of(path.site, &path.name))
        .collect();
    let mut known: BTreeMap<usize, Option<&CallStats>> = BTreeMap::new();
    for stats in &ledger.sheets.call_stats {
        let method = of(stats.site, &stats.name);
        let Some(at) = method.filter(|_| !hidden.contains(&method)) else { continue };
        known.entry(at).and_modify(|of_method| *of_method = None).or_insert(Some(stats));
    }
    known
}
