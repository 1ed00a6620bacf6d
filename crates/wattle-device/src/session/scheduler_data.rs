//! Whether a trace has what the scheduler did.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use wattle_wire::{Fields, Value};

use crate::next_packet::{NextPacket, next_packet};

/// Bytes of a trace that are searched: scheduling events come in the first flush.
const SEARCHED: u64 = 256 << 20;
/// Largest packet that is looked into. Perfetto's buffers have pages of far less.
const LARGEST: usize = 32 << 20;

/// `TracePacket.ftrace_events`.
const FTRACE: u32 = 1;
/// `TracePacket.compressed_packets`, which nobody asks for and which are not opened here.
const COMPRESSED: u32 = 50;
/// `FtraceEventBundle.event`.
const EVENT: u32 = 2;
/// `FtraceEventBundle.compact_sched`.
const COMPACT: u32 = 4;
/// `FtraceEvent.sched_switch`.
const SWITCH: u32 = 4;

/// Whether the trace has scheduling events: `None` if the file cannot be read as far as that takes.
pub(super) fn has_scheduler(path: &Path) -> Option<bool> {
    let file = File::open(path).ok()?;
    let mut reader = BufReader::with_capacity(1 << 20, file.take(SEARCHED));
    let mut packet = Vec::new();
    loop {
        let NextPacket::Bytes(length) = next_packet(&mut reader) else { return Some(false) };
        let length = usize::try_from(length).ok().filter(|length| *length <= LARGEST)?;
        packet.resize(length, 0);
        if reader.read_exact(&mut packet).is_err() {
            return Some(false);
        }
        for field in Fields::new(&packet).flatten() {
            match (field.number, field.value) {
                (FTRACE, Value::Len(bundle)) if switches(bundle) => return Some(true),
                (COMPRESSED, _) => return None,
                _ => {}
            }
        }
    }
}

fn switches(bundle: &[u8]) -> bool {
    Fields::new(bundle).flatten().any(|field| match (field.number, field.value) {
        (COMPACT, Value::Len(compact)) => !compact.is_empty(),
        (EVENT, Value::Len(event)) => {
            Fields::new(event).flatten().any(|field| field.number == SWITCH)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::has_scheduler;
    use wattle_wire::Writer;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<bool>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace");
        std::fs::write(&path, bytes).expect("written");
        assert_eq!(has_scheduler(&path), expected);
    }

    fn trace(write: impl Fn(&mut Writer)) -> Vec<u8> {
        let mut out = Writer::new();
        out.message(1, |packet| packet.varint(8, 77));
        out.message(1, |packet| write(packet));
        out.into_bytes()
    }

    #[test]
    fn a_trace_with_switches_is_told_from_one_without() {
        let compact = trace(|packet| {
            packet.message(1, |bundle| bundle.message(4, |compact| compact.varint(1, 5)));
        });
        check(&compact, Some(true));
        let plain = trace(|packet| {
            packet.message(1, |bundle| {
                bundle.message(2, |event| event.message(4, |switch| switch.varint(2, 1)));
            });
        });
        check(&plain, Some(true));
        let printed = trace(|packet| {
            packet.message(1, |bundle| {
                bundle.message(2, |event| event.message(5, |print| print.varint(1, 1)));
            });
        });
        check(&printed, Some(false));
        check(&trace(|packet| packet.message(50, |packets| packets.varint(1, 1))), None);
        check(&compact[..compact.len() - 1], Some(false));
        check(b"", Some(false));
        check(b"no trace at all", Some(false));
        check(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f], None);
    }
}
