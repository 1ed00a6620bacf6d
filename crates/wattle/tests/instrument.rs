//! `wattle instrument` as its users run it: the real program on real packages.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Run, list, number, wattle};
use tempfile::TempDir;
use wattle_apk::{Apk, ApkEditor, Compression, Manifest};
use wattle_dex::Dex;
use wattle_probe::{MapId, ProbeMap};

const A2DP: &str = "apk/androguard-a2dp.Vol_137.apk";
const MONITORS: &str = "apk/droidbotApp.apk";
const PROFILES: &str = "apk/nowinandroid-release-b227394536.apk";
const BARE: &str = "dex/redex-integ-classes.dex";

/// A folder for one test, with a home of its own for the debug key.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }
}

fn real(name: &str) -> Option<String> {
    Some(wattle_testdata::find(name)?.to_str().expect("UTF-8").to_owned())
}

fn instrument(input: &str, output: &str, flags: &[&str]) -> Run {
    wattle([&["instrument", input, "--output", output, "--json", "-"], flags].concat())
}

#[track_caller]
fn fits_the_schema(summary: &Value) {
    let schema = include_str!("../../../docs/schema/instrument-1.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> =
        validator.iter_errors(summary).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_package_comes_back_whole() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let output = place.text("traced.apk");
    let summary = instrument(&input, &output, &["--all", "--short-methods", "probe"]).json();
    fits_the_schema(&summary);
    assert_eq!(number(&summary, "/methods_probed"), number(&summary, "/methods_with_code"));
    let written = fs::read(&output).expect("the output");
    assert_eq!(number(&summary, "/bytes_out"), written.len() as f64);

    let (before, after) = (fs::read(&input).expect("the input"), written);
    let (before, after) = (Apk::open(&before).expect("APK"), Apk::open(&after).expect("APK"));
    let changed = ["AndroidManifest.xml", "classes.dex"];
    for entry in before.entries() {
        let name = entry.name();
        let signature = name.starts_with("META-INF/")
            && [".SF", ".RSA", ".MF"].iter().any(|ending| name.ends_with(ending));
        if changed.contains(&name) || signature {
            continue;
        }
        let kept = after.entry(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(kept.raw(), entry.raw(), "{name}");
    }
    let manifest: Manifest = after.manifest().expect("manifest");
    let application = manifest.application.expect("application");
    assert!(application.profileable.is_some_and(|it| it.shell), "not profileable by the shell");
    assert_ne!(application.debuggable, Some(true), "debuggable without being asked");

    let runtime = after.read("classes2.dex").expect("the runtime class");
    let runtime = Dex::parse(&runtime).expect("dex");
    let descriptor = runtime
        .class_defs()
        .map(|(_, class)| runtime.descriptor_str(class.expect("class").class).expect("type"))
        .find(|descriptor| descriptor == "Lwattle/probe/Probe;");
    assert!(descriptor.is_some(), "no runtime class");

    let map = after.read(ProbeMap::ENTRY).expect("the map inside");
    assert_eq!(map, fs::read(place.path("traced.probes.jsonl")).expect("the map beside"));
    assert_eq!(summary["map"]["id"], MapId::of(&map).to_string());
}

/// What is reported as dropped must be gone, and nothing else.
#[test]
fn what_no_longer_fits_is_dropped_and_said() {
    let Some(input) = real(PROFILES) else { return };
    let place = Place::new();
    // A signature of scheme v4 lies beside the package.
    let beside = place.text("app.apk");
    fs::copy(&input, &beside).expect("copy");
    fs::write(place.path("app.apk.idsig"), b"v4").expect("idsig");
    let output = place.text("traced.apk");
    let summary = instrument(&beside, &output, &[]).json();
    let dropped: Vec<&str> = list(&summary, "/dropped").iter().filter_map(Value::as_str).collect();
    for expected in ["baseline.prof", "baseline.profm", "app.apk.idsig"] {
        assert!(dropped.iter().any(|it| it.contains(expected)), "{expected}: {dropped:?}");
    }
    let written = fs::read(&output).expect("the output");
    let written = Apk::open(&written).expect("APK");
    assert!(written.entry("assets/dexopt/baseline.prof").is_none());
}

#[test]
fn what_cannot_be_touched_is_named() {
    let Some(input) = real(MONITORS) else { return };
    let place = Place::new();
    let summary =
        instrument(&input, &place.text("traced.apk"), &["--all", "--short-methods", "probe"])
            .json();
    let named = list(&summary, "/left_out");
    assert_eq!(named.len() as f64, number(&summary, "/skipped/monitor-leak"));
    let skipped: f64 =
        ["monitor-leak"].iter().map(|it| number(&summary, &format!("/skipped/{it}"))).sum();
    assert_eq!(
        number(&summary, "/methods_probed") + skipped,
        number(&summary, "/methods_with_code")
    );
    assert!(number(&summary, "/methods_probed") >= 0.99 * number(&summary, "/methods_with_code"));
}

/// Every method with code is probed or skipped for a reason, whatever is asked for.
#[test]
fn the_counts_add_up() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let cases: [&[&str]; 6] = [
        &[],
        &["--all"],
        &["--all", "--short-methods", "probe"],
        &["--include", "a2dp.Vol.*"],
        &["--all", "--exclude", "android.support"],
        &["--include", "no.such.package"],
    ];
    let mut probed = Vec::new();
    for flags in cases {
        let summary = instrument(&input, &place.text("traced.apk"), flags).json();
        fits_the_schema(&summary);
        let skipped: f64 = summary["skipped"]
            .as_object()
            .expect("reasons")
            .iter()
            .filter(|(reason, _)| !["abstract", "native"].contains(&reason.as_str()))
            .filter_map(|(_, count)| count.as_f64())
            .sum();
        assert_eq!(
            number(&summary, "/methods_probed") + skipped,
            number(&summary, "/methods_with_code"),
            "{flags:?}"
        );
        probed.push(number(&summary, "/methods_probed"));
    }
    let [own, all_long, all, some, without_support, none] = probed[..] else { panic!("six cases") };
    assert!(0.0 < some && some <= own && own < all_long && all_long < all, "{probed:?}");
    assert!(without_support < all_long && none == 0.0, "{probed:?}");
}

#[test]
fn a_dry_run_writes_nothing_and_says_the_same() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let output = place.text("traced.apk");
    let dry = instrument(&input, &output, &["--dry-run"]).json();
    assert_eq!(fs::read_dir(place.folder.path()).expect("folder").count(), 0);
    let wet = instrument(&input, &output, &[]).json();
    for key in ["methods_probed", "skipped", "bytes_in", "bytes_out", "map", "output"] {
        assert_eq!(dry[key], wet[key], "{key}");
    }
}

#[test]
fn a_bare_dex_gets_its_runtime_beside() {
    let Some(input) = real(BARE) else { return };
    let place = Place::new();
    let summary = instrument(&input, &place.text("out.dex"), &["--sink", "file"]).json();
    fits_the_schema(&summary);
    let names: Vec<String> = list(&summary, "/output")
        .iter()
        .filter_map(|path| Path::new(path.as_str()?).file_name()?.to_str().map(str::to_owned))
        .collect();
    assert_eq!(names, ["out.dex", "out-runtime.dex"]);
    let calls = fs::read(place.path("out.dex")).expect("code");
    let runtime = fs::read(place.path("out-runtime.dex")).expect("runtime");
    // What is called is there: the same names and signatures.
    let methods = |bytes: &[u8], defined: bool| -> BTreeMap<String, u32> {
        let dex = Dex::parse(bytes).expect("dex");
        let mut found = BTreeMap::new();
        for id in 0..dex.count(wattle_dex::Section::METHOD_IDS) {
            let name = dex.method_name(wattle_dex::MethodId(id)).expect("name");
            if name.starts_with("Lwattle/probe/Probe;->") {
                found.insert(name, id);
            }
        }
        assert!(!defined || found.len() >= 4, "{found:?}");
        found
    };
    let (called, defined) = (methods(&calls, false), methods(&runtime, true));
    assert_eq!(called.len(), 3, "{called:?}");
    for name in called.keys() {
        assert!(defined.contains_key(name), "{name} is not in {defined:?}");
    }
}

#[test]
fn a_users_key_signs() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let now = std::time::SystemTime::now();
    // The package installs on platforms that know RSA only.
    let key = wattle_apk::SigningKey::generate(wattle_apk::GeneratedKey::Rsa2048, "Tester", now)
        .expect("key");
    fs::write(place.path("key.pem"), key.to_pem().expect("PEM")).expect("key file");
    let output = place.text("traced.apk");
    let run = instrument(&input, &output, &["--key", &place.text("key.pem")]);
    run.json();
    let written = fs::read(&output).expect("the output");
    let report = wattle_apk::verify(&written).expect("APK");
    assert!(report.is_verified(), "{report:?}");
    assert!(format!("{report:?}").contains("Tester"), "{report:?}");
}

#[track_caller]
fn refused(arguments: &[&str], code: i32, words: &[&str]) {
    let run = wattle([&["instrument"], arguments].concat());
    assert_eq!(run.code, Some(code), "{arguments:?}: {} {}", run.stdout, run.stderr);
    for word in words {
        assert!(run.stderr.contains(word), "{arguments:?}: {word:?} is not in {}", run.stderr);
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_its_reason() {
    let place = Place::new();
    fs::write(place.path("text.apk"), "hello").expect("file");
    fs::write(place.path("empty.apk"), "").expect("file");
    fs::write(place.path("bad.dex"), b"dex\n035\0 and no more").expect("file");
    refused(&[], 2, &["<IN>"]);
    refused(&[&place.text("none.apk")], 3, &["none.apk", "No such file"]);
    refused(&[&place.text("text.apk")], 3, &["ZIP"]);
    refused(&[&place.text("empty.apk")], 3, &[]);
    refused(&[&place.text("bad.dex")], 3, &["bad.dex"]);
    let Some(input) = real(A2DP) else { return };
    refused(&[&input, "--output", &input], 2, &["another file than the input"]);
    refused(&[&input, "--all", "--include", "a"], 2, &["--include"]);
    refused(&[&input, "--sink", "navitas", "--mode", "both"], 2, &["navitas"]);
    refused(&[&input, "--key", &place.text("none.pem")], 3, &["none.pem"]);
    refused(&[&input, "--mapping", &place.text("text.apk")], 3, &["mapping.txt"]);
    let Some(bare) = real(BARE) else { return };
    refused(&[&bare, &input], 2, &["one .dex"]);
    refused(&[&bare, "--debuggable"], 2, &["--debuggable"]);
    for (name, words) in [
        ("apk/tools-base-android-app-bundle.aab", ["bundletool", ".apks"]),
        ("apk/redex-test.apk", ["classes.dex", "597970"]),
        ("apk/splits/tools-base-split.apk", ["base package", "missing"]),
    ] {
        let Some(input) = real(name) else { return };
        refused(&[&input, "--dry-run"], 3, &words);
    }
}

#[test]
fn probes_are_not_put_in_twice() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let once = place.text("once.apk");
    instrument(&input, &once, &[]).json();
    refused(&[&once, "--output", &place.text("twice.apk")], 3, &["already"]);
}

/// Packages of one app are signed with one key, and only the base gets the runtime class.
#[test]
fn splits_stay_together() {
    let (Some(base), Some(split)) =
        (real("apk/splits/tools-base-simple.apk"), real("apk/splits/tools-base-split.apk"))
    else {
        return;
    };
    let place = Place::new();
    let run =
        wattle(["instrument", &base, &split, "-o", &place.text("out"), "--all", "--json", "-"]);
    if run.code == Some(3) {
        // The samples are of different apps where their manifests say so.
        assert!(run.stderr.contains("do not belong together"), "{}", run.stderr);
        return;
    }
    let summary = run.json();
    assert_eq!(list(&summary, "/output").len(), 2);
}

/// A package without code has nothing to trace.
#[test]
fn a_package_without_code_is_refused() {
    let Some(input) = real(A2DP) else { return };
    let place = Place::new();
    let bytes = fs::read(input).expect("the input");
    let apk = Apk::open(&bytes).expect("APK");
    let mut editor = ApkEditor::new(&apk);
    editor.remove("classes.dex");
    editor.add("some.txt", b"text".as_slice(), Compression::Stored).expect("entry");
    let without = editor.finish(wattle_apk::Alignment::default()).expect("written");
    fs::write(place.path("without.apk"), without).expect("file");
    refused(&[&place.text("without.apk")], 3, &["no code"]);
}
