//! Packets of the network (`protos/perfetto/trace/android/network_trace.proto`).

use std::io::{self, Write};

use super::packet_recorder::Recorder;

/// Packets of one direction that went at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketBundle<'a> {
    /// `DIR_INGRESS` 1 or `DIR_EGRESS` 2.
    pub direction: u64,
    pub interface: &'a str,
    pub uid: u32,
    pub bytes: u64,
    pub packets: u32,
}

impl<W: Write> Recorder<W> {
    /// `TracePacket.network_packet_bundle` 92: `ctx` 2 (`NetworkPacketEvent` with `direction` 1, `network_interface`
    /// 2, `uid` 4), `total_packets` 5, `total_duration` 6, `total_length` 7.
    pub fn network_packets(&mut self, time: u64, bundle: PacketBundle<'_>) -> io::Result<()> {
        self.probes_packet(time, |packet| {
            packet.message(92, |message| {
                message.message(2, |context| {
                    context.varint(1, bundle.direction);
                    context.string(2, bundle.interface);
                    context.varint(4, u64::from(bundle.uid));
                });
                message.varint(5, u64::from(bundle.packets));
                message.varint(6, 0);
                message.varint(7, bundle.bytes);
            });
        })
    }
}
