//! Methods of OAT files: tables that the test writes for each structure that versions have had, and real files where there are some.

use crate::oat_reader::{self, ARM64, START, oat_elf};
use crate::support::{Bench, made_code, note, stack, stacks};
use object::{Object as _, ObjectSymbol as _};
use wattle_symbols::{DexMethods, JavaMethod, OatError, Sources, oat_methods, symbolise};
use wattle_timeline::{Frame, FrameAddress, FrameKind, Timeline};

/// `EM_ARM`.
const ARM: u16 = 40;
/// Offsets of the code of the two methods.
const CODE: [u32; 2] = [0x400, 0x440];
/// Its size.
const SIZE: u32 = 24;
const CHECKSUM: u32 = 0x1234_5678;

/// Bytes that are put in places.
#[derive(Default)]
struct Layout(Vec<u8>);

impl Layout {
    fn at(&mut self, at: usize) -> &mut Self {
        self.0.resize(self.0.len().max(at), 0);
        assert_eq!(self.0.len(), at, "what was before is longer");
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn word(&mut self, word: u32) -> &mut Self {
        self.bytes(&word.to_le_bytes())
    }
}

/// An OAT file of a version, whose class has compiled methods as `class` says.
fn oat(version: u32, class: impl FnOnce(&mut Layout)) -> Vec<u8> {
    oat_of(version, version >= 233, class)
}

/// The same with or without the executable's magic and SHA-1 in its record.
fn oat_of(version: u32, has_magic: bool, class: impl FnOnce(&mut Layout)) -> Vec<u8> {
    let mut file = Layout::default();
    file.bytes(b"oat\n").bytes(format!("{version}\0").as_bytes());
    file.word(0).word(2).word(3).word(1).word(0x100);
    file.at(0x100);
    let location = b"/data/app/x/base.apk";
    file.word(location.len() as u32).bytes(location);
    if has_magic {
        file.bytes(b"dex\n035\0");
    }
    file.word(CHECKSUM);
    if has_magic {
        file.bytes(&[7; 20]);
    }
    // The executable is elsewhere; classes; lookup table, layout, mappings.
    file.word(0).word(0x200);
    let mappings = if version >= 186 { 5 } else { 3 };
    file.bytes(&vec![0; 4 * (2 + mappings)]);
    file.at(0x200).word(0x210);
    file.at(0x210);
    class(&mut file);
    // What is before the code says its size; in newer versions it leads to packed numbers that do: the second one in a byte.
    let info: u128 = 0x1 | 0xc << 4 | u128::from(SIZE) << 28;
    file.at(0x300).bytes(&info.to_le_bytes());
    for code in CODE {
        let before = match version {
            ..192 => SIZE | 1 << 31,
            192..238 => (code - 0x300) | 1 << 30,
            238 => (code - 0x300) | 1 << 31,
            _ => code - 0x300,
        };
        file.at(code as usize - 4).word(before);
    }
    file.at(0x460);
    file.0
}

/// State and kind of a class, and how many methods it has where the version says that.
fn class_head(file: &mut Layout, version: u32, kind: u16) {
    file.bytes(&[15, 0]).bytes(&kind.to_le_bytes());
    if version >= 194 && kind < 2 {
        file.word(2);
    }
}

fn all_compiled(version: u32) -> Vec<u8> {
    oat(version, |file| {
        class_head(file, version, 0);
        file.word(CODE[0]).word(CODE[1]);
    })
}

/// A `.vdex` file of Android 12 and later, with the executable in it.
fn vdex(dex: &[u8]) -> Vec<u8> {
    let mut file = Layout::default();
    file.bytes(b"vdex027\0").word(2);
    file.word(0).word(0x30).word(4);
    file.word(1).word(0x40).word(dex.len() as u32);
    file.at(0x30).word(CHECKSUM).at(0x40).bytes(dex);
    file.0
}

fn method(code: u32, size: u32, name: &str) -> JavaMethod {
    let start = START + u64::from(code);
    JavaMethod { start, size: size.into(), name: name.to_owned() }
}

#[track_caller]
fn named(oat: &[u8], machine: u16) -> Vec<JavaMethod> {
    oat_methods(&oat_elf(oat, machine), &vdex(&made_code())).unwrap().unwrap()
}

const NAMES: [&str; 2] = ["made.Main.one", "made.Main.two"];

#[test]
fn every_structure() {
    for version in [138, 170, 183, 186, 192, 194, 230, 233, 238, 239, 275] {
        let expected = [0, 1].map(|nth| method(CODE[nth], SIZE, NAMES[nth]));
        assert_eq!(named(&all_compiled(version), ARM64), expected, "version {version}");
        // Only the second one: the bits are behind their length, or behind the number of methods.
        let some = oat(version, |file| {
            class_head(file, version, 1);
            if version < 194 {
                file.word(4);
            }
            file.word(2).word(CODE[1]);
        });
        assert_eq!(named(&some, ARM64), expected[1..], "version {version}");
        let none = oat(version, |file| class_head(file, version, 2));
        assert_eq!(named(&none, ARM64), [], "version {version}");
    }
    // As a release of Android 14 has it.
    let plain = oat_of(238, false, |file| {
        class_head(file, 238, 0);
        file.word(CODE[0]).word(CODE[1]);
    });
    assert_eq!(named(&plain, ARM64).len(), 2);
}

#[test]
fn shared_code_and_thumb() {
    let shared = oat(239, |file| {
        class_head(file, 239, 0);
        file.word(CODE[0]).word(CODE[0]);
    });
    let expected = method(CODE[0], SIZE, "made.Main.one +1 with the same code");
    assert_eq!(named(&shared, ARM64), [expected]);
    let thumb = oat(239, |file| {
        class_head(file, 239, 0);
        file.word(CODE[0] | 1).word(0);
    });
    assert_eq!(named(&thumb, ARM), [method(CODE[0], SIZE, NAMES[0])]);
}

#[test]
fn what_is_not_known_has_no_names() {
    let vdex = vdex(&made_code());
    let of = |oat: &[u8]| oat_methods(&oat_elf(oat, ARM64), &vdex);
    let error = of(&all_compiled(124)).unwrap().unwrap_err();
    assert_eq!(error, OatError::Version { found: "124".to_owned() });
    assert_eq!(of(b"no OAT file"), None);
    assert_eq!(oat_methods(b"no ELF file", &vdex), None);
    // Of another build.
    let whole = all_compiled(239);
    let mut other = whole.clone();
    let checksum = CHECKSUM.to_le_bytes();
    let at = other.windows(4).position(|it| it == checksum).unwrap();
    other[at] ^= 1;
    assert_eq!(of(&other), Some(Ok(Vec::new())));
    // Cut anywhere: fewer methods, never others, or the reason.
    let all = of(&whole).unwrap().unwrap();
    for length in 8..whole.len() {
        match of(&whole[..length]) {
            Some(Ok(methods)) => {
                let known = |it: &JavaMethod| {
                    all.iter().any(|one| one.start == it.start && one.name == it.name)
                };
                assert!(methods.iter().all(known), "{length}: {methods:?}");
            }
            Some(Err(error)) => assert!(matches!(error, OatError::Truncated { .. }), "{length}"),
            None => panic!("{length}"),
        }
    }
}

/// Samples in `.odex` files get names where the `.vdex` file, or the package, is among the symbols, and say what is missing otherwise.
#[test]
fn samples_in_odex_files() {
    let bench = Bench::new();
    let frame = |timeline: &mut Timeline| {
        let mapping = Some(timeline.names.intern("/data/app/x/oat/arm64/base.odex"));
        let address = FrameAddress::InFile(START + u64::from(CODE[1]) + 8);
        stack(timeline, &[Frame { mapping, address, ..Frame::default() }], 1);
    };
    let run = || {
        let mut timeline = Timeline::default();
        frame(&mut timeline);
        symbolise(&mut timeline, &Sources::open(&[bench.0.path().into()], &[], None).unwrap());
        timeline
    };
    std::fs::write(bench.path("base.odex"), oat_elf(&all_compiled(239), ARM64)).unwrap();
    let without = run();
    assert_eq!(stacks(&without), [["?"]]);
    let missing = note(&without, "symbols-missing").unwrap();
    assert!(missing.contains("names of") && missing.contains("/data/app/x/base.apk"), "{missing}");
    std::fs::write(bench.path("base.vdex"), vdex(&made_code())).unwrap();
    let named = run();
    assert_eq!(stacks(&named), [["made.Main.two"]]);
    let frames = &named.code.samples.frames;
    assert!(frames.iter().any(|it| it.kind == FrameKind::Java), "{frames:?}");
    std::fs::write(bench.path("base.odex"), oat_elf(&all_compiled(999), ARM64)).unwrap();
    let damaged = run();
    assert!(note(&damaged, "symbols-damaged").unwrap().contains("version is 999"));
}

/// A compact executable with the two methods: the tables of the standard one, and its data behind a header of their own.
fn compact(dex: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(dex[at..at + 4].try_into().unwrap());
    // Offsets of data count from the start of the data; here that is the start of the file, too, but for the header that is longer.
    let mut file = dex.to_vec();
    file[..8].copy_from_slice(b"cdex001\0");
    file[0x68..0x6c].copy_from_slice(&(dex.len() as u32).to_le_bytes());
    file[0x6c..0x70].copy_from_slice(&0_u32.to_le_bytes());
    assert!(word(0x60) == 1, "one class");
    file
}

#[test]
fn compact_executables_have_names() {
    let dex = compact(&made_code());
    let vdex = vdex(&dex);
    let methods = oat_methods(&oat_elf(&all_compiled(138), ARM64), &vdex).unwrap().unwrap();
    assert_eq!(methods.iter().map(|it| &*it.name).collect::<Vec<_>>(), NAMES);
    assert!(!DexMethods::find(&vdex).is_empty());
}

#[test]
fn damaged_tables_are_survived() {
    let dex = vdex(&made_code());
    for version in [138, 192, 239] {
        let oat = all_compiled(version);
        for at in 0..oat.len() {
            for bits in [0x01, 0x80, 0xff] {
                let mut damaged = (oat.len() as u16).to_le_bytes().to_vec();
                damaged.extend_from_slice(&oat);
                damaged[2 + at] ^= bits;
                damaged.extend_from_slice(&dex);
                oat_reader::run(&damaged);
            }
        }
    }
}

/// A folder of `.odex` files with what they were compiled of: names and sizes are those that `dex2oat` lists in `.gnu_debugdata`.
#[ignore = "needs `.odex` files of telephones: `WATTLE_ODEX_FILES` is their folder"]
#[test]
fn names_are_those_of_dex2oat() {
    let folder = std::env::var("WATTLE_ODEX_FILES").unwrap();
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|it| it.path()).collect();
    let read = |ending: &str| -> Vec<Vec<u8>> {
        let with = |it: &&std::path::PathBuf| it.extension().is_some_and(|found| found == ending);
        files.iter().filter(with).map(|it| std::fs::read(it).unwrap()).collect()
    };
    let executables = [read("vdex"), read("dex")].concat();
    let mut compared = 0;
    for oat in read("odex") {
        let named = executables.iter().filter_map(|it| oat_methods(&oat, it)?.ok());
        let methods = named.max_by_key(Vec::len).unwrap();
        let file = object::File::parse(&*oat).unwrap();
        let is_arm = file.architecture() == object::Architecture::Arm;
        let packed = object::ObjectSection::data(&file.section_by_name(".gnu_debugdata").unwrap());
        let listed = wattle_symbols::unpack_mini_debug(packed.unwrap()).unwrap();
        let listed = object::File::parse(&*listed).unwrap();
        let functions = listed.symbols().filter(|it| it.kind() == object::SymbolKind::Text);
        for symbol in functions {
            let start = if is_arm { symbol.address() & !1 } else { symbol.address() };
            let found = methods.iter().find(|it| it.start == start);
            let expected = symbol.name().unwrap();
            // Stubs that the linker put between methods are no method's code, nor are marks.
            let Some(found) = found else {
                assert!(expected.contains("Thunk") || expected.starts_with('$'), "{expected}");
                continue;
            };
            assert_eq!(found.size, symbol.size(), "{expected}");
            let name = found.name.split(" +").next().unwrap();
            let is_shared = expected.contains("[DEDUPED]") && found.name.contains(" +");
            assert!(
                is_shared || expected.split('(').next().unwrap().ends_with(name),
                "{name}: {expected}"
            );
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}
