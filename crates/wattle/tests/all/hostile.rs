//! Bad input through the real program: a clear line or a partial result, never a panic, and the documented
//! exit codes.

use std::path::{Path, PathBuf};

use crate::support::{Run, trace, wattle};
use wattle_testdata::requires;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("folder"))
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("file");
        path
    }
}

fn report(path: &Path) -> Run {
    let run = wattle(["report", path.to_str().expect("UTF-8")]);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// Cannot be read: code 3 and one line that says what it is.
#[track_caller]
fn check_refused(name: &str, content: &[u8], said: &str) {
    let run = report(&Folder::new().file(name, content));
    assert_eq!(run.code, Some(3), "{name}: {}", run.stderr);
    assert_eq!(run.stderr.trim_end().lines().count(), 1, "{name}: {}", run.stderr);
    let lower = run.stderr.to_lowercase();
    assert!(lower.contains(said), "{name}: expected {said:?} in {}", run.stderr);
}

#[test]
fn wrong_files_are_named() {
    check_refused("empty.perfetto-trace", b"", "empty");
    check_refused("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "jpeg");
    check_refused("a.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "png");
    check_refused("a.pdf", b"%PDF-1.7\n", "pdf");
    check_refused("classes.dex", b"dex\n035\0", "dex");
    check_refused("libx.so", b"\x7fELF\x02\x01\x01", "elf");
    check_refused("perf.data", b"PERFFILE........", "perf.data");
    check_refused("x.json", b"{\"traceEvents\": []}", "json");
    check_refused("a.hprof", b"JAVA PROFILE 1.0.2\0", "heap dump");
}

#[test]
fn missing_files_are_named() {
    let run = wattle(["report", "no/such/file.perfetto-trace"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("no/such/file.perfetto-trace"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("os error").count(), 1, "{}", run.stderr);
}

#[test]
fn random_bytes_are_refused_or_read_in_part() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..20 {
        let content: Vec<u8> = (0..10_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let run = report(&Folder::new().file("random", &content));
        assert!(matches!(run.code, Some(0 | 3)), "round {round}: {:?} {}", run.code, run.stderr);
    }
}

#[test]
fn a_length_of_four_gibibytes_allocates_nothing() {
    // Packet field with a length of 2^32 - 1 and ten bytes behind it.
    let content = [&b"\x0a\xff\xff\xff\xff\x0f"[..], &[0; 10]].concat();
    let run = report(&Folder::new().file("long.perfetto-trace", &content));
    assert!(matches!(run.code, Some(0 | 3)), "{:?} {}", run.code, run.stderr);
}

#[requires(data)]
#[test]
fn truncated_traces_give_what_was_there() {
    let path = trace("api32_startup_warm_pixel6a.perfetto-trace");
    let whole = std::fs::read(path).expect("trace");
    let folder = Folder::new();
    for percent in [3, 17, 50, 83, 99] {
        let part = folder.file("part.perfetto-trace", &whole[..whole.len() * percent / 100]);
        let run = wattle(["report", part.to_str().expect("UTF-8"), "--json", "-"]);
        let report = run.json();
        let notes = report.pointer("/quality/artifacts/0/notes").expect("notes");
        let is_said =
            notes.as_array().expect("list").iter().any(|note| note["code"] == "truncated");
        assert!(is_said, "{percent} %: {notes}");
    }
}

#[requires(data)]
#[test]
fn an_output_that_cannot_be_written_is_the_environments_fault() {
    let path = trace("api32_startup_warm_pixel6a.perfetto-trace");
    let run = wattle([
        "report",
        path.to_str().expect("UTF-8"),
        "--quiet",
        "--html",
        "/no/such/folder/report.html",
    ]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("/no/such/folder/report.html"));
}
