//! Files whose tables are full: classes move to another file, and everything gets its probes.

use std::borrow::Cow;

use crate::art::{ArtHost, calibrated};
use crate::probed::{check_code, check_map};
use wattle_apk::{Alignment, Apk, ApkEditor, ApkSet, Compression, ReadLimit, WrittenSet};
use wattle_dex::{
    AccessFlags, Body, Class, CodeBuilder, Dex, DexFile, Field, Method, MethodId, Opcode, Operand,
    Section, Verifier,
};
use wattle_probe::{
    CodeFile, Instrumented, Mode, Options, PackageOptions, ProbeMap, ShortMethods, Sink,
    SkipReason, instrument, instrument_packages,
};
use wattle_testdata::requires;

const OBJECT: &str = "Ljava/lang/Object;";
const STATIC: AccessFlags = AccessFlags(0x9);
/// Entries that the format can number.
const LIMIT: u32 = 1 << 16;

fn options(sink: Sink) -> Options {
    let mut options = Options::default();
    options.sink = sink;
    options.scope.all = true;
    options.short_methods = ShortMethods::Probe;
    options.threads = 2;
    options
}

/// A file under construction.
struct Full {
    file: DexFile<'static>,
    last: Option<MethodId>,
}

impl Full {
    fn new(version: u16) -> Self {
        Self { file: DexFile::new(version), last: None }
    }

    /// Adds a class with a method `run` that calls that of the class before, and what `fill` adds to both.
    fn class(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut DexFile<'static>, &mut Class, &mut CodeBuilder),
    ) {
        let descriptor = format!("L{name};");
        let pool = self.file.pool_mut();
        let mut class =
            Class::new(pool.ty(&descriptor), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
        let id = pool.method(&descriptor, "run", "()V").unwrap();
        let mut code = CodeBuilder::new(1, 0);
        if let Some(last) = self.last.replace(id) {
            code.invoke(Opcode::INVOKE_STATIC, last, &[]);
        }
        fill(&mut self.file, &mut class, &mut code);
        code.return_void();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        class.direct_methods.push(Method { id, access: STATIC, body });
        self.file.add_class(class);
    }
}

/// Adds native methods to a class.
fn natives(file: &mut DexFile<'static>, class: &mut Class, count: u32) {
    let descriptor = file.pool().descriptor(class.ty).unwrap().to_string();
    for index in 0..count {
        let name = format!("m{index}");
        let id = file.pool_mut().method(&descriptor, &name, "()V").unwrap();
        let access = STATIC | AccessFlags::NATIVE;
        class.direct_methods.push(Method { id, access, body: Body::None });
    }
}

/// A file with a table of so many entries, made of a hundred classes.
fn full(section: Section, count: u32) -> Vec<u8> {
    const CLASSES: u32 = 100;
    let mut full = Full::new(39);
    let mut next = 0;
    for index in 0..CLASSES {
        full.class(&format!("full/C{index:03}"), |file, class, code| {
            // What is still missing, divided among the classes that follow; the last takes what is left.
            let others = CLASSES - index - 1;
            // Each class to come brings its own type and method.
            let own = match section {
                Section::TYPE_IDS | Section::METHOD_IDS => others,
                _ => 0,
            };
            let missing = count.saturating_sub(file.pool().count(section) + own);
            let share = missing / (others + 1);
            match section {
                Section::METHOD_IDS => natives(file, class, share),
                Section::FIELD_IDS => {
                    let descriptor = file.pool().descriptor(class.ty).unwrap().to_string();
                    for field in 0..share {
                        let id = file.pool_mut().field(&descriptor, &format!("f{field}"), "I");
                        class.static_fields.push(Field { id, access: STATIC, value: None });
                    }
                }
                Section::TYPE_IDS => {
                    for _ in 0..share {
                        let ty = file.pool_mut().ty(&format!("Lother/T{next};"));
                        next += 1;
                        code.with_type(Opcode::CONST_CLASS, &[0], ty);
                    }
                }
                _ => {
                    for _ in 0..share {
                        // Sixteen parameters of two kinds, and one of another that tells `()V` apart.
                        let bits = (0..16).map(|bit| if next >> bit & 1 == 0 { 'I' } else { 'J' });
                        let signature = format!("({})V", bits.collect::<String>());
                        next += 1;
                        let proto = file.pool_mut().proto(&signature).unwrap();
                        code.op(Opcode::CONST_METHOD_TYPE, &[0], Operand::Proto(proto));
                    }
                }
            }
        });
    }
    let bytes = full.file.write().unwrap();
    assert_eq!(Dex::parse(&bytes).unwrap().count(section), count, "{section}");
    bytes
}

fn probe(bytes: &[u8], sink: Sink) -> Instrumented {
    probe_as(bytes, sink, Mode::Methods)
}

fn probe_as(bytes: &[u8], sink: Sink, mode: Mode) -> Instrumented {
    let file = CodeFile { name: "classes.dex".to_owned(), bytes: Cow::Borrowed(bytes) };
    let mut options = options(sink);
    options.mode = mode;
    instrument(&[file], &options).unwrap()
}

#[track_caller]
fn check(section: Section, count: u32, files: usize) {
    check_as(Mode::Methods, section, count, files);
}

#[track_caller]
fn check_as(mode: Mode, section: Section, count: u32, files: usize) {
    let bytes = full(section, count);
    for sink in [Sink::Trace, Sink::File] {
        let label = format!("{count} {section}, {}", sink.name());
        let code = probe_as(&bytes, sink, mode);
        assert_eq!(code.files.len(), files, "{label}");
        assert!(code.files.iter().all(|file| file.origin == 0), "{label}");
        assert_eq!(code.counts.methods_probed, code.counts.methods_with_code, "{label}");
        assert_eq!(code.counts.methods_probed, 100, "{label}");
        check_code(&label, &[&bytes], &code);
        check_map(&label, &[&bytes], &code);
        // The map names the files that were given, by bytes 12 to 32 of their headers.
        let hex = bytes[12..32].iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(ProbeMap::parse(&code.map).unwrap().header.code, [hex], "{label}");
    }
}

#[test]
fn full_tables_of_methods() {
    for (missing, files) in [(16, 1), (6, 1), (5, 2), (1, 2), (0, 2)] {
        check(Section::METHOD_IDS, LIMIT - missing, files);
    }
}

#[test]
fn full_tables_of_types() {
    for (missing, files) in [(16, 1), (4, 1), (3, 2), (0, 2)] {
        check(Section::TYPE_IDS, LIMIT - missing, files);
    }
}

#[test]
fn full_tables_of_signatures() {
    for (missing, files) in [(16, 1), (3, 1), (2, 2), (0, 2)] {
        check(Section::PROTO_IDS, LIMIT - missing, files);
    }
}

/// Probes of calls may tell how many bytes these moved, for which they need more.
#[test]
fn full_tables_where_bytes_are_counted() {
    for (section, needed) in
        [(Section::METHOD_IDS, 11), (Section::TYPE_IDS, 7), (Section::PROTO_IDS, 6)]
    {
        check_as(Mode::Both, section, LIMIT - needed, 1);
        check_as(Mode::Both, section, LIMIT - needed + 1, 2);
    }
}

/// Probes name no fields.
#[test]
fn full_tables_of_fields() {
    check(Section::FIELD_IDS, LIMIT, 1);
}

#[test]
fn a_class_that_fills_a_table_alone_is_left_as_it_is() {
    for first in [true, false] {
        let mut full = Full::new(35);
        // With its own `run` and that of the small class, every number is taken.
        let huge = |file: &mut DexFile<'static>, class: &mut Class, _: &mut CodeBuilder| {
            natives(file, class, LIMIT - 2);
        };
        if first {
            full.class("a/Huge", huge);
            full.class("b/Small", |_, _, _| ());
        } else {
            full.class("a/Small", |_, _, _| ());
            full.class("b/Huge", huge);
        }
        let bytes = full.file.write().unwrap();
        let code = probe(&bytes, Sink::Trace);
        check_code("huge", &[&bytes], &code);
        check_map("huge", &[&bytes], &code);
        assert_eq!(code.files.len(), 2);
        assert_eq!(code.counts.methods_probed, 1);
        let left_out: Vec<_> =
            code.left_out.iter().map(|it| (it.method.as_str(), it.reason)).collect();
        let name = if first { "La/Huge;->run()V" } else { "Lb/Huge;->run()V" };
        assert_eq!(left_out, [(name, SkipReason::TooLarge)]);
    }
}

#[test]
fn entries_that_nothing_needs_are_left_out() {
    let mut full = Full::new(35);
    full.class("a/A", |file, _, _| {
        for index in 0..LIMIT - 2 {
            file.pool_mut().method("La/A;", &format!("m{index}"), "()V").unwrap();
        }
    });
    full.class("b/B", |_, _, _| ());
    let bytes = full.file.write().unwrap();
    let code = probe(&bytes, Sink::Trace);
    check_code("unneeded", &[&bytes], &code);
    check_map("unneeded", &[&bytes], &code);
    assert_eq!(code.files.len(), 1);
    assert!(Dex::parse(&code.files[0].bytes).unwrap().count(Section::METHOD_IDS) < 16);
}

#[requires(data)]
#[test]
fn names_in_a_package_go_on_without_a_gap() {
    let package = wattle_testdata::bytes("apk/androguard-androidTest-3dex.apk");
    let apk = Apk::open(&package).unwrap();
    let mut editor = ApkEditor::new(&apk);
    let bytes = full(Section::METHOD_IDS, LIMIT);
    editor.replace("classes2.dex", bytes.as_slice(), Compression::Deflated).unwrap();
    let package = editor.finish(Alignment::default()).unwrap();
    let set = ApkSet::from_files(vec![("base.apk".to_owned(), package)]).unwrap();
    let written =
        instrument_packages(&set, &options(Sink::Trace), &PackageOptions::default()).unwrap();
    let WrittenSet::Files(packages) = written.packages else { panic!("one package") };
    let apk = Apk::open(&packages[0].1).unwrap();
    let names: Vec<_> = apk.code_entries().map(|entry| entry.name().to_owned()).collect();
    // Three that were there, one that classes moved to, one with the runtime class.
    let expected = ["classes.dex", "classes2.dex", "classes3.dex", "classes4.dex", "classes5.dex"];
    assert_eq!(names, expected);
    let mut classes = std::collections::HashSet::new();
    for entry in apk.code_entries() {
        let bytes = entry.read(ReadLimit::default()).unwrap();
        let dex = Dex::parse(&bytes).unwrap();
        let defects = Verifier::new(&dex).structure();
        assert!(defects.is_empty(), "{}: {defects:?}", entry.name());
        for (_, class) in dex.class_defs() {
            let name = dex.descriptor_str(class.unwrap().class).unwrap().into_owned();
            assert!(classes.insert(name.clone()), "{name} twice");
        }
    }
    assert!((0..100).all(|index| classes.contains(&format!("Lfull/C{index:03};"))));
}

/// The class with `main` moves; it calls a class that stays.
#[requires(env = "WATTLE_ART")]
#[test]
fn a_real_runtime_runs_what_was_divided() {
    let art = ArtHost::new();
    let mut full = Full::new(35);
    full.class("a/First", |file, class, code| {
        natives(file, class, LIMIT - 10);
        code.const_int(0, 1);
    });
    let last = full.last.unwrap();
    let pool = full.file.pool_mut();
    let mut class = Class::new(pool.ty("LMain;"), Some(pool.ty(OBJECT)), AccessFlags::PUBLIC);
    let out = pool.field("Ljava/lang/System;", "out", "Ljava/io/PrintStream;");
    let println = pool.method("Ljava/io/PrintStream;", "println", "(I)V").unwrap();
    let id = pool.method("LMain;", "main", "([Ljava/lang/String;)V").unwrap();
    natives(&mut full.file, &mut class, 6);
    let mut code = CodeBuilder::new(3, 1);
    code.invoke(Opcode::INVOKE_STATIC, last, &[])
        .field(Opcode::SGET_OBJECT, &[0], out)
        .const_int(1, 42)
        .invoke(Opcode::INVOKE_VIRTUAL, println, &[0, 1])
        .return_void();
    let body = Body::Code(Box::new(code.finish().unwrap()));
    class.direct_methods.push(Method { id, access: STATIC, body });
    full.file.add_class(class);
    let bytes = full.file.write().unwrap();
    let code = probe(&bytes, Sink::Trace);
    let map = code.map_id.short();
    let folder = tempfile::tempdir().unwrap();
    let mut class_path = Vec::new();
    let files = code.files.iter().map(|file| file.bytes.as_slice());
    for (index, bytes) in files.chain([code.runtime.as_slice()]).enumerate() {
        let path = folder.path().join(format!("{index}.dex"));
        std::fs::write(&path, bytes).unwrap();
        class_path.push(path);
    }
    let moved = Dex::parse(&code.files[1].bytes).unwrap();
    assert_eq!(
        moved.descriptor_str(moved.class_def(wattle_dex::ClassIndex(0)).unwrap().class).unwrap(),
        "LMain;"
    );
    let output = art.run::<&str>(&class_path, "Main", &[], &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected =
        [format!("B 1 Main.main #2@{map}"), format!("B 1 a.First.run #1@{map}"), "E 1".into()];
    let [main, first, end] = &expected;
    assert_eq!(calibrated::apart(&printed).rest, [main, first, end, end]);
}
