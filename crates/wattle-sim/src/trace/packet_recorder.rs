//! Packets and ftrace events.

use std::io::{self, Write};

use wattle_wire::Writer;

use super::bundle::Bundle;
use super::counter_sample::CounterSample;
use super::scheduled_task::Comm;

/// The sequence of the tracing service's own packets.
const SERVICE_SEQUENCE: u64 = 1;
/// The sequence of `traced_probes`.
const PROBES_SEQUENCE: u64 = 2;
/// The sequence of `traced_perf`.
const PERF_SEQUENCE: u64 = 3;

/// Flag of `clone` for a thread.
const CLONE_THREAD: u64 = 0x0001_0000;

/// Writes a trace, packet by packet.
#[derive(Debug)]
pub(crate) struct Recorder<W> {
    out: W,
    written: u64,
    packet: Writer,
    framed: Writer,
    bundles: Vec<Bundle>,
    /// Readings of hardware counters that are not yet written.
    counters: Vec<CounterSample>,
    compact_sched: bool,
    /// Whether events of the scheduler, of frequencies, idle states and interrupts are kept.
    scheduling: bool,
    /// Sequences that have had their first packet.
    begun: [bool; 5],
}

impl<W: Write> Recorder<W> {
    pub fn new(out: W, cpus: usize, compact_sched: bool) -> Self {
        Self {
            out,
            written: 0,
            packet: Writer::new(),
            framed: Writer::new(),
            bundles: (0..cpus).map(|_| Bundle::default()).collect(),
            counters: Vec::new(),
            compact_sched,
            scheduling: true,
            begun: [false; 5],
        }
    }

    /// The same, which keeps no event of the scheduler, of frequencies, idle states and interrupts unless it shall.
    pub const fn with_scheduling(mut self, shall: bool) -> Self {
        self.scheduling = shall;
        self
    }

    /// Bytes written so far.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Returns the output that was written to.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// A packet of the tracing service (`trusted_packet_sequence_id` 10, `timestamp` 8).
    pub fn service_packet(&mut self, time: u64, write: impl FnOnce(&mut Writer)) -> io::Result<()> {
        self.packet(SERVICE_SEQUENCE, |packet| {
            packet.varint(8, time);
            write(packet);
        })
    }

    /// A packet of the probes.
    pub fn probes_packet(&mut self, time: u64, write: impl FnOnce(&mut Writer)) -> io::Result<()> {
        self.packet(PROBES_SEQUENCE, |packet| {
            packet.varint(8, time);
            write(packet);
        })
    }

    /// Any packet: `Trace.packet` 1 around `trusted_uid` 3, the sequence 10, for the first of a
    /// sequence `sequence_flags` 13 and `first_packet_on_sequence` 87.
    pub(super) fn packet(
        &mut self,
        sequence: u64,
        write: impl FnOnce(&mut Writer),
    ) -> io::Result<()> {
        self.packet.clear();
        self.framed.clear();
        let packet = &mut self.packet;
        write(packet);
        packet.varint(3, 9999);
        packet.varint(10, sequence);
        if let Some(begun @ false) = self.begun.get_mut(sequence as usize) {
            *begun = true;
            packet.varint(13, 1);
            packet.bool(87, true);
        }
        self.framed.bytes(1, packet.as_bytes());
        self.out.write_all(self.framed.as_bytes())?;
        self.written += self.framed.len() as u64;
        Ok(())
    }

    /// Writes what the CPUs' buffers hold (`TracePacket.ftrace_events` 1).
    pub fn flush_bundles(&mut self) -> io::Result<()> {
        let mut bundles = std::mem::take(&mut self.bundles);
        for (cpu, bundle) in bundles.iter_mut().enumerate() {
            if bundle.count > 0 {
                self.packet(PROBES_SEQUENCE, |packet| {
                    packet.message(1, |to| bundle.write(cpu as u32, to));
                })?;
            }
        }
        self.bundles = bundles;
        for sample in std::mem::take(&mut self.counters) {
            self.packet(PERF_SEQUENCE, |packet| sample.write(packet))?;
        }
        Ok(())
    }

    /// A reading of the hardware counters.
    pub fn counters(&mut self, sample: CounterSample) {
        self.counters.push(sample);
    }

    /// Names the hardware counters that are read at each switch of tasks.
    pub fn begin_counters(&mut self, time: u64) -> io::Result<()> {
        self.packet(PERF_SEQUENCE, |packet| {
            packet.varint(8, time);
            CounterSample::describe(packet);
        })
    }

    /// An event of the kernel's own, of this field of `FtraceEvent`.
    pub(super) fn kernel_event(
        &mut self,
        cpu: u32,
        time: u64,
        field: u32,
        write: impl FnOnce(&mut Writer),
    ) {
        if self.scheduling {
            self.bundles[cpu as usize].event(time, 0, field, write);
        }
    }

    /// The buffer of a CPU overruns: its events before this time are lost.
    pub fn overrun(&mut self, cpu: u32, until: u64) {
        self.bundles[cpu as usize].overrun(until);
    }

    /// `sched_switch` (`FtraceEvent` 4, or compact).
    pub fn switch(&mut self, cpu: u32, time: u64, prev: &Comm, prev_state: i64, next: &Comm) {
        if !self.scheduling {
            return;
        }
        let compact = self.compact_sched;
        let bundle = &mut self.bundles[cpu as usize];
        if compact {
            bundle.compact_switch(time, prev_state, next);
        } else {
            bundle.event(time, prev.tid, 4, |event| {
                event.string(1, &prev.name);
                event.varint(2, u64::from(prev.tid));
                event.int(3, i64::from(prev.priority));
                event.int(4, prev_state);
                event.string(5, &next.name);
                event.varint(6, u64::from(next.tid));
                event.int(7, i64::from(next.priority));
            });
        }
    }

    /// `sched_waking` (20, or compact): the task is woken by whoever runs on the CPU.
    pub fn waking(&mut self, cpu: u32, time: u64, waker: u32, task: &Comm, target_cpu: u32) {
        if !self.scheduling {
            return;
        }
        let compact = self.compact_sched;
        let bundle = &mut self.bundles[cpu as usize];
        if compact {
            bundle.compact_waking(time, task, target_cpu);
        } else {
            bundle.event(time, waker, 20, |event| {
                event.string(1, &task.name);
                event.varint(2, u64::from(task.tid));
                event.int(3, i64::from(task.priority));
                event.varint(4, 1);
                event.varint(5, u64::from(target_cpu));
            });
        }
    }

    /// `cpu_frequency` (11): `state` 1 in kilohertz, `cpu_id` 2.
    pub fn frequency(&mut self, cpu: u32, time: u64, tid: u32, of_cpu: u32, kilohertz: u64) {
        if !self.scheduling {
            return;
        }
        self.bundles[cpu as usize].event(time, tid, 11, |event| {
            event.varint(1, kilohertz);
            event.varint(2, u64::from(of_cpu));
        });
    }

    /// `cpu_idle` (13): `state` 1, 4294967295 when idle ends, `cpu_id` 2. `None` is the end.
    pub fn idle(&mut self, cpu: u32, time: u64, state: Option<u8>) {
        if !self.scheduling {
            return;
        }
        self.bundles[cpu as usize].event(time, 0, 13, |event| {
            event.varint(1, state.map_or(u64::from(u32::MAX), u64::from));
            event.varint(2, u64::from(cpu));
        });
    }

    /// `irq_handler_entry` (36): `irq` 1, `name` 2; or its exit (37): `irq` 1, `ret` 2.
    pub fn hard_interrupt(&mut self, cpu: u32, time: u64, tid: u32, irq: i32, entry: Option<&str>) {
        if !self.scheduling {
            return;
        }
        let field = if entry.is_some() { 36 } else { 37 };
        self.bundles[cpu as usize].event(time, tid, field, |event| {
            event.int(1, i64::from(irq));
            match entry {
                Some(name) => event.string(2, name),
                None => event.int(2, 1),
            }
        });
    }

    /// `softirq_entry` (24) or `softirq_exit` (25): `vec` 1.
    pub fn soft_interrupt(&mut self, cpu: u32, time: u64, tid: u32, vector: u32, entry: bool) {
        if !self.scheduling {
            return;
        }
        let field = if entry { 24 } else { 25 };
        self.bundles[cpu as usize].event(time, tid, field, |event| {
            event.varint(1, u64::from(vector));
        });
    }

    /// `print` (3): `buf` 2 with atrace's `B|tgid|name` or `E|tgid`.
    pub fn slice(&mut self, cpu: u32, time: u64, task: &Comm, begin: Option<&str>) {
        self.bundles[cpu as usize].event(time, task.tid, 3, |event| match begin {
            Some(name) => event.string(2, &format!("B|{}|{name}\n", task.tgid)),
            None => event.string(2, &format!("E|{}\n", task.tgid)),
        });
    }

    /// `print` (3) with atrace's `C|tgid|name|value`.
    pub fn program_counter(&mut self, cpu: u32, time: u64, task: &Comm, name: &str, value: i64) {
        self.bundles[cpu as usize].event(time, task.tid, 3, |event| {
            event.string(2, &format!("C|{}|{name}|{value}\n", task.tgid));
        });
    }

    /// `task_newtask` (235): `pid` 1, `comm` 2, `clone_flags` 3; for a thread `CLONE_THREAD` is set.
    pub fn new_task(&mut self, cpu: u32, time: u64, parent: &Comm, task: &Comm) {
        if !self.scheduling {
            return;
        }
        let flags = if task.tid == task.tgid { 0 } else { CLONE_THREAD };
        self.bundles[cpu as usize].event(time, parent.tid, 235, |event| {
            event.varint(1, u64::from(task.tid));
            event.string(2, &parent.name);
            event.varint(3, flags);
        });
    }

    /// `task_rename` (236): `pid` 1, `oldcomm` 2, `newcomm` 3.
    pub fn rename(&mut self, cpu: u32, time: u64, old: &str, task: &Comm) {
        if !self.scheduling {
            return;
        }
        self.bundles[cpu as usize].event(time, task.tid, 236, |event| {
            event.varint(1, u64::from(task.tid));
            event.string(2, old);
            event.string(3, &task.name);
        });
    }

    /// `suspend_resume` (113): `action` 1, `val` 2, `start` 3.
    pub fn suspend_resume(&mut self, cpu: u32, time: u64, action: &str, start: bool) {
        if !self.scheduling {
            return;
        }
        self.bundles[cpu as usize].event(time, 0, 113, |event| {
            event.string(1, action);
            event.int(2, 0);
            event.varint(3, u64::from(start));
        });
    }

    /// `cpuhp_enter` (345): `cpu` 1, `fun` 2, `idx` 3, `target` 4, and `cpuhp_exit` (343): `cpu` 1, `idx`
    /// 2, `ret` 3, `state` 4: one step of bringing a CPU up or down, done by the CPU in whose buffer it is.
    pub fn hotplug_step(&mut self, by_cpu: u32, time: u64, cpu: u32, step: i32, target: i32) {
        if !self.scheduling {
            return;
        }
        let bundle = &mut self.bundles[by_cpu as usize];
        bundle.event(time, 0, 345, |event| {
            event.varint(1, u64::from(cpu));
            event.varint(2, 0);
            event.int(3, i64::from(step));
            event.int(4, i64::from(target));
        });
        bundle.event(time, 0, 343, |event| {
            event.varint(1, u64::from(cpu));
            event.int(2, i64::from(step));
            event.int(3, 0);
            event.int(4, i64::from(step));
        });
    }
}
