//! `wattle instrument` as its users run it: the real program on real packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Run, list, number, wattle};
use serde_json::Value;
use tempfile::TempDir;
use wattle_apk::{Apk, ApkEditor, Compression, Manifest};
use wattle_dex::Dex;
use wattle_probe::{MapId, ProbeMap};
use wattle_testdata::requires;

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

#[track_caller]
fn real(name: &str) -> String {
    wattle_testdata::path(name).to_str().expect("UTF-8").to_owned()
}

fn instrument(input: &str, output: &str, flags: &[&str]) -> Run {
    wattle([&["instrument", input, "--output", output, "--json", "-"], flags].concat())
}

#[track_caller]
fn fits_the_schema(summary: &Value) {
    let schema = include_str!("../../../../docs/schema/instrument-1.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> =
        validator.iter_errors(summary).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[requires(data)]
#[test]
fn a_package_comes_back_whole() {
    let input = real(A2DP);
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
    assert_eq!(summary["map"]["id"], MapId::from_bytes(&map).to_string());
}

/// Parts reported as dropped must be gone, and nothing else.
#[requires(data)]
#[test]
fn what_no_longer_fits_is_dropped_and_said() {
    let input = real(PROFILES);
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

#[requires(data)]
#[test]
fn what_cannot_be_touched_is_named() {
    let input = real(MONITORS);
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
#[requires(data)]
#[test]
fn the_counts_add_up() {
    let input = real(A2DP);
    let place = Place::new();
    let cases: [&[&str]; 5] = [
        &[],
        &["--all"],
        &["--all", "--short-methods", "probe"],
        &["--include", "a2dp.Vol.*"],
        &["--all", "--exclude", "android.support"],
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
    let [own, all_long, all, some, without_support] = probed[..] else { panic!("five cases") };
    assert!(0.0 < some && some <= own && own < all_long && all_long < all, "{probed:?}");
    assert!(without_support < all_long, "{probed:?}");
}

#[requires(data)]
#[test]
fn a_dry_run_writes_nothing_and_says_the_same() {
    let input = real(A2DP);
    let place = Place::new();
    let output = place.text("traced.apk");
    let wet = instrument(&input, &output, &[]).json();
    for name in ["traced.apk", "traced.probes.jsonl"] {
        fs::remove_file(place.path(name)).expect("it was written");
    }
    let dry = instrument(&input, &output, &["--dry-run"]).json();
    assert_eq!(names_in(&place.path("")), [""; 0]);
    for key in ["methods_probed", "skipped", "bytes_in", "bytes_out", "map", "output"] {
        assert_eq!(dry[key], wet[key], "{key}");
    }
}

/// The names in a folder, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("entry").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// Only what is written needs a key that stays.
#[requires(data)]
#[test]
fn a_dry_run_makes_no_key() {
    let input = real(A2DP);
    let place = Place::new();
    for (flags, expected) in [(["--dry-run"].as_slice(), 0), (&[], 1)] {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["instrument", &input, "--quiet", "--output", &place.text("traced.apk")])
            .args(flags)
            .env("XDG_DATA_HOME", place.path("home"))
            .status();
        assert!(run.expect("the program runs").success(), "{flags:?}");
        assert_eq!(keys(&place.path("home")), expected, "{flags:?}");
    }
}

/// Counts the files of a folder at any depth.
fn keys(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.map(|entry| entry.expect("entry").path());
    paths.map(|path| if path.is_dir() { keys(&path) } else { 1 }).sum()
}

/// Refused runs leave every file as it was.
#[requires(data)]
#[test]
fn nothing_is_written_over_an_input_or_twice() {
    let input = real(A2DP);
    let bare = real(BARE);
    let place = Place::new();
    for folder in ["a", "b"] {
        fs::create_dir(place.path(folder)).expect("folder");
        fs::copy(&input, place.path(&format!("{folder}/app.apk"))).expect("copy");
    }
    fs::copy(&bare, place.path("in.dex")).expect("copy");
    fs::copy(&bare, place.path("out-runtime.dex")).expect("copy");
    fs::hard_link(place.path("a/app.apk"), place.path("hard.apk")).expect("link");
    fs::write(place.path("m.txt"), "a.B -> c:\n").expect("mapping");
    let before = names_in(&place.path(""));
    let (app, dex) = (place.text("a/app.apk"), place.text("in.dex"));
    let text = |name: &str| place.text(name);
    let input_kept = "another file than the input";
    refused(&[&app, "-o", &text("hard.apk")], 2, &[input_kept]);
    refused(&[&app, "-o", &text("b/../a/app.apk")], 2, &[input_kept]);
    refused(&[&app, "-o", &text("a")], 2, &[input_kept]);
    refused(&[&app, "-o", &text("o.apk"), "--json", &app], 2, &[input_kept]);
    refused(&[&app, "-o", &text("m.txt"), "--mapping", &text("m.txt")], 2, &[input_kept]);
    refused(&[&text("out-runtime.dex"), "-o", &text("out.dex")], 2, &[input_kept]);
    let summary = ["--json", &text("o.probes.jsonl")];
    refused(&[&[&*app, "-o", &text("o.apk")], &summary[..]].concat(), 2, &["probe map", "summary"]);
    refused(&[&dex, "-o", &text("o.dex"), "--json", &text("o-runtime.dex")], 2, &["runtime"]);
    refused(&[&app, "-o", "-"], 2, &["--output -"]);
    assert_eq!(names_in(&place.path("")), before);
    for kept in ["a/app.apk", "b/app.apk", "hard.apk"] {
        let same = fs::read(place.path(kept)).expect("kept") == fs::read(&input).expect("input");
        assert!(same, "{kept} changed");
    }
}

/// Splits of two folders may have one name.
#[requires(data)]
#[test]
fn two_inputs_of_one_name_are_refused() {
    let (base, split) =
        (real("apk/splits/tools-base-simple.apk"), real("apk/splits/tools-base-split.apk"));
    let place = Place::new();
    for (folder, from) in [("a", &base), ("b", &split)] {
        fs::create_dir(place.path(folder)).expect("folder");
        fs::copy(from, place.path(&format!("{folder}/app.apk"))).expect("copy");
    }
    let (first, second) = (place.text("a/app.apk"), place.text("b/app.apk"));
    let run = wattle(["instrument", &first, &second, "-o", &place.text("out")]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("two inputs would be written"), "{}", run.stderr);
    assert!(!place.path("out").exists());
}

#[requires(data)]
#[test]
fn a_folder_takes_the_inputs_name() {
    let input = real(A2DP);
    let place = Place::new();
    fs::create_dir(place.path("there")).expect("folder");
    let name = Path::new(&input).file_name().expect("name").to_str().expect("UTF-8");
    for output in ["there", "new/"] {
        let summary = instrument(&input, &place.text(output), &[]).json();
        let written = place.path(output).join(name);
        assert_eq!(summary["output"][0].as_str(), written.to_str());
        assert!(written.is_file(), "{output}");
        assert_eq!(names_in(&place.path(output)).len(), 2, "the package and its map");
    }
}

/// A write that fails takes nothing away, and leaves nothing half.
#[cfg(target_os = "linux")]
#[requires(data)]
#[test]
fn a_failed_write_leaves_what_was_there() {
    let input = real(A2DP);
    let place = Place::new();
    std::os::unix::fs::symlink("/dev/full", place.path("full.apk")).expect("link");
    refused(&[&input, "-o", &place.text("full.apk")], 4, &["full.apk", "No space"]);
    assert_eq!(names_in(&place.path("")), ["full.apk"]);

    // No file may grow beyond some kilobytes, as on a disk that is nearly full.
    fs::write(place.path("old.apk"), "before").expect("file");
    let run = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"])
        .args([env!("CARGO_BIN_EXE_wattle"), "instrument", &input, "-q", "--unsigned"])
        .args(["-o", &place.text("old.apk")])
        .output()
        .expect("the shell runs");
    assert_eq!(run.status.code(), Some(4), "{run:?}");
    assert_eq!(fs::read(place.path("old.apk")).expect("old"), b"before");
    assert_eq!(names_in(&place.path("")), ["full.apk", "old.apk"]);

    std::os::unix::fs::symlink("real.apk", place.path("link.apk")).expect("link");
    fs::write(place.path("real.apk"), "before").expect("file");
    instrument(&input, &place.text("link.apk"), &[]).json();
    let written = fs::read(place.path("real.apk")).expect("the link's file");
    assert!(Apk::open(&written).is_ok(), "the link's file was not replaced");
    assert!(place.path("link.apk").is_symlink());
    let parts = names_in(&place.path(""));
    assert!(!parts.iter().any(|name| name.contains("part")), "{parts:?}");
}

/// A file that can be read only once.
#[cfg(unix)]
#[requires(data)]
#[test]
fn a_pipe_is_read_once() {
    let input = real(A2DP);
    let place = Place::new();
    let pipe = place.text("pipe.apk");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let bytes = fs::read(&input).expect("the input");
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, bytes)
    });
    let piped = instrument(&pipe, &place.text("piped.apk"), &[]).json();
    writer.join().expect("writer").expect("written");
    let plain = instrument(&input, &place.text("plain.apk"), &[]).json();
    for key in ["methods_probed", "bytes_in", "skipped"] {
        assert_eq!(piped[key], plain[key], "{key}");
    }
    assert_eq!(piped["map"]["id"], plain["map"]["id"]);
}

/// Names of files are bytes: they stay what they were, and the summary is text all the same.
#[cfg(target_os = "linux")]
#[requires(data)]
#[test]
fn a_name_that_is_no_text_stays() {
    use std::os::unix::ffi::OsStrExt as _;
    let input = real(A2DP);
    let place = Place::new();
    let path = |name: &[u8]| place.folder.path().join(std::ffi::OsStr::from_bytes(name));
    fs::copy(&input, path(b"a\xff.apk")).expect("copy");
    let summary =
        wattle([Path::new("instrument"), &path(b"a\xff.apk"), Path::new("--json=-")]).json();
    fits_the_schema(&summary);
    assert!(path(b"a\xff.traced.apk").is_file());
    assert!(path(b"a\xff.traced.probes.jsonl").is_file());
}

#[requires(data)]
#[test]
fn errors_name_the_file_and_what_to_do() {
    let bare = real(BARE);
    let input = real(A2DP);
    let place = Place::new();
    let bytes = fs::read(input).expect("the input");
    let apk = Apk::open(&bytes).expect("APK");
    let without = |name: &str, to: &str| {
        let mut editor = ApkEditor::new(&apk);
        editor.remove(name);
        let written = editor.finish(wattle_apk::Alignment::default()).expect("written");
        fs::write(place.path(to), written).expect("file");
    };
    without("AndroidManifest.xml", "code.jar");
    without("classes.dex", "empty.apk");
    refused(&[&place.text("code.jar")], 3, &["code.jar", "classes.dex"]);
    refused(&[&place.text("empty.apk")], 3, &["empty.apk", "no code"]);
    fs::write(place.path("key"), "hello").expect("file");
    let key = ["--key", &place.text("key")];
    let apk = real(A2DP);
    refused(&[&apk, "-o", &place.text("o"), key[0], key[1]], 3, &["key", "neither PEM nor"]);
    fs::write(place.path("key"), [0xce, 0xce, 0xce, 0xce, 0, 0, 0, 2]).expect("file");
    refused(&[&apk, "-o", &place.text("o"), key[0], key[1]], 3, &["-srckeystore FILE"]);
    refused(&[&bare, "-o", &place.text("key"), "--all", "--include", "a"], 2, &["--include"]);
}

#[requires(data)]
#[test]
fn a_bare_dex_gets_its_runtime_beside() {
    let input = real(BARE);
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
    let asked = ["--sink", "file", "--no-calibration"];
    let without = instrument(&input, &place.text("without.dex"), &asked).json();
    assert_eq!(without["map"]["id"], summary["map"]["id"], "the map knows nothing of timing");
    let without = fs::read(place.path("without-runtime.dex")).expect("runtime");
    let times = |bytes: &[u8]| bytes.windows(24).any(|it| it == b"Lwattle/probe/Calibratio");
    assert!(times(&runtime) && !times(&without));
}

#[requires(data)]
#[test]
fn a_users_key_signs() {
    let input = real(A2DP);
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

#[requires(data)]
#[test]
fn what_cannot_be_done_is_refused_with_its_reason() {
    let place = Place::new();
    fs::write(place.path("text.apk"), "hello").expect("file");
    fs::write(place.path("empty.apk"), "").expect("file");
    fs::write(place.path("bad.dex"), b"dex\n035\0 and no more").expect("file");
    refused(&[], 2, &["<IN>"]);
    refused(&[&place.text("none.apk")], 3, &["none.apk", "No such file"]);
    refused(
        &[&place.text("text.apk")],
        3,
        &["text.apk", "neither a Dalvik executable nor an archive"],
    );
    refused(&[&place.text("empty.apk")], 3, &["empty.apk", "empty"]);
    refused(&[&place.text("")], 3, &["folder"]);
    refused(&[&place.text("bad.dex")], 3, &["bad.dex"]);
    let input = real(A2DP);
    refused(&[&input, "--output", &input], 2, &["another file than the input"]);
    refused(&[&input, "--all", "--include", "a"], 2, &["--include"]);
    refused(&[&input, "--sink", "navitas", "--mode", "both"], 2, &["navitas"]);
    refused(&[&input, "--key", &place.text("none.pem")], 3, &["none.pem"]);
    refused(&[&input, "--mapping", &place.text("text.apk")], 3, &["mapping.txt"]);
    let bare = real(BARE);
    refused(&[&bare, &input], 2, &["one .dex"]);
    refused(&[&bare, "--debuggable"], 2, &["--debuggable"]);
    for (name, words) in [
        ("apk/tools-base-android-app-bundle.aab", ["bundletool", ".apks"]),
        ("apk/redex-test.apk", ["classes.dex", "597970"]),
        ("apk/splits/tools-base-split.apk", ["base package", "missing"]),
    ] {
        let input = real(name);
        refused(&[&input, "--dry-run"], 3, &words);
    }
}

#[requires(data)]
#[test]
fn probes_are_not_put_in_twice() {
    let input = real(A2DP);
    let place = Place::new();
    let once = place.text("once.apk");
    instrument(&input, &once, &[]).json();
    refused(&[&once, "--output", &place.text("twice.apk")], 3, &["already"]);
}

/// Packages of one app are signed with one key, and only the base gets the runtime class.
#[requires(data)]
#[test]
fn splits_stay_together() {
    let (base, split) =
        (real("apk/splits/tools-base-simple.apk"), real("apk/splits/tools-base-split.apk"));
    let place = Place::new();
    let run =
        wattle(["instrument", &base, &split, "-o", &place.text("out"), "--all", "--json", "-"]);
    let summary = run.json();
    assert_eq!(list(&summary, "/output").len(), 2);
}

/// A package without code has nothing to trace.
#[requires(data)]
#[test]
fn a_package_without_code_is_refused() {
    let input = real(A2DP);
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

/// Returns the output of a run for people.
fn printed(input: &str, flags: &[&str]) -> String {
    let run = wattle([&["instrument", input, "--dry-run"], flags].concat());
    assert_eq!(run.code, Some(0), "{flags:?}: {}", run.stderr);
    run.stdout
}

#[requires(data)]
#[test]
fn a_run_without_any_probe_says_why() {
    let input = real(A2DP);
    let cases: [(&[&str], &str); 4] = [
        (&["--include", "no.such"], "no class with code matches --include no.such"),
        (&["--exclude", "a2dp"], "no class with code is the app's own"),
        (&["--include", "a2dp.Vol.*", "--exclude", "a2dp"], "after applying --exclude"),
        (&["--mode", "apis", "--api", "no.such"], "no call matches --api no.such"),
    ];
    for (flags, expected) in cases {
        let arguments = [&[input.as_str()], flags].concat();
        refused(&arguments, 2, &["no method was instrumented", expected]);
    }
    for flag in ["--include", "--exclude", "--api", "--exclude-api"] {
        refused(&[&input, flag, " ", "--mode", "both"], 2, &[flag, "found nothing"]);
    }
}

/// Numbers have the grammar of their nouns.
#[requires(data)]
#[test]
fn the_first_line_is_a_sentence() {
    let input = real(A2DP);
    let text = printed(&input, &["--mode", "both"]);
    let line = text.lines().next().expect("a line");
    for word in [" methods with code (", " %), in ", " classes, have probes; sink: trace"] {
        assert!(line.contains(word), "{word:?} is not in {line}");
    }
    assert!(text.contains(" calls into the framework have probes"), "{text}");
}

/// A name cannot begin a line or move the cursor.
#[cfg(unix)]
#[requires(data)]
#[test]
fn names_do_not_steer_the_terminal() {
    let input = real(A2DP);
    let place = Place::new();
    let name = place.text("a\u{1b}[31m\nnote.apk");
    fs::copy(&input, &name).expect("copy");
    let text = printed(&name, &["--output", &place.text("b\r\u{9b}.apk")]);
    assert!(text.lines().all(|line| !line.chars().any(char::is_control)), "{text:?}");
    let run = wattle(["instrument", &name]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("a\u{fffd}[31m\u{fffd}note.traced.apk"), "{:?}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
}
