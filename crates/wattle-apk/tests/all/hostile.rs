//! Malformed archives, each refused with the entry and the place named.

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkError, ArchiveProblem, BinaryXml, Compression, EntryProblem,
    ReadLimit, verify_for,
};

use crate::support::made::EMPTY;

const END_RECORD: usize = 22;

/// Offsets of fields, in local headers and in records of the central directory (APPNOTE 4.3.7 and 4.3.12).
#[derive(Clone, Copy)]
struct Field {
    local: usize,
    central: usize,
}
const FLAGS: Field = Field { local: 6, central: 8 };
const METHOD: Field = Field { local: 8, central: 10 };
const CRC: Field = Field { local: 14, central: 16 };
const COMPRESSED_SIZE: Field = Field { local: 18, central: 20 };
const SIZE: Field = Field { local: 22, central: 24 };
const NAME: Field = Field { local: 30, central: 46 };
const LOCAL_OFFSET: usize = 42;

/// An archive of two entries, `one.bin` (stored) and `two.bin` (deflated), that can be broken.
struct Victim {
    file: Vec<u8>,
    /// Offsets of the local headers and of the central records.
    local: [usize; 2],
    central: [usize; 2],
}

fn content() -> Vec<u8> {
    b"some content, some content, some content".to_vec()
}

impl Victim {
    fn new() -> Self {
        let empty = Apk::open(EMPTY).unwrap();
        let mut editor = ApkEditor::new(&empty);
        editor.add("one.bin", content(), Compression::Stored).unwrap();
        editor.add("two.bin", content(), Compression::Deflated).unwrap();
        let file = editor.finish(Alignment::default()).unwrap();
        let apk = Apk::open(&file).unwrap();
        let local = [apk.entries()[0].local_offset(), apk.entries()[1].local_offset()];
        let directory = file.len() - END_RECORD - 2 * (46 + 7);
        Self { file, local, central: [directory, directory + 46 + 7] }
    }

    fn set(mut self, at: usize, bytes: &[u8]) -> Self {
        self.file[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn local(self, entry: usize, field: Field, bytes: &[u8]) -> Self {
        let at = self.local[entry] + field.local;
        self.set(at, bytes)
    }

    fn central(self, entry: usize, field: Field, bytes: &[u8]) -> Self {
        let at = self.central[entry] + field.central;
        self.set(at, bytes)
    }

    fn both(self, entry: usize, field: Field, bytes: &[u8]) -> Self {
        self.local(entry, field, bytes).central(entry, field, bytes)
    }

    fn end(self, field: usize, bytes: &[u8]) -> Self {
        let at = self.file.len() - END_RECORD + field;
        self.set(at, bytes)
    }
}

/// The archive does not open, for this reason, which names the entry.
#[track_caller]
fn check_entry(victim: &Victim, wanted_name: &str, wanted: &str) {
    let error = Apk::open(&victim.file).unwrap_err();
    let text = error.to_string();
    let ApkError::Entry { name, offset, .. } = error else { panic!("{text}") };
    assert!(text.contains(wanted), "{text}");
    assert_eq!(name, wanted_name, "{text}");
    assert!(
        victim.local.contains(&(offset as usize)) || victim.central.contains(&(offset as usize))
    );
}

/// The archive opens, and reading the entry fails for this reason.
#[track_caller]
fn check_read(victim: &Victim, entry: &str, wanted: &str) {
    let error = Apk::open(&victim.file).unwrap().read(entry).unwrap_err().to_string();
    assert!(error.contains(wanted) && error.contains(entry), "{error}");
}

#[track_caller]
fn check_archive(file: &[u8], wanted: &str) {
    let error = Apk::open(file).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn the_victim_is_sound() {
    let victim = Victim::new();
    let apk = Apk::open(&victim.file).unwrap();
    assert_eq!(apk.read("one.bin").unwrap(), content());
    assert_eq!(apk.read("two.bin").unwrap(), content());
}

#[test]
fn tricks_with_names_are_refused() {
    check_entry(&Victim::new().both(1, NAME, b"one.bin"), "one.bin", "two entries of this name");
    let named = |name: &[u8; 7]| Victim::new().both(1, NAME, name);
    check_entry(&named(b"../a.so"), "../a.so", "a .. component");
    check_entry(&named(b"/a/b.so"), "/a/b.so", "absolute");
    check_entry(&named(b"a\\..\\so"), "a\\..\\so", "backslash");
    check_entry(&named(b"a\0.xyz\0"), "a\0.xyz\0", "control character");
    check_entry(&named(b"a\xff.xyzw"), "a\u{fffd}.xyzw", "not valid UTF-8");
    let other = Victim::new().local(0, NAME, b"onE.bin");
    check_entry(&other, "one.bin", "its local header says name \"onE.bin\"");
}

#[test]
fn headers_that_disagree_are_refused() {
    let bytes = |value: u16| value.to_le_bytes();
    check_entry(&Victim::new().both(0, FLAGS, &bytes(1)), "one.bin", "encrypted (flags 0x0001)");
    check_entry(&Victim::new().both(0, FLAGS, &bytes(1 << 6)), "one.bin", "encrypted");
    check_entry(&Victim::new().central(0, FLAGS, &bytes(1)), "one.bin", "encrypted");
    check_entry(
        &Victim::new().local(0, FLAGS, &bytes(1)),
        "one.bin",
        "local header says flags 0x0001",
    );
    check_entry(&Victim::new().local(1, FLAGS, &bytes(8)), "two.bin", "local header says flags");
    check_entry(
        &Victim::new().both(1, FLAGS, &bytes(8)),
        "two.bin",
        "data descriptor does not agree",
    );
    check_entry(&Victim::new().both(0, METHOD, &bytes(12)), "one.bin", "compression method 12");
    check_entry(
        &Victim::new().local(0, METHOD, &bytes(8)),
        "one.bin",
        "method 8, the central directory says 0",
    );
    check_entry(&Victim::new().local(0, METHOD, &bytes(0x2222)), "one.bin", "method 8738");
    check_entry(&Victim::new().local(1, CRC, &[1; 4]), "two.bin", "local header says CRC-32");
    check_entry(&Victim::new().local(1, SIZE, &[0; 4]), "two.bin", "says size 0, the central");
    check_entry(&Victim::new().both(0, SIZE, &[0; 4]), "one.bin", "is stored, yet has 40 bytes");
    let victim = Victim::new();
    let at = victim.local[0];
    check_entry(&victim.set(at, b"XX"), "one.bin", "no local header there");
}

#[test]
fn sizes_and_checksums_that_lie_are_refused() {
    let size = |value: u32| Victim::new().both(1, SIZE, &value.to_le_bytes());
    check_read(&size(39), "two.bin", "39 bytes announced");
    check_read(&size(41), "two.bin", "41 bytes announced, 40 came out");
    check_read(&size(3_000_000_000), "two.bin", "3000000000 bytes are claimed to come out of");
    check_read(&Victim::new().both(1, CRC, &[1; 4]), "two.bin", "CRC-32 0x01010101 announced");
    let victim = Victim::new();
    let at = victim.local[1] + 30 + 7;
    check_read(&victim.set(at, &[0xff; 4]), "two.bin", "compressed data is broken after 0 bytes");

    let victim = Victim::new();
    let apk = Apk::open(&victim.file).unwrap();
    let error = apk.entries()[0].read(ReadLimit(39)).unwrap_err();
    let bomb = EntryProblem::Bomb { compressed: 40, uncompressed: 40, limit: 39 };
    assert!(matches!(&error, ApkError::Entry { problem, .. } if *problem == bomb), "{error}");
}

/// 10 MB of zeros in 10 kB: fine for who expects it, refused for who does not.
#[test]
fn bombs_are_stopped_by_the_limit() {
    let empty = Apk::open(EMPTY).unwrap();
    let mut editor = ApkEditor::new(&empty);
    editor.add("zeros", vec![0; 10 << 20], Compression::Level(9)).unwrap();
    let file = editor.finish(Alignment::default()).unwrap();
    assert!(file.len() < 20_000);
    let apk = Apk::open(&file).unwrap();
    let error = apk.entries()[0].read(ReadLimit(1 << 20)).unwrap_err().to_string();
    assert!(error.contains("more than 1048576 allowed"), "{error}");
    assert_eq!(apk.read("zeros").unwrap().len(), 10 << 20);
}

#[test]
fn entries_that_overlap_are_refused() {
    // An entry inside another one's data.
    let inner = Victim::new();
    let empty = Apk::open(EMPTY).unwrap();
    let mut editor = ApkEditor::new(&empty);
    let hidden = inner.file[inner.local[0]..inner.local[1]].to_vec();
    editor.add("out.bin", hidden, Compression::Stored).unwrap();
    editor.add("one.bin", content(), Compression::Stored).unwrap();
    let file = editor.finish(Alignment::default()).unwrap();
    let apk = Apk::open(&file).unwrap();
    let inside = apk.entries()[0].data_offset();
    let record = file.len() - END_RECORD - (46 + 7);
    let mut file = file.clone();
    file[record + LOCAL_OFFSET..record + LOCAL_OFFSET + 4]
        .copy_from_slice(&(inside as u32).to_le_bytes());
    check_archive(&file, "but \"one.bin\" begins at byte");

    // Data that reaches into the central directory is cut short.
    let victim = Victim::new().both(1, COMPRESSED_SIZE, &200_u32.to_le_bytes());
    check_archive(&victim.file, "a local file header is cut short");
}

#[test]
fn broken_archives_are_refused() {
    check_archive(b"", "no ZIP archive");
    check_archive(&[0; 100], "no ZIP archive");
    let victim = Victim::new();
    check_archive(&victim.file[..victim.file.len() - 1], "no ZIP archive");
    check_archive(&[&victim.file[..], b"x"].concat(), "no ZIP archive");
    let end = |field, bytes: &[u8]| Victim::new().end(field, bytes).file;
    check_archive(&end(16, &[0xff; 4]), "Zip64");
    check_archive(&end(4, &[1]), "several disks");
    check_archive(&end(8, &[1]), "several disks");
    check_archive(
        &end(8, &[1, 0, 1, 0]),
        "53 bytes longer than its 1 records: entries may be hidden",
    );
    check_archive(&end(8, &[3, 0, 3, 0]), "the central directory is cut short");
    check_archive(&end(12, &[0xff, 0, 0]), "the central directory should lie at");
    let victim = Victim::new();
    let record = victim.central[1];
    check_archive(
        &victim.set(record, b"XX").file,
        "expected as signature of a central directory record",
    );
    let victim = Victim::new();
    let at = victim.file.len() - END_RECORD;
    let mut file = victim.file.clone();
    let mut locator = vec![0x50, 0x4b, 0x06, 0x07];
    locator.resize(20, 0);
    file.splice(at..at, locator);
    check_archive(&file, "Zip64");
    let error = Apk::open(&file).unwrap_err();
    assert!(matches!(error, ApkError::Archive { problem: ArchiveProblem::Zip64, .. }));
}

#[test]
fn a_broken_signing_block_is_a_reason_and_no_crash() {
    let victim = Victim::new();
    let directory = victim.central[0];
    for (block, wanted) in [
        (block(99, 24, &[]), "it says 99 bytes at its start and 24 at its end"),
        (block(u64::MAX, u64::MAX, &[]), "at its end"),
        (
            block(36, 36, &[9, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
            "a part of 9 bytes does not fit into the 4",
        ),
        (block(36, 36, &[3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), "a part of 3 bytes"),
    ] {
        let mut file = victim.file.clone();
        file.splice(directory..directory, block.iter().copied());
        let at = file.len() - END_RECORD + 16;
        file[at..at + 4].copy_from_slice(&((directory + block.len()) as u32).to_le_bytes());
        let report = verify_for(&file, 24).unwrap();
        let problem = report.signing_block_problem.clone().unwrap();
        assert!(problem.contains(wanted), "{problem}");
        assert!(!report.is_verified());
    }
}

fn block(start: u64, end: u64, parts: &[u8]) -> Vec<u8> {
    let (start, end) = (start.to_le_bytes(), end.to_le_bytes());
    [&start[..], parts, &end[..], b"APK Sig Block 42"].concat()
}

/// A string pool of many strings that all share the same bytes must not be multiplied in memory.
#[test]
fn shared_strings_do_not_multiply() {
    const STRINGS: u32 = 20_000;
    let text = vec![b'x'; 0x7fff];
    let mut pool = Vec::new();
    let strings_start = 28 + STRINGS * 4;
    let mut data = vec![0xff, 0xff, 0xff, 0xff];
    data.extend_from_slice(&text);
    data.extend_from_slice(&[0]);
    let size = strings_start + data.len() as u32;
    for word in [0x001c_0001, size, STRINGS, 0, 1 << 8, strings_start, 0] {
        pool.extend_from_slice(&u32::to_le_bytes(word));
    }
    pool.resize(strings_start as usize, 0);
    pool.extend_from_slice(&data);
    let mut elements = Vec::new();
    for name in 0..STRINGS {
        for word in [0x0010_0102, 36, 1, u32::MAX, u32::MAX, name, 0x0014_0014, 0, 0] {
            elements.extend_from_slice(&u32::to_le_bytes(word));
        }
        if name > 0 {
            for word in [0x0010_0103, 24, 1, u32::MAX, u32::MAX, name] {
                elements.extend_from_slice(&u32::to_le_bytes(word));
            }
        }
    }
    for word in [0x0010_0103, 24, 1, u32::MAX, u32::MAX, 0] {
        elements.extend_from_slice(&u32::to_le_bytes(word));
    }
    let mut file = Vec::new();
    for word in [0x0008_0003, 8 + size + elements.len() as u32] {
        file.extend_from_slice(&u32::to_le_bytes(word));
    }
    file.extend_from_slice(&pool);
    file.extend_from_slice(&elements);
    let error = BinaryXml::parse(&file).unwrap_err().to_string();
    assert!(error.contains("cannot be decoded"), "{error}");
}

#[test]
fn deep_nesting_is_refused() {
    let mut elements = Vec::new();
    for _ in 0..1000 {
        for word in [0x0010_0102, 36, 1, u32::MAX, u32::MAX, u32::MAX, 0x0014_0014, 0, 0] {
            elements.extend_from_slice(&u32::to_le_bytes(word));
        }
    }
    let mut file = [0x0008_0003_u32, 8 + elements.len() as u32].map(u32::to_le_bytes).concat();
    file.extend_from_slice(&elements);
    let error = BinaryXml::parse(&file).unwrap_err().to_string();
    assert!(error.contains("more than 200 deep"), "{error}");
}
