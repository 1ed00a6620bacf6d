//! Small files that become large: archives and streams of all packings, within each other, and numbers that ask for much memory.

use std::io::Read as _;

use super::hostile_file::{HostileFile, Reader};
use super::proto_writer::{bytes, number, packet};
use super::zip_writer::{ZipEntry, zip};

const MB: usize = 1 << 20;

/// All of them.
pub fn bombs() -> Vec<HostileFile> {
    let mut files = Vec::new();
    files.extend(archives());
    files.extend(streams());
    files.extend(perfetto_packets());
    files.extend(event_logs());
    files
}

/// Deflated bytes as a gzip file.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(content, flate2::Compression::fast());
    let _ = encoder.read_to_end(&mut packed);
    packed
}

/// Deflated bytes as a stream of zlib.
pub fn zlib(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::ZlibEncoder::new(content, flate2::Compression::fast());
    let _ = encoder.read_to_end(&mut packed);
    packed
}

/// A frame of zstd: first a block as it is, then one byte repeated, in blocks of 128 KB that take four bytes each.
pub fn zstd_repeated(head: &[u8], byte: u8, megabytes: usize) -> Vec<u8> {
    const BLOCK: u32 = 1 << 17;
    // A window of 1 MB, no size and no checksum.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3];
    let block = |last: u32, kind: u32, size: u32| (size << 3 | kind << 1 | last).to_le_bytes();
    for part in head.chunks(BLOCK as usize) {
        frame.extend(&block(0, 0, part.len() as u32)[..3]);
        frame.extend(part);
    }
    for nth in (0..megabytes * 8).rev() {
        frame.extend(&block(u32::from(nth == 0), 1, BLOCK)[..3]);
        frame.push(byte);
    }
    frame
}

fn archives() -> Vec<HostileFile> {
    let zeros = vec![0; 100 * MB];
    let dex = [b"dex\n035\0".as_slice(), &zeros].concat();
    let manifest = ZipEntry::deflated("AndroidManifest.xml", &zeros[..40 * MB]);
    let code = ZipEntry::deflated("classes.dex", &dex);
    let package = zip(&[manifest, code.clone()]);
    let many = (0..30).map(|nth| {
        let name =
            if nth == 0 { "classes.dex".to_owned() } else { format!("classes{}.dex", nth + 1) };
        code.renamed(&name)
    });
    let split = ZipEntry::deflated("split.apk", &package);
    let nested = (0..20).map(|nth| split.renamed(&format!("split{nth}.apk")));
    let trace = ZipEntry::deflated("t", &[packet(&[number(8, 1)]), zeros.clone()].concat());
    let members = (0..40).map(|nth| trace.renamed(&format!("{nth}.perfetto-trace")));
    let mut quine = zip(&[ZipEntry::deflated("a.txt", &zeros)]);
    for depth in 0..40 {
        quine = zip(&[ZipEntry::deflated(&format!("{depth}.zip"), &quine)]);
    }
    let mut inner = package.clone();
    for depth in 0..12 {
        inner = zip(&[ZipEntry::deflated(&format!("base{depth}.apk"), &inner)]);
    }
    // All entries of the directory are the same bytes.
    let first = ZipEntry::deflated("base.apk", &package);
    let again = |nth: usize| ZipEntry {
        name: format!("{nth}.apk").into(),
        offset: Some(0),
        ..first.clone()
    };
    let overlapping: Vec<_> = std::iter::once(first.clone()).chain((0..200).map(again)).collect();
    let log = ZipEntry::deflated("0.txt", &b"07-01 12:00:00.000  1000  1000 I a: b\n".repeat(MB));
    let log_again =
        |nth: usize| ZipEntry { name: format!("{nth}.txt").into(), offset: Some(0), ..log.clone() };
    let logs: Vec<_> = std::iter::once(log.clone()).chain((1..100).map(log_again)).collect();
    let members_by_thousands: Vec<_> =
        (0..30_000).map(|nth| ZipEntry::stored(&format!("{nth}.txt"), b"x")).collect();
    let long_name = ZipEntry { name: vec![b'n'; 65_535], ..ZipEntry::stored("n", b"dex\n035\0") };
    let claimed = ZipEntry { size: u32::MAX, ..ZipEntry::deflated("classes.dex", &dex[..4096]) };
    let not_utf8 =
        ZipEntry { name: vec![0xff, 0xfe, b'/', b'.', b'.'], ..ZipEntry::stored("n", b"x") };
    let upwards = ZipEntry::stored("../../../../tmp/out.dex", b"dex\n035\0");
    let package_files = [
        ("zeros.apk", package.clone()),
        ("thirty-dex-of-zeros.apk", zip(&many.collect::<Vec<_>>())),
        ("twenty-packages-of-zeros.apks", zip(&nested.collect::<Vec<_>>())),
        ("package-in-package.apks", inner),
        ("overlapping-packages.apks", zip(&overlapping)),
        ("long-name.apk", zip(&[long_name])),
        ("claimed-size.apk", zip(&[claimed])),
        ("not-utf8.apk", zip(&[not_utf8.clone(), ZipEntry::stored("AndroidManifest.xml", b"")])),
        ("upwards.apk", zip(&[upwards, ZipEntry::stored("AndroidManifest.xml", b"")])),
        ("janus.apk", [b"dex\n035\0".as_slice(), &[0; 104], &package].concat()),
    ];
    let trace_files = [
        ("members-of-zeros.zip", zip(&members.collect::<Vec<_>>())),
        ("archive-in-archive.zip", quine),
        ("overlapping-logs.zip", zip(&logs)),
        ("many-members.zip", zip(&members_by_thousands)),
        ("no-members.zip", zip(&[])),
        ("not-utf8.zip", zip(&[not_utf8])),
    ];
    let packages =
        package_files.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Package, file));
    let traces =
        trace_files.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Trace, file));
    packages.chain(traces).collect()
}

fn streams() -> Vec<HostileFile> {
    let zeros = vec![0; 256 * MB];
    let log = b"07-01 12:00:00.000  1000  1000 I a: b\n".repeat(4 * MB);
    let switches = switch_lines(130_000);
    let ledger = b"{\"schema\":\"wattle-ledger/1\",\"names\":[";
    let deep = [b"{\"schema\":".as_slice(), &b"[".repeat(8 * MB)].concat();
    let samples = |line: &[u8]| [b"# time,power\n".as_slice(), &line.repeat(4 * MB)].concat();
    let traces = [
        ("zeros.gz", gzip(&zeros)),
        ("ten-streams-of-zeros.perfetto-trace.gz", gzip(&zeros).repeat(10)),
        ("log.gz", gzip(&log).repeat(4)),
        ("switches.txt.gz", gzip(&switches)),
        ("gzip-in-gzip.gz", gzip(&gzip(&gzip(&zeros)))),
        ("stacks.folded.gz", gzip(&b"a;b;c 1\n".repeat(16 * MB))),
        ("different-stacks.folded.gz", gzip(&different_stacks(400_000))),
        (
            "one-line.txt.gz",
            gzip(&[b"# tracer: nop\n".as_slice(), &b"x".repeat(512 * MB)].concat()),
        ),
        ("samples.csv.gz", gzip(&samples(b"1.0,2.0\n"))),
    ];
    let ledgers = [
        ("zeros.ledger.json.zst", zstd_repeated(ledger, b' ', 4000)),
        ("brackets.ledger.json.zst", zstd_repeated(ledger, b'[', 900)),
        ("deep.ledger.json", deep),
        ("numbers.ledger.json.zst", zstd_repeated(ledger, b'1', 900)),
        ("names.ledger.json", [ledger.as_slice(), &b"\"\",".repeat(10 * MB)].concat()),
        ("runs.ledger.json.gz", gzip(&[ledger.as_slice(), &b"\"\",".repeat(100 * MB)].concat())),
    ];
    let traces = traces.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Trace, file));
    let ledgers =
        ledgers.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Ledger, file));
    traces.chain(ledgers).collect()
}

/// Lines of the scheduler, each with threads that were never seen.
fn switch_lines(count: usize) -> Vec<u8> {
    let mut text = String::from("# tracer: nop\n#\n");
    for nth in 0..count {
        text.push_str(&format!(
            " t{nth}-{} [000] d..3 {}.{:06}: sched_switch: prev_comm=t{nth} prev_pid={} prev_prio=120 prev_state=S ==> next_comm=t{} next_pid={} next_prio=120\n",
            nth + 1, nth / 1000, nth % 1000 * 1000, nth + 1, nth + 1, nth + 2,
        ));
    }
    text.into_bytes()
}

fn different_stacks(count: usize) -> Vec<u8> {
    (0..count).flat_map(|nth| format!("a{nth};b{nth};c{nth} 1\n").into_bytes()).collect()
}

fn perfetto_packets() -> Vec<HostileFile> {
    /// `compressed_packets` and `zstd_compressed_packets`.
    const PACKINGS: [u64; 2] = [50, 133];
    let mut files = Vec::new();
    let mut add = |name: &str, trace: Vec<u8>| {
        files.push(HostileFile::new(format!("{name}.perfetto-trace"), Reader::Trace, trace));
    };
    let empty = packet(&[]);
    let empty_packets = zlib(&empty.repeat(30 * MB));
    add("packed-empty-packets", packet(&[bytes(PACKINGS[0], &empty_packets)]).repeat(40));
    let zeros = zstd_repeated(&[], 0, 63);
    add("packed-zeros", packet(&[bytes(PACKINGS[1], &zeros)]).repeat(200));
    // 0x0a is a packet of ten bytes, each of which is a packet's field of unknown number.
    add(
        "packed-packets-of-zstd",
        packet(&[bytes(PACKINGS[1], &zstd_repeated(&[], 0x0a, 63))]).repeat(100),
    );
    let mut nested = packet(&[number(8, 1)]);
    for depth in 0..30 {
        nested =
            packet(&[bytes(PACKINGS[0], &zlib(&nested.repeat(if depth < 3 { 1000 } else { 1 })))]);
    }
    add("packed-in-packed", nested);
    let process = |nth: u64| {
        let name = bytes(3, format!("process{nth}").as_bytes());
        bytes(1, &[number(1, nth), number(2, 1), name].concat())
    };
    let tree: Vec<u8> = (0..700_000).flat_map(process).collect();
    let tree = packet(&[number(8, 5), bytes(2, &tree)]);
    add("packed-process-trees", packet(&[bytes(PACKINGS[0], &zlib(&tree))]).repeat(2));
    let event = |nth: u64| {
        let name = bytes(23, format!("slice {nth}").as_bytes());
        packet(&[
            number(8, nth),
            number(10, 1),
            bytes(11, &[number(9, 1), number(11, 7), name].concat()),
        ])
    };
    let events: Vec<u8> = (0..1_000_000).flat_map(event).collect();
    add("packed-slices-that-never-end", packet(&[bytes(PACKINGS[0], &zlib(&events))]).repeat(4));
    let interned = |nth: u64| bytes(5, &[number(1, nth), bytes(2, &[b'x'; 40])].concat());
    let strings: Vec<u8> = (0..1_000_000).flat_map(interned).collect();
    let strings = packet(&[number(10, 1), bytes(12, &strings)]);
    add("packed-interned-strings", packet(&[bytes(PACKINGS[0], &zlib(&strings))]).repeat(12));
    let writer = |nth: u64| packet(&[number(8, nth), number(10, nth), number(13, 1)]);
    let writers: Vec<u8> = (0..2_000_000).flat_map(writer).collect();
    add("packed-writers", packet(&[bytes(PACKINGS[0], &zlib(&writers))]).repeat(8));
    files
}

/// Logs of Windows whose buffers are packed, by each packing, and claim to become 64 MB.
fn event_logs() -> Vec<HostileFile> {
    const BUFFER: usize = 1024;
    let buffer = |state: u32, flags: u16, filled: u32, content: &[u8]| {
        let mut buffer = vec![0; BUFFER];
        buffer[..4].copy_from_slice(&(BUFFER as u32).to_le_bytes());
        buffer[4..8].copy_from_slice(&filled.to_le_bytes());
        buffer[0x2c..0x30].copy_from_slice(&state.to_le_bytes());
        buffer[0x30..0x34].copy_from_slice(&filled.to_le_bytes());
        buffer[0x34..0x36].copy_from_slice(&flags.to_le_bytes());
        let end = content.len().min(BUFFER - 72);
        buffer[72..72 + end].copy_from_slice(&content[..end]);
        buffer
    };
    // The log's own header: a system event of version 2, hook 0.
    let mut header = vec![0; 400];
    header[..8].copy_from_slice(&[2, 0, 2, 0xc0, 0x90, 1, 0, 0]);
    header[32..36].copy_from_slice(&(BUFFER as u32).to_le_bytes());
    header[36] = 10;
    // Pointers of 8 bytes, and 10 MHz.
    header[32 + 44] = 8;
    header[32 + 256..32 + 260].copy_from_slice(&10_000_000_u32.to_le_bytes());
    // Chunks of LZNT1 of 4,096 bytes each: a literal, then a match.
    let chunk = [0x03, 0xb0, 0x02, 0x00, 0xfc, 0x0f];
    // A literal, then a match that is said to be 64 MB long.
    let xpress = vec![0xff, 0xff, 0xff, 0x7f, 0, 7, 0, 0x0f, 0xff, 0, 0, 0xf0, 0xff, 0xff, 3];
    let packings = [
        ("lznt1", 2, chunk.repeat(158)),
        ("xpress", 3, xpress),
        ("xpress-huffman", 4, vec![0x11; 900]),
    ];
    let mut files = Vec::new();
    for (name, state, content) in packings {
        let mut log = buffer(state, 0, 472, &header);
        for _ in 0..2000 {
            log.extend(buffer(0, 0x40, 64 << 20, &content));
        }
        files.push(HostileFile::new(format!("packed-{name}.etl"), Reader::Trace, log));
    }
    files
}
