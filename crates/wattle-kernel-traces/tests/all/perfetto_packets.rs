//! Packets, their envelopes and their data.

use std::io::Write as _;

use wattle_import::UnpackBudget;
use wattle_kernel_traces::perfetto_packets::{
    BatchedPart, COMPRESSED_PACKETS, FtraceBundle, Packet, PacketBatch, PacketPacking,
    PacketStream, StreamEnd, data_fields, packet_name, packets, starts_with_packet, unpack,
    unpack_as,
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

/// A batch says of packets what they say when they are read one by one, however many there are of everything.
#[track_caller]
fn check_batches(trace: &[u8], expected_packets: usize) {
    let mut stream = PacketStream::new(trace);
    let mut ahead = PacketStream::new(trace);
    let (mut batch, mut found) = (PacketBatch::default(), 0);
    while batch.fill(&mut ahead, &UnpackBudget::default()) {
        for packet in batch.packets() {
            let (offset, bytes) = stream.next().unwrap_or_default();
            let alone = Packet::parse(offset, bytes);
            assert_eq!(packet.bytes(), bytes);
            assert_eq!(*packet.envelope(), alone.envelope);
            assert_eq!((packet.interned(), packet.defaults()), (alone.interned, alone.defaults));
            assert_eq!(packet.damage().copied(), alone.damage);
            let data: Vec<_> = packet.data().map(|data| (data.number, data.bytes)).collect();
            let of_alone: Vec<_> = alone.data().map(|data| (data.number, data.bytes)).collect();
            assert_eq!(data, of_alone);
            found += 1;
        }
        assert_eq!(batch.end(), stream.offset());
    }
    assert_eq!(found, expected_packets);
    assert!(stream.next().is_none());
    assert_eq!(format!("{:?}", ahead.into_end()), format!("{:?}", stream.into_end()));
}

#[test]
fn batches_say_what_packets_say() {
    check_batches(&[], 0);
    check_batches(&trace(), 3);
    check_batches(&trace()[..trace().len() - 1], 2);
    // More packets than a batch has, and more data fields than have places.
    let mut many = Writer::new();
    for number in 0..10_000 {
        many.message(1, |packet| packet.varint(8, number));
    }
    many.message(1, |packet| {
        for level in 0..1000 {
            packet.message(BATTERY, |battery| battery.varint(2, level));
        }
        packet.message(1, |bundle| bundle.varint(1, 3));
    });
    check_batches(many.as_bytes(), 10_001);
    // A packet with a defect behind its data.
    let mut damaged = vec![0x0a, 6];
    damaged.extend([0x40, 7, 0xb2, 2, 0, 0x0e]);
    check_batches(&damaged, 1);
}

#[test]
fn bundles_have_all_of_their_events() {
    const EVENTS: u64 = 70_000;
    let mut bundle = Writer::new();
    bundle.varint(1, 5);
    bundle.varint(3, 1);
    for number in 0..EVENTS {
        bundle.message(2, |event| {
            event.varint(1, 1_000 + number);
            // Some are written the other way round.
            if number % 3 == 0 {
                event.message(13, |idle| idle.varint(1, number));
                event.varint(2, 77);
            } else {
                event.varint(2, 77);
                event.message(13, |idle| idle.varint(1, number));
            }
        });
    }
    bundle.varint(9, 999);
    let check = |bundle: FtraceBundle<'_>| {
        let head = bundle.head();
        assert_eq!((head.cpu, head.has_lost, head.complete_from), (5, true, Some(999)));
        assert!(!head.is_damaged && head.errors == 0 && bundle.compact().is_none());
        let mut count = 0;
        for (number, event) in (0..).zip(bundle.events()) {
            assert_eq!((event.timestamp, event.tid, event.number), (1_000 + number, 77, 13));
            let mut idle = Writer::new();
            idle.varint(1, number);
            assert_eq!(event.bytes, idle.as_bytes());
            count += 1;
        }
        assert_eq!(count, EVENTS);
    };
    FtraceBundle::read(bundle.as_bytes(), check);
    let mut packet = Writer::new();
    packet.bytes(1, bundle.as_bytes());
    let batch = PacketBatch::of_packet(0, packet.as_bytes());
    let packet = batch.packets().next().expect("a packet");
    let data = packet.data().next().expect("its data");
    let Some(BatchedPart::Bundle(bundle)) = data.part else { panic!("no bundle: {data:?}") };
    check(bundle);
}

#[test]
fn packed_packets_are_unpacked_ahead() {
    /// Packed bytes, the machine, a budget, and what is unpacked: packets, bytes, and whether it is whole.
    fn check(
        (packed, machine, budget): (&[u8], u64, &UnpackBudget),
        expected: Option<(usize, u64, bool)>,
    ) {
        let mut trace = Writer::new();
        trace.message(1, |packet| {
            packet.varint(98, machine);
            packet.bytes(COMPRESSED_PACKETS, packed);
        });
        let mut batch = PacketBatch::default();
        assert!(batch.fill(&mut PacketStream::new(trace.as_bytes()), budget));
        let packet = batch.packets().next().expect("a packet");
        let found = match packet.data().next().expect("its data").part {
            Some(BatchedPart::Unpacked(unpacked)) => {
                Some((unpacked.packets.packets().count(), unpacked.size, unpacked.is_whole))
            }
            _ => None,
        };
        assert_eq!(found, expected);
    }
    let deflate = |bytes: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    };
    let (small, budget) = (trace(), &UnpackBudget::default());
    let packed = deflate(&small);
    check((&packed, 0, budget), Some((3, small.len() as u64, true)));
    check((b"no stream", 0, budget), Some((0, 0, false)));
    // More than recorders pack at once is left to a budget; others' packets and those past the budget are not used at all.
    check((&deflate(&small.repeat(40_000)), 0, budget), None);
    check((&deflate(&[0x0a, 0].repeat(20_000)), 0, budget), None);
    check((&packed, 7, budget), None);
    let exceeded = UnpackBudget::new(Some(1));
    exceeded.take(2);
    check((&packed, 0, &exceeded), None);
}

#[test]
fn a_long_packet_is_alone_in_its_batch() {
    let mut trace = Writer::new();
    let long = vec![7; 5 << 20];
    for bytes in [&long[..10], &long, &long[..20], &long[..30], &long, &long] {
        trace.message(1, |packet| packet.bytes(900, bytes));
    }
    check_batches(trace.as_bytes(), 6);
    let (mut stream, mut batch) = (PacketStream::new(trace.as_bytes()), PacketBatch::default());
    let mut counts = Vec::new();
    loop {
        let is_long = PacketBatch::is_long_next(&mut stream);
        if !batch.fill(&mut stream, &UnpackBudget::default()) {
            break;
        }
        counts.push((is_long, batch.packets().count()));
    }
    assert_eq!(counts, [(false, 1), (true, 1), (false, 2), (true, 1), (true, 1)]);
    // One that is cut off is no packet, and what is before it is read.
    check_batches(&trace.as_bytes()[..trace.as_bytes().len() - 1], 5);
}
