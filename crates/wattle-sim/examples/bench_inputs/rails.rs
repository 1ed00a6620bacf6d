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
                    // Microwatt seconds: 10 to 480 mW that change a little.
                    data.varint(3, sample * (rail + 1) * 1_000 + sample * 7 % 13);
                });
            }
        });
    }
    out.into_bytes()
}

fn packet(out: &mut Writer, at_ms: u64, write: impl FnOnce(&mut Writer)) {
    out.message(PACKET, |packet| {
        packet.varint(TIMESTAMP, at_ms * 1_000_000);
        packet.message(POWER_RAILS, write);
    });
}
