//! A recording of power rails alone, as `android.power` writes it.

use wattle_wire::Writer;

const RAILS: u64 = 48;
/// Samples of each rail at scale 1.
const SAMPLES: u64 = 6_000;
/// Time between samples, milliseconds.
const PERIOD_MS: u64 = 100;
const FIRST_MS: u64 = 5_000;

/// `Trace.packet`.
const PACKET: u32 = 1;
/// `TracePacket.timestamp`.
const TIMESTAMP: u32 = 8;
/// `TracePacket.power_rails`.
const POWER_RAILS: u32 = 40;

/// Descriptors once, then all rails ten times a second.
pub fn trace(scale: u64) -> Vec<u8> {
    let mut out = Writer::new();
    packet(&mut out, FIRST_MS, |rails| {
        for rail in 0..RAILS {
            rails.message(1, |descriptor| {
                descriptor.varint(1, rail);
                descriptor.string(2, &format!("S{rail}M_VDD_RAIL{rail}"));
                descriptor.string(3, if rail % 3 == 0 { "CPU" } else { "Display" });
                descriptor.varint(4, 10);
            });
        }
    });
    for sample in 0..SAMPLES * scale {
        let at = FIRST_MS + sample * PERIOD_MS;
        packet(&mut out, at, |rails| {
            for rail in 0..RAILS {
                rails.message(2, |data| {
                    data.varint(1, rail);
                    data.varint(2, at);
                    data.varint(3, counter(rail, sample));
                });
            }
        });
    }
    out.into_bytes()
}

/// Microwatt seconds: 10 to 480 mW that change a little. Every fourth rail is of something that is off for ten seconds in twenty.
fn counter(rail: u64, sample: u64) -> u64 {
    let (turns, rest) = (sample / 200, sample % 200);
    let on = if rail.is_multiple_of(4) { turns * 100 + rest.min(100) } else { sample };
    on * (rail + 1) * 1_000 + on * 7 % 13
}

fn packet(out: &mut Writer, at_ms: u64, write: impl FnOnce(&mut Writer)) {
    out.message(PACKET, |packet| {
        packet.varint(TIMESTAMP, at_ms * 1_000_000);
        packet.message(POWER_RAILS, write);
    });
}
