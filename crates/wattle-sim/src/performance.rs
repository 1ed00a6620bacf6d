//! A stage performed by a machine.

use std::io::Write;

use wattle_units::{BootNanos, Joules};

use crate::machine::Machine;
use crate::specimen::Specimen;
use crate::stage::{Stage, StageThread};
use crate::{ClusterTruth, MethodTruth, PhoneSpec, RailTruth, SimError, ThreadTruth, Truth};

/// Output of a machine.
pub(crate) struct Performance<W> {
    pub truth: Truth,
    pub counters: Option<Vec<u8>>,
    /// Output that the trace was written to.
    pub out: W,
}

impl<W: Write> Performance<W> {
    /// Performs a stage on a phone, and ends early once so many bytes are written.
    pub fn give(
        specimen: Specimen<'_>,
        stage: &Stage,
        seed: u64,
        out: W,
        most_bytes: u64,
    ) -> Result<Self, SimError> {
        stage.check()?;
        let mut machine = Machine::new(specimen, stage, seed, out);
        machine.run(most_bytes)?;
        let counters = machine.take_polled();
        let truth = truth(specimen.spec, stage, &machine);
        Ok(Self { truth, counters, out: machine.recorder.into_inner()? })
    }
}

fn truth<W: Write>(spec: &PhoneSpec, stage: &Stage, machine: &Machine<'_, W>) -> Truth {
    let clusters: Vec<ClusterTruth> = machine
        .hardware()
        .enumerate()
        .map(|(index, (cores, shared))| ClusterTruth {
            policy: spec.first_cpu(index),
            cores: cores.into_iter().map(Joules::new).collect(),
            shared: Joules::new(shared),
        })
        .collect();
    let threads: Vec<ThreadTruth> = stage
        .threads
        .iter()
        .zip(machine.meter.tasks(stage.threads.len()))
        .map(|(StageThread { comm, process, .. }, (charges, cpu))| ThreadTruth {
            process: stage.processes[*process].persona.name.clone(),
            pid: comm.tgid,
            thread: comm.name.clone(),
            tid: comm.tid,
            recorder: stage.processes[*process].recorder,
            charges,
            cpu,
        })
        .collect();
    let methods = machine.meter.methods(&stage.names).into_iter().map(|(task, method)| {
        let thread = &threads[task];
        MethodTruth {
            process: thread.process.clone(),
            thread: thread.thread.clone(),
            tid: thread.tid,
            recorder: thread.recorder,
            ..method
        }
    });
    let rails = spec.rails.iter().zip(machine.rails()).map(|(rail, meter)| {
        let (whole, sampled, counted, samples) = meter.summary();
        RailTruth {
            name: rail.name.clone(),
            joules: Joules::new(whole),
            sampled_joules: Joules::new(sampled),
            counted_joules: Joules::from_microjoules(counted as f64),
            samples,
        }
    });
    let span = machine.span();
    Truth {
        start: BootNanos::new(span.start),
        end: BootNanos::new(span.end),
        total: clusters.iter().map(ClusterTruth::total).sum(),
        methods: methods.collect(),
        idle_floor: machine.meter.idle(),
        interrupts: machine
            .meter
            .interrupts(stage.interrupts.iter().map(|source| source.name.as_str())),
        rails: rails.collect(),
        battery: machine.battery_joules().map(Joules::new),
        bytes: machine.byte_truth(&threads),
        devices: machine.device_truth(),
        clusters,
        threads,
    }
}
