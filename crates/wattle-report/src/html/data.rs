//! What the page's scripts get.

use serde::Serialize;
use wattle_ledger::{Ledger, PowerSeries};
use wattle_units::{Joules, Nanos, Watts};

use super::code::Code;
use super::diagnosis_data::DiagnosisData;
use super::strings::{Strings, five_digits};
use super::suspects::{Suspects, SuspectsLists};
use super::tree::Tree;
use crate::clean::{clean, clean_texts};
use crate::{CodeReport, Figure, ProcessRow, Report, ReportError, SliceRow};

/// Points of a chart in all: more than twice the pixels of a wide screen for each of many components.
const POINTS: usize = 60_000;

/// Rows of tests: a day of them in a page that is still fast.
const TESTS: usize = 1000;

/// The data of a page. Small tables are the rows of the JSON form; long ones are columns.
#[derive(Serialize)]
pub struct Data<'a> {
    /// The device in a few words.
    device: String,
    report: &'a serde_json::Value,
    threads: Threads,
    slices: Slices,
    code: Option<Code>,
    series: Series<'a>,
    tree: Tree,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspects: Option<Suspects<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<&'a DiagnosisData>,
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
    /// End of the last bin, which may be shorter than the others.
    end_s: f64,
    count: usize,
    components: Vec<&'a str>,
    milliwatts: Vec<Vec<f64>>,
}

/// A report taken apart: what a page always has, and the lists that may have to be cut.
pub struct Lists {
    /// Without its long lists.
    pub report: Report,
    small: serde_json::Value,
    processes: Vec<ProcessRow>,
    slices: Vec<SliceRow>,
    code: Option<CodeReport>,
    suspects: Option<SuspectsLists>,
}

impl Lists {
    /// Takes a report apart.
    pub fn new(mut report: Report) -> Result<Self, ReportError> {
        let processes = std::mem::take(&mut report.processes);
        let slices = std::mem::take(&mut report.slices);
        let code = report.code.take();
        let suspects = report.suspects.take().map(SuspectsLists::new).transpose()?;
        // Thousands of handlers and uids exist only in ledgers made to break us.
        report.interrupts.truncate(200);
        report.apps.truncate(200);
        report.tests.truncate(TESTS);
        if let Some(tax) = &mut report.runtime_tax {
            tax.processes.truncate(200);
        }
        let mut small = serde_json::to_value(&report)?;
        clean_texts(&mut small);
        if let Some(map) = small.as_object_mut() {
            map.remove("slices");
            map.insert("processes".to_owned(), processes.len().into());
            if let Some(coverage) = code.as_ref().and_then(|code| code.api_coverage.as_ref()) {
                let mut coverage = serde_json::to_value(coverage)?;
                clean_texts(&mut coverage);
                map.insert("api_coverage".to_owned(), coverage);
            }
        }
        Ok(Self { report, small, processes, slices, code, suspects })
    }
}

impl<'a> Data<'a> {
    /// With at most that many nodes in the call tree; lists are cut in proportion.
    pub fn new(
        ledger: &'a Ledger,
        lists: &'a Lists,
        diagnosis: Option<&'a DiagnosisData>,
        nodes: usize,
    ) -> Self {
        let mut names = Strings::default();
        let threads = Threads::new(&lists.processes, nodes / 3, &mut names);
        let slices = Slices::new(&lists.slices, nodes / 7, &mut names);
        let of_app = lists.report.app.as_ref().filter(|app| !app.processes.is_empty());
        let whole = of_app.map_or(lists.report.total, |app| app.energy);
        let code = lists.code.as_ref();
        let code = code.map(|code| Code::new(code, whole, nodes / 28, &mut names));
        let tree = Tree::new(ledger, nodes, &mut names);
        let suspects = lists.suspects.as_ref();
        let suspects = suspects.map(|lists| Suspects::new(lists, nodes / 7, &mut names));
        let device = &lists.report.device;
        let device = device.model.as_deref().or(device.device_name());
        let device = clean(device.unwrap_or("unknown device"));
        let series = Series::new(ledger);
        Self {
            device,
            report: &lists.small,
            threads,
            slices,
            code,
            series,
            tree,
            suspects,
            diagnosis,
            names,
        }
    }
}

impl Energies {
    fn push(&mut self, figure: Figure) {
        self.joules.push(number(figure));
        self.low.push(figure.interval().map(|interval| five_digits(interval.low.value())));
        self.high.push(figure.interval().map(|interval| five_digits(interval.high.value())));
    }
}

impl Threads {
    fn new(processes: &[ProcessRow], most: usize, names: &mut Strings) -> Self {
        let mut rows: Vec<_> = processes
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
    fn new(rows: &[SliceRow], most: usize, names: &mut Strings) -> Self {
        let left_out = rows.len().saturating_sub(most);
        let mut slices = Self { left_out, ..Self::default() };
        for row in rows.iter().take(most) {
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
        let length = ledger.window.end - bins.start;
        // Energy of a stretch of bins by its time: the last bin ends with the window.
        let time = |bin: usize| {
            (length - Nanos::new(bins.width.value().saturating_mul(bin as i64))).min(bins.width)
        };
        let joined = |series: &PowerSeries| {
            let mean = |(nth, powers): (usize, &[Watts])| {
                let span: Nanos = (0..powers.len()).map(|bin| time(nth * join + bin)).sum();
                let bins = powers.iter().enumerate();
                let energy: Joules = bins.map(|(bin, power)| *power * time(nth * join + bin)).sum();
                if span > Nanos::ZERO { five_digits((energy / span).milliwatts()) } else { 0.0 }
            };
            series.power.chunks(join).enumerate().map(mean).collect()
        };
        Self {
            start_s: (bins.start - ledger.window.start).seconds(),
            bin_s: bins.width.seconds() * join as f64,
            end_s: (ledger.window.end - ledger.window.start).seconds(),
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
