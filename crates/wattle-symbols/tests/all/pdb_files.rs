//! Functions and lines of PDB files: files that LLVM's linker makes while testing and files that .NET's runtime made, against what LLVM's
//! tools say of these.

use std::path::{Path, PathBuf};

use crate::support::{Bench, note, stack, tool};
use wattle_symbols::{NamedBy, PdbFile, Sources, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{Frame, FrameAddress, Timeline};

const SOURCE: &str = "\
namespace game {
template <class T> struct Box {
    T value;
    __attribute__((noinline)) int weigh(T by) {
        volatile int sum = 0;
        for (int i = 0; i < by; i++) sum = sum + i * value;
        return sum;
    }
};
struct Engine {
    int speed;
    __attribute__((noinline)) int run(int x);
    __attribute__((noinline)) operator int();
};
int Engine::run(int x) {
    Box<int> box{x};
    return box.weigh(speed) + x;
}
Engine::operator int() { volatile int y = speed; return y * 7; }
}
namespace {
__attribute__((noinline)) int hidden(int x) {
    volatile int y = x * 3;
    return y + 1;
}
}
extern \"C\" int omega(int x) {
    game::Engine engine{x};
    return hidden(x) + engine.run(x) + engine;
}
";

const BASE: u64 = 0x1_8000_0000;

/// A library for Windows and its PDB file, `x.dll` and `x.pdb`, in a folder.
fn library(bench: &Bench, flags: &[&str]) -> PathBuf {
    let fixed = ["--target=x86_64-pc-windows-msvc", "-O1", "-c", "-fno-exceptions"];
    let object = bench.compile("clang++", SOURCE, &[&fixed, flags].concat(), "x.o");
    let out = format!("/out:{}", bench.text("x.dll"));
    let pdb = format!("/pdb:{}", bench.text("x.pdb"));
    let object = object.to_str().unwrap();
    tool(
        "lld-link",
        &["/dll", "/noentry", "/nologo", "/debug", "/export:omega", &out, &pdb, object],
    );
    bench.path("x.dll")
}

/// Starts of public functions, relative to the image, by `llvm-pdbutil`, whose numbers of sections and offsets are taken apart here.
fn publics(pdb: &Path, sections: &[u32]) -> Vec<(u32, String)> {
    let text = tool("llvm-pdbutil", &["dump", "--publics", pdb.to_str().unwrap()]);
    let mut name = None;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.contains(" S_PUB32 ") {
            let start = line.find('`').unwrap();
            name = Some(line[start + 1..line.rfind('`').unwrap()].to_owned());
        } else if let Some((flags, place)) = line.trim().split_once(", addr = ")
            && flags.contains("function")
        {
            let (section, offset) = place.split_once(':').unwrap();
            let section: usize = section.parse().unwrap();
            let offset: u32 = offset.parse().unwrap();
            found.push((sections[section - 1] + offset, name.take().unwrap()));
        }
    }
    found.sort();
    found
}

/// Starts of the sections of a native image of .NET: one behind the other, by the sizes that `llvm-pdbutil` lists.
fn native_sections(pdb: &Path) -> Vec<u32> {
    let text = tool("llvm-pdbutil", &["dump", "--section-map", pdb.to_str().unwrap()]);
    let sizes = text.lines().filter_map(|it| it.split_once(", size = "));
    let mut start = 0x1000;
    sizes
        .map(|(_, size)| {
            let here = start;
            start += size.parse::<u32>().unwrap().next_multiple_of(0x1000);
            here
        })
        .collect()
}

/// Starts of sections, by `llvm-pdbutil`.
fn sections(pdb: &Path) -> Vec<u32> {
    let text = tool("llvm-pdbutil", &["dump", "--section-headers", pdb.to_str().unwrap()]);
    let headers = text.lines().filter_map(|it| it.trim().strip_suffix(" virtual address"));
    headers.map(|it| u32::from_str_radix(it, 16).unwrap()).collect()
}

/// Functions, files and lines of addresses, without what is inlined, by `llvm-symbolizer`.
fn symbolizer(dll: &Path, addresses: &[u64]) -> Vec<(String, Option<(String, u32)>)> {
    let mut arguments =
        vec!["--obj".to_owned(), dll.to_string_lossy().into_owned(), "--no-inlines".to_owned()];
    arguments.extend(addresses.iter().map(|it| format!("{:#x}", it + BASE)));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let text = tool("llvm-symbolizer", &arguments);
    let lines: Vec<&str> = text.lines().filter(|it| !it.is_empty()).collect();
    let of = |pair: &[&str]| {
        // `file:line:column`
        let mut place = pair[1].rsplitn(3, ':');
        let (_, line, file) = (place.next(), place.next().unwrap(), place.next().unwrap());
        let file = file.rsplit(['/', '\\']).next().unwrap();
        let is_known = file != "??" && line != "0";
        (pair[0].to_owned(), is_known.then(|| (file.to_owned(), line.parse().unwrap())))
    };
    lines.chunks_exact(2).map(of).collect()
}

#[requires(
    program = "clang++",
    program = "lld-link",
    program = "llvm-symbolizer",
    program = "llvm-pdbutil"
)]
#[test]
fn procedures_and_lines_are_those_of_llvm() {
    let bench = Bench::new();
    let dll = library(&bench, &["-g", "-gcodeview"]);
    let bytes = std::fs::read(bench.path("x.pdb")).unwrap();
    let mut pdb = PdbFile::parse(&bytes).unwrap();
    let starts = publics(&bench.path("x.pdb"), &sections(&bench.path("x.pdb")));
    assert!(starts.len() >= 4, "{starts:?}");
    let (first, last) = (starts.first().unwrap().0, starts.last().unwrap().0);
    let addresses: Vec<u32> = (first..last + 0x10).collect();
    let lookups: Vec<Option<u32>> = addresses.iter().map(|it| Some(*it)).collect();
    let found = pdb.places(&lookups, None);
    let wide: Vec<u64> = addresses.iter().map(|it| u64::from(*it)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for ((address, found), (function, line)) in
        addresses.iter().zip(found).zip(symbolizer(&dll, &wide))
    {
        // Bytes between functions are of none.
        if function == "??" || line.is_none() {
            continue;
        }
        let found = found.unwrap_or_else(|| panic!("{address:#x}: {function}"));
        // LLVM shows what the procedure is called, which for clang is the name with its namespaces.
        assert_eq!(found.function, function.split_once('(').map_or(&*function, |it| it.0));
        let file = found.file.as_deref().and_then(|it| it.rsplit(['/', '\\']).next());
        assert_eq!(file.map(str::to_owned).zip(found.line), line, "{address:#x}");
        seen.insert(found.function);
    }
    assert!(seen.contains("game::Engine::run") && seen.contains("omega"), "{seen:?}");
    assert!(seen.contains("game::Box<int>::weigh") && seen.len() == 5, "{seen:?}");
}

/// Without debug data the linker writes public symbols alone, as Microsoft publishes them: their names are decorated.
#[requires(program = "clang++", program = "lld-link", program = "llvm-pdbutil")]
#[test]
fn public_symbols_name_what_lies_behind_them() {
    let bench = Bench::new();
    library(&bench, &[]);
    let bytes = std::fs::read(bench.path("x.pdb")).unwrap();
    let mut pdb = PdbFile::parse(&bytes).unwrap();
    let starts = publics(&bench.path("x.pdb"), &sections(&bench.path("x.pdb")));
    let mut names = Vec::new();
    for (start, symbol) in &starts {
        let [one, other] = &pdb.places(&[Some(*start), Some(start + 3)], None)[..] else {
            panic!("two places")
        };
        let (one, other) = (one.as_ref().unwrap(), other.as_ref().unwrap());
        assert_eq!(one.function, other.function, "{symbol}");
        assert_eq!(one.line, None);
        names.push(one.function.clone());
    }
    names.sort();
    let expected =
        ["game::Box<int>::weigh", "game::Engine::operator int", "game::Engine::run", "omega"];
    assert_eq!(names, expected, "{starts:?}");
    // Nothing lies before the first, nor in the headers.
    assert_eq!(pdb.places(&[Some(0), None, Some(u32::MAX)], None), [None, None, None]);
}

/// A timeline with one address of a library, and what the recording says of it.
fn timeline(mapping: &str, ids: &[&str], address: u32) -> Timeline {
    let mut timeline = Timeline::default();
    for id in ids {
        let pair = (timeline.names.intern(mapping), timeline.names.intern(id));
        timeline.code.samples.build_ids.push(pair);
    }
    let mapping = Some(timeline.names.intern(mapping));
    let address = FrameAddress::InElf(u64::from(address));
    stack(&mut timeline, &[Frame { mapping, address, ..Frame::default() }], 1);
    timeline
}

#[track_caller]
fn check_found(source: &str, ids: &[&str], address: u32, expected: Option<&str>, code: &str) {
    let mut timeline = timeline(r"C:\app\X.dll", ids, address);
    let sources = Sources::open(&[PathBuf::from(source)], &[], None).unwrap();
    let done = symbolise(&mut timeline, &sources);
    let named = timeline.code.samples.frames[0].function.map(|it| timeline.names.get(it));
    assert_eq!(named, expected, "{source} {ids:?}");
    assert_eq!(done.named_by.contains_key(&NamedBy::Pdb), expected.is_some());
    assert!(note(&timeline, code).is_some(), "{:?}", timeline.quality.notes);
}

/// By GUID and age, from the recording or from the PE file, in the layout of symbol servers, and never by its name.
#[requires(program = "clang++", program = "lld-link", program = "llvm-pdbutil")]
#[test]
fn the_pdb_file_of_a_module_is_found() {
    let bench = Bench::new();
    let dll = library(&bench, &["-g", "-gcodeview"]);
    let pdb = bench.path("x.pdb");
    let (start, _) =
        publics(&pdb, &sections(&pdb)).into_iter().find(|(_, name)| name == "omega").unwrap();
    let mut file = PdbFile::parse(&std::fs::read(&pdb).unwrap()).unwrap();
    let id = file.build_id().unwrap().to_string();
    let summary = tool("llvm-pdbutil", &["dump", "--summary", pdb.to_str().unwrap()]);
    let told = |name: &str| {
        let line = summary.lines().find_map(|it| it.trim().strip_prefix(name)).unwrap();
        line.trim().trim_matches(['{', '}']).replace('-', "").to_ascii_lowercase()
    };
    let (guid, age) = (told("GUID:"), told("Age:"));
    assert_eq!(id, format!("{guid}{:08x}", age.parse::<u32>().unwrap()));

    // A symbol server's folder: the file's name, GUID and age, the file's name again.
    let store = bench.path("store");
    let folder = store.join("x.pdb").join(format!("{guid}{age}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&pdb, folder.join("x.pdb")).unwrap();
    let store = store.to_str().unwrap();
    let other = format!("{}00000009", "ab".repeat(16));
    check_found(store, &[&id], start + 2, Some("omega"), "symbols-named");
    check_found(store, &["5f00000100003000", &id], start + 2, Some("omega"), "symbols-named");
    check_found(store, &[&other], start + 2, None, "symbols-missing");
    check_found(store, &[], start + 2, None, "symbols-missing");
    // As `_NT_SYMBOL_PATH` has it; nothing is downloaded.
    let path = format!("cache*;srv*{store}*https://symbols.invalid/download");
    check_found(&path, &[&id], start + 2, Some("omega"), "symbols-named");
    // Through the library itself, of which the recording knows the name alone.
    std::fs::copy(&dll, bench.path("store/X.dll")).unwrap();
    check_found(store, &[], start + 2, Some("omega"), "symbols-named");
}

/// Paths to symbol servers alone are none that can be used.
#[test]
fn a_path_without_folders_is_refused() {
    let error = Sources::open(&["srv*https://symbols.invalid/x".into()], &[], None).unwrap_err();
    assert!(error.to_string().contains("symbols.invalid"), "{error}");
}

#[requires(program = "clang++", program = "lld-link")]
#[test]
fn no_damage_ends_in_a_panic() {
    let bench = Bench::new();
    library(&bench, &["-g", "-gcodeview"]);
    let whole = std::fs::read(bench.path("x.pdb")).unwrap();
    let addresses: Vec<Option<u32>> = (0x1000..0x1400).step_by(7).map(Some).collect();
    let check = |bytes: &[u8]| {
        let Some(mut pdb) = PdbFile::parse(bytes) else { return };
        let _ = pdb.build_id();
        assert_eq!(pdb.places(&addresses, None).len(), addresses.len());
    };
    for percent in 0..100 {
        check(&whole[..whole.len() * percent / 100]);
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for round in 0..600 {
        let mut bytes = whole.clone();
        for _ in 0..1 << (round % 10) {
            let (at, value) = (random() >> 8, random() as u8);
            // Pages of zeros say nothing.
            let at = (0..bytes.len()).map(|it| (at + it) % bytes.len()).find(|at| bytes[*at] != 0);
            bytes[at.unwrap()] = if round % 3 == 0 { 0xff } else { value };
        }
        check(&bytes);
    }
}

/// PDB files that .NET's runtime wrote of its native images, in an archive of PerfView: each address of the log in these images has the
/// name of the nearest public symbol before it.
#[requires(program = "llvm-pdbutil", data)]
#[test]
fn native_images_are_named_by_the_files_in_the_archive_of_the_log() {
    let archive = wattle_testdata::path("etl/perfview-net.4.5.x86-2016.etl.zip");
    let mut timeline = wattle_ingest::read_paths(std::slice::from_ref(&archive)).unwrap();
    let before = timeline.clone();
    let sources = Sources::open(std::slice::from_ref(&archive), &[], None).unwrap();
    let done = symbolise(&mut timeline, &sources);
    let bench = Bench::new();
    let mut checked = 0;
    for module in ["mscorlib.ni", "System.ni", "System.Xml.ni"] {
        let pdb = bench.path(&format!("{module}.pdb"));
        let mut members = zip::ZipArchive::new(std::fs::File::open(&archive).unwrap()).unwrap();
        let mut has_name = |it: &usize| {
            let member = members.by_index(*it).unwrap();
            member.name().unwrap().ends_with(&format!(r"\{module}.pdb"))
        };
        let index = (0..5).find(|it| has_name(it)).unwrap();
        let mut file = std::fs::File::create(&pdb).unwrap();
        std::io::copy(&mut members.by_index(index).unwrap(), &mut file).unwrap();
        let starts = publics(&pdb, &native_sections(&pdb));
        for (old, new) in before.code.samples.frames.iter().zip(renamed(&timeline, &before)) {
            let is_it = old
                .mapping
                .is_some_and(|it| before.names.get(it).ends_with(&format!(r"\{module}.dll")));
            let FrameAddress::InElf(address) = old.address else { continue };
            if !is_it {
                continue;
            }
            let at = starts.partition_point(|(start, _)| u64::from(*start) <= address);
            let Some((_, symbol)) = at.checked_sub(1).map(|at| &starts[at]) else { continue };
            let name = symbol.trim_start_matches("[COLD] ").split('(').next().unwrap();
            assert_eq!(new.as_deref(), Some(name), "{module} {address:#x}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
    assert_eq!(done.named_by[&NamedBy::Pdb], checked);
}

/// The names that the frames of a timeline have now, by the frames that it had.
fn renamed(now: &Timeline, before: &Timeline) -> Vec<Option<String>> {
    let name = |old: &Frame| {
        let mapping = old.mapping.map(|it| before.names.get(it));
        let frames = &now.code.samples.frames;
        let same = frames.iter().find(|it| {
            it.address == old.address && it.mapping.map(|it| now.names.get(it)) == mapping
        });
        same.and_then(|it| it.function).map(|it| now.names.get(it).to_owned())
    };
    before.code.samples.frames.iter().map(name).collect()
}
