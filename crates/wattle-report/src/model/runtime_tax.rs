//! Energy of threads for the runtime and not for the app's own work.

use std::collections::BTreeMap;
use wattle_table::{Column, describe};

use wattle_ledger::{Ledger, RuntimeClass, RuntimeTax};
use wattle_power::Component;
use wattle_units::Nanos;

use super::basis::Basis;
use super::chosen::Chosen;
use super::gathered::Gathered;
use super::order::by_energy;
use super::watched::Watched;
use super::{ComponentRow, Estimator, RuntimeAdvice, RuntimeClassRow, RuntimeProcessRow, Tally};
use crate::Figure;

/// The runtime tax of the app that was asked for, of all processes where none was.
#[derive(Clone, Debug)]
pub struct RuntimeTaxReport {
    /// Total energy of all classes; no data if none occurs.
    pub energy: Figure,
    /// Its part of the app's total, of everything where no app was asked for.
    pub share: Option<f64>,
    /// Energy of all threads: the classes and the rest.
    pub threads: Figure,
    /// Their energy for the app itself: of no class.
    pub rest: Figure,
    /// Time on a CPU of no class.
    pub rest_cpu: Option<Nanos>,
    /// Classes that occur, most energy first.
    pub classes: Vec<RuntimeClassRow>,
    /// Processes in which one occurs, most energy of classes first.
    pub processes: Vec<RuntimeProcessRow>,
    /// The unknown parts, in a sentence; `None` if all processes that are listed recorded calls or stacks.
    pub unknown: Option<String>,
    /// Advice that follows from it.
    pub advice: Vec<RuntimeAdvice>,
}

describe!(
    RuntimeTaxReport,
    "runtime_tax",
    "what threads drew for the runtime and not for the app's own work; absent where no call path is of a class",
    [
        Column::energy(
            "",
            "what all classes together drew; no data where none occurs",
            |row: &RuntimeTaxReport| row.energy.0
        ),
        Column::share(
            "share",
            "its part of the app's total, of everything where no app was asked for",
            |row: &RuntimeTaxReport| row.share
        ),
        Column::energy(
            "threads",
            "what all threads drew: the classes and the rest",
            |row: &RuntimeTaxReport| row.threads.0
        ),
        Column::energy(
            "rest",
            "what they drew for the app itself: of no class",
            |row: &RuntimeTaxReport| row.rest.0
        ),
        Column::maybe_time("rest_cpu_s", "time on a CPU of no class", |row: &RuntimeTaxReport| row
            .rest_cpu),
        Column::list::<RuntimeClassRow>(
            "classes",
            "classes that occur, most energy first",
            |row: &RuntimeTaxReport| &row.classes
        ),
        Column::list::<RuntimeProcessRow>(
            "processes",
            "processes in which one occurs, most energy of classes first",
            |row: &RuntimeTaxReport| &row.processes
        ),
        Column::maybe_text(
            "unknown",
            "what cannot be known, in a sentence; null where all processes that are listed recorded calls or stacks",
            |row: &RuntimeTaxReport| row.unknown.as_deref()
        ),
        Column::list::<RuntimeAdvice>("advice", "what follows", |row: &RuntimeTaxReport| &row
            .advice),
    ]
);

/// Energy of the paths of a class, or of none: a row of views.
#[derive(Clone, Debug)]
pub struct RuntimeShareRow {
    /// The class, or the app's own work.
    pub title: &'static str,
    /// Energy of its call paths.
    pub energy: Figure,
    /// Its part of the app's total; no data of the app's own work.
    pub share: Option<f64>,
    /// Time on a CPU.
    pub cpu: Option<Nanos>,
    /// By component, most energy first.
    pub components: Vec<ComponentRow>,
}

impl RuntimeTaxReport {
    /// A row for each class, and the app's own work.
    pub(crate) fn shares(&self) -> Vec<RuntimeShareRow> {
        let share = |row: &RuntimeClassRow| RuntimeShareRow {
            title: row.class.title(),
            energy: row.energy,
            share: row.share,
            cpu: row.cpu,
            components: row.components.clone(),
        };
        let mut rows: Vec<_> = self.classes.iter().map(share).collect();
        rows.push(RuntimeShareRow {
            title: "the app's own",
            energy: self.rest,
            share: None,
            cpu: self.rest_cpu,
            components: Vec::new(),
        });
        rows
    }
}

describe!(
    RuntimeShareRow,
    "runtime_share",
    "energy of the call paths of one class, or of none",
    [
        Column::text("title", "class", |row: &RuntimeShareRow| row.title).label("class"),
        Column::energy("", "energy of its call paths", |row: &RuntimeShareRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &RuntimeShareRow| row.energy.0).label("90 % interval"),
        Column::share("share", "its part of the app's total", |row: &RuntimeShareRow| row.share)
            .label("share")
            .blank(),
        Column::maybe_time("cpu_s", "time on a CPU", |row: &RuntimeShareRow| row.cpu)
            .label("CPU time"),
        Column::made("components", "most energy first", |row: &RuntimeShareRow| {
            let part = |part: &ComponentRow| {
                let energy = part.energy.joules().map_or("–".to_owned(), |it| it.to_string());
                format!("{} {energy}", part.name)
            };
            row.components.iter().map(part).collect::<Vec<_>>().join(", ")
        })
        .label("components")
        .soft()
        .elastic()
        .blank()
        .not_in_page(),
    ]
);

/// Energy of the paths of a class.
#[derive(Clone, Default)]
struct Sum {
    all: Tally,
    /// By component, without the CPU.
    devices: BTreeMap<usize, Tally>,
    cpu: Nanos,
}

impl Sum {
    fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        for (component, tally) in &other.devices {
            self.devices.entry(*component).or_default().merge(tally);
        }
        self.cpu += other.cpu;
    }
}

type Sums = BTreeMap<Option<RuntimeClass>, Sum>;

/// Maker of rows.
struct Maker<'a> {
    ledger: &'a Ledger,
    estimator: &'a Estimator<'a>,
    watched: Watched,
}

/// `None` where no path is of a class though calls or stacks were recorded, or where threads drew nothing that is known.
pub(super) fn report(basis: Basis<'_>, whole: Figure) -> Option<RuntimeTaxReport> {
    let Basis { ledger, gathered, estimator, chosen, watched, .. } = basis;
    let tax = RuntimeTax::from_ledger(ledger);
    let by_process = sums(ledger, gathered, &tax, chosen);
    let maker = Maker { ledger, estimator, watched };
    let mut all = Sums::new();
    for sums in by_process.values() {
        for (class, sum) in sums {
            all.entry(*class).or_default().merge(sum);
        }
    }
    let classes = maker.classes(&all, whole);
    let evident = |process: &u32| tax.evidence(*process).is_some();
    if all.is_empty() || (classes.is_empty() && by_process.keys().any(evident)) {
        return None;
    }
    let mut processes: Vec<_> = by_process
        .iter()
        .filter(|(_, sums)| sums.keys().any(Option::is_some))
        .filter_map(|(process, sums)| maker.process(*process, sums, &tax))
        .collect();
    processes.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.pid.cmp(&b.pid)));
    let rest = all.remove(&None).unwrap_or_default();
    let mut taxed = Tally::default();
    for sum in all.values() {
        taxed.merge(&sum.all);
    }
    let mut threads = taxed.clone();
    threads.merge(&rest.all);
    let energy = estimator.figure(&taxed, watched.threads.filter(|_| !classes.is_empty()));
    Some(RuntimeTaxReport {
        energy,
        share: energy.share_of(whole),
        threads: estimator.figure(&threads, watched.threads),
        rest: estimator.figure(&rest.all, watched.threads),
        rest_cpu: ledger.recording.has_scheduler.then_some(rest.cpu),
        unknown: unknown(&processes),
        advice: RuntimeAdvice::from_processes(&processes),
        classes,
        processes,
    })
}

/// By process and class. Paths of the recorder's threads are its own overhead, not the app's runtime.
fn sums(
    ledger: &Ledger,
    gathered: &Gathered,
    tax: &RuntimeTax,
    chosen: &Chosen,
) -> BTreeMap<u32, Sums> {
    let all = !chosen.processes.contains(&true);
    let process_of = |path: usize| {
        let thread = ledger.rows.paths.get(path)?.thread as usize;
        let process = ledger.rows.threads.get(thread)?.process;
        let is_shown = all || chosen.threads.get(thread) == Some(&true);
        let is_recorders = gathered.threads.get(thread)?.is_recorders;
        (is_shown && !is_recorders).then_some(process)
    };
    let mut found: BTreeMap<u32, Sums> = BTreeMap::new();
    for (at, (path, tally)) in ledger.rows.paths.iter().zip(&gathered.paths).enumerate() {
        if tally.is_empty() && path.self_cpu == Nanos::ZERO {
            continue;
        }
        let Some(process) = process_of(at) else { continue };
        let sum = found.entry(process).or_default().entry(tax.classes()[at]).or_default();
        sum.all.merge(tally);
        sum.cpu += path.self_cpu;
    }
    for ((path, component), tally) in &gathered.devices {
        let Some(process) = process_of(*path) else { continue };
        let class = tax.classes()[*path];
        let sum = found.entry(process).or_default().entry(class).or_default();
        sum.devices.entry(*component).or_default().merge(tally);
    }
    found
}

impl Maker<'_> {
    fn classes(&self, sums: &Sums, whole: Figure) -> Vec<RuntimeClassRow> {
        let mut rows: Vec<_> = sums
            .iter()
            .filter_map(|(class, sum)| Some(self.class((*class)?, sum, whole)))
            .collect();
        rows.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.class.cmp(&b.class)));
        rows
    }

    fn class(&self, class: RuntimeClass, sum: &Sum, whole: Figure) -> RuntimeClassRow {
        let energy = self.estimator.figure(&sum.all, self.watched.threads);
        let mut cpu = sum.all.clone();
        for device in sum.devices.values() {
            cpu.remove(device);
        }
        let is_drawn = cpu.by_source().any(|(_, joules)| joules.value() != 0.0);
        let of_cpu = self.ledger.rows.components.iter().position(|it| it.name == Component::Cpu);
        let cpu = of_cpu.filter(|_| is_drawn).map(|at| (at, &cpu));
        let mut components: Vec<_> = cpu
            .into_iter()
            .chain(sum.devices.iter().map(|(at, tally)| (*at, tally)))
            .filter_map(|(at, tally)| {
                let component = self.ledger.rows.components.get(at)?;
                let figure = self.estimator.figure(tally, Some(component.provenance));
                let (name, share) = (component.name.to_string(), figure.share_of(energy));
                Some(ComponentRow { name, energy: figure, share, mean_mw: None })
            })
            .collect();
        components.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
        let time = self.ledger.recording.has_scheduler.then_some(sum.cpu);
        RuntimeClassRow { class, energy, share: energy.share_of(whole), cpu: time, components }
    }

    fn process(&self, process: u32, sums: &Sums, tax: &RuntimeTax) -> Option<RuntimeProcessRow> {
        let entry = self.ledger.rows.processes.get(process as usize)?;
        let mut taxed = Tally::default();
        let of_classes = sums.iter().filter(|(class, _)| class.is_some());
        of_classes.for_each(|(_, sum)| taxed.merge(&sum.all));
        let rest = sums.get(&None).map(|sum| sum.all.clone()).unwrap_or_default();
        let mut threads = taxed.clone();
        threads.merge(&rest);
        let figure = |tally| self.estimator.figure(tally, self.watched.threads);
        let evidence = tax.evidence(process);
        Some(RuntimeProcessRow {
            pid: entry.pid,
            name: entry.name.clone(),
            energy: figure(&taxed),
            threads: figure(&threads),
            rest: figure(&rest),
            has_calls: evidence.calls,
            has_samples: evidence.samples,
            classes: self.classes(sums, figure(&threads)),
        })
    }
}

/// Returns the facts that call paths cannot show, because there are none inside threads.
fn unknown(processes: &[RuntimeProcessRow]) -> Option<String> {
    if processes.is_empty() {
        return Some(
            "no thread bears the name of one of the runtime's, and neither sections nor stacks were recorded: whether other \
             threads collected garbage, compiled or loaded classes cannot be known"
                .to_owned(),
        );
    }
    let blind = processes.iter().filter(|row| !row.has_calls && !row.has_samples).count();
    (blind > 0).then(|| {
        format!(
            "{blind} of {} processes recorded neither sections nor stacks: of those only the runtime's own threads are known",
            processes.len()
        )
    })
}
