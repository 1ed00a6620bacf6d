//! Packets, their envelopes and their data.

use std::io::Write as _;

use wattle_kernel_traces::perfetto_packets::{
    COMPRESSED_PACKETS, Packet, PacketPacking, PacketStream, StreamEnd, data_fields, packet_name,
    packets, starts_with_packet, unpack, unpack_as,
};
use wattle_wire::Writer;

const BATTERY: u32 = 38;
const POWER_RAILS: u32 = 40;

/// Three packets of two writers, the last one with two data fields.
fn trace() -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.varint(8, 100);
        packet.varint(10, 1);
        packet.varint(13, 1);
        packet.message(12, |interned| interned.varint(1, 7));
        packet.message(BATTERY, |battery| battery.varint(2, 81));
    });
    trace.message(1, |packet| {
        packet.varint(10, 2);
        packet.varint(42, 1);
        packet.varint(58, 6);
        packet.varint(98, 3);
    });
    trace.message(1, |packet| {
        packet.varint(8, 300);
        packet.varint(13, 2);
        packet.message(BATTERY, |battery| battery.varint(2, 80));
        packet.message(POWER_RAILS, |rails| rails.varint(1, 1));
    });
    trace.as_bytes().to_vec()
}

#[test]
fn envelopes_and_data() {
    let trace = trace();
    assert!(starts_with_packet(&trace) && !starts_with_packet(b"\nno trace\n"));
    let mut stream = PacketStream::new(&*trace);
    let mut read = Vec::new();
    while let Some((offset, bytes)) = stream.next() {
        let packet = Packet::parse(offset, bytes);
        assert_eq!(packet.damage, None);
        let data: Vec<_> = packet.data().map(|data| packet_name(data.number).unwrap()).collect();
        read.push((packet.envelope, packet.interned.map(<[u8]>::len), data));
    }
    assert!(matches!(stream.into_end(), StreamEnd::Complete));
    let [first, second, third] = &read[..] else { panic!("three packets: {read:?}") };
    assert_eq!((first.0.timestamp, first.0.writer, first.1), (Some(100), 1, Some(2)));
    assert!(first.0.clears_state() && !first.0.needs_state());
    assert_eq!((second.0.timestamp, second.0.clock), (None, Some(6)));
    assert_eq!((second.0.dropped, second.0.machine), (true, 3));
    assert!(third.0.needs_state());
    assert_eq!(third.2, ["battery", "power_rails"]);
}

#[test]
fn a_cut_trace_gives_the_packets_before() {
    let trace = trace();
    let whole = packets(&trace).count();
    assert_eq!(whole, 3);
    for end in 1..trace.len() {
        let mut stream = PacketStream::new(&trace[..end]);
        let mut read = 0;
        while let Some((offset, bytes)) = stream.next() {
            read += 1;
            assert_eq!(Packet::parse(offset, bytes).damage, None);
        }
        assert!(read < whole, "{end} bytes");
        let is_between = packets(&trace[..end]).map(|it| it.len() + 2).sum::<usize>() == end;
        assert_eq!(matches!(stream.into_end(), StreamEnd::Complete), is_between, "{end} bytes");
    }
}

#[test]
fn packed_packets_are_unpacked() {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(&trace()).unwrap();
    let mut packet = Writer::new();
    packet.bytes(COMPRESSED_PACKETS, &packer.finish().unwrap());
    let data: Vec<_> = data_fields(packet.as_bytes()).collect();
    assert_eq!((data.len(), data[0].number), (1, COMPRESSED_PACKETS));
    let (unpacked, is_whole) = unpack(data[0].bytes);
    assert!(is_whole);
    assert_eq!(packets(&unpacked).count(), 3);
    let (beginning, is_whole) = unpack(&data[0].bytes[..data[0].bytes.len() - 3]);
    assert!(!is_whole && beginning.len() <= unpacked.len());
}

#[test]
fn packets_that_zstd_packed_are_unpacked() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let trace = trace().repeat(500);
    let mut packed = compress_to_vec(&trace[..], CompressionLevel::Fastest);
    assert!(packed.len() < trace.len());
    let (unpacked, is_whole) = unpack_as(PacketPacking::Zstd, &packed, 1 << 20);
    assert!(is_whole && unpacked == trace);
    // The packets reach this bound, so they do not stay below it.
    let (beginning, is_whole) = unpack_as(PacketPacking::Zstd, &packed, 1_000);
    assert!(!is_whole && beginning == trace[..1_000]);
    // The largest window that the format knows, 3.75 TiB, is not allocated.
    if packed[4] & 0x20 == 0 {
        packed[5] = 0xff;
    }
    assert!(unpack_as(PacketPacking::Zstd, &packed, 1 << 20).1);
    for end in 0..packed.len() {
        let (unpacked, is_whole) = unpack_as(PacketPacking::Zstd, &packed[..end], 1 << 20);
        assert!(!is_whole || end == 0, "{end}");
        assert!(trace.starts_with(&unpacked), "{end}");
    }
}
