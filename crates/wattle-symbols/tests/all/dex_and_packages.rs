//! Methods of real Dalvik executables against what `dexdump` says, and code inside packages.

use std::collections::BTreeMap;

use crate::support::{Bench, PROGRAM, functions, made_code, note, stack, stacks, tool};
use wattle_apk::{Alignment, Apk, ApkEditor, Compression, ReadLimit};
use wattle_dex::{Body, ClassIndex, Dex};
use wattle_symbols::{DexMethods, NamedBy, Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{Frame, FrameAddress, FrameKind, Timeline};

const LIMIT: ReadLimit = ReadLimit(1 << 28);

/// The code of a package.
fn code(package: &str, entry: &str) -> Vec<u8> {
    let content = wattle_testdata::bytes(package);
    Apk::open(&content).unwrap().entry(entry).unwrap().read(LIMIT).unwrap()
}

/// An instruction as `dexdump -d` lists it: method and line.
struct Listed {
    method: String,
    line: Option<u32>,
}

/// All instructions by their offset in the file.
fn dexdump(dex: &[u8]) -> BTreeMap<u64, Listed> {
    let bench = Bench::new();
    std::fs::write(bench.path("classes.dex"), dex).unwrap();
    let text = tool("dexdump", &["-d", &bench.text("classes.dex")]);
    let mut listed: BTreeMap<u64, Listed> = BTreeMap::new();
    // Of the method that is being read: its name, its instructions by unit.
    let mut method = String::new();
    let mut units: BTreeMap<u64, u64> = BTreeMap::new();
    for text in text.lines() {
        // Strings of the code may have anything in them, ends of lines included.
        let header = text.split_once('|').filter(|it| it.0.trim_end().ends_with(':'));
        if let Some(name) = header.and_then(|it| it.1.strip_prefix('[')) {
            // `0a5e34:   |[0a5e34] com.x.Main.run:(I)V`
            let name = name.split_once("] ").unwrap().1;
            name.split(":(").next().unwrap().clone_into(&mut method);
            units.clear();
        } else if let Some((before, unit)) = text.split_once('|') {
            // `0a5e44: 7010 0500 0000   |0000: invoke-direct …`
            let Some((offset, _)) = before.split_once(": ") else { continue };
            let (Ok(offset), Some((unit, _))) =
                (u64::from_str_radix(offset, 16), unit.split_once(':'))
            else {
                continue;
            };
            units.insert(u64::from_str_radix(unit, 16).unwrap(), offset);
            listed.insert(offset, Listed { method: method.clone(), line: None });
        } else if let Some((unit, number)) = text.trim().split_once(" line=") {
            // `0x0003 line=27`
            let from = u64::from_str_radix(unit.strip_prefix("0x").unwrap(), 16).unwrap();
            for offset in units.range(from..).map(|it| it.1) {
                listed.get_mut(offset).unwrap().line = Some(number.parse().unwrap());
            }
        }
    }
    listed
}

#[track_caller]
fn check_methods(package: &str, entry: &str, least: usize, has_lines: bool) {
    let dex = code(package, entry);
    let listed = dexdump(&dex);
    assert!(listed.len() >= least, "{package}: {} instructions", listed.len());
    // As a `.vdex` file has it: something in front, aligned to 4.
    let mut vdex = b"vdex027\0dex\n035\0 no executable".to_vec();
    vdex.resize(vdex.len().next_multiple_of(4), 0);
    let shift = vdex.len() as u64;
    vdex.extend_from_slice(&dex);
    for (content, shift) in [(&dex, 0), (&vdex, shift)] {
        let methods = DexMethods::find(content);
        let mut lines = 0;
        for (offset, expected) in &listed {
            let address = FrameAddress::InFile(offset + shift);
            let found = methods.place(address);
            let found = found.unwrap_or_else(|| panic!("{offset:x}: {}", expected.method));
            assert_eq!(found.function, expected.method, "{offset:x}");
            assert_eq!(found.line, expected.line, "{offset:x} {}", expected.method);
            assert_eq!(found.kind, Some(FrameKind::Java));
            lines += usize::from(found.line.is_some());
        }
        assert_eq!(lines > 0, has_lines, "{package}");
        assert_eq!(methods.place(FrameAddress::InFile(shift)), None);
    }
}

#[test]
fn methods_of_made_code() {
    let code = made_code();
    let class = Dex::parse(&code).unwrap().class(ClassIndex(0)).unwrap();
    let methods = DexMethods::find(&code);
    let named = class.direct_methods.iter().map(|method| {
        let Body::Source(item) = method.body else { panic!("a method without code") };
        // Behind the header of the code item.
        let place = methods.place(FrameAddress::InFile(u64::from(item) + 16)).unwrap();
        place.function
    });
    let mut named: Vec<String> = named.collect();
    named.sort();
    assert_eq!(named, ["made.Main.one", "made.Main.two"]);
    assert_eq!(methods.place(FrameAddress::InFile(0)), None);
}

#[requires(data, program = "dexdump")]
#[test]
fn methods_of_real_packages() {
    check_methods("apk/androguard-a2dp.Vol_137.apk", "classes.dex", 10_000, true);
    check_methods("apk/fdroid-com.politedroid_3.apk", "classes.dex", 500, false);
    check_methods("apk/nowinandroid-release-b227394536.apk", "classes2.dex", 10_000, true);
}

/// A package with a library and code stored in it as they are.
fn package(bench: &Bench) -> (Vec<u8>, Vec<u8>, u64) {
    let base = wattle_testdata::bytes("apk/androguard-a2dp.Vol_137.apk");
    let apk = Apk::open(&base).unwrap();
    let dex = apk.entry("classes.dex").unwrap().read(LIMIT).unwrap();
    let file = bench.compile("gcc", PROGRAM, &["-O2", "-g"], "libprogram.so");
    let leaf = functions(&file, &[]).into_iter().find(|it| it.2 == "leaf").unwrap().0;
    let library = std::fs::read(file).unwrap();
    let mut editor = ApkEditor::new(&apk);
    editor.add("lib/arm64-v8a/libprogram.so", library, Compression::Stored).unwrap();
    editor.replace("classes.dex", dex.clone(), Compression::Stored).unwrap();
    (editor.finish(Alignment::default()).unwrap(), dex, leaf)
}

#[requires(data, program = "dexdump", program = "gcc", program = "nm")]
#[test]
fn code_inside_packages() {
    let bench = Bench::new();
    let (content, dex, leaf) = package(&bench);
    let listed = dexdump(&dex);
    let (instruction, expected) = listed.iter().nth(100).unwrap();
    std::fs::create_dir(bench.path("given")).unwrap();
    std::fs::write(bench.path("given/base.apk"), &content).unwrap();
    let apk = Apk::open(&content).unwrap();
    let start = |name: &str| apk.entry(name).unwrap().data_offset() as u64;
    let sources = Sources::open(&[bench.path("given")], &[], None).unwrap();
    let check = |mapping: &str, address: FrameAddress, expected: &str, by: NamedBy| {
        let mut timeline = Timeline::default();
        let mapping = Some(timeline.names.intern(mapping));
        let frame = Frame { mapping, address, ..Frame::default() };
        stack(&mut timeline, &[frame], 1);
        let done = symbolise(&mut timeline, &sources);
        assert_eq!(stacks(&timeline), [[expected]], "{mapping:?} {:?}", timeline.quality.notes);
        assert_eq!(done.named_by.get(&by), Some(&1));
    };
    let (elf, code) = (start("lib/arm64-v8a/libprogram.so"), start("classes.dex"));
    let in_file = FrameAddress::InFile;
    // The first segment of what gcc links has its addresses as offsets; code of small programs is aligned alike.
    check("/data/app/x/base.apk!libprogram.so", FrameAddress::InElf(leaf), "leaf", NamedBy::Elf);
    check("base.apk!/lib/arm64-v8a/libprogram.so", FrameAddress::InElf(leaf), "leaf", NamedBy::Elf);
    check("/data/app/x/base.apk", in_file(elf + leaf), "leaf", NamedBy::Elf);
    check("/data/app/x/base.apk", in_file(code + instruction), &expected.method, NamedBy::Dex);
    let extracted = "[anon:dalvik-classes.dex extracted in memory from /data/app/x/base.apk]";
    check(extracted, in_file(*instruction), &expected.method, NamedBy::Dex);

    // Behind everything.
    let mut timeline = Timeline::default();
    let mapping = Some(timeline.names.intern("/data/app/x/base.apk"));
    let frame = Frame { mapping, address: in_file(content.len() as u64 + 4), ..Frame::default() };
    stack(&mut timeline, &[frame], 1);
    symbolise(&mut timeline, &sources);
    assert_eq!(stacks(&timeline), [["?"]]);
    assert!(note(&timeline, "symbols-missing").unwrap().contains("base.apk"));
}

/// A real package has a library of one name for each ABI; without a build id nobody knows which it was.
#[requires(data, program = "nm")]
#[test]
fn libraries_of_several_abis() {
    let path = wattle_testdata::path("apk/fdroid-org.dyndns.fules.ck_20.apk");
    let bench = Bench::new();
    let content = std::fs::read(&path).unwrap();
    let library =
        Apk::open(&content).unwrap().entry("lib/x86/libsymlink.so").unwrap().read(LIMIT).unwrap();
    std::fs::write(bench.path("libsymlink.so"), library).unwrap();
    let listed = functions(&bench.path("libsymlink.so"), &["-D"]);
    let (address, _, name) = listed.iter().find(|it| it.2.starts_with("Java_")).unwrap();
    let sources = Sources::open(&[path], &[], None).unwrap();
    let check = |mapping: &str, expected: &str| {
        let mut timeline = Timeline::default();
        let mapping = Some(timeline.names.intern(mapping));
        let address = FrameAddress::InElf(*address);
        stack(&mut timeline, &[Frame { mapping, address, ..Frame::default() }], 1);
        symbolise(&mut timeline, &sources);
        assert_eq!(stacks(&timeline), [[expected]], "{:?}", timeline.quality.notes);
    };
    check("/data/app/x/base.apk!/lib/x86/libsymlink.so", name);
    check("/data/app/x/lib/x86/libsymlink.so", name);
}
