//! Network packets (`android.network_packets`).

use wattle_timeline::{Direction, NetworkPacket, Severity, Uid};
use wattle_units::{BootNanos, Nanos};
use wattle_wire::Fields;

use super::Reader;

/// `NetworkPacketBundle` (`network_trace.proto`).
mod bundle {
    pub const IID: u32 = 1;
    pub const CTX: u32 = 2;
    pub const PACKET_TIMESTAMPS: u32 = 3;
    pub const PACKET_LENGTHS: u32 = 4;
    pub const TOTAL_PACKETS: u32 = 5;
    pub const TOTAL_DURATION: u32 = 6;
    pub const TOTAL_LENGTH: u32 = 7;
}

/// `DIR_INGRESS`.
const INGRESS: u64 = 1;

impl Reader<'_> {
    pub(super) fn network_packet(&mut self, time: BootNanos, bytes: &[u8]) {
        let (packet, length) = self.packet_context(time, bytes);
        self.builder.hardware().packet(NetworkPacket { bytes: length, ..packet });
    }

    /// `NetworkPacketEvent`: what holds for a packet, and its length.
    fn packet_context(&mut self, time: BootNanos, bytes: &[u8]) -> (NetworkPacket, u64) {
        let (mut direction, mut interface, mut length, mut uid) = (0, &[][..], 0, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => direction = field.value.uint(),
                2 => interface = field.value.bytes(),
                3 => length = field.value.uint(),
                4 => uid = Some(Uid(field.value.uint() as u32)),
                _ => {}
            }
        }
        let packet = NetworkPacket {
            time,
            end: time,
            bytes: 0,
            packets: 1,
            interface: self.builder.names.intern_bytes(interface),
            direction: if direction == INGRESS { Direction::Ingress } else { Direction::Egress },
            uid,
        };
        (packet, length)
    }

    pub(super) fn network_bundle(&mut self, writer: u32, time: BootNanos, bytes: &[u8]) {
        let (mut iid, mut context) = (None, None);
        let (mut count, mut duration, mut total) = (1, 0, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                bundle::IID => iid = Some(value.uint()),
                bundle::CTX => context = Some(value.bytes()),
                bundle::TOTAL_PACKETS => count = value.uint() as u32,
                bundle::TOTAL_DURATION => duration = value.int(),
                bundle::TOTAL_LENGTH => total = Some(value.uint()),
                _ => {}
            }
        }
        let known = iid.and_then(|iid| self.sequences.get(&writer)?.packet_contexts.get(&iid));
        let known = known.cloned();
        let Some(context) = known.as_deref().or(context) else {
            self.counts.note(Severity::Warning, "no-interned-data", None, || {
                "network packets refer to a context that was lost: not used".to_owned()
            });
            self.counts.lose(1);
            return;
        };
        let (packet, _) = self.packet_context(time, context);
        if let Some(bytes) = total {
            let end = time + Nanos::new(duration.max(0));
            self.builder.extend_to(end);
            self.builder.hardware().packet(NetworkPacket { end, bytes, packets: count, ..packet });
            return;
        }
        let repeated = |number| {
            let fields = Fields::new(bytes).map_while(Result::ok);
            fields.filter(move |f| f.number == number).flat_map(|f| f.value.varints())
        };
        let lengths = repeated(bundle::PACKET_LENGTHS);
        for (after, bytes) in repeated(bundle::PACKET_TIMESTAMPS).zip(lengths) {
            let time = time + Nanos::new(after.cast_signed());
            self.builder.hardware().packet(NetworkPacket { time, end: time, bytes, ..packet });
        }
    }
}
