//! Split packages as files and in archives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkSet, Compression, Leftover, SignOptions, WrittenSet,
    invalid_beside, verify_for,
};

/// The smallest ZIP archive: an end record alone.
const EMPTY: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

const SPLITS: [&str; 3] =
    ["splits/tools-base-simple.apk", "splits/tools-base-split.apk", "splits/tools-base-split2.apk"];

fn read_splits() -> Option<Vec<(String, Vec<u8>)>> {
    let files = SPLITS
        .into_iter()
        .map(|name| Some((name.to_owned(), wattle_testdata::read(&format!("apk/{name}"))?)));
    files.collect()
}

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let empty = Apk::open(EMPTY).unwrap();
    let mut editor = ApkEditor::new(&empty);
    for (name, bytes) in files {
        editor.add(name, bytes.clone(), Compression::Stored).unwrap();
    }
    editor.finish(Alignment::default()).unwrap()
}

#[track_caller]
fn check_refused(files: Vec<(String, Vec<u8>)>, wanted: &str) {
    let error = ApkSet::from_files(files).unwrap_err().to_string();
    assert!(error.contains(wanted), "{error}");
}

#[test]
fn base_and_splits_are_signed_with_one_key() {
    let Some(files) = read_splits() else { return };
    let set = ApkSet::from_files(files.clone()).unwrap();
    assert_eq!(set.members().len(), 3);
    assert_eq!(set.base().unwrap().name, SPLITS[0]);
    assert_eq!(set.base().unwrap().manifest.package, "com.example.simpleapp");
    let splits: Vec<_> = set.members().iter().map(|m| m.manifest.split.as_deref()).collect();
    assert_eq!(splits[0], None);
    assert!(splits[1].is_some() && splits[2].is_some() && splits[1] != splits[2], "{splits:?}");

    let key = common::ec_key();
    let written = set.sign(&key, &SignOptions::for_min_sdk(24)).unwrap();
    let WrittenSet::Files(written) = written else { panic!("files become files") };
    for (name, bytes) in &written {
        let report = verify_for(bytes, 24).unwrap();
        assert!(report.is_verified(), "{name}");
        assert_eq!(report.certificate(), Some(key.certificate()), "{name}");
    }
    assert_eq!(written.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), SPLITS);
}

#[test]
fn archives_stay_archives() {
    let Some(mut files) = read_splits() else { return };
    for (name, _) in &mut files {
        *name = name.replace("splits/tools-base-", "");
    }
    files.push((
        "manifest.json".to_owned(),
        b"{\"package_name\":\"com.example.simpleapp\"}".to_vec(),
    ));
    files.push(("simple.apk.idsig".to_owned(), vec![2, 0, 0, 0]));
    let xapk = archive(&files);
    let set = ApkSet::from_files(vec![("app.xapk".to_owned(), xapk.clone())]).unwrap();
    assert!(set.is_archive());
    assert_eq!(set.members().len(), 3);
    assert_eq!(set.leftovers(), [Leftover::Idsig { file: "simple.apk.idsig".to_owned() }]);

    let key = common::ec_key();
    let WrittenSet::Archive(written) = set.sign(&key, &SignOptions::for_min_sdk(24)).unwrap()
    else {
        panic!("an archive becomes an archive")
    };
    let before = Apk::open(&xapk).unwrap();
    let after = Apk::open(&written).unwrap();
    let names: Vec<_> = after.entries().iter().map(wattle_apk::Entry::name).collect();
    assert_eq!(names, ["simple.apk", "split.apk", "split2.apk", "manifest.json"]);
    assert_eq!(after.read("manifest.json").unwrap(), before.read("manifest.json").unwrap());
    for name in &names[..3] {
        assert!(verify_for(&after.read(name).unwrap(), 24).unwrap().is_verified(), "{name}");
    }
    files.truncate(3);
    files.push(("other.xapk".to_owned(), xapk));
    check_refused(files, "other.xapk is a set of its own");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let Some(files) = read_splits() else { return };
    let Some(other) = wattle_testdata::read("apk/fdroid-com.politedroid_3.apk") else { return };
    check_refused(Vec::new(), "no package at all");
    check_refused(
        vec![("empty".to_owned(), EMPTY.to_vec())],
        "no ZIP entry \"AndroidManifest.xml\"",
    );
    check_refused(files[1..].to_vec(), "the base package is missing");
    check_refused(vec![files[0].clone(), files[0].clone()], "are both base packages");
    let split = files[1].clone();
    check_refused(vec![files[0].clone(), split.clone(), split], "are both the split");
    let other = vec![files[0].clone(), ("other.apk".to_owned(), other)];
    check_refused(other, "is com.example.simpleapp, other.apk is com.politedroid");
}

#[test]
fn a_bundle_is_refused_with_what_to_do() {
    let Some(bundle) = wattle_testdata::read("apk/tools-base-android-app-bundle.aab") else {
        return;
    };
    let error = ApkSet::from_files(vec![("app.aab".to_owned(), bundle)]).unwrap_err().to_string();
    assert!(error.contains("bundletool build-apks"), "{error}");
}

#[test]
fn what_rewriting_makes_invalid_is_told() {
    let Some(file) = wattle_testdata::read("apk/nowinandroid-release-b227394536.apk") else {
        return;
    };
    let apk = Apk::open(&file).unwrap();
    let mut editor = ApkEditor::new(&apk);
    editor.add("stamp-cert-sha256", &[0; 32][..], Compression::Stored).unwrap();
    let stamped = editor.finish(Alignment::default()).unwrap();
    let stamped = Apk::open(&stamped).unwrap();
    let mut editor = ApkEditor::new(&stamped);
    let dropped: Vec<_> = editor.drop_invalid().iter().map(ToString::to_string).collect();
    assert_eq!(
        dropped,
        [
            "baseline profile assets/dexopt/baseline.prof",
            "baseline profile assets/dexopt/baseline.profm",
            "source stamp stamp-cert-sha256",
        ]
    );
    let clean = editor.finish(Alignment::default()).unwrap();
    let clean = Apk::open(&clean).unwrap();
    assert_eq!(clean.invalid_after_rewriting(), []);
    assert_eq!(clean.entries().len(), apk.entries().len() - 2);
}

#[test]
fn files_beside_a_package_are_found() {
    let Some(files) = read_splits() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.apk");
    std::fs::write(&path, &files[0].1).unwrap();
    assert_eq!(invalid_beside(&path), []);
    let idsig = folder.path().join("base.apk.idsig");
    std::fs::write(&idsig, [2, 0, 0, 0]).unwrap();
    let metadata = folder.path().join("base.dm");
    std::fs::write(&metadata, []).unwrap();
    let name = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let found =
        [Leftover::Idsig { file: name(&idsig) }, Leftover::DexMetadata { file: name(&metadata) }];
    assert_eq!(invalid_beside(&path), found);
    let set = ApkSet::open(&[&path]).unwrap();
    assert_eq!(set.leftovers(), found);
    let missing = folder.path().join("none.apk");
    assert!(ApkSet::open(&[missing]).unwrap_err().to_string().contains("none.apk"));
}
