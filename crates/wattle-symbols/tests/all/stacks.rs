//! Whole stacks of a timeline: which files are found, refused and missing, and what becomes of the tree.

use std::path::{Path, PathBuf};

use crate::support::{Bench, PROGRAM, functions, note, stack, stacks, tool};
use wattle_symbols::{ElfImage, NamedBy, Sources, Symbolised, SymbolsError, symbolise};
use wattle_testdata::requires;
use wattle_timeline::{
    CodeSite, Frame, FrameAddress, FrameKind, SiteId, SiteKind, SliceOrigin, Timeline,
};

fn frame(timeline: &mut Timeline, mapping: &str, address: FrameAddress) -> Frame {
    Frame { mapping: Some(timeline.names.intern(mapping)), address, ..Frame::default() }
}

fn java(timeline: &mut Timeline, function: &str, line: Option<u32>) -> Frame {
    let function = Some(timeline.names.intern(function));
    Frame { function, kind: FrameKind::Java, line, ..Frame::default() }
}

fn build_id(timeline: &mut Timeline, mapping: &str, id: &str) {
    let pair = (timeline.names.intern(mapping), timeline.names.intern(id));
    timeline.code.samples.build_ids.push(pair);
}

fn open(paths: &[PathBuf]) -> Sources {
    Sources::open(paths, &[], None).unwrap()
}

const MAPPING: &str = "/data/app/x/lib/arm64/libprogram.so";

/// A program of ours, and the call of `leaf` in `outer` that `inner` makes in `middle`.
struct Program {
    bench: Bench,
    id: String,
    leaf: u64,
    call: u64,
}

fn program() -> Program {
    let bench = Bench::new();
    let file =
        bench.compile("gcc", PROGRAM, &["-O2", "-g", "-Wl,--build-id=sha1"], "libprogram.so");
    let listed = functions(&file, &[]);
    let start = |name: &str| listed.iter().find(|it| it.2 == name).unwrap().0;
    // The disassembler shows the first call in `outer`.
    let code = tool(
        "objdump",
        &["-d", "--no-show-raw-insn", "--disassemble=outer", file.to_str().unwrap()],
    );
    let line = code.lines().find(|line| line.contains("call")).unwrap();
    let call = u64::from_str_radix(line.trim().split(':').next().unwrap(), 16).unwrap();
    let id = ElfImage::build_id(&std::fs::read(&file).unwrap()).unwrap().to_string();
    Program { leaf: start("leaf"), call, id, bench }
}

#[track_caller]
fn check(program: &Program, sources: &Sources, mapping: &str, expected: Option<&str>) -> Timeline {
    let mut timeline = Timeline::default();
    build_id(&mut timeline, mapping, &format!("{}000000", program.id));
    let outer = frame(&mut timeline, mapping, FrameAddress::InElf(program.call));
    let leaf = frame(&mut timeline, mapping, FrameAddress::InElf(program.leaf));
    stack(&mut timeline, &[outer, leaf], 3);
    let done = symbolise(&mut timeline, sources);
    match expected {
        None => {
            let named = ["leaf", "+inner", "+middle", "outer"];
            assert_eq!(stacks(&timeline), vec![named; 3]);
            assert_eq!(done.named_by.get(&NamedBy::Elf), Some(&2));
            assert_eq!(done.inlined, 2);
            assert_eq!(note(&timeline, "symbols-missing"), None);
        }
        Some(why) => {
            assert_eq!(stacks(&timeline), vec![["?", "?"]; 3]);
            assert_eq!((done.named(), done.missing[0].count), (0, 6));
            let text = note(&timeline, "symbols-missing").unwrap();
            assert!(text.contains(why) && text.contains(&program.id), "{text}");
        }
    }
    timeline
}

#[requires(program = "gcc", program = "nm", program = "objdump", program = "objcopy")]
#[test]
fn files_are_found_by_build_id_and_by_name() {
    let program = program();
    let file = program.bench.path("libprogram.so");
    check(&program, &open(std::slice::from_ref(&file)), MAPPING, None);
    // Whatever it is called and wherever it is.
    let folder = program.bench.path(&format!("tree/.build-id/{}", &program.id[..2]));
    std::fs::create_dir_all(&folder).unwrap();
    let debug = folder.join(format!("{}.debug", &program.id[2..]));
    tool("objcopy", &["--only-keep-debug", file.to_str().unwrap(), debug.to_str().unwrap()]);
    check(&program, &open(&[program.bench.path("tree")]), MAPPING, None);
    // The recorded path itself, which nobody named.
    check(&program, &Sources::default(), file.to_str().unwrap(), None);
    check(&program, &Sources::default(), MAPPING, Some("--symbols"));
}

#[requires(program = "gcc", program = "nm", program = "objdump", program = "objcopy")]
#[test]
fn another_build_is_refused() {
    let program = program();
    let bench = Bench::new();
    let other = bench.compile("gcc", PROGRAM, &["-O0", "-Wl,--build-id=sha1"], "libprogram.so");
    check(
        &program,
        &open(std::slice::from_ref(&other)),
        MAPPING,
        Some("is refused, it has the build id"),
    );
    // Without a build id the name is all there is.
    tool("objcopy", &["--remove-section=.note.gnu.build-id", other.to_str().unwrap()]);
    let mut timeline = Timeline::default();
    let main = functions(&other, &[]).into_iter().find(|it| it.2 == "main").unwrap();
    let main = frame(&mut timeline, MAPPING, FrameAddress::InElf(main.0));
    stack(&mut timeline, &[main], 1);
    symbolise(&mut timeline, &open(&[other]));
    assert_eq!(stacks(&timeline), [["main"]]);
}

#[requires(program = "gcc", program = "nm", program = "objdump", program = "objcopy")]
#[test]
fn the_path_decides_between_files_of_one_name() {
    let program = program();
    let file = program.bench.path("libprogram.so");
    let [mine, other] =
        ["arm64", "x86"].map(|abi| program.bench.path(&format!("libs/{abi}/libprogram.so")));
    let bench = Bench::new();
    let wrong = bench.compile("gcc", PROGRAM, &["-O0", "-Wl,--build-id=md5"], "libprogram.so");
    for (from, to) in [(&file, &mine), (&wrong, &other)] {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
    let check = |mapping: &str, expected: &str, why: Option<&str>| {
        let mut timeline = Timeline::default();
        let leaf = frame(&mut timeline, mapping, FrameAddress::InElf(program.leaf));
        stack(&mut timeline, &[leaf], 1);
        symbolise(&mut timeline, &open(&[program.bench.path("libs")]));
        assert_eq!(stacks(&timeline), [[expected]], "{mapping}");
        let text = note(&timeline, "symbols-missing");
        assert_eq!(
            text.map(|text| text.contains(why.unwrap_or_default())),
            why.map(|_| true),
            "{text:?}"
        );
    };
    check("/data/app/x/lib/arm64/libprogram.so", "leaf", None);
    check("/data/app/x/lib/libprogram.so", "?", Some("are different builds"));
}

#[requires(
    program = "gcc",
    program = "nm",
    program = "objdump",
    program = "objcopy",
    program = "strip",
    program = "readelf"
)]
#[test]
fn offsets_need_the_file_itself() {
    let program = program();
    let (whole, debug, stripped) = ("libprogram.so", "debug/libprogram.so", "libprogram.stripped");
    std::fs::create_dir(program.bench.path("debug")).unwrap();
    let [whole, debug, stripped] = [whole, debug, stripped].map(|name| program.bench.text(name));
    tool("objcopy", &["--only-keep-debug", &whole, &debug]);
    tool("strip", &["-o", &stripped, &whole]);
    let headers = tool("readelf", &["-lW", &whole]);
    let code = headers.lines().find(|line| line.contains("LOAD") && line.contains("R E")).unwrap();
    let numbers: Vec<u64> = code
        .split_ascii_whitespace()
        .filter_map(|it| u64::from_str_radix(it.strip_prefix("0x")?, 16).ok())
        .collect();
    let offset = |address: u64| FrameAddress::InFile(address - numbers[1] + numbers[0]);
    let check = |files: &[&String], expected: &[&str], code: &str| {
        let mut timeline = Timeline::default();
        build_id(&mut timeline, MAPPING, &program.id);
        let outer = frame(&mut timeline, MAPPING, offset(program.call));
        let leaf = frame(&mut timeline, MAPPING, offset(program.leaf));
        stack(&mut timeline, &[outer, leaf], 1);
        symbolise(&mut timeline, &open(&files.iter().map(PathBuf::from).collect::<Vec<_>>()));
        assert_eq!(stacks(&timeline), [expected], "{files:?}");
        assert!(note(&timeline, code).is_some(), "{:?}", timeline.quality.notes);
    };
    let named = ["leaf", "+inner", "+middle", "outer"];
    check(&[&whole], &named, "symbols-named");
    check(&[&debug, &stripped], &named, "symbols-named");
    check(&[&debug], &["?", "?"], "symbols-missing");
}

#[test]
fn just_in_time_code_and_the_kernel() {
    let bench = Bench::new();
    std::fs::write(bench.path("perf-7.map"), "1000 20 Lcom/x/Main;::run\n").unwrap();
    std::fs::write(bench.path("kallsyms"), "ffff0000 T do_idle\nffff0100 T schedule\n").unwrap();
    let mut timeline = Timeline::default();
    let jit = frame(&mut timeline, "[anon:dalvik-jit-code-cache]", FrameAddress::Absolute(0x101f));
    // Behind the code that was compiled.
    let behind = Frame { address: FrameAddress::Absolute(0x1020), ..jit };
    let mut kernel = frame(&mut timeline, "[kernel.kallsyms]", FrameAddress::Absolute(0xffff_00ff));
    kernel.kind = FrameKind::Kernel;
    let inner = Frame { address: FrameAddress::InFile(0xffff_0104), ..kernel };
    stack(&mut timeline, &[jit, behind, kernel, inner], 1);
    let done = symbolise(&mut timeline, &open(&[bench.0.path().to_owned()]));
    assert_eq!(stacks(&timeline), [["schedule", "do_idle", "?", "com.x.Main.run"]]);
    assert_eq!(done.named_by.get(&NamedBy::Kallsyms), Some(&2));
    let kinds: Vec<FrameKind> = timeline
        .code
        .samples
        .stack(timeline.code.samples.totals[0].site)
        .map(|it| it.kind)
        .collect();
    assert_eq!(kinds[3], FrameKind::Jit);
}

#[test]
fn shrunk_names() {
    const MAPPING_TEXT: &str = "\
com.x.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    1:1:void com.x.Log.write():7:7 -> b
    1:1:void run():20:20 -> b
    void foo(int) -> c
    void bar(int,int) -> c
";
    let bench = Bench::new();
    std::fs::write(bench.path("mapping.txt"), MAPPING_TEXT).unwrap();
    let sources = Sources::open(&[], &[bench.path("mapping.txt")], None).unwrap();
    let mut timeline = Timeline::default();
    let frames = [
        java(&mut timeline, "a.a.b", Some(1)),
        java(&mut timeline, "a.a.c", None),
        java(&mut timeline, "java.lang.Thread.run", Some(5)),
    ];
    stack(&mut timeline, &frames, 2);
    let done = symbolise(&mut timeline, &sources);
    let expected = [
        "java.lang.Thread.run",
        "com.x.Main.foo <OR> com.x.Main.bar",
        "+com.x.Log.write",
        "com.x.Main.run",
    ];
    assert_eq!(stacks(&timeline), [expected, expected]);
    assert_eq!((done.renamed, done.ambiguous), (2, 1));
    let run = timeline.code.samples.stack(timeline.code.samples.totals[0].site).last().unwrap();
    assert_eq!(run.file.map(|file| timeline.names.get(file)), Some("Main.java"));
    assert_eq!(run.line, Some(20));
    assert!(note(&timeline, "symbols-renamed").unwrap().contains("<OR>"));
}

/// Calls of a method trace are told apart by their signatures; those without one are called all that they can have been.
#[test]
fn calls_of_method_traces() {
    const MAPPING_TEXT: &str = "\
com.x.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    1:9:void foo(com.x.Main):40:48 -> c
    10:18:void bar(int,int):60:68 -> c
";
    let bench = Bench::new();
    std::fs::write(bench.path("mapping.txt"), MAPPING_TEXT).unwrap();
    let sources = Sources::open(&[], &[bench.path("mapping.txt")], None).unwrap();
    let mut timeline = Timeline::default();
    let mut call = |name: &str, descriptor: Option<&str>, origin: SliceOrigin| {
        let names = &mut timeline.names;
        let site = descriptor.map(|descriptor| CodeSite {
            kind: SiteKind::Method,
            class: names.intern("a.a"),
            method: names.intern("c"),
            descriptor: Some(names.intern(descriptor)),
            file: None,
            line: None,
            within: None,
        });
        let slices = &mut timeline.code.slices;
        slices.site.push(site.and_then(|_| SiteId::new(timeline.code.sites.sites.len())));
        timeline.code.sites.sites.extend(site);
        slices.name.push(names.intern(name));
        slices.start.push(wattle_units::BootNanos::new(0));
        slices.end.push(wattle_units::BootNanos::new(1));
        slices.depth.push(0);
        slices.origin.push(origin);
    };
    call("a.a.c", Some("(La/a;)V"), SliceOrigin::MethodTrace);
    call("a.a.c(II)V", Some("(II)V"), SliceOrigin::MethodTrace);
    call("a.a.c", None, SliceOrigin::MethodTrace);
    call("a.a.c", None, SliceOrigin::Recorded);
    let done = symbolise(&mut timeline, &sources);
    let names = &timeline.names;
    let calls: Vec<&str> = timeline.code.slices.name.iter().map(|name| names.get(*name)).collect();
    let both = "com.x.Main.foo <OR> com.x.Main.bar";
    assert_eq!(calls, ["com.x.Main.foo", "com.x.Main.bar(II)V", both, "a.a.c"]);
    let sites: Vec<[&str; 3]> = timeline
        .code
        .sites
        .sites
        .iter()
        .map(|it| [it.class, it.method, it.descriptor.unwrap()].map(|name| names.get(name)))
        .collect();
    assert_eq!(sites, [["com.x.Main", "foo", "(Lcom/x/Main;)V"], ["com.x.Main", "bar", "(II)V"]]);
    let file = timeline.code.sites.sites[0].file.map(|file| names.get(file));
    assert_eq!((file, timeline.code.sites.sites[0].line), (Some("Main.java"), Some(40)));
    assert_eq!((done.renamed, done.ambiguous), (3, 1));
}

#[test]
fn what_is_named_must_be_there() {
    let bench = Bench::new();
    let check = |name: &str, content: &str, is: fn(&SymbolsError) -> bool| {
        std::fs::write(bench.path(name), content).unwrap();
        let path = bench.path(name);
        let found = match name {
            "mapping.txt" => Sources::open(&[], &[path], None),
            "hidden" => Sources::open(&[], &[], Some(Path::new(&path))),
            _ => Sources::open(&[path], &[], None),
        };
        let error = found.unwrap_err();
        assert!(is(&error), "{error}");
    };
    check("text.so", "hello", |it| matches!(it, SymbolsError::NotSymbols { .. }));
    check("mapping.txt", "hello", |it| matches!(it, SymbolsError::NotMapping { .. }));
    check("hidden", "0000 T _text\n", |it| matches!(it, SymbolsError::NotKallsyms { .. }));
    let missing = Sources::open(&[bench.path("nothing")], &[], None);
    assert!(matches!(missing, Err(SymbolsError::Read { .. })));
}

#[test]
fn nothing_to_do() {
    let mut timeline = Timeline::default();
    assert_eq!(symbolise(&mut timeline, &Sources::default()), Symbolised::default());
    assert!(timeline.quality.notes.is_empty());
}
