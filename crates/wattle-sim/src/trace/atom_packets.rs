//! Packets of `statsd` (`protos/perfetto/trace/statsd/statsd_atom.proto`; atoms of AOSP `frameworks/proto_logging/stats/atoms.proto`).

use std::io::{self, Write};

use wattle_wire::Writer;

use super::ServiceEvent;
use super::packet_recorder::Recorder;

impl<W: Write> Recorder<W> {
    /// `TracePacket.statsd_atom` 84 with `atom` 1 and `timestamp_nanos` 2. What no atom reports is left out.
    pub fn atom(&mut self, time: u64, event: &ServiceEvent) -> io::Result<()> {
        let number = match event {
            ServiceEvent::Sync { .. } => 7,
            ServiceEvent::Front { .. } => 27,
            ServiceEvent::Screen { .. } => 29,
            ServiceEvent::Alarm { .. } => 35,
            ServiceEvent::ForegroundService { .. } => 60,
            ServiceEvent::Network { .. } => return Ok(()),
        };
        self.probes_packet(time, |packet| {
            packet.message(84, |message| {
                message.message(1, |atom| atom.message(number, |atom| fields(event, atom)));
                message.varint(2, time);
            });
        })
    }
}

/// Fields of an atom.
fn fields(event: &ServiceEvent, atom: &mut Writer) {
    // The chain of those that it is attributed to: `AttributionNode.uid` 1.
    let chain = |atom: &mut Writer, uid: u32| {
        atom.message(1, |node| node.varint(1, u64::from(uid)));
    };
    match event {
        // `DISPLAY_STATE_OFF`, `DISPLAY_STATE_ON`.
        ServiceEvent::Screen { is_on } => atom.varint(1, 1 + u64::from(*is_on)),
        ServiceEvent::Front { uid, is_on } => {
            atom.varint(1, u64::from(*uid));
            // `PROCESS_STATE_TOP`, `PROCESS_STATE_CACHED_ACTIVITY`.
            atom.varint(2, if *is_on { 1002 } else { 1015 });
        }
        ServiceEvent::Sync { uid, name, is_on } => {
            chain(atom, *uid);
            atom.string(2, name);
            atom.varint(3, u64::from(*is_on));
        }
        ServiceEvent::ForegroundService { uid, name, is_on } => {
            atom.varint(1, u64::from(*uid));
            atom.string(2, name);
            // `ENTER`, `EXIT`.
            atom.varint(3, if *is_on { 1 } else { 2 });
        }
        ServiceEvent::Alarm { uid, name } => {
            chain(atom, *uid);
            atom.string(2, name);
        }
        ServiceEvent::Network { .. } => {}
    }
}
