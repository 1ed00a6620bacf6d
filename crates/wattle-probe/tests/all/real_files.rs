//! Every real package and every real Dalvik executable gets probes, or is refused for a stated reason.

#![allow(clippy::print_stdout, reason = "what was left out is worth reading")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::in_front;
use crate::probed::{check_code, check_map, check_untouched};
use wattle_apk::{Apk, ApkSet, ReadLimit, WrittenSet};
use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, Dex, DexFile, Method, Opcode};
use wattle_probe::{
    CodeFile, Instrumented, Options, PackageOptions, ProbeMap, ShortMethods, Sink, instrument,
    instrument_packages,
};
use wattle_testdata::requires;

const SINKS: [Sink; 5] = [Sink::Trace, Sink::Logcat, Sink::File, Sink::Navitas, Sink::Orka];

/// Everything, short methods too.
fn everything(sink: Sink) -> Options {
    let mut options = Options::default();
    options.sink = sink;
    options.scope.all = true;
    options.short_methods = ShortMethods::Probe;
    options.threads = 2;
    options
}

/// The files of a folder of the test data with one of the endings.
fn listing(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let folder = wattle_testdata::path(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ending = |path: &Path| path.extension().and_then(|it| it.to_str()).map(str::to_owned);
    let fits = |path: &PathBuf| ending(path).is_some_and(|it| endings.contains(&it.as_str()));
    let mut paths: Vec<_> = entries.filter(fits).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no file of code");
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Adds up over files.
#[derive(Default)]
struct Sums {
    with_code: u64,
    probed: u64,
    left_out: Vec<String>,
}

impl Sums {
    fn add(&mut self, label: &str, code: &Instrumented) {
        let counts = &code.counts;
        self.with_code += counts.methods_with_code;
        self.probed += counts.methods_probed;
        let left_out = code.left_out.iter();
        self.left_out.extend(left_out.map(|it| format!("{label}: {} {}", it.method, it.reason)));
        let unsafe_: u64 =
            counts.skipped.iter().filter(|(reason, _)| reason.is_unsafe()).map(|(_, n)| n).sum();
        assert_eq!(counts.methods_with_code, counts.methods_probed + unsafe_, "{label}");
        assert_eq!(code.left_out.len() as u64, unsafe_, "{label}: each is named");
        assert!(
            counts.methods_probed * 100 >= counts.methods_with_code * 99,
            "{label}: {} of {}",
            counts.methods_probed,
            counts.methods_with_code
        );
    }

    fn finish(&self) {
        println!("{} of {} methods have probes", self.probed, self.with_code);
        for line in &self.left_out {
            println!("  {line}");
        }
    }
}

/// Puts probes into files of code and checks what comes out.
fn check_files(label: &str, files: &[CodeFile<'_>], sink: Sink, sums: &mut Sums) {
    let code = instrument(files, &everything(sink)).unwrap_or_else(|it| panic!("{label}: {it}"));
    let before: Vec<&[u8]> = files.iter().map(|file| file.bytes.as_ref()).collect();
    check_code(label, &before, &code);
    check_map(label, &before, &code);
    sums.add(label, &code);
}

#[requires(data)]
#[test]
fn every_real_file_of_code() {
    let mut sums = Sums::default();
    for path in listing("dex", &["dex"]) {
        for sink in SINKS {
            let bytes = Cow::Owned(std::fs::read(&path).unwrap());
            let file = CodeFile { name: name(&path), bytes };
            check_files(&format!("{}, {}", name(&path), sink.name()), &[file], sink, &mut sums);
        }
    }
    sums.finish();
}

/// Why packages of the test data are refused: a part of the message.
const REFUSED: [(&str, &str); 4] = [
    // Its only file of code is not what the entry's header says: another length, another CRC.
    ("redex-test.apk", "597924 bytes announced, 597970 came out"),
    ("tools-base-split.apk", "the base package is missing"),
    ("tools-base-split2.apk", "the base package is missing"),
    ("tools-base-android-app-bundle.aab", "bundletool build-apks"),
];

#[requires(data)]
#[test]
fn every_real_package() {
    let mut sums = Sums::default();
    let (mut refused, mut wrong) = (Vec::new(), Vec::new());
    let folders = ["apk", "apk/splits", "apk/apksig"];
    for path in folders.iter().flat_map(|folder| listing(folder, &["apk", "aab"])) {
        let file = name(&path);
        for sink in SINKS {
            let label = format!("{file}, {}", sink.name());
            let set = ApkSet::open(&[&path]).map_err(|error| error.to_string());
            let written = set.and_then(|set| {
                let options = PackageOptions::default();
                instrument_packages(&set, &everything(sink), &options)
                    .map(|written| (set, written))
                    .map_err(|error| error.to_string())
            });
            let expected = REFUSED.iter().find(|(name, _)| *name == file);
            match (written, expected) {
                (Ok((set, written)), None) => {
                    let before = code_of(&set.members()[0].bytes);
                    let WrittenSet::Files(packages) = written.packages else { panic!("{label}") };
                    let after = code_of(&packages[0].1);
                    // The runtime class is the last file of code, and names go on without a gap.
                    let mut code = written.code;
                    assert_eq!(after.last().unwrap(), &code.runtime, "{label}");
                    code.files = in_front::running(&label, &before, &after);
                    let before: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
                    check_code(&label, &before, &code);
                    check_map(&label, &before, &code);
                    let embedded = Apk::open(&packages[0].1).unwrap();
                    assert_eq!(embedded.read(ProbeMap::ENTRY).unwrap(), code.map, "{label}");
                    sums.add(&label, &code);
                }
                (Err(error), Some((_, reason))) if error.contains(reason) => {
                    refused.push(format!("{label}: {error}"));
                }
                (Ok(_), Some(_)) => wrong.push(format!("{label}: not refused")),
                (Err(error), _) => wrong.push(format!("{label}: {error}")),
            }
        }
    }
    println!("{}", refused.join("\n"));
    sums.finish();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The files of code of a package, by their names' numbers.
pub fn code_of(package: &[u8]) -> Vec<Vec<u8>> {
    let apk = Apk::open(package).unwrap();
    let names: Vec<_> = apk.code_entries().map(|entry| entry.name().to_owned()).collect();
    for (index, name) in names.iter().enumerate() {
        let expected =
            if index == 0 { "classes.dex".to_owned() } else { format!("classes{}.dex", index + 1) };
        assert_eq!(*name, expected);
    }
    apk.code_entries().map(|entry| entry.read(ReadLimit::default()).unwrap()).collect()
}

#[requires(data)]
#[test]
fn the_number_of_threads_does_not_matter() {
    for file in ["apk/androguard-a2dp.Vol_137.apk", "apk/androguard-androidTest-3dex.apk"] {
        let bytes = wattle_testdata::bytes(file);
        let files = files_of(&bytes);
        for sink in [Sink::Trace, Sink::File] {
            let with_threads = |threads| {
                let mut options = everything(sink);
                options.threads = threads;
                let code = instrument(&files, &options).unwrap();
                (code.files, code.map, code.runtime, code.counts, code.left_out)
            };
            let one = with_threads(1);
            for threads in [2, 3] {
                assert!(one == with_threads(threads), "{file}, {sink:?}, {threads} threads");
            }
        }
    }
}

fn files_of(package: &[u8]) -> Vec<CodeFile<'static>> {
    let code = code_of(package).into_iter().enumerate();
    code.map(|(index, bytes)| CodeFile { name: index.to_string(), bytes: Cow::Owned(bytes) })
        .collect()
}

/// Code that the defaults leave alone does what it did.
#[requires(data)]
#[test]
fn what_gets_no_probe_stays_as_it_is() {
    for file in ["apk/androguard-a2dp.Vol_137.apk", "apk/androguard-androidTest-3dex.apk"] {
        let bytes = wattle_testdata::bytes(file);
        let files = files_of(&bytes);
        let before: Vec<&[u8]> = files.iter().map(|file| file.bytes.as_ref()).collect();
        let code = instrument(&files, &Options::default()).unwrap();
        check_code(file, &before, &code);
        check_map(file, &before, &code);
        let untouched = check_untouched(file, &before, &code);
        let counts = &code.counts;
        assert_eq!(untouched, counts.methods_with_code - counts.methods_probed, "{file}");
        assert!(untouched > 100, "{file}");
    }
}

/// A file of a version with a class that has one method.
fn generated(version: u16, class: &str) -> DexFile<'static> {
    let mut file = DexFile::new(version);
    let pool = file.pool_mut();
    let descriptor = format!("L{class};");
    let object = pool.ty("Ljava/lang/Object;");
    let mut it = Class::new(pool.ty(&descriptor), Some(object), AccessFlags::PUBLIC);
    let id = pool.method(&descriptor, "run", "(I)V").unwrap();
    let gc = pool.method("Ljava/lang/System;", "gc", "()V").unwrap();
    let mut code = CodeBuilder::new(1, 1);
    code.line(3).invoke(Opcode::INVOKE_STATIC, gc, &[]).return_void();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    it.direct_methods.push(Method {
        id,
        access,
        body: Body::Code(Box::new(code.finish().unwrap())),
    });
    file.add_class(it);
    file
}

#[test]
fn every_version_of_the_format() {
    let container =
        DexFile::write_container(&[generated(41, "a/A"), generated(41, "b/B")]).unwrap();
    for (label, bytes, files) in [
        ("035", generated(35, "a/A").write().unwrap(), 1),
        ("039", generated(39, "a/A").write().unwrap(), 1),
        ("040", generated(40, "a/A").write().unwrap(), 1),
        ("041", generated(41, "a/A").write().unwrap(), 1),
        ("041, two in one", container, 2),
    ] {
        let version = Dex::parse(&bytes).unwrap().header().version;
        for sink in SINKS {
            let file = CodeFile { name: label.to_owned(), bytes: Cow::Borrowed(&bytes) };
            let code = instrument(&[file], &everything(sink)).unwrap();
            assert_eq!(code.counts.methods_probed, files, "{label}");
            assert_eq!(code.files.len() as u64, files, "{label}");
            for written in &code.files {
                let dex = Dex::parse(&written.bytes).unwrap();
                assert_eq!(dex.header().version, version, "{label}");
            }
            check_code(label, &[&bytes], &code);
            check_map(label, &[&bytes], &code);
        }
    }
}
