//! Split packages as files and in archives.

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkSet, Compression, Leftover, SignOptions, WrittenSet,
    invalid_beside, verify_for,
};
use wattle_testdata::requires;

use crate::support::{self, made};

const SPLITS: [&str; 3] =
    ["splits/tools-base-simple.apk", "splits/tools-base-split.apk", "splits/tools-base-split2.apk"];

fn real_splits() -> Vec<(String, Vec<u8>)> {
    SPLITS.map(|name| (name.to_owned(), wattle_testdata::bytes(&format!("apk/{name}")))).into()
}

/// A base package and two splits of our own.
fn made_splits() -> Vec<(String, Vec<u8>)> {
    let splits = [("base.apk", None), ("de.apk", Some("config.de")), ("hdpi.apk", Some("hdpi"))];
    splits
        .map(|(name, split)| (name.to_owned(), made::unsigned("com.example.made", split, 24)))
        .into()
}

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let empty = Apk::open(made::EMPTY).unwrap();
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
fn made_base_and_splits_are_signed_with_one_key() {
    check_signed(made_splits(), "com.example.made");
}

#[requires(data)]
#[test]
fn base_and_splits_are_signed_with_one_key() {
    check_signed(real_splits(), "com.example.simpleapp");
}

#[track_caller]
fn check_signed(files: Vec<(String, Vec<u8>)>, package: &str) {
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let set = ApkSet::from_files(files).unwrap();
    assert_eq!(set.members().len(), 3);
    assert_eq!(set.base().unwrap().name, names[0]);
    assert_eq!(set.base().unwrap().manifest.package, package);
    let splits: Vec<_> = set.members().iter().map(|m| m.manifest.split.as_deref()).collect();
    assert_eq!(splits[0], None);
    assert!(splits[1].is_some() && splits[2].is_some() && splits[1] != splits[2], "{splits:?}");

    let key = support::ec_key();
    let written = set.sign(&key, &SignOptions::for_min_sdk(24)).unwrap();
    let WrittenSet::Files(written) = written else { panic!("files become files") };
    for (name, bytes) in &written {
        let report = verify_for(bytes, 24).unwrap();
        assert!(report.is_verified(), "{name}");
        assert_eq!(report.certificate(), Some(key.certificate()), "{name}");
    }
    assert_eq!(written.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
}

#[test]
fn archives_stay_archives() {
    let mut files = made_splits();
    files.push(("manifest.json".to_owned(), b"{\"package_name\":\"com.example.made\"}".to_vec()));
    files.push(("base.apk.idsig".to_owned(), vec![2, 0, 0, 0]));
    let xapk = archive(&files);
    let set = ApkSet::from_files(vec![("app.xapk".to_owned(), xapk.clone())]).unwrap();
    assert!(set.is_archive());
    assert_eq!(set.members().len(), 3);
    assert_eq!(set.leftovers(), [Leftover::Idsig { file: "base.apk.idsig".to_owned() }]);

    let key = support::ec_key();
    let WrittenSet::Archive(written) = set.sign(&key, &SignOptions::for_min_sdk(24)).unwrap()
    else {
        panic!("an archive becomes an archive")
    };
    let before = Apk::open(&xapk).unwrap();
    let after = Apk::open(&written).unwrap();
    let names: Vec<_> = after.entries().iter().map(wattle_apk::Entry::name).collect();
    assert_eq!(names, ["base.apk", "de.apk", "hdpi.apk", "manifest.json"]);
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
    let files = made_splits();
    let other = made::unsigned("com.example.other", None, 24);
    check_refused(Vec::new(), "no package at all");
    check_refused(
        vec![("empty".to_owned(), made::EMPTY.to_vec())],
        "no ZIP entry \"AndroidManifest.xml\"",
    );
    check_refused(files[1..].to_vec(), "the base package is missing");
    check_refused(vec![files[0].clone(), files[0].clone()], "are both base packages");
    let split = files[1].clone();
    check_refused(vec![files[0].clone(), split.clone(), split], "are both the split");
    let other = vec![files[0].clone(), ("other.apk".to_owned(), other)];
    check_refused(other, "is com.example.made, other.apk is com.example.other");
}

#[requires(data)]
#[test]
fn a_bundle_is_refused_with_what_to_do() {
    let bundle = wattle_testdata::bytes("apk/tools-base-android-app-bundle.aab");
    let error = ApkSet::from_files(vec![("app.aab".to_owned(), bundle)]).unwrap_err().to_string();
    assert!(error.contains("bundletool build-apks"), "{error}");
}

#[requires(data)]
#[test]
fn what_rewriting_makes_invalid_is_listed() {
    let file = wattle_testdata::bytes("apk/nowinandroid-release-b227394536.apk");
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
    let files = made_splits();
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
