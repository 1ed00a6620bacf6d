//! Damaged files give what they still have, and never a panic, a hang or memory without end.

#[path = "../../../../fuzz/bodies/symbols.rs"]
mod symbols;

use crate::support::{Bench, PROGRAM, functions, made_code, note, stack, tool};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wattle_symbols::{ElfImage, MiniDebugError, Place, Sources, symbolise, unpack_mini_debug};
use wattle_testdata::requires;
use wattle_timeline::{Frame, FrameAddress, Timeline};
use wattle_unpack::UnpackBudget;

/// One change to a file. Places are counted from either end: section headers are at the end.
#[derive(Clone, Debug)]
enum Change {
    Byte { place: u32, from_end: bool, value: u8 },
    Word { place: u32, from_end: bool, value: u32 },
    Cut { length: u32 },
}

fn change() -> impl Strategy<Value = Change> {
    let telling = prop_oneof![Just(0), Just(1), Just(u32::MAX), Just(0x8000_0000), any::<u32>()];
    let place = || prop_oneof![0_u32..4096, any::<u32>()];
    prop_oneof![
        4 => (place(), any::<bool>(), any::<u8>())
            .prop_map(|(place, from_end, value)| Change::Byte { place, from_end, value }),
        4 => (place(), any::<bool>(), telling)
            .prop_map(|(place, from_end, value)| Change::Word { place, from_end, value }),
        1 => any::<u32>().prop_map(|length| Change::Cut { length }),
    ]
}

fn apply(file: &mut Vec<u8>, change: &Change) {
    let length = file.len().max(1);
    let index = |place: u32, from_end: bool| {
        let place = place as usize % length;
        if from_end { length - 1 - place } else { place }
    };
    match *change {
        Change::Byte { place, from_end, value } => {
            if let Some(byte) = file.get_mut(index(place, from_end)) {
                *byte = value;
            }
        }
        Change::Word { place, from_end, value } => {
            let at = index(place, from_end) & !3;
            if let Some(word) = file.get_mut(at..at + 4) {
                word.copy_from_slice(&value.to_le_bytes());
            }
        }
        Change::Cut { length } => file.truncate(length as usize % file.len().max(1)),
    }
}

fn check(original: &[u8], cases: u32) {
    symbols::run(original);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&prop::collection::vec(change(), 1..6), |changes| {
            let mut file = original.to_vec();
            for change in &changes {
                apply(&mut file, change);
            }
            symbols::run(&file);
            Ok(())
        })
        .unwrap();
}

#[requires(program = "gcc")]
#[test]
fn programs_with_debug_data() {
    let bench = Bench::new();
    check(&std::fs::read(bench.compile("gcc", PROGRAM, &["-O2", "-g"], "program")).unwrap(), 400);
}

#[requires(program = "clang")]
#[test]
fn programs_with_packed_debug_data() {
    let bench = Bench::new();
    let file = bench.compile("clang", PROGRAM, &["-O2", "-g", "-gz"], "program");
    check(&std::fs::read(file).unwrap(), 400);
}

#[requires(program = "gcc", program = "xz")]
#[test]
fn packed_symbols() {
    let bench = Bench::new();
    let file = bench.compile("gcc", PROGRAM, &["-O2"], "program");
    tool("xz", &["-k", file.to_str().unwrap()]);
    let packed = std::fs::read(bench.path("program.xz")).unwrap();
    assert_eq!(unpack_mini_debug(&packed).unwrap(), std::fs::read(&file).unwrap());
    check(&packed, 400);
}

/// Packed sections and symbols are left out once the budget is used up, and the budget knows.
#[requires(program = "clang", program = "gcc", program = "xz", program = "objcopy")]
#[test]
fn packed_sections_share_a_budget() {
    let bench = Bench::new();
    let file = bench.compile("clang", PROGRAM, &["-O2", "-g", "-gz"], "program");
    let with_sections = std::fs::read(file).unwrap();
    let inner = bench.compile("gcc", PROGRAM, &["-O2"], "inner");
    let outer = bench.compile("gcc", PROGRAM, &["-O2", "-s"], "outer");
    tool("xz", &["-k", inner.to_str().unwrap()]);
    let section = format!(".gnu_debugdata={}", bench.text("inner.xz"));
    tool("objcopy", &["--add-section", &section, outer.to_str().unwrap()]);
    let with_symbols = std::fs::read(outer).unwrap();
    for bytes in [with_sections, with_symbols] {
        let enough = UnpackBudget::new(Some(1 << 20));
        assert!(ElfImage::parse_within(&[&bytes], &enough).unwrap().has_symbols());
        let used = (1 << 20) - enough.left();
        assert!(used > 500 && !enough.is_exceeded(), "{used}");
        let short = UnpackBudget::new(Some(used - 1));
        let _ = ElfImage::parse_within(&[&bytes], &short);
        assert!(short.is_exceeded());
    }
}

/// `DW_TAG_inlined_subroutine` in itself, deeper than any stack could follow.
#[requires(program = "gcc", program = "nm")]
#[test]
fn inlined_functions_without_end() {
    const DEPTH: usize = 300_000;
    let bench = Bench::new();
    let source = format!(
        ".text\n.globl f\n.type f, @function\nf: ret\n.Lend:\n.size f, .-f\n\
         .section .debug_abbrev,\"\",@progbits\n\
         .uleb128 1\n.uleb128 0x11\n.byte 1\n.uleb128 0x11\n.uleb128 1\n.uleb128 0x12\n.uleb128 1\n.byte 0, 0\n\
         .uleb128 2\n.uleb128 0x2e\n.byte 1\n.uleb128 0x11\n.uleb128 1\n.uleb128 0x12\n.uleb128 1\n.byte 0, 0\n\
         .uleb128 3\n.uleb128 0x1d\n.byte 1\n.byte 0, 0\n.byte 0\n\
         .section .debug_info,\"\",@progbits\n.long .Lafter - .Lbefore\n.Lbefore: .short 4\n.long 0\n.byte 8\n\
         .uleb128 1\n.quad f\n.quad .Lend\n.uleb128 2\n.quad f\n.quad .Lend\n.fill {DEPTH}, 1, 3\n.fill {}, 1, 0\n.Lafter:\n",
        DEPTH + 2,
    );
    std::fs::write(bench.path("deep.s"), source).unwrap();
    let (file, to) = (bench.text("deep.s"), bench.text("deep.so"));
    tool("gcc", &["-shared", "-nostdlib", "-o", &to, &file]);
    let listed = functions(&bench.path("deep.so"), &[]);
    let bytes = std::fs::read(to).unwrap();
    let lookup = FrameAddress::InElf(listed[0].0);
    let found = ElfImage::parse(&[&bytes]).unwrap().places(&[lookup]);
    assert_eq!(found, [[Place::named("f")]]);
}

/// Data that xz packs 5000 to 1 is not unpacked beyond the limit.
#[requires(program = "xz")]
#[test]
fn bombs() {
    let bench = Bench::new();
    let (file, packed) = (bench.text("zeros"), bench.path("zeros.xz"));
    std::fs::File::create(&file).unwrap().set_len(300 << 20).unwrap();
    tool("xz", &["-k", "-1", "-T1", &file]);
    let found = unpack_mini_debug(&std::fs::read(packed).unwrap());
    assert!(
        matches!(found, Err(MiniDebugError::TooLarge { .. })),
        "{:?}",
        found.map(|it| it.len())
    );
}

#[requires(data)]
#[test]
fn real_executables() {
    let package = wattle_testdata::bytes("apk/fdroid-com.politedroid_3.apk");
    let apk = wattle_apk::Apk::open(&package).unwrap();
    check(&apk.read("classes.dex").unwrap(), 200);
}

#[test]
fn executables() {
    check(&made_code(), 400);
}

#[test]
fn texts() {
    check(b"1000 20 Lcom/x/Main;::run\nffff0000 T do_idle\n2000 ffffffffffffffff x\n", 400);
}

#[requires(program = "gcc", program = "objcopy")]
#[test]
fn what_is_damaged_is_said() {
    let bench = Bench::new();
    let file = bench.compile("gcc", PROGRAM, &["-O2", "-s"], "program");
    std::fs::write(bench.path("mini"), b"no xz").unwrap();
    let section = format!(".gnu_debugdata={}", bench.text("mini"));
    tool("objcopy", &["--add-section", &section, file.to_str().unwrap()]);
    std::fs::write(bench.path("cut"), b"\x7fELF\x02\x01\x01").unwrap();
    for (name, words) in
        [("program", ".gnu_debugdata is not used"), ("cut", "the ELF file cannot be read")]
    {
        let mut timeline = Timeline::default();
        let mapping = Some(timeline.names.intern(name));
        let address = FrameAddress::InElf(0x1040);
        stack(&mut timeline, &[Frame { mapping, address, ..Frame::default() }], 1);
        symbolise(&mut timeline, &Sources::open(&[bench.path(name)], &[], None).unwrap());
        let text = note(&timeline, "symbols-damaged").unwrap();
        assert!(text.contains(words), "{text}");
    }
}
