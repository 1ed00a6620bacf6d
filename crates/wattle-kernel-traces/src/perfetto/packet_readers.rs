//! The reader of each packet, by its number.

use wattle_timeline::Severity;
use wattle_units::BootNanos;

use super::Reader;
use crate::perfetto_packets::{
    BatchedPacket, BatchedPart, COMPRESSED_PACKETS, Envelope, FtraceBundle, PacketBatch,
    ZSTD_COMPRESSED_PACKETS,
};

/// `TracePacket.data`: what is read.
mod data {
    pub const FTRACE_EVENTS: u32 = 1;
    pub const PROCESS_TREE: u32 = 2;
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const SYS_STATS: u32 = 7;
    pub const PROCESS_STATS: u32 = 9;
    pub const TRACK_EVENT: u32 = 11;
    pub const TRACE_CONFIG: u32 = 33;
    pub const FTRACE_STATS: u32 = 34;
    pub const TRACE_STATS: u32 = 35;
    pub const SYNCHRONIZATION_MARKER: u32 = 36;
    pub const BATTERY: u32 = 38;
    pub const POWER_RAILS: u32 = 40;
    pub const PROCESS_DESCRIPTOR: u32 = 43;
    pub const THREAD_DESCRIPTOR: u32 = 44;
    pub const SYSTEM_INFO: u32 = 45;
    pub const PACKAGES_LIST: u32 = 47;
    pub const GPU_COUNTER_EVENT: u32 = 52;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const PERF_SAMPLE: u32 = 66;
    pub const CPU_INFO: u32 = 67;
    pub const SERVICE_EVENT: u32 = 69;
    pub const INITIAL_DISPLAY_STATE: u32 = 70;
    pub const FRAME_TIMELINE_EVENT: u32 = 76;
    pub const ENERGY_BREAKDOWN: u32 = 77;
    pub const STATSD_ATOM: u32 = 84;
    pub const SYSTEM_PROPERTY: u32 = 86;
    pub const NETWORK_PACKET: u32 = 88;
    pub const TRACE_UUID: u32 = 89;
    pub const ENTITY_STATE_RESIDENCY: u32 = 91;
    pub const NETWORK_PACKET_BUNDLE: u32 = 92;
    /// Before it became a part of `winscope_extensions`.
    pub const ANDROID_INPUT_EVENT: u32 = 106;
    pub const WINSCOPE_EXTENSIONS: u32 = 112;
    pub const APP_WAKELOCK_BUNDLE: u32 = 116;
    pub const GENERIC_KERNEL_TASK_STATE: u32 = 117;
    pub const GENERIC_KERNEL_CPU_FREQUENCY: u32 = 118;
    pub const GENERIC_KERNEL_TASK_RENAME: u32 = 120;
    pub const GENERIC_KERNEL_PROCESS_TREE: u32 = 122;
    pub const GENERIC_GPU_FREQUENCY: u32 = 129;
    /// Of Android, not of Perfetto itself, as 116 is.
    pub const WATTSON_SOC_MODEL: u32 = 1004;
}

impl Reader<'_> {
    /// Reads the next packet.
    pub(super) fn packet(&mut self, packet: &BatchedPacket<'_>) {
        self.counts.records += 1;
        if let Some(error) = packet.damage() {
            self.counts.note(Severity::Warning, "damaged", Some(error.offset), || {
                format!("a packet is damaged: {}; its fields before were read", error.defect)
            });
        }
        let envelope = packet.envelope();
        if envelope.machine != 0 {
            // A timeline is of one machine; the host's recorder gives others numbers.
            self.machines.add(envelope.machine);
            self.counts.ignored.add(packet.bytes().len() as u64);
            return;
        }
        if !self.sequence_flags(envelope) {
            return;
        }
        if let Some(defaults) = packet.defaults() {
            self.packet_defaults(envelope.writer, defaults);
        }
        if let Some(interned) = packet.interned() {
            self.interned_data(envelope.writer, interned);
        }
        self.packet_data(envelope, packet);
    }

    /// Reads the data of a packet that was put aside.
    pub(super) fn packet_again(&mut self, envelope: &Envelope, bytes: &[u8]) {
        let batch = PacketBatch::of_packet(envelope.offset, bytes);
        batch.packets().for_each(|packet| self.packet_data(envelope, &packet));
    }

    /// Follows the state of the writer. Whether the packet can be understood.
    fn sequence_flags(&mut self, envelope: &Envelope) -> bool {
        let sequence = self.sequence(envelope.writer);
        // Services before Android 14 mark every writer's first packet, too.
        let is_first = envelope.is_first || !std::mem::replace(&mut sequence.is_known, true);
        let has_lost = envelope.dropped && !is_first;
        if has_lost {
            sequence.is_valid = false;
        }
        if envelope.clears_state() {
            sequence.clear();
        }
        let is_understood = !envelope.needs_state() || sequence.is_valid;
        if has_lost {
            self.counts.lose(1);
            self.counts.note(Severity::Warning, "packets-dropped", Some(envelope.offset), || {
                "a writer lost packets before this one".to_owned()
            });
        }
        if !is_understood {
            self.counts.note(Severity::Warning, "no-interned-data", Some(envelope.offset), || {
                "packets refer to strings that were lost with packets before: not used".to_owned()
            });
        }
        is_understood
    }

    /// Hands each data field to its reader.
    fn packet_data(&mut self, envelope: &Envelope, packet: &BatchedPacket<'_>) {
        let mut known_time = None;
        for field in packet.data() {
            let value = field.bytes;
            match field.number {
                data::FTRACE_EVENTS => match field.part {
                    Some(BatchedPart::Bundle(bundle)) => self.ftrace_bundle(envelope, bundle),
                    _ => FtraceBundle::read(value, |bundle| self.ftrace_bundle(envelope, bundle)),
                },
                COMPRESSED_PACKETS | ZSTD_COMPRESSED_PACKETS => {
                    self.packed_packets(envelope.offset, &field);
                }
                data::CLOCK_SNAPSHOT => self.clock_snapshot(envelope, value),
                data::SYNCHRONIZATION_MARKER | data::TRACE_UUID | data::TRACE_CONFIG => {
                    self.end.recorded();
                }
                data::FTRACE_STATS => self.ftrace_stats(envelope.writer, value),
                data::TRACE_STATS => self.trace_stats(value),
                data::SYSTEM_INFO => self.system_info(value),
                data::PACKAGES_LIST => self.packages_list(value),
                data::CPU_INFO => self.cpu_info(value),
                data::WATTSON_SOC_MODEL => self.wattson_model(envelope.offset, value),
                data::TRACK_DESCRIPTOR => self.track_descriptor(envelope, value),
                data::PROCESS_DESCRIPTOR => {
                    self.process_descriptor(self.last_time, value);
                }
                data::THREAD_DESCRIPTOR => self.own_thread_descriptor(envelope.writer, value),
                number => {
                    if known_time.is_none() {
                        known_time = self.packet_time(envelope, packet.bytes());
                    }
                    let Some(time) = known_time else { return };
                    if !self.timed_packet(envelope, time, number, value) {
                        self.counts.unread_packet(number, value.len());
                        continue;
                    }
                }
            }
            self.counts.packet(field.number);
        }
    }

    /// Packets whose time matters. Whether there is a reader for it.
    fn timed_packet(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        number: u32,
        value: &[u8],
    ) -> bool {
        match number {
            data::PROCESS_TREE => self.process_tree(time, value),
            data::PROCESS_STATS => self.process_stats(time, value),
            data::SYS_STATS => self.sys_stats(time, value),
            data::TRACK_EVENT => self.track_event(envelope, time, value),
            data::BATTERY => self.battery(time, value),
            data::POWER_RAILS => self.power_rails(envelope, time, value),
            data::PERF_SAMPLE => self.perf_sample(envelope.writer, time, value),
            data::SERVICE_EVENT => self.service_event(time, value),
            data::INITIAL_DISPLAY_STATE => self.initial_display_state(time, value),
            data::ENERGY_BREAKDOWN => self.energy_breakdown(time, value),
            data::SYSTEM_PROPERTY => self.system_property(time, value),
            data::NETWORK_PACKET => self.network_packet(time, value),
            data::NETWORK_PACKET_BUNDLE => self.network_bundle(envelope.writer, time, value),
            data::GPU_COUNTER_EVENT => self.gpu_counter_event(envelope, time, value),
            data::FRAME_TIMELINE_EVENT => self.frame_timeline(envelope, time, value),
            data::ENTITY_STATE_RESIDENCY => self.entity_residency(envelope, time, value),
            data::APP_WAKELOCK_BUNDLE => self.app_wakelocks(envelope, time, value),
            data::STATSD_ATOM => self.statsd_atoms(envelope, time, value),
            data::ANDROID_INPUT_EVENT => self.input_event(time, value),
            data::WINSCOPE_EXTENSIONS => self.winscope_extensions(time, value),
            _ => return self.generic_packet(envelope, time, number, value),
        }
        true
    }

    /// Packets of kernels that are not Linux. Whether there is a reader for it.
    fn generic_packet(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        number: u32,
        value: &[u8],
    ) -> bool {
        match number {
            data::GENERIC_KERNEL_TASK_STATE => self.generic_task_state(envelope, time, value),
            data::GENERIC_KERNEL_CPU_FREQUENCY => self.generic_cpu_frequency(time, value),
            data::GENERIC_KERNEL_TASK_RENAME => self.generic_task_rename(time, value),
            data::GENERIC_KERNEL_PROCESS_TREE => self.generic_process_tree(time, value),
            data::GENERIC_GPU_FREQUENCY => self.generic_gpu_frequency(time, value),
            _ => return false,
        }
        true
    }
}
