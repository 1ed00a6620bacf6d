//! Files of results: they never replace an input or each other, and are whole or not there.

use std::path::Path;
use std::process::{Command, Output};

fn wattle(words: &str, folder: &Path) -> Output {
    let words = words.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_wattle")).args(words).current_dir(folder).output().unwrap()
}

fn recorded(folder: &Path) {
    let output = wattle("demo --quiet --save run.ledger.json.zst --trace run.pftrace", folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn inputs_and_other_results_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    std::fs::hard_link(at.join("run.pftrace"), at.join("hard.json")).unwrap();
    std::os::unix::fs::symlink("run.pftrace", at.join("soft.json")).unwrap();
    let trace = std::fs::read(at.join("run.pftrace")).unwrap();
    for (words, reason) in [
        ("report run.pftrace --json run.pftrace", "is an input"),
        ("report run.pftrace --json hard.json", "is an input"),
        ("report run.pftrace --html soft.json", "is an input"),
        ("report run.pftrace --save ./run.pftrace", "is an input"),
        ("report run.ledger.json.zst --json run.ledger.json.zst", "is an input"),
        ("export run.pftrace -f json -o hard.json", "is an input"),
        ("diagnose run.pftrace --sarif soft.json", "is an input"),
        ("diff run.pftrace run.ledger.json.zst --json hard.json", "is an input"),
        ("top run.pftrace --json hard.json", "is an input"),
        ("verify run.pftrace --json hard.json", "is an input"),
        ("report run.pftrace --json new.x --html new.x", "two results"),
        ("report run.pftrace --json new.x --html ./new.x", "two results"),
        ("export run.pftrace -f json -f folded -o new.x -o new.x", "two results"),
        ("demo --json new.x --trace new.x", "two results"),
    ] {
        let output = wattle(words, at);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(said.contains(reason) && said.contains("expected"), "{words}: {said}");
        assert!(!at.join("new.x").exists(), "{words}");
        assert_eq!(std::fs::read(at.join("run.pftrace")).unwrap(), trace, "{words}");
    }
    // Devices and standard output take any number of results.
    let output = wattle("report run.pftrace --quiet --json /dev/null --html /dev/null", at);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The program is killed (`SIGXFSZ`) where a file grows above one block of 512 B.
#[cfg(unix)]
#[test]
fn a_killed_program_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    let mut tried = 0;
    for words in [
        "report run.pftrace --quiet --json OUT",
        "report run.pftrace --quiet --html OUT",
        "report run.pftrace --quiet --save OUT",
        "export run.pftrace --quiet -f pprof -o OUT",
        "export run.pftrace --quiet -f csv -o OUT",
    ] {
        for before in [None, Some("an older result")] {
            let out = at.join("out");
            if let Some(before) = before {
                std::fs::write(&out, before).unwrap();
            }
            let program = env!("CARGO_BIN_EXE_wattle");
            let line = format!("ulimit -f 1; exec {program} {}", words.replace("OUT", "out"));
            let output = Command::new("sh").args(["-c", &line]).current_dir(at).output().unwrap();
            assert!(!output.status.success(), "{words}");
            assert_eq!(std::fs::read_to_string(&out).ok().as_deref(), before, "{words}");
            if before.is_some() {
                std::fs::remove_file(&out).unwrap();
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 10);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    for words in [
        "report run.pftrace --json missing/x.json",
        "report run.pftrace --html missing/x.html",
        "export run.pftrace -o missing/x.pb.gz",
    ] {
        let output = wattle(words, at);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{words}: {said}");
        assert!(said.contains("the folder missing does not exist"), "{words}: {said}");
    }
}

/// A result named by links, each a name and what it points to; the file that is written, or the words of the error.
#[cfg(unix)]
#[track_caller]
fn check_links(links: &[(&str, &str)], written: Result<&str, &str>) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    std::fs::create_dir(at.join("other")).unwrap();
    for (name, to) in links {
        std::os::unix::fs::symlink(to, at.join(name)).unwrap();
    }
    let output = wattle("report run.pftrace --quiet --json link.json", at);
    let said = String::from_utf8_lossy(&output.stderr);
    match written {
        Ok(file) => {
            assert!(output.status.success(), "{said}");
            assert!(!at.join(file).is_symlink(), "{file}");
            assert!(at.join(file).metadata().unwrap().len() > 1000);
        }
        Err(words) => {
            assert_eq!(output.status.code(), Some(4), "{said}");
            assert!(said.contains(words), "{said}");
        }
    }
    for (name, to) in links {
        assert_eq!(at.join(name).read_link().unwrap(), Path::new(to));
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_no_file_stays_one_and_its_file_is_made() {
    check_links(&[("link.json", "real.json")], Ok("real.json"));
    check_links(&[("link.json", "other/real.json")], Ok("other/real.json"));
    let chain = [("link.json", "other/next.json"), ("other/next.json", "../real.json")];
    check_links(&chain, Ok("real.json"));
    check_links(&[("link.json", "gone/real.json")], Err("gone does not exist"));
    let circle = [("link.json", "next.json"), ("next.json", "link.json")];
    check_links(&circle, Err("symbolic links"));
}

#[cfg(unix)]
#[test]
fn a_result_keeps_the_rights_and_the_links_of_the_one_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    std::fs::write(at.join("real.json"), "before").unwrap();
    let rights = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(at.join("real.json"), rights).unwrap();
    std::os::unix::fs::symlink("real.json", at.join("link.json")).unwrap();
    let output = wattle("report run.pftrace --quiet --json link.json", at);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(at.join("link.json").symlink_metadata().unwrap().is_symlink());
    let facts = at.join("real.json").metadata().unwrap();
    assert!(facts.len() > 1000);
    assert_eq!(facts.permissions().mode() & 0o777, 0o640);
    let names: Vec<_> = std::fs::read_dir(at).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{names:?}");
}
