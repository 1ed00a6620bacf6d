//! Functions of PE files: files whose bytes the tests write, and files that a compiler made, against what binutils say of these.

use std::path::{Path, PathBuf};

use crate::support::{Bench, addr2line, shown, stack, tool};
use wattle_symbols::{NamedBy, PeImage, Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{Frame, FrameAddress, FrameKind, Timeline};

/// Offsets in the file of [`pe`], relative to the image.
const CODE: u32 = 0x1000;
const DATA: u32 = 0x2000;
/// Offsets of the sections in the file.
const CODE_AT: usize = 0x200;
const DATA_AT: usize = 0x400;

fn put(bytes: &mut [u8], at: usize, content: &[u8]) {
    bytes[at..at + content.len()].copy_from_slice(content);
}

/// A library for x86-64 with one section of code and one of data: exports, an unwind table, and what identifies its debug data.
fn pe(stamp: u32, exports: &[(&str, u32)], extents: &[(u32, u32)]) -> Vec<u8> {
    let mut file = vec![0; 0x800];
    put(&mut file, 0, b"MZ");
    put(&mut file, 0x3c, &0x40_u32.to_le_bytes());
    put(&mut file, 0x40, b"PE\0\0");
    put(&mut file, 0x44, &0x8664_u16.to_le_bytes());
    put(&mut file, 0x46, &2_u16.to_le_bytes());
    put(&mut file, 0x48, &stamp.to_le_bytes());
    put(&mut file, 0x54, &240_u16.to_le_bytes());
    put(&mut file, 0x56, &0x2022_u16.to_le_bytes());
    // The optional header, of 64 bits.
    let optional = 0x58;
    put(&mut file, optional, &0x20b_u16.to_le_bytes());
    put(&mut file, optional + 24, &0x1_8000_0000_u64.to_le_bytes());
    put(&mut file, optional + 32, &0x1000_u32.to_le_bytes());
    put(&mut file, optional + 36, &0x200_u32.to_le_bytes());
    put(&mut file, optional + 56, &0x3000_u32.to_le_bytes());
    put(&mut file, optional + 60, &0x200_u32.to_le_bytes());
    put(&mut file, optional + 108, &16_u32.to_le_bytes());
    let mut directory = |number: usize, address: u32, size: u32| {
        put(&mut file, optional + 112 + number * 8, &address.to_le_bytes());
        put(&mut file, optional + 116 + number * 8, &size.to_le_bytes());
    };
    directory(0, DATA, 0x200);
    directory(3, DATA + 0x200, 12 * extents.len() as u32);
    directory(6, DATA + 0x300, 28);
    for (index, (name, address, offset, flags)) in [
        (&b".text\0\0\0"[..], CODE, CODE_AT, 0x6000_0020_u32),
        (&b".rdata\0\0"[..], DATA, DATA_AT, 0x4000_0040),
    ]
    .into_iter()
    .enumerate()
    {
        let header = optional + 240 + index * 40;
        let size = if address == CODE { 0x200_u32 } else { 0x400 };
        put(&mut file, header, name);
        put(&mut file, header + 8, &size.to_le_bytes());
        put(&mut file, header + 12, &address.to_le_bytes());
        put(&mut file, header + 16, &size.to_le_bytes());
        put(&mut file, header + 20, &(offset as u32).to_le_bytes());
        put(&mut file, header + 36, &flags.to_le_bytes());
    }
    // The export directory: addresses, pointers to names, ordinals, names.
    let count = exports.len() as u32;
    let lists = DATA + 40;
    for (at, value) in
        [(20, count), (24, count), (28, lists), (32, lists + 4 * count), (36, lists + 8 * count)]
    {
        put(&mut file, DATA_AT + at, &value.to_le_bytes());
    }
    let mut text = 40 + 10 * exports.len();
    for (index, (name, address)) in exports.iter().enumerate() {
        put(&mut file, DATA_AT + 40 + 4 * index, &address.to_le_bytes());
        put(
            &mut file,
            DATA_AT + 40 + 4 * (exports.len() + index),
            &(DATA + text as u32).to_le_bytes(),
        );
        put(&mut file, DATA_AT + 40 + 8 * exports.len() + 2 * index, &(index as u16).to_le_bytes());
        put(&mut file, DATA_AT + text, name.as_bytes());
        text += name.len() + 1;
    }
    for (index, (begin, end)) in extents.iter().enumerate() {
        put(&mut file, DATA_AT + 0x200 + 12 * index, &begin.to_le_bytes());
        put(&mut file, DATA_AT + 0x204 + 12 * index, &end.to_le_bytes());
    }
    // The debug directory: an entry of CodeView, and its record.
    put(&mut file, DATA_AT + 0x300 + 12, &2_u32.to_le_bytes());
    put(&mut file, DATA_AT + 0x300 + 16, &36_u32.to_le_bytes());
    put(&mut file, DATA_AT + 0x300 + 20, &(DATA + 0x340).to_le_bytes());
    put(&mut file, DATA_AT + 0x300 + 24, &(DATA_AT as u32 + 0x340).to_le_bytes());
    put(&mut file, DATA_AT + 0x340, b"RSDS");
    put(&mut file, DATA_AT + 0x344, &std::array::from_fn::<u8, 16, _>(|index| index as u8 + 1));
    put(&mut file, DATA_AT + 0x354, &7_u32.to_le_bytes());
    put(&mut file, DATA_AT + 0x358, b"x.pdb\0");
    file
}

const STAMP: u32 = 0x56bc_c786;
/// Of [`pe`] with [`STAMP`], and of its debug data.
const IMAGE_ID: &str = "56bcc786000030";
const DEBUG_ID: &str = "0403020106050807090a0b0c0d0e0f1000000007";

const EXPORTS: [(&str, u32); 4] =
    [("first", CODE), ("second", CODE + 0x40), ("third", CODE + 0x100), ("table", DATA + 0x10)];
const EXTENTS: [(u32, u32); 3] =
    [(CODE, CODE + 0x20), (CODE + 0x20, CODE + 0x40), (CODE + 0x40, CODE + 0x80)];

fn name(image: &PeImage<'_>, address: FrameAddress) -> Option<String> {
    let [places] = &image.places(&[address])[..] else { panic!("one address") };
    places.last().map(|it| it.function.clone())
}

#[test]
fn the_nearest_export_names_an_address() {
    let file = pe(STAMP, &EXPORTS, &EXTENTS);
    let image = PeImage::parse(&file).unwrap();
    let check = |address: u32, expected: Option<&str>| {
        let found = name(&image, FrameAddress::InElf(u64::from(address)));
        assert_eq!(found.as_deref(), expected, "{address:#x}");
    };
    check(CODE, Some("first"));
    // The unwind table has both in one function.
    check(CODE + 0x1f, Some("first"));
    // Another function, which is not exported.
    check(CODE + 0x20, Some("first+0x20"));
    check(CODE + 0x7f, Some("second"));
    check(CODE + 0x90, Some("second+0x50"));
    check(CODE + 0x110, Some("third+0x10"));
    // Before the code, behind it, and data.
    check(CODE - 1, None);
    check(CODE + 0x200, None);
    check(DATA + 0x10, None);
    // By the place in the file, as Wine's mappings have it.
    let in_file = FrameAddress::InFile(CODE_AT as u64 + 0x7f);
    assert_eq!(name(&image, in_file).as_deref(), Some("second"));
    assert_eq!(name(&image, FrameAddress::Absolute(u64::from(CODE))), None);
    assert_eq!(PeImage::build_id(&file).unwrap().to_string(), IMAGE_ID);
}

/// A timeline with one address of a library, and what the recording says of it.
fn timeline(mapping: &str, ids: &[&str]) -> Timeline {
    let mut timeline = Timeline::default();
    for id in ids {
        let pair = (timeline.names.intern(mapping), timeline.names.intern(id));
        timeline.code.samples.build_ids.push(pair);
    }
    let mapping = Some(timeline.names.intern(mapping));
    let address = FrameAddress::InElf(u64::from(CODE) + 0x44);
    let kernel = Frame { mapping, address, kind: FrameKind::Kernel, ..Frame::default() };
    stack(&mut timeline, &[kernel], 1);
    timeline
}

#[track_caller]
fn check_found(folder: &Path, mapping: &str, ids: &[&str], expected: Option<&str>, noted: &str) {
    let mut timeline = timeline(mapping, ids);
    let sources = Sources::open(&[PathBuf::from(folder)], &[], None).unwrap();
    let done = symbolise(&mut timeline, &sources);
    let named = timeline.code.samples.frames[0].function.map(|it| timeline.names.get(it));
    assert_eq!(named, expected, "{mapping} {ids:?}");
    assert_eq!(done.named_by.contains_key(&NamedBy::Pe), expected.is_some());
    let notes: Vec<&str> = timeline.quality.notes.iter().map(|it| it.text.as_str()).collect();
    assert!(notes.iter().any(|it| it.contains(noted)), "{notes:?}");
}

/// By what identifies it, whatever it is called; by its name, whatever its case, if nothing identifies it; and by nothing else.
#[test]
fn the_file_of_a_module_is_found() {
    let bench = Bench::new();
    std::fs::write(bench.path("KERNEL.dll"), pe(STAMP, &EXPORTS, &EXTENTS)).unwrap();
    let folder = bench.0.path();
    let path = r"\SystemRoot\System32\kernel.DLL";
    check_found(folder, path, &[IMAGE_ID], Some("second"), "PE files");
    check_found(folder, r"C:\elsewhere\other.dll", &[IMAGE_ID], Some("second"), "PE files");
    check_found(folder, r"C:\elsewhere\other.dll", &[DEBUG_ID], Some("second"), "PE files");
    check_found(folder, path, &[], Some("second"), "PE files");
    check_found(folder, "/home/u/.wine/kernel.dll", &[], Some("second"), "PE files");
    check_found(folder, path, &["56bcc78700003000"], None, "is refused");
    check_found(folder, r"C:\elsewhere\other.dll", &[], None, "other.dll");
    // Two builds of one name, and nothing that says which it was.
    std::fs::create_dir(bench.path("old")).unwrap();
    std::fs::write(bench.path("old/kernel.dll"), pe(1, &EXPORTS, &[])).unwrap();
    check_found(folder, path, &[], None, "kernel.dll");
    check_found(folder, path, &[IMAGE_ID], Some("second"), "PE files");
}

#[test]
fn no_damage_ends_in_a_panic() {
    let file = pe(STAMP, &EXPORTS, &EXTENTS);
    let addresses: Vec<FrameAddress> = (0..0x3000)
        .step_by(0x3f)
        .map(FrameAddress::InElf)
        .chain([FrameAddress::InFile(0x205), FrameAddress::InElf(u64::MAX)])
        .collect();
    let check = |bytes: &[u8]| {
        let _ = PeImage::build_id(bytes);
        if let Some(image) = PeImage::parse(bytes) {
            assert_eq!(image.places(&addresses).len(), addresses.len());
        }
    };
    for end in 0..file.len() {
        check(&file[..end]);
    }
    for at in 0..file.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut file = file.clone();
            file[at] = value;
            check(&file);
        }
    }
}

const SOURCE: &str = "\
int alpha(int x) {
    volatile int sum = 0;
    for (int i = 0; i < x; i++) sum += i * x;
    return sum;
}
__attribute__((noinline)) static int hidden(int x) {
    volatile int sum = 0;
    for (int i = 0; i < x; i++) sum -= i * x;
    return sum;
}
int omega(int x) { return hidden(x) + alpha(x) * 3; }
";

/// A library for Windows that exports two of three functions.
fn library(bench: &Bench, flags: &[&str], link: &[&str]) -> PathBuf {
    let object = bench.compile(
        "clang",
        SOURCE,
        &[&["--target=x86_64-pc-windows-gnu", "-O1", "-c"], flags].concat(),
        "x.o",
    );
    let out = format!("/out:{}", bench.text("x.dll"));
    let fixed = [
        "/dll",
        "/noentry",
        "/nologo",
        "/export:alpha",
        "/export:omega",
        &out,
        object.to_str().unwrap(),
    ];
    tool("lld-link", &[&fixed, link].concat());
    bench.path("x.dll")
}

/// With debug data each address is what `addr2line` says; without, exports and the unwind table tell as much as they can.
#[requires(
    program = "clang",
    program = "lld-link",
    program = "nm",
    program = "addr2line",
    program = "objdump"
)]
#[test]
fn a_compiled_library_is_named_as_binutils_do() {
    const BASE: u64 = 0x1_8000_0000;
    let bench = Bench::new();
    let file = library(&bench, &["-g"], &["/debug:dwarf"]);
    let listed = tool("nm", &[file.to_str().unwrap()]);
    let start = |name: &str| {
        let line = listed.lines().find(|it| it.ends_with(&format!(" {name}"))).unwrap();
        u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap() - BASE
    };
    let (alpha, omega, hidden) = (start("alpha"), start("omega"), start("hidden"));
    let bytes = std::fs::read(&file).unwrap();
    let image = PeImage::parse(&bytes).unwrap();
    let addresses: Vec<u64> = [alpha, omega, hidden].iter().flat_map(|it| *it..it + 0x28).collect();
    let lookups: Vec<FrameAddress> = addresses.iter().map(|it| FrameAddress::InElf(*it)).collect();
    let texts: Vec<u64> = addresses.iter().map(|it| it + BASE).collect();
    let expected = addr2line("addr2line", &file, &texts);
    for ((address, found), expected) in addresses.iter().zip(image.places(&lookups)).zip(expected) {
        assert_eq!(shown(&found), expected, "{address:#x}");
    }

    // The same code without any symbols.
    library(&bench, &[], &["/timestamp:0x5f000001"]);
    let bytes = std::fs::read(&file).unwrap();
    let image = PeImage::parse(&bytes).unwrap();
    for (start, shift, expected) in [
        (alpha, 0, "alpha"),
        (alpha, 0x28, "alpha"),
        (omega, 0x20, "omega"),
        (hidden, 8, &format!("omega+{:#x}", hidden + 8 - omega)),
    ] {
        assert_eq!(name(&image, FrameAddress::InElf(start + shift)).as_deref(), Some(expected));
    }
    let headers = tool("objdump", &["-p", file.to_str().unwrap()]);
    let size = headers.lines().find_map(|it| it.strip_prefix("SizeOfImage")).unwrap().trim();
    let id = format!("5f000001{size}");
    assert_eq!(PeImage::build_id(&bytes).unwrap().to_string(), id.trim_end_matches("00"));
}
