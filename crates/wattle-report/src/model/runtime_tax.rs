//! What threads drew for the runtime and not for the app's own work.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{Ledger, RuntimeClass, RuntimeTax};
use wattle_power::Component;
use wattle_units::Nanos;

use super::app::Chosen;
use super::figure::{named, seconds};
use super::gathered::Gathered;
use super::report::by_energy;
use super::watched::Watched;
use super::{ComponentRow, Estimator, Figure, Tally};
use crate::RuntimeAdvice;

/// The runtime tax of the app that was asked for, of all processes where none was.
#[derive(Clone, Debug, Serialize)]
pub struct RuntimeTaxReport {
    /// What all classes together drew; no data where none occurs.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the app's total, of everything where no app was asked for.
    pub share: Option<f64>,
    /// What all threads drew: the classes and the rest.
    #[serde(flatten, serialize_with = "named::threads")]
    pub threads: Figure,
    /// What they drew for the app itself: of no class.
    #[serde(flatten, serialize_with = "named::rest")]
    pub rest: Figure,
    /// Time on a CPU of no class.
    #[serde(rename = "rest_cpu_s", serialize_with = "seconds::maybe")]
    pub rest_cpu: Option<Nanos>,
    /// Classes that occur, most energy first.
    pub classes: Vec<RuntimeClassRow>,
    /// Processes in which one occurs, most energy of classes first.
    pub processes: Vec<RuntimeProcessRow>,
    /// What cannot be known, in a sentence; `None` where all processes that are listed recorded calls or stacks.
    pub unknown: Option<String>,
    /// What follows.
    pub advice: Vec<RuntimeAdvice>,
}

/// One class of the runtime tax.
#[derive(Clone, Debug, Serialize)]
pub struct RuntimeClassRow {
    /// Which.
    pub class: RuntimeClass,
    /// What its call paths drew.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the app's total, of everything where no app was asked for; in a process of the process's threads.
    pub share: Option<f64>,
    /// Time on a CPU.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
    /// By component, most energy first; the share is of the class.
    pub components: Vec<ComponentRow>,
}

/// The runtime tax of a process.
#[derive(Clone, Debug, Serialize)]
pub struct RuntimeProcessRow {
    /// The kernel's number.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// What all classes together drew.
    #[serde(flatten)]
    pub energy: Figure,
    /// What its threads drew.
    #[serde(flatten, serialize_with = "named::threads")]
    pub threads: Figure,
    /// What they drew for the app itself.
    #[serde(flatten, serialize_with = "named::rest")]
    pub rest: Figure,
    /// Whether calls (sections, probes, method traces) were recorded in it.
    pub has_calls: bool,
    /// Whether stacks were sampled in it.
    pub has_samples: bool,
    /// Classes that occur in it, most energy first.
    pub classes: Vec<RuntimeClassRow>,
}

/// What the paths of a class drew.
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

/// What rows are made with.
struct Maker<'a> {
    ledger: &'a Ledger,
    estimator: &'a Estimator<'a>,
    watched: Watched,
}

/// `None` where no path is of a class though calls or stacks were recorded, or where threads drew nothing that is known.
pub(super) fn report(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    chosen: &Chosen,
    watched: Watched,
    whole: Figure,
) -> Option<RuntimeTaxReport> {
    let tax = RuntimeTax::of(ledger);
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
        rest_cpu: ledger.has_scheduler.then_some(rest.cpu),
        unknown: unknown(&processes),
        advice: RuntimeAdvice::of(&processes),
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
        let thread = ledger.paths.get(path)?.thread as usize;
        let process = ledger.threads.get(thread)?.process;
        let is_shown = all || chosen.processes.get(process as usize) == Some(&true);
        let is_recorders = gathered.threads.get(thread)?.is_recorders;
        (is_shown && !is_recorders).then_some(process)
    };
    let mut found: BTreeMap<u32, Sums> = BTreeMap::new();
    for (at, (path, tally)) in ledger.paths.iter().zip(&gathered.paths).enumerate() {
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
        let of_cpu = self.ledger.components.iter().position(|it| it.name == Component::Cpu);
        let cpu = of_cpu.filter(|_| is_drawn).map(|at| (at, &cpu));
        let mut components: Vec<_> = cpu
            .into_iter()
            .chain(sum.devices.iter().map(|(at, tally)| (*at, tally)))
            .filter_map(|(at, tally)| {
                let component = self.ledger.components.get(at)?;
                let figure = self.estimator.figure(tally, Some(component.provenance));
                let (name, share) = (component.name.to_string(), figure.share_of(energy));
                Some(ComponentRow { name, energy: figure, share })
            })
            .collect();
        components.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
        let time = self.ledger.has_scheduler.then_some(sum.cpu);
        RuntimeClassRow { class, energy, share: energy.share_of(whole), cpu: time, components }
    }

    fn process(&self, process: u32, sums: &Sums, tax: &RuntimeTax) -> Option<RuntimeProcessRow> {
        let entry = self.ledger.processes.get(process as usize)?;
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

/// What call paths could not tell, because there are none inside threads.
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
