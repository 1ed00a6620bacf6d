//! Interrupt service routines and deferred procedure calls: each is told when it ends, with when it began.
//!
//! Source: the MOF classes `ISR` and `DPC` of Microsoft's documentation.

use rustc_hash::FxHashMap;
use wattle_timeline::{InterruptKind, TimelineBuilder};

use super::event_clock::EventClock;
use super::event_record::EventRecord;
use super::loaded_images::Images;
use super::payload::Payload;
use super::tasks::last_part;

/// Routines' runs that are kept.
const MAX_RUNS: usize = 1 << 25;

/// CPUs whose runs are kept.
const MAX_CPUS: usize = wattle_timeline::MAX_CPUS as usize;

/// One run, in ticks.
#[derive(Clone, Copy, Debug)]
struct Run {
    begin: i64,
    end: i64,
    kind: InterruptKind,
    routine: u64,
}

/// All runs by CPU.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    cpus: Vec<Vec<Run>>,
    count: usize,
    /// Runs that were not kept.
    pub refused: u64,
}

impl Interrupts {
    /// A run that ends now. `None` if the event is not whole.
    pub fn run(&mut self, record: &EventRecord<'_>, kind: InterruptKind) -> Option<()> {
        let field = Payload::new(record.payload, record.pointer_size);
        let (begin, routine) = (field.i64(0)?, field.pointer(8)?);
        let cpu = record.cpu as usize;
        if self.count >= MAX_RUNS || cpu >= MAX_CPUS {
            self.refused += 1;
            return Some(());
        }
        if self.cpus.len() <= cpu {
            self.cpus.resize_with(cpu + 1, Vec::new);
        }
        let end = record.time;
        if begin <= end && begin > 0 {
            self.count += 1;
            self.cpus.get_mut(cpu)?.push(Run { begin, end, kind, routine });
        }
        Some(())
    }

    /// Tells them, in order of their beginnings, each before what interrupted it.
    pub fn finish(self, images: &Images, clock: EventClock, builder: &mut TimelineBuilder) {
        let mut names = FxHashMap::default();
        for (cpu, mut runs) in (0_u32..).zip(self.cpus) {
            runs.sort_by_key(|run| (run.begin, std::cmp::Reverse(run.end)));
            let mut open: Vec<Run> = Vec::new();
            for run in runs {
                while let Some(last) = open.last().filter(|last| last.end <= run.begin) {
                    builder.cpus().interrupt_end(cpu, clock.time(last.end), last.kind);
                    open.pop();
                }
                // A run inside another ends before that does.
                let end = open.last().map_or(run.end, |last| run.end.min(last.end));
                let name = *names
                    .entry((run.kind == InterruptKind::Hard, run.routine))
                    .or_insert_with(|| {
                        let name = routine_name(&run, images, builder);
                        builder.names.intern(&name)
                    });
                // Deferred calls do not nest: what the builder would take for the end of the outer one is its part before.
                builder.cpus().interrupt_begin(cpu, clock.time(run.begin), run.kind, name);
                open.push(Run { end, ..run });
            }
            while let Some(last) = open.pop() {
                builder.cpus().interrupt_end(cpu, clock.time(last.end), last.kind);
            }
        }
    }
}

/// `DPC ndis.sys+0x1234`.
fn routine_name(run: &Run, images: &Images, builder: &TimelineBuilder) -> String {
    let kind = if run.kind == InterruptKind::Hard { "ISR" } else { "DPC" };
    match images.find(0, run.routine, run.end) {
        Some(image) => {
            let file = last_part(builder.names.get(image.file));
            format!("{kind} {file}+{:#x}", run.routine - image.base)
        }
        None => format!("{kind} {:#x}", run.routine),
    }
}
