//! The Perfetto trace of an idle run on a Linux machine.

use std::collections::BTreeSet;
use std::io::{self, Write};

use wattle_units::BootNanos;

use super::idle_run::{IdleRun, RunStep};
use crate::SimError;
use crate::trace::{BOOTTIME, Comm, Interned, Persona, Recorder, SampledThread, StackSource, comm};

/// Capacity of the CPUs' buffers before they are written.
const FLUSH_AFTER: usize = 4096;
/// The deepest idle state.
const IDLE_STATE: u8 = 1;
/// Of every core, in kilohertz.
const KILOHERTZ: u64 = 1_800_000;

impl IdleRun {
    /// Writes the Perfetto trace of a Linux machine: switches and wake-ups of ftrace, stacks of the switches and of a clock
    /// (`linux.perf`).
    pub fn write_perfetto<W: Write>(&self, out: W) -> Result<W, SimError> {
        Ok(write(self, out)?)
    }
}

/// Writes it.
fn write<W: Write>(run: &IdleRun, out: W) -> io::Result<W> {
    let mut recorder = Recorder::new(out, run.cores as usize, false);
    let start = nanos(run.start);
    recorder.clock_snapshot(start, &[(BOOTTIME, start)])?;
    recorder.service_packet(start, |packet| {
        // `system_info` 45: `utsname` 1, `num_cpus` 8.
        packet.message(45, |info| {
            info.message(1, |utsname| {
                utsname.string(1, "Linux");
                utsname.string(2, "#1 SMP PREEMPT_DYNAMIC");
                utsname.string(3, "6.1.0-wattle-sim");
                utsname.string(4, "x86_64");
            });
            info.varint(8, u64::from(run.cores));
        });
    })?;
    let comms = comms(run);
    let personas: Vec<Persona> = run.processes.iter().map(persona).collect();
    recorder.process_tree(start, personas.iter(), comms.iter())?;
    let idle = Comm { tid: 0, tgid: 0, name: "swapper".to_owned(), priority: 120 };
    for core in 0..run.cores {
        recorder.frequency(core, start, 0, core, KILOHERTZ);
        recorder.idle(core, start, Some(IDLE_STATE));
    }
    let task = |thread: Option<u32>| thread.map_or(&idle, |it| &comms[it as usize]);
    let mut pending = 0;
    for step in run.steps() {
        match step {
            RunStep::Waking(waking) => {
                let woken = &comms[waking.thread as usize];
                let waker = task(waking.waker).tid;
                recorder.waking(waking.core, nanos(waking.time), waker, woken, waking.core);
            }
            RunStep::Switch(switch) => {
                let (core, time) = (switch.core, nanos(switch.time));
                if switch.from.is_none() {
                    recorder.idle(core, time, None);
                }
                let (from, to) = (task(switch.from), task(switch.to));
                recorder.switch(core, time, from, i64::from(switch.sleeps), to);
                if switch.to.is_none() {
                    recorder.idle(core, time, Some(IDLE_STATE));
                }
            }
        }
        pending += 1;
        if pending >= FLUSH_AFTER {
            recorder.flush_bundles()?;
            pending = 0;
        }
    }
    recorder.flush_bundles()?;
    stacks(run, &mut recorder)?;
    recorder.trace_stats(nanos(run.end))?;
    recorder.into_inner()
}

/// Stacks of the switches, of who goes, and those of the clock.
fn stacks<W: Write>(run: &IdleRun, recorder: &mut Recorder<W>) -> io::Result<()> {
    let mut interned = Interned::default();
    let start = nanos(run.start);
    recorder.begin_stacks(start, StackSource::Switches)?;
    for switch in &run.switches {
        if let (Some(thread), Some(stack)) = (switch.from, switch.from_stack) {
            let frames = frames(run, thread, stack);
            let key = (run.threads[thread as usize].process, stack);
            let sampled = SampledThread {
                time: nanos(switch.time),
                cpu: switch.core,
                pid: run.process(thread).pid,
                tid: run.threads[thread as usize].tid,
            };
            recorder.stack(StackSource::Switches, sampled, &mut interned, key, &frames)?;
        }
    }
    let Some(every) = run.sampling else { return Ok(()) };
    let mut interned = Interned::default();
    recorder.begin_stacks(start, StackSource::Clock(every.value() as u64))?;
    for sample in &run.samples {
        let frames = frames(run, sample.thread, sample.stack);
        let thread = &run.threads[sample.thread as usize];
        let sampled = SampledThread {
            time: nanos(sample.time),
            cpu: sample.core,
            pid: run.process(sample.thread).pid,
            tid: thread.tid,
        };
        let source = StackSource::Clock(every.value() as u64);
        let key = (thread.process, sample.stack);
        recorder.stack(source, sampled, &mut interned, key, &frames)?;
    }
    Ok(())
}

/// Module, function and offset, outermost first.
fn frames(run: &IdleRun, thread: u32, stack: u32) -> Vec<(&str, &str, u64)> {
    let modules = &run.process(thread).modules;
    let frames = run.stacks[stack as usize].iter();
    frames
        .map(|it| (modules[usize::from(it.module)].path.as_str(), it.function.as_str(), it.offset))
        .collect()
}

fn comms(run: &IdleRun) -> Vec<Comm> {
    let mut mains = BTreeSet::new();
    let threads = run.threads.iter().map(|thread| {
        let process = &run.processes[usize::from(thread.process)];
        let is_main = mains.insert(thread.process);
        let name = if is_main { &process.name } else { &thread.name };
        Comm { tid: thread.tid, tgid: process.pid, name: comm(name), priority: 120 }
    });
    threads.collect()
}

fn persona(process: &super::IdleProcess) -> Persona {
    Persona {
        pid: process.pid,
        parent: 1,
        name: process.name.clone(),
        uid: process.uid,
        package: None,
    }
}

fn nanos(time: BootNanos) -> u64 {
    time.value().max(0) as u64
}
