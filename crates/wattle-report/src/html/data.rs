//! What the page's scripts get.

use serde::Serialize;
use wattle_ledger::{Ledger, PowerSeries};
use wattle_units::Nanos;

use super::strings::{Strings, five_digits};
use super::tree::Tree;
use crate::{Figure, Report};

/// Points of a chart in all: more than twice the pixels of a wide screen for each of many components.
const POINTS: usize = 60_000;

/// The data of a page. Small tables are the rows of the JSON form; long ones are columns.
#[derive(Serialize)]
pub struct Data<'a> {
    report: serde_json::Value,
    threads: Threads,
    slices: Slices,
    series: Series<'a>,
    tree: Tree,
    names: Strings,
}

/// Energies of a list, by column.
#[derive(Default, Serialize)]
struct Energies {
    joules: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
}

#[derive(Default, Serialize)]
struct Threads {
    tid: Vec<u32>,
    name: Vec<usize>,
    pid: Vec<Option<u32>>,
    process: Vec<usize>,
    #[serde(flatten)]
    energy: Energies,
    core: Vec<Option<f64>>,
    shared: Vec<Option<f64>>,
    wake: Vec<Option<f64>>,
    cpu_s: Vec<Option<f64>>,
    left_out: usize,
}

#[derive(Default, Serialize)]
struct Slices {
    name: Vec<usize>,
    thread: Vec<usize>,
    tid: Vec<u32>,
    process: Vec<usize>,
    own: Vec<Option<f64>>,
    #[serde(flatten)]
    energy: Energies,
    calls: Vec<u64>,
    cpu_s: Vec<Option<f64>>,
    wall_s: Vec<f64>,
    left_out: usize,
}

#[derive(Serialize)]
struct Series<'a> {
    /// From the start of the window.
    start_s: f64,
    bin_s: f64,
    count: usize,
    components: Vec<&'a str>,
    milliwatts: Vec<Vec<f64>>,
}

impl<'a> Data<'a> {
    /// With at most that many nodes in the call tree; lists are cut in proportion.
    pub fn new(ledger: &'a Ledger, report: &Report, nodes: usize) -> Self {
        let mut names = Strings::default();
        let threads = Threads::new(report, nodes / 3, &mut names);
        let slices = Slices::new(report, nodes / 7, &mut names);
        let tree = Tree::new(ledger, nodes, &mut names);
        Self { report: small(report), threads, slices, series: Series::new(ledger), tree, names }
    }
}

/// The report without its long lists.
fn small(report: &Report) -> serde_json::Value {
    let processes = report.processes.len();
    let mut small = report.clone();
    small.processes.clear();
    small.slices.clear();
    // Thousands of handlers and uids exist only in ledgers made to break us.
    small.interrupts.truncate(200);
    small.apps.truncate(200);
    let mut value = serde_json::to_value(small).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.remove("slices");
        map.insert("processes".to_owned(), processes.into());
    }
    value
}

impl Energies {
    fn push(&mut self, figure: Figure) {
        self.joules.push(number(figure));
        self.low.push(figure.interval().map(|interval| five_digits(interval.low.value())));
        self.high.push(figure.interval().map(|interval| five_digits(interval.high.value())));
    }
}

impl Threads {
    fn new(report: &Report, most: usize, names: &mut Strings) -> Self {
        let mut rows: Vec<_> = report
            .processes
            .iter()
            .flat_map(|process| process.threads.iter().map(move |thread| (thread, process)))
            .collect();
        rows.sort_by(|(a, _), (b, _)| {
            let energy = b.energy.rank().total_cmp(&a.energy.rank());
            energy.then(b.cpu.cmp(&a.cpu)).then(a.tid.cmp(&b.tid))
        });
        let mut threads = Self { left_out: rows.len().saturating_sub(most), ..Self::default() };
        for (thread, process) in rows.into_iter().take(most) {
            threads.tid.push(thread.tid);
            threads.name.push(names.id(&thread.name));
            threads.pid.push(process.pid);
            threads.process.push(names.id(&process.name));
            threads.energy.push(thread.energy);
            threads.core.push(number(thread.cpu_core));
            threads.shared.push(number(thread.cpu_shared));
            threads.wake.push(number(thread.wake_transition));
            threads.cpu_s.push(seconds(thread.cpu));
        }
        threads
    }
}

impl Slices {
    fn new(report: &Report, most: usize, names: &mut Strings) -> Self {
        let left_out = report.slices.len().saturating_sub(most);
        let mut slices = Self { left_out, ..Self::default() };
        for row in report.slices.iter().take(most) {
            slices.name.push(names.id(&row.name));
            slices.thread.push(names.id(&row.thread));
            slices.tid.push(row.tid);
            slices.process.push(names.id(&row.process));
            slices.own.push(number(row.own));
            slices.energy.push(row.total);
            slices.calls.push(row.calls);
            slices.cpu_s.push(seconds(row.cpu));
            slices.wall_s.push(five_digits(row.wall.seconds()));
        }
        slices
    }
}

impl<'a> Series<'a> {
    /// Bins are joined until the chart has no more than [`POINTS`].
    fn new(ledger: &'a Ledger) -> Self {
        let bins = ledger.bins;
        let longest = ledger.series.iter().map(|series| series.power.len()).max().unwrap_or(0);
        let join = (longest * ledger.series.len()).div_ceil(POINTS).max(1);
        let joined = |series: &PowerSeries| {
            let mean = |bins: &[wattle_units::Watts]| {
                let sum: wattle_units::Watts = bins.iter().copied().sum();
                five_digits((sum / bins.len() as f64).milliwatts())
            };
            series.power.chunks(join).map(mean).collect()
        };
        Self {
            start_s: (bins.start - ledger.window.start).seconds(),
            bin_s: bins.width.seconds() * join as f64,
            count: longest.div_ceil(join),
            components: ledger.series.iter().map(|series| series.component.name()).collect(),
            milliwatts: ledger.series.iter().map(joined).collect(),
        }
    }
}

fn number(figure: Figure) -> Option<f64> {
    figure.joules().map(|joules| five_digits(joules.value()))
}

fn seconds(time: Option<Nanos>) -> Option<f64> {
    time.map(|time| five_digits(time.seconds()))
}
