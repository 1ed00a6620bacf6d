//! Packets that poll something: rails, battery, frequencies, clocks.

use std::io::{self, Write};

use super::packet_recorder::Recorder;

/// `PowerRails.RailDescriptor`.
#[derive(Clone, Debug)]
pub(crate) struct RailDescriptor {
    pub name: String,
    pub subsystem: String,
    /// Samples a second.
    pub rate: u32,
}

/// Instant that a sample claims.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stamp {
    /// `EnergyData.timestamp_ms`, boot time, beside the packet's own time.
    Millis { millis: u64, packet: u64 },
    /// The packet's `timestamp` in one of the builtin clocks.
    Packet { clock: u64, time: u64 },
}

/// `PowerRails.EnergyData`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RailSample {
    pub rail: u32,
    pub microjoules: u64,
    pub stamp: Stamp,
}

/// `BatteryCounters`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatteryPoll {
    pub charge_microampere_hours: i64,
    pub capacity_percent: f64,
    pub current: i64,
    pub microvolts: i64,
}

/// `BUILTIN_CLOCK_BOOTTIME`.
pub(crate) const BOOTTIME: u64 = 6;
/// `BUILTIN_CLOCK_MONOTONIC_RAW`.
pub(crate) const MONOTONIC_RAW: u64 = 5;

impl<W: Write> Recorder<W> {
    /// `TracePacket.power_rails` 40 with `rail_descriptor` 1 (`index` 1, `rail_name` 2, `subsys_name` 3,
    /// `sampling_rate` 4).
    pub fn rail_descriptors(&mut self, time: u64, rails: &[RailDescriptor]) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(40, |message| {
                for (index, rail) in rails.iter().enumerate() {
                    message.message(1, |descriptor| {
                        descriptor.varint(1, index as u64);
                        descriptor.string(2, &rail.name);
                        descriptor.string(3, &rail.subsystem);
                        descriptor.varint(4, u64::from(rail.rate));
                    });
                }
                message.varint(3, 1);
            });
        })
    }

    /// `TracePacket.power_rails` 40 with `energy_data` 2 (`index` 1, `timestamp_ms` 2, `energy` 3).
    pub fn rail_sample(&mut self, sample: RailSample) -> io::Result<()> {
        let (time, clock, millis) = match sample.stamp {
            Stamp::Millis { millis, packet } => (packet, BOOTTIME, Some(millis)),
            Stamp::Packet { clock, time } => (time, clock, None),
        };
        self.probes_packet(time, |packet| {
            if clock != BOOTTIME {
                packet.varint(58, clock);
            }
            packet.message(40, |message| {
                message.message(2, |data| {
                    data.varint(1, u64::from(sample.rail));
                    if let Some(millis) = millis {
                        data.varint(2, millis);
                    }
                    data.varint(3, sample.microjoules);
                });
                message.varint(3, 1);
            });
        })
    }

    /// `TracePacket.battery` 38: `charge_counter_uah` 1, `capacity_percent` 2, `current_ua` 3,
    /// `voltage_uv` 7.
    pub fn battery(&mut self, time: u64, poll: BatteryPoll) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(38, |battery| {
                battery.int(1, poll.charge_microampere_hours);
                battery.float(2, poll.capacity_percent as f32);
                battery.int(3, poll.current);
                battery.int(7, poll.microvolts);
            });
        })
    }

    /// `TracePacket.sys_stats` 7 with `cpufreq_khz` 11, one for each CPU.
    pub fn polled_frequencies(
        &mut self,
        time: u64,
        kilohertz: impl Iterator<Item = u64>,
    ) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(7, |stats| {
                for value in kilohertz {
                    stats.varint(11, value);
                }
            });
        })
    }

    /// `TracePacket.clock_snapshot` 6: pairs of `clock_id` 1 and `timestamp` 2, and the
    /// `primary_trace_clock` 2.
    pub fn clock_snapshot(&mut self, time: u64, clocks: &[(u64, u64)]) -> io::Result<()> {
        self.service_packet(time, |packet| {
            packet.message(6, |snapshot| {
                for (clock, value) in clocks {
                    snapshot.message(1, |entry| {
                        entry.varint(1, *clock);
                        entry.varint(2, *value);
                    });
                }
                snapshot.varint(2, BOOTTIME);
            });
        })
    }

    /// `TracePacket.trace_stats` 35: `buffer_stats` 1 with `bytes_written` 1 and `chunks_overwritten` 3,
    /// `total_buffers` 7, `final_flush_outcome` 15.
    pub fn trace_stats(&mut self, time: u64) -> io::Result<()> {
        let written = self.written();
        self.service_packet(time, |packet| {
            packet.message(35, |stats| {
                stats.message(1, |buffer| {
                    buffer.varint(1, written);
                    buffer.varint(3, 0);
                });
                stats.varint(7, 1);
                stats.varint(15, 1);
            });
        })
    }
}
