//! Sampled stacks and hardware counters (`linux.perf`).

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSite, CpuId, Frame, FrameAddress, FrameKind, NameId, RawScope, SampleEvent, SampleUnit,
    Severity, StackSample, ThreadId,
};
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use wattle_import::frame_kind;

/// `PerfSample` (`profile_packet.proto`).
mod sample {
    pub const CPU: u32 = 1;
    pub const PID: u32 = 2;
    pub const TID: u32 = 3;
    pub const CALLSTACK_IID: u32 = 4;
    pub const TIMEBASE_COUNT: u32 = 6;
    pub const FOLLOWER_COUNTS: u32 = 7;
    pub const UNWIND_ERROR: u32 = 16;
    pub const KERNEL_RECORDS_LOST: u32 = 17;
    pub const SAMPLE_SKIPPED_REASON: u32 = 18;
    pub const PRODUCER_EVENT: u32 = 19;
    /// `Profiling.StackUnwindError.UNWIND_ERROR_NONE`.
    pub const UNWIND_ERROR_NONE: u64 = 1;
}

/// `PerfEvents.Counter` (`perf_events.proto`), as `perf` writes them.
const COUNTERS: [&str; 21] = [
    "",
    "cpu-clock",
    "page-faults",
    "task-clock",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "cpu-cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branch-instructions",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
    "dummy",
];

fn iid(bytes: &[u8]) -> u64 {
    Fields::find(bytes, 1).map_or(0, Value::uint)
}

impl Reader<'_> {
    /// `PerfSampleDefaults`: which counters the samples hold.
    pub(super) fn perf_defaults(&mut self, writer: u32, bytes: &[u8]) {
        let mut names = vec![self.counter_name(&[], [4, 3, 10])];
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                // Timebase: counter 4, tracepoint 3, name 10.
                1 => names[0] = self.counter_name(field.value.bytes(), [4, 3, 10]),
                // FollowerEvent: counter 1, tracepoint 2, name 4.
                4 => names.push(self.counter_name(field.value.bytes(), [1, 2, 4])),
                _ => {}
            }
        }
        self.sequence(writer).perf_counters = names;
    }

    fn counter_name(&mut self, bytes: &[u8], [counter, tracepoint, name]: [u32; 3]) -> NameId {
        let given = Fields::find(bytes, name).map(Value::bytes);
        let traced = || Some(Fields::find(Fields::find(bytes, tracepoint)?.bytes(), 1)?.bytes());
        let known = || {
            let counter = Fields::find(bytes, counter)?.uint();
            COUNTERS.get(counter as usize).map(|name| name.as_bytes())
        };
        let name = given.filter(|name| !name.is_empty()).or_else(traced).or_else(known);
        self.builder.names.intern_bytes(name.unwrap_or(b"cpu-clock"))
    }

    /// `Mapping`: a file, whose path comes in parts.
    pub(super) fn interned_mapping(&mut self, writer: u32, bytes: &[u8]) {
        let mut path = Vec::new();
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 7) {
            for part in field.value.varints() {
                let part = self.sequence(writer).mapping_paths.get(&part).copied();
                path.push(b'/');
                path.extend(part.map_or(&[][..], |part| self.builder.names.get(part).as_bytes()));
            }
        }
        // A kernel's mapping has a name in brackets and no path.
        let text = path.strip_prefix(b"/").filter(|rest| rest.starts_with(b"[")).unwrap_or(&path);
        let name = (!text.is_empty()).then(|| self.builder.names.intern_bytes(text));
        self.intern_in(writer, |s| &mut s.mappings, iid(bytes), name);
    }

    /// `Frame`.
    pub(super) fn interned_frame(&mut self, writer: u32, bytes: &[u8]) {
        let (mut function, mut mapping, mut address) = (None, None, FrameAddress::Unknown);
        let sequence = self.sequence(writer);
        for field in Fields::new(bytes).map_while(Result::ok) {
            let id = field.value.uint();
            match field.number {
                2 => function = sequence.function_names.get(&id).copied(),
                3 => mapping = sequence.mappings.get(&id).copied().flatten(),
                4 => address = FrameAddress::InElf(id),
                _ => {}
            }
        }
        let function = function.filter(|name| !self.builder.names.get(*name).is_empty());
        let kind =
            mapping.map_or(FrameKind::Native, |name| frame_kind(self.builder.names.get(name)));
        let frame = Frame { function, mapping, address, kind, ..Frame::default() };
        let frame = self.builder.samples().frame(frame);
        self.intern_in(writer, |s| &mut s.frames, iid(bytes), frame);
    }

    /// `Callstack`: frames, outermost first.
    pub(super) fn interned_callstack(&mut self, writer: u32, bytes: &[u8]) {
        let mut caller = None;
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 2) {
            for frame in field.value.varints() {
                if let Some(frame) = self.sequence(writer).frames.get(&frame).copied() {
                    caller = Some(self.builder.samples().call_site(CallSite { caller, frame }));
                }
            }
        }
        self.intern_in(writer, |s| &mut s.callstacks, iid(bytes), caller);
    }

    pub(super) fn perf_sample(&mut self, writer: u32, time: BootNanos, bytes: &[u8]) {
        let (mut cpu, mut pid, mut tid, mut callstack) = (0, None, None, None);
        let (mut values, mut is_sample, mut is_truncated) = (Vec::new(), true, false);
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                sample::CPU => cpu = value.uint() as u32,
                sample::PID => pid = Some(value.uint() as u32),
                sample::TID => tid = Some(value.uint() as u32),
                sample::CALLSTACK_IID => callstack = Some(value.uint()),
                sample::TIMEBASE_COUNT => values.insert(0, value.uint()),
                sample::FOLLOWER_COUNTS => values.extend(value.varints()),
                sample::UNWIND_ERROR if value.uint() != sample::UNWIND_ERROR_NONE => {
                    is_truncated = true;
                    self.counts.unread("frames of stacks that could not be unwound to their root");
                }
                sample::KERNEL_RECORDS_LOST => {
                    is_sample = false;
                    self.lost_samples(value.uint());
                }
                sample::SAMPLE_SKIPPED_REASON => {
                    is_sample = false;
                    self.counts.unread("perf_sample that its recorder skipped");
                }
                sample::PRODUCER_EVENT => is_sample = false,
                _ => {}
            }
        }
        if !is_sample {
            return;
        }
        let names = self.sequences.get(&writer).map_or(&[][..], |s| &s.perf_counters).to_vec();
        let timebase = names.first().copied();
        for (name, value) in names.into_iter().zip(values) {
            let key = self.builder.system().counter_track(RawScope::Cpu(cpu), name);
            self.builder.system().counter(key, time, value as f64);
        }
        // Where only counters were recorded, samples say nothing of the code that ran. A poll of counters has no thread either.
        let has_stacks = self.sequences.get(&writer).is_some_and(|s| !s.callstacks.is_empty());
        if callstack.is_none() && !has_stacks {
            return;
        }
        let (Some(tid), callstacks) = (tid, self.sequences.get(&writer).map(|s| &s.callstacks))
        else {
            return;
        };
        let site = |stacks: &FxHashMap<u64, Option<u32>>| *stacks.get(&callstack?)?;
        let site = callstacks.and_then(site);
        let name = timebase.unwrap_or_else(|| self.builder.names.intern("cpu-clock"));
        let unit = SampleUnit::of_event(self.builder.names.get(name));
        let event = self.builder.samples().event(SampleEvent { name, unit });
        // What a sample counts is the counter's value, which only grows: what it stands for is not written.
        let (cpu, thread) = (Some(CpuId(cpu)), ThreadId(tid));
        let sample = StackSample { time, cpu, thread, site, event, weight: 0, is_truncated };
        self.builder.samples().sample(pid, sample);
    }

    fn lost_samples(&mut self, count: u64) {
        self.counts.lost_events = self.counts.lost_events.saturating_add(count);
        self.counts.note(Severity::Warning, "perf-lost", None, || {
            "the kernel lost samples of stacks".to_owned()
        });
    }
}
