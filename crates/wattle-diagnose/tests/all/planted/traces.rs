//! The traces: made, written, and read again.

use std::sync::atomic::{AtomicUsize, Ordering};

use wattle_diagnose::{
    DiagnoseOptions, Diagnosis, IdleChoice, Input, RegionOptions, diagnose, rules,
};
use wattle_ledger::{AttributionOptions, Ledger};
use wattle_power::PowerEstimate;
use wattle_sim::idle::{
    EtlForm, IdleMachine, IdlePopulation, IdleRun, IdleSystem, PlantedStretch, PointerSize,
};
use wattle_timeline::Timeline;

use super::score::Scores;

/// A trace as it was read, and the truth.
pub struct Trace {
    pub name: String,
    pub planted: Vec<PlantedStretch>,
    pub timeline: Timeline,
    power: PowerEstimate,
    ledger: Ledger,
}

/// Which form of trace a run is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Perfetto,
    Etl(PointerSize, u16),
}

impl Form {
    /// Those of the test, in turn: two of five are logs of Windows, one in four of them of 32 bits.
    pub const fn from_index(index: u64) -> Self {
        match index % 20 {
            0 | 10 => Self::Etl(PointerSize::Four, 3),
            3 | 13 => Self::Etl(PointerSize::Eight, 3),
            5 | 8 | 15 | 18 => Self::Etl(PointerSize::Eight, 4),
            _ => Self::Perfetto,
        }
    }

    pub const fn system(self) -> IdleSystem {
        match self {
            Self::Perfetto => IdleSystem::Linux,
            Self::Etl(PointerSize::Four, _) => IdleSystem::Windows32,
            Self::Etl(PointerSize::Eight, _) => IdleSystem::Windows64,
        }
    }

    pub fn write(self, run: &IdleRun) -> (&'static str, Vec<u8>) {
        match self {
            Self::Perfetto => ("perfetto-trace", run.write_perfetto(Vec::new()).unwrap()),
            Self::Etl(pointers, switch_version) => {
                let form = EtlForm { pointers, switch_version, ..EtlForm::default() };
                ("etl", run.write_etl(form, Vec::new()).unwrap())
            }
        }
    }
}

impl Trace {
    pub fn new(name: String, machine: &IdleMachine, form: Form) -> Self {
        let run = machine.run();
        let (extension, bytes) = form.write(&run);
        let timeline = wattle_ingest::read_bytes(&format!("idle.{extension}"), &bytes).unwrap();
        let power = PowerEstimate::default();
        let ledger =
            wattle_ledger::attribute(&timeline, &power, &AttributionOptions::default()).unwrap();
        Self { name, planted: run.planted, timeline, power, ledger }
    }

    pub fn diagnose(&self, regions: &RegionOptions) -> Diagnosis {
        let mut options = DiagnoseOptions::default();
        options.idle = IdleChoice::Whole;
        options.regions = regions.clone();
        // Rules have tests of their own.
        options.rules.skip = rules().iter().map(|rule| rule.id.to_owned()).collect();
        let input = Input { timeline: &self.timeline, power: &self.power, ledger: &self.ledger };
        diagnose(input, &options).unwrap()
    }
}

/// Does something for each of a number of things, on two threads.
pub fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, T)> = std::thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    break done;
                }
                done.push((index, work(index)));
            }
        };
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Traces of these seeds.
pub fn make(seeds: std::ops::Range<u64>, population: &IdlePopulation) -> Vec<Trace> {
    let first = seeds.start;
    each((seeds.end - seeds.start) as usize, |index| {
        let index = index as u64;
        let form = Form::from_index(index);
        let population = IdlePopulation { system: form.system(), ..population.clone() };
        let machine = population.machine(first + index);
        Trace::new(format!("seed {} as {form:?}", first + index), &machine, form)
    })
}

/// The scores of all traces.
pub fn score(traces: &[Trace], options: &RegionOptions) -> Scores {
    let each = each(traces.len(), |index| {
        let trace = &traces[index];
        Scores::new(&trace.name, &trace.planted, &trace.diagnose(options))
    });
    let mut scores = Scores::default();
    for one in each {
        scores.add(one);
    }
    scores
}
