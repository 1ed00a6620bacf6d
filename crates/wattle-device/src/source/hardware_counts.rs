//! Whether a trace has the hardware counters that it was asked for.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use wattle_wire::Fields;

use crate::next_packet::{NextPacket, next_packet};

/// The longest packet that is looked into; those of counters have hundreds of bytes.
const LONGEST: u64 = 4 << 20;
/// `TracePacket.compressed_packets`: what is in there is not looked at.
const COMPRESSED: u32 = 50;
/// `TracePacket.perf_sample`.
const PERF_SAMPLE: u32 = 66;
/// `PerfSample.cpu`: packets that only say that a recording began have none.
const CPU: u32 = 1;

/// Whether a trace has samples of counters; `None` if it cannot be told.
pub(super) fn are_there(trace: &Path) -> Option<bool> {
    let mut input = BufReader::new(File::open(trace).ok()?);
    let mut packet = Vec::new();
    loop {
        let length = match next_packet(&mut input) {
            NextPacket::End => return Some(false),
            NextPacket::Foreign | NextPacket::Cut => return None,
            NextPacket::Bytes(length) => length,
        };
        if length > LONGEST {
            input.seek_relative(i64::try_from(length).ok()?).ok()?;
            continue;
        }
        packet.clear();
        (&mut input).take(length).read_to_end(&mut packet).ok()?;
        for field in Fields::new(&packet).map_while(Result::ok) {
            if field.number == COMPRESSED {
                return None;
            }
            let is_sample = field.number == PERF_SAMPLE
                && Fields::new(field.value.bytes())
                    .map_while(Result::ok)
                    .any(|it| it.number == CPU);
            if is_sample {
                return Some(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use wattle_wire::Writer;

    use super::are_there;

    /// A trace of packets, each with one field that has a message.
    fn check(packets: &[(u32, &[u8])], expected: Option<bool>) {
        let mut trace = Writer::new();
        for (field, content) in packets {
            trace.message(1, |packet| {
                packet.varint(8, 1);
                packet.bytes(*field, content);
            });
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace");
        std::fs::write(&path, trace.as_bytes()).expect("written");
        assert_eq!(are_there(&path), expected, "{packets:?}");
        // Cut anywhere it is read to its end.
        for length in 0..trace.as_bytes().len() {
            std::fs::write(&path, &trace.as_bytes()[..length]).expect("written");
            let _ = are_there(&path);
        }
    }

    #[test]
    fn samples_of_counters_are_found() {
        let (sample, began) = ([8, 3], [0x9a, 0x01, 0]);
        check(&[], Some(false));
        check(&[(1, b"events"), (66, &began)], Some(false));
        check(&[(1, b"events"), (66, &began), (66, &sample)], Some(true));
        check(&[(50, b"packed"), (66, &sample)], None);
    }
}
