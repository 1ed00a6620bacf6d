//! Instrumented packages, around their code.

use wattle_apk::{Alignment, Apk, ApkEditor, ApkSet, Compression, Entry, WrittenSet};
use wattle_probe::{
    InstrumentedPackage, Note, Options, PackageOptions, ProbeMap, ShortMethods, instrument_packages,
};
use wattle_testdata::requires;

const A2DP: &str = "apk/androguard-a2dp.Vol_137.apk";

fn options() -> Options {
    let mut options = Options::default();
    options.short_methods = ShortMethods::Probe;
    options
}

/// The package with other entries.
fn edited(package: &[u8], edit: impl FnOnce(&mut ApkEditor<'_>)) -> Vec<u8> {
    let apk = Apk::open(package).unwrap();
    let mut editor = ApkEditor::new(&apk);
    edit(&mut editor);
    editor.finish(Alignment::default()).unwrap()
}

fn instrumented(set: &ApkSet) -> (InstrumentedPackage, Vec<(String, Vec<u8>)>) {
    let done = instrument_packages(set, &options(), &PackageOptions::default()).unwrap();
    let files = match &done.packages {
        WrittenSet::Files(files) => files.clone(),
        WrittenSet::Archive(bytes) => {
            let archive = Apk::open(bytes).unwrap();
            let packages = archive.entries().iter().map(Entry::name);
            packages.map(|name| (name.to_owned(), archive.read(name).unwrap())).collect()
        }
    };
    (done, files)
}

/// The number of files of code that are loaded, of which the last is the runtime class's; no other is there.
#[track_caller]
fn check_code_names(package: &[u8], done: &InstrumentedPackage, expected: usize) {
    let apk = Apk::open(package).unwrap();
    let names = apk.entries().iter().map(Entry::name);
    assert_eq!(names.filter(|name| name.starts_with("classes")).count(), expected);
    assert_eq!(apk.code_entries().count(), expected);
    let last = apk.read(&format!("classes{expected}.dex")).unwrap();
    assert!(last == done.code.runtime, "the runtime class comes last");
}

/// bundletool writes one base package for each kind of device: any of them may be the one that is installed.
#[requires(data)]
#[test]
fn every_base_package_has_what_probes_call() {
    let package = wattle_testdata::bytes(A2DP);
    // An archive of packages is an archive like any other.
    let empty = edited(&package, |editor| {
        let names: Vec<String> =
            editor.apk().entries().iter().map(|entry| entry.name().to_owned()).collect();
        for name in names {
            editor.remove(&name);
        }
        for name in ["splits/base-master.apk", "standalones/standalone-mdpi.apk"] {
            editor.add(name, package.clone(), Compression::Stored).unwrap();
        }
    });
    let set = ApkSet::from_files(vec![("app.apks".to_owned(), empty)]).unwrap();
    let (done, files) = instrumented(&set);
    assert_eq!(files.len(), 2);
    for (name, bytes) in files {
        // Few classes get probes, so they come in front; those of the second package do not run beside those of the first.
        let front = usize::from(name == "splits/base-master.apk");
        check_code_names(&bytes, &done, 2 + front);
        let apk = Apk::open(&bytes).unwrap();
        assert_eq!(apk.read(ProbeMap::ENTRY).unwrap(), done.code.map, "{name}");
        let application = apk.manifest().unwrap().application.unwrap();
        assert!(application.profileable.is_some_and(|it| it.shell), "{name}");
    }
}

#[requires(data)]
#[test]
fn code_behind_a_gap_stays_dead() {
    let package = wattle_testdata::bytes(A2DP);
    let code = Apk::open(&package).unwrap().read("classes.dex").unwrap();
    let gap = edited(&package, |editor| {
        editor.add("classes3.dex", code, Compression::Deflated).unwrap();
    });
    let set = ApkSet::from_files(vec![("app.apk".to_owned(), gap)]).unwrap();
    let (done, files) = instrumented(&set);
    // Few classes get probes, so they come in front, and the number of the dead code is free.
    check_code_names(&files[0].1, &done, 3);
    assert!(done.dropped.iter().any(|it| it.to_string().contains("classes3.dex")));
}

#[requires(data)]
#[test]
fn an_unsigned_result_has_no_old_signature() {
    let package = wattle_testdata::bytes(A2DP);
    let set = ApkSet::from_files(vec![("app.apk".to_owned(), package)]).unwrap();
    let (done, files) = instrumented(&set);
    assert!(done.notes.contains(&Note::Unsigned));
    let apk = Apk::open(&files[0].1).unwrap();
    let left: Vec<&str> = apk.entries().iter().map(Entry::name).collect();
    let is_signature =
        |name: &&&str| [".SF", ".RSA", "MANIFEST.MF"].iter().any(|ending| name.ends_with(ending));
    assert_eq!(left.iter().filter(is_signature).count(), 0, "{left:?}");
}
