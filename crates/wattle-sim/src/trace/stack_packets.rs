//! Packets with call stacks (`protos/perfetto/trace/profiling/profile_packet.proto`, `linux.perf`).

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::packet_recorder::Recorder;

/// Source of the samples of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackSource {
    /// Every switch of threads: the tracepoint `sched:sched_switch`.
    Switches,
    /// A clock of the CPU that runs out after so many nanoseconds.
    Clock(u64),
}

/// Items that a sequence has interned so far, by the keys of the callers.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    strings: BTreeMap<(u32, String), u64>,
    mappings: BTreeMap<String, u64>,
    frames: BTreeMap<(u64, u64, u64), u64>,
    stacks: BTreeMap<(u16, u32), u64>,
}

impl StackSource {
    const fn sequence(self) -> u64 {
        match self {
            Self::Switches => 3,
            Self::Clock(_) => 4,
        }
    }
}

/// `InternedData.function_names`.
const FUNCTION_NAMES: u32 = 5;
/// `InternedData.mapping_paths`.
const MAPPING_PATHS: u32 = 17;

/// A thread on a CPU when a sample was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampledThread {
    pub time: u64,
    pub cpu: u32,
    pub pid: u32,
    pub tid: u32,
}

impl<W: Write> Recorder<W> {
    /// `TracePacket.trace_packet_defaults` 59 with `perf_sample_defaults` 12: `timebase` 1 with `period` 1 and `tracepoint` 3 (`name`
    /// 1) or `counter` 4 (`SW_CPU_CLOCK` 1); `sequence_flags` 13 clears what was interned.
    pub fn begin_stacks(&mut self, time: u64, source: StackSource) -> io::Result<()> {
        self.packet(source.sequence(), |packet| {
            packet.varint(8, time);
            packet.message(59, |defaults| {
                defaults.message(12, |perf| {
                    perf.message(1, |timebase| match source {
                        StackSource::Switches => {
                            timebase.varint(1, 1);
                            timebase.message(3, |it| it.string(1, "sched:sched_switch"));
                        }
                        StackSource::Clock(period) => {
                            timebase.varint(1, period);
                            timebase.varint(4, 1);
                        }
                    });
                });
            });
        })
    }

    /// `TracePacket.perf_sample` 66 (`cpu` 1, `pid` 2, `tid` 3, `callstack_iid` 4) of a CPU, process and thread, after what it needs
    /// as `interned_data` 12. Frames are module, function and offset, outermost first; stacks of one key are one stack.
    pub fn stack(
        &mut self,
        source: StackSource,
        SampledThread { time, cpu, pid, tid }: SampledThread,
        interned: &mut Interned,
        key: (u16, u32),
        frames: &[(&str, &str, u64)],
    ) -> io::Result<()> {
        self.packet(source.sequence(), |packet| {
            packet.varint(8, time);
            // `SEQ_NEEDS_INCREMENTAL_STATE`.
            packet.varint(13, 2);
            let known = interned.stacks.get(&key).copied();
            let stack = known
                .unwrap_or_else(|| packet.message(12, |data| interned.write(key, frames, data)));
            packet.message(66, |sample| {
                sample.varint(1, u64::from(cpu));
                sample.varint(2, u64::from(pid));
                sample.varint(3, u64::from(tid));
                sample.varint(4, stack);
            });
        })
    }
}

impl Interned {
    /// `InternedData` of a stack: strings, `mappings` 19 (`iid` 1, `path_string_ids` 7), `frames` 6 (`iid` 1, `function_name_id` 2,
    /// `mapping_id` 3, `rel_pc` 4), `callstacks` 7 (`iid` 1, `frame_ids` 2).
    fn write(
        &mut self,
        key: (u16, u32),
        frames: &[(&str, &str, u64)],
        data: &mut wattle_wire::Writer,
    ) -> u64 {
        let mut ids = Vec::new();
        for (module, function, offset) in frames {
            let function = self.string(FUNCTION_NAMES, function, data);
            let mapping = self.mapping(module, data);
            let next = self.frames.len() as u64 + 1;
            let id = *self.frames.entry((mapping, function, *offset)).or_insert_with(|| {
                data.message(6, |frame| {
                    frame.varint(1, next);
                    frame.varint(2, function);
                    frame.varint(3, mapping);
                    frame.varint(4, *offset);
                });
                next
            });
            ids.push(id);
        }
        let stack = self.stacks.len() as u64 + 1;
        self.stacks.insert(key, stack);
        data.message(7, |callstack| {
            callstack.varint(1, stack);
            for id in ids {
                callstack.varint(2, id);
            }
        });
        stack
    }

    /// `InternedString`: `iid` 1, `str` 2.
    fn string(&mut self, field: u32, text: &str, data: &mut wattle_wire::Writer) -> u64 {
        let next = self.strings.len() as u64 + 1;
        *self.strings.entry((field, text.to_owned())).or_insert_with(|| {
            data.message(field, |string| {
                string.varint(1, next);
                string.bytes(2, text.as_bytes());
            });
            next
        })
    }

    fn mapping(&mut self, path: &str, data: &mut wattle_wire::Writer) -> u64 {
        if let Some(known) = self.mappings.get(path) {
            return *known;
        }
        let parts: Vec<u64> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|part| self.string(MAPPING_PATHS, part, data))
            .collect();
        let id = self.mappings.len() as u64 + 1;
        data.message(19, |mapping| {
            mapping.varint(1, id);
            for part in parts {
                mapping.varint(7, part);
            }
        });
        self.mappings.insert(path.to_owned(), id);
        id
    }
}
