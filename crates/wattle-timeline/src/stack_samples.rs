//! Sampled call stacks: `linux.perf` of Perfetto, `perf`, simpleperf.

use wattle_units::BootNanos;

use crate::{CpuId, FrameKind, NameId, Names, StackCopies, ThreadId};

/// The address of a frame in its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameAddress {
    /// Nothing said it.
    #[default]
    Unknown,
    /// Offset in the mapped file (`perf`: address − start of the mapping + its offset in the file).
    InFile(u64),
    /// The address as the ELF file itself has it (Perfetto's `rel_pc`, simpleperf's `vaddr_in_file`).
    InElf(u64),
    /// The address in the process or the kernel.
    Absolute(u64),
}

/// One frame of a stack: a function in a mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function; `None` when it was not symbolised. Java methods as Java writes them, `android.os.Looper.loop`.
    pub function: Option<NameId>,
    /// The file it lies in (`/apex/…/libc.so`, `[kernel.kallsyms]`).
    pub mapping: Option<NameId>,
    /// Offset in it: of a caller where its call is, not where that returns to.
    pub address: FrameAddress,
    /// The kind of code.
    pub kind: FrameKind,
    /// The compiler put it in the place of its call: the frame of its caller is of the same address.
    pub inlined: bool,
    /// The source file, where symbols tell it.
    pub file: Option<NameId>,
    /// The line in it.
    pub line: Option<u32>,
}

/// A node of the tree of stacks: a frame and its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    /// Index of the caller in [`StackSamples::sites`]; `None` at the root.
    pub caller: Option<u32>,
    /// Index into [`StackSamples::frames`].
    pub frame: u32,
}

/// Index into [`StackSamples::events`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u16);

/// The unit of the weights of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SampleUnit {
    /// Nanoseconds on a CPU (`cpu-clock`, `task-clock`).
    Nanos,
    /// Cycles of a CPU.
    Cycles,
    /// Occurrences of anything else: cache misses, page faults, a tracepoint.
    #[default]
    Occurrences,
}

impl SampleUnit {
    /// By the name that `perf` and simpleperf give an event, modifiers (`:u`, `:HG`) left aside.
    pub fn of_event(name: &str) -> Self {
        let end = name.find([':', '/']).unwrap_or(name.len());
        match name.get(..end).unwrap_or(name) {
            "cpu-clock" | "task-clock" => Self::Nanos,
            // Of hybrid CPUs (`cpu_core/cycles/`) the unit stands in front.
            "cycles" | "cpu-cycles" | "raw-cpu-cycles" => Self::Cycles,
            _ if name.contains("/cycles/") || name.contains("/cpu-cycles/") => Self::Cycles,
            _ => Self::Occurrences,
        }
    }
}

/// The event that made samples: a counter that ran over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SampleEvent {
    /// Its name (`cpu-cycles`, `task-clock:u`, `sched:sched_switch`).
    pub name: NameId,
    /// The unit of the weights of its samples.
    pub unit: SampleUnit,
}

impl SampleEvent {
    /// Whether its samples are of switches of threads: stacks of where threads were when they gave up the CPU or got it back, not
    /// of what they spent their time with. ETW's `CSwitch`, `sched:sched_switch`, perf's `context-switches`.
    pub fn is_switch(&self, names: &Names) -> bool {
        let name = names.get(self.name);
        matches!(name, "CSwitch" | "ReadyThread" | "sched:sched_switch" | "sched_switch")
            || name.split(':').next() == Some("context-switches")
    }
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSample {
    /// When.
    pub time: BootNanos,
    /// On which CPU; `None` when the recorder did not write it.
    pub cpu: Option<CpuId>,
    /// Of which thread.
    pub thread: ThreadId,
    /// Innermost call site in [`StackSamples::sites`]; `None` when there is no stack.
    pub site: Option<u32>,
    /// The event that made it.
    pub event: EventId,
    /// Its weight, in the event's unit (`perf`'s period); 0 where that is not known.
    pub weight: u64,
    /// Whether the stack ends before the thread's first function: unwinding failed, or there was no room for more.
    pub is_truncated: bool,
}

/// A stack of which only is known how much of it there was: a line of collapsed stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackTotal {
    /// The innermost call site in [`StackSamples::sites`].
    pub site: Option<u32>,
    /// The weight, in the unit of the event.
    pub weight: u64,
    /// Of what.
    pub event: EventId,
    /// Of which thread; a process of its own where the stacks name one, [`ThreadId::IDLE`] where nobody is named.
    pub thread: ThreadId,
}

/// All samples with the tree of their stacks.
#[derive(Clone, Debug, Default)]
pub struct StackSamples {
    /// Frames, each once.
    pub frames: Vec<Frame>,
    /// Call sites, each once; callers before callees.
    pub sites: Vec<CallSite>,
    /// The events that made the samples.
    pub events: Vec<SampleEvent>,
    /// Samples in order of time.
    pub samples: Vec<StackSample>,
    /// Stacks without times.
    pub totals: Vec<StackTotal>,
    /// Build ids of mappings, in hexadecimal, as the recorder wrote them.
    pub build_ids: Vec<(NameId, NameId)>,
    /// Stacks in which nobody has looked for callers yet.
    pub copies: StackCopies,
}

impl StackSamples {
    /// The frames of a stack, innermost first.
    pub fn stack(&self, site: Option<u32>) -> impl Iterator<Item = &Frame> + '_ {
        let mut next = site;
        std::iter::from_fn(move || {
            let site = self.sites.get(next? as usize)?;
            // Callers come first: a site that names a later one would go in a circle.
            next = site.caller.filter(|caller| Some(*caller) < next);
            self.frames.get(site.frame as usize)
        })
    }

    /// The event of this number.
    pub fn event(&self, event: EventId) -> Option<&SampleEvent> {
        self.events.get(usize::from(event.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_names() {
        let check = |name, unit| assert_eq!(SampleUnit::of_event(name), unit, "{name}");
        check("cpu-clock", SampleUnit::Nanos);
        check("task-clock:u", SampleUnit::Nanos);
        check("cpu-cycles:HG", SampleUnit::Cycles);
        check("cycles:ppp", SampleUnit::Cycles);
        check("cycles", SampleUnit::Cycles);
        check("cpu_core/cycles/P", SampleUnit::Cycles);
        check("sched:sched_switch", SampleUnit::Occurrences);
        check("page-faults", SampleUnit::Occurrences);
    }

    #[test]
    fn a_stack_ends_even_where_callers_go_in_a_circle() {
        let samples = StackSamples {
            frames: vec![Frame::default()],
            sites: vec![
                CallSite { caller: Some(1), frame: 0 },
                CallSite { caller: Some(0), frame: 0 },
            ],
            ..StackSamples::default()
        };
        assert_eq!(samples.stack(Some(1)).count(), 2);
        assert_eq!(samples.stack(None).count(), 0);
    }
}
