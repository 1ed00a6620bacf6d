//! Files of several recordings, errors of quality and misspelt names, through the real program.

use std::path::Path;

use crate::support::{Run, trace, wattle};
use wattle_testdata::requires;

/// Ways to read the input files of one recording, without the files.
const READERS: [&[&str]; 4] = [
    &["report"],
    &["diagnose"],
    &["export", "--format", "folded", "--output", "-"],
    &["top", "--plain"],
];

fn run(words: &[&str], files: &[&Path], flags: &[&str]) -> Run {
    let files = files.iter().map(|file| file.to_str().expect("UTF-8"));
    let run = wattle(words.iter().copied().chain(files).chain(flags.iter().copied()));
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// The exit code, and words on either output.
#[track_caller]
fn check(words: &[&str], files: &[&Path], flags: &[&str], code: i32, said: &[&str]) -> Run {
    let run = run(words, files, flags);
    assert_eq!(run.code, Some(code), "{words:?} {flags:?}: {}", run.stderr);
    for said in said {
        let found = run.stdout.contains(said) || run.stderr.contains(said);
        assert!(found, "{words:?} {flags:?}: {said:?} is not in {}{}", run.stderr, run.stdout);
    }
    run
}

/// The simulated phone's trace.
fn recorded(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("run.pftrace");
    check(&["demo", "--quiet", "--trace"], &[&path], &[], 0, &[]);
    path
}

/// A folder with a `recording.json` of a device and the trace.
fn recording(folder: &Path, model: &str, trace: &Path) {
    std::fs::create_dir_all(folder).expect("folder");
    std::fs::copy(trace, folder.join("t.pftrace")).expect("copied");
    let description = format!(
        r#"{{"created_host_ns": 1639391540000000000, "device": {{"model": "{model}"}}, "artifacts": ["t.pftrace"]}}"#
    );
    std::fs::write(folder.join("recording.json"), description).expect("written");
}

#[test]
fn several_recordings_are_listed_and_joined_on_request() {
    let folder = tempfile::tempdir().expect("folder");
    let trace = recorded(folder.path());
    let runs = folder.path().join("runs");
    let [one, two, three] = ["one", "two", "three"].map(|name| runs.join(name));
    recording(&one, "Phone", &trace);
    recording(&two, "Tablet", &trace);
    recording(&three, "Watch", &trace);
    let rows = [
        "one: 2021-12-13 10:32:20 UTC, Phone",
        "two: 2021-12-13 10:32:20 UTC, Tablet",
        "three: 2021-12-13 10:32:20 UTC, Watch",
        "--join",
        "wattle diff",
    ];
    for words in READERS {
        check(words, &[&one], &[], 0, &[]);
        check(words, &[&runs], &[], 3, &rows);
        check(
            words,
            &[&one, &two],
            &[],
            3,
            &["not of one recording", "wattle diff", "Phone", "Tablet"],
        );
        check(words, &[&one, &two], &["--join"], 0, &[]);
        check(words, &[&one, &two], &["--join", "--strict"], 1, &["two recordings"]);
    }
    check(&["diff"], &[&one, &runs], &[], 3, &rows);
    check(&["diff"], &[&one, &one], &["--strict"], 0, &[]);
    check(&["diff"], &[&one, &runs], &["--join"], 0, &[]);
    // A folder around one recording is it.
    std::fs::remove_dir_all(&two).expect("removed");
    std::fs::remove_dir_all(&three).expect("removed");
    check(&["report"], &[&runs], &[], 0, &["Phone"]);
}

#[test]
fn errors_of_quality_stand_beside_the_total_and_end_strict_commands() {
    let folder = tempfile::tempdir().expect("folder");
    let whole = recorded(folder.path());
    let bytes = std::fs::read(&whole).expect("trace");
    let cut = folder.path().join("cut.pftrace");
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).expect("written");
    for words in READERS {
        check(words, &[&whole], &["--strict"], 0, &[]);
        check(words, &[&cut], &[], 0, &[]);
        check(
            words,
            &[&cut],
            &["--strict"],
            1,
            &["--strict: cut.pftrace: the file ends inside a packet"],
        );
    }
    check(&["diff"], &[&whole, &cut], &["--strict", "--anyway"], 1, &["ends inside a packet"]);
    let page = check(&["report"], &[&cut], &["--full"], 0, &["error: cut.pftrace"]).stdout;
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("no {words:?} in {page}"));
    assert!(at("error: cut.pftrace") < at("Components"), "{page}");
    assert!(!page.contains("events dropped while recording: none"), "{page}");
    let page = check(&["report"], &[&cut], &[], 0, &["error: cut.pftrace"]).stdout;
    assert!(!page.contains("no events dropped"), "{page}");
    check(&["report"], &[&whole], &[], 0, &["no events dropped"]);
    let saved = folder.path().join("cut.ledger.json.zst");
    let save = ["--quiet", "--strict", "--save", saved.to_str().expect("UTF-8")];
    check(&["report"], &[&cut], &save, 1, &[]);
    check(&["report"], &[&saved], &["--strict"], 1, &["ends inside a packet"]);
    check(&["report"], &[&saved], &[], 0, &["error: cut.pftrace"]);
}

#[test]
fn a_file_in_which_nothing_was_read_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("nothing.txt");
    std::fs::write(&path, "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:8\n#\n")
        .expect("written");
    for words in READERS {
        check(words, &[&path], &[], 3, &["nothing could be read", "expected"]);
    }
}

#[test]
fn misspelt_names_are_errors_with_the_nearest_names() {
    let folder = tempfile::tempdir().expect("folder");
    let path = recorded(folder.path());
    let files = [path.as_path()];
    let app = "com.example.news";
    for words in READERS.into_iter().filter(|words| words[0] != "diagnose") {
        check(words, &files, &["--app", app], 0, &[]);
        check(words, &files, &["--app", "com.exmaple.nws"], 2, &["did you mean com.example.news?"]);
    }
    check(
        &["diagnose"],
        &files,
        &["--process", "com.example.newz"],
        2,
        &["did you mean com.example.news?"],
    );
    check(
        &["diff"],
        &[&path, &path],
        &["--app", "com.example.nwes"],
        2,
        &["did you mean com.example.news?"],
    );
    let export = &READERS[2];
    check(
        export,
        &files,
        &["--process", "com.example.newss"],
        2,
        &["did you mean com.example.news?"],
    );
    check(export, &files, &["--process", "0"], 2, &["no such process"]);
    check(
        export,
        &files,
        &["--thread", "RenderThraed"],
        2,
        &["--thread RenderThraed: no such thread"],
    );
    check(&["report"], &files, &["--slice", "no-such-slice-at-all"], 2, &["no slice of this name"]);
    check(&["report"], &files, &["--reference", "nexus-7-2031"], 2, &["did you mean nexus-7-2013"]);
    check(&["report"], &files, &["--device-model", "no-such-file.toml"], 2, &["no such file"]);
    for flag in ["--only", "--skip"] {
        check(&["diagnose"], &files, &[flag, "busy-wiat"], 2, &["did you mean busy-wait"]);
    }
    check(&["diagnose"], &files, &["--threshold", "busy-wiat.x=1"], 2, &["did you mean busy-wait"]);
    check(&["diagnose"], &files, &["--threshold", "busy-wait.x=1"], 2, &["no such threshold"]);
    let run = check(&["explain", "busywait"], &[], &[], 2, &["did you mean busy-wait"]);
    let first = run.stderr.lines().next().expect("a line");
    assert!(first.contains("did you mean"), "{first}");
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    check(
        &["model", "show", "no-such-model-of-any-phone"],
        &[],
        &[],
        2,
        &["neither a file nor a model"],
    );
}

/// Real traces of different phones are refused, and the way to compare or join them is said.
#[requires(data)]
#[test]
fn real_traces_of_two_phones() {
    let pixel = trace("api32_startup_warm_pixel6a.perfetto-trace");
    let others =
        ["power_rails_pixel6pro.perfetto-trace", "ms_sched_freq_idle_galaxyS21.perfetto-trace"];
    let mut refused = 0;
    for other in others.map(trace) {
        let said = ["not of one recording", "wattle diff A B", "--join", "bluejay"];
        check(&["report"], &[&pixel, &other], &[], 3, &said);
        check(&["report"], &[&pixel, &other], &["--join", "--quiet"], 0, &[]);
        refused += 1;
    }
    assert_eq!(refused, 2);
}
