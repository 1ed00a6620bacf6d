//! Readings of hardware counters (`linux.perf`).

use wattle_wire::Writer;

/// `PerfEvents.Counter`: `HW_CPU_CYCLES`, `HW_INSTRUCTIONS`, `HW_CACHE_MISSES`.
const FOLLOWERS: [u64; 3] = [10, 11, 13];

/// A reading of one CPU's counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterSample {
    pub time: u64,
    pub cpu: u32,
    pub pid: u32,
    pub tid: u32,
    pub timebase: u64,
    /// Cycles, instructions, cache misses since the counters were opened.
    pub followers: [u64; 3],
}

impl CounterSample {
    /// `TracePacket.trace_packet_defaults` 59 with `perf_sample_defaults` 12: `timebase` 1 (`period` 1, `tracepoint` 3 with
    /// `name` 1) and `followers` 4 (`counter` 1).
    pub fn describe(packet: &mut Writer) {
        packet.message(59, |defaults| {
            defaults.message(12, |perf| {
                perf.message(1, |timebase| {
                    timebase.varint(1, 1);
                    timebase.message(3, |it| it.string(1, "sched/sched_switch"));
                });
                for counter in FOLLOWERS {
                    perf.message(4, |follower| follower.varint(1, counter));
                }
            });
        });
    }

    /// `TracePacket.perf_sample` 66: `cpu` 1, `pid` 2, `tid` 3, `cpu_mode` 5 (`MODE_KERNEL` 1), `timebase_count` 6,
    /// `follower_counts` 7. The counts of a CPU only grow.
    pub fn write(self, packet: &mut Writer) {
        packet.varint(8, self.time);
        // `SEQ_NEEDS_INCREMENTAL_STATE`.
        packet.varint(13, 2);
        packet.message(66, |message| {
            message.varint(1, u64::from(self.cpu));
            message.varint(2, u64::from(self.pid));
            message.varint(3, u64::from(self.tid));
            message.varint(5, 1);
            message.varint(6, self.timebase);
            for count in self.followers {
                message.varint(7, count);
            }
        });
    }
}
