//! `wattle bisect` over a repository whose tenth commit makes the app wasteful.

use std::path::Path;
use std::process::Command;

use wattle_testdata::requires;

/// Commits after the first one.
const COMMITS: usize = 12;
/// The one that changes the app.
const CHANGED: usize = 9;

fn git(folder: &Path, arguments: &[&str]) {
    let identity =
        ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").current_dir(folder).args(identity).args(arguments).output();
    let output = output.expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository in which `flags` says how the demo's app is built: fixed, then wasteful. One commit cannot be built.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    for number in 0..=COMMITS {
        let flags = match number {
            6 => "--no-such-flag",
            number if number < CHANGED => "--fixed",
            _ => "",
        };
        std::fs::write(folder.path().join("flags"), format!("{flags}\n")).expect("written");
        std::fs::write(folder.path().join("number"), number.to_string()).expect("written");
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "--quiet", "--message", &format!("change {number}")]);
    }
    folder
}

fn bisect(folder: &Path, good: &str, build: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .current_dir(folder)
        .args(["bisect", "--good", good, "--", "sh", "-e", "-c", build])
        .env("WATTLE", env!("CARGO_BIN_EXE_wattle"))
        // As an alias or a hook of git has it: what is checked out there stays as it is.
        .env("GIT_DIR", folder.join(".git"))
        .env_remove("WATTLE_STORE")
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Keeps as many runs as are wanted, each of another phone.
const BUILD: &str = "for run in $(seq $WATTLE_RUNS); do \
    \"$WATTLE\" demo --no-open --quiet --keep --seed $(od -An -N2 -tu2 /dev/urandom | tr -d ' ') $(cat flags); done";

#[requires(program = "git")]
#[test]
fn the_commit_that_made_the_app_wasteful_is_found() {
    let repository = repository();
    let first = format!("HEAD~{COMMITS}");
    let (code, stdout, stderr) = bisect(repository.path(), &first, BUILD);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.starts_with("first commit with the change: "), "{stdout}");
    assert!(stdout.contains(&format!("change {CHANGED}\n")), "{stdout}");
    assert!(
        stdout.contains(&format!("change {}", CHANGED - 1)) && stdout.contains(" more than "),
        "{stdout}"
    );
    let head = std::fs::read_to_string(repository.path().join(".git/HEAD")).expect("a file");
    assert_eq!(head, "ref: refs/heads/main\n");
    // Nothing of it stays in the repository.
    let left =
        Command::new("git").current_dir(repository.path()).args(["worktree", "list"]).output();
    assert_eq!(String::from_utf8_lossy(&left.expect("git").stdout).lines().count(), 1);
}

#[requires(program = "git")]
#[test]
fn ends_that_cannot_be_run_are_errors() {
    let repository = repository();
    let (code, _, stderr) = bisect(repository.path(), "HEAD~3", "exit 7");
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("change 9: the command ended with exit status: 7"), "{stderr}");
    let (code, _, stderr) = bisect(repository.path(), "HEAD~3", "true");
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("kept no run"), "{stderr}");
    let (code, _, stderr) = bisect(repository.path(), "nowhere", "true");
    assert_eq!(code, Some(2), "{stderr}");
}

/// The wasteful code is in a submodule: it comes with the commit that names it, and what Ctrl-C does is said of a search.
#[requires(program = "git")]
#[test]
fn submodules_are_checked_out_with_their_commits() {
    let (library, app) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let allowed = ["-c", "protocol.file.allow=always"];
    git(library.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(app.path(), &["init", "--quiet", "--initial-branch=main"]);
    let commit = |folder: &Path, message: &str| {
        git(folder, &["add", "."]);
        git(folder, &["commit", "--quiet", "--allow-empty", "--message", message]);
    };
    std::fs::write(library.path().join("flags"), "--fixed\n").expect("written");
    commit(library.path(), "fixed");
    let path = library.path().to_str().expect("UTF-8");
    git(app.path(), &[&allowed[..], &["submodule", "--quiet", "add", path, "library"]].concat());
    commit(app.path(), "change 0");
    commit(app.path(), "change 1");
    std::fs::write(library.path().join("flags"), "\n").expect("written");
    commit(library.path(), "wasteful");
    let inside = app.path().join("library");
    git(&inside, &[&allowed[..], &["pull", "--quiet", "origin", "main"]].concat());
    commit(app.path(), "change 2");
    commit(app.path(), "change 3");
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .current_dir(app.path())
        .args([
            "bisect",
            "--good",
            "HEAD~3",
            "--",
            "sh",
            "-e",
            "-c",
            &BUILD.replace("cat flags", "cat library/flags"),
        ])
        .env("WATTLE", env!("CARGO_BIN_EXE_wattle"))
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "protocol.file.allow")
        .env("GIT_CONFIG_VALUE_0", "always")
        .env_remove("WATTLE_STORE")
        .output()
        .expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert!(
        stdout.starts_with("first commit with the change: ") && stdout.contains("change 2\n"),
        "{stdout}{stderr}"
    );
    let left = Command::new("git").current_dir(app.path()).args(["worktree", "list"]).output();
    assert_eq!(String::from_utf8_lossy(&left.expect("git").stdout).lines().count(), 1);
}

/// Ctrl-C ends a search when the command has ended, and speaks of the search and of no device.
#[cfg(unix)]
#[requires(program = "git")]
#[test]
fn an_interrupted_search_speaks_of_no_device() {
    let repository = repository();
    let child = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .current_dir(repository.path())
        // The command interrupts the search, as a person at the keyboard would.
        .args(["bisect", "--good", "HEAD~3", "--", "sh", "-c", "kill -INT $PPID; sleep 0.3"])
        .env_remove("WATTLE_STORE")
        .output()
        .expect("the program runs");
    let stderr = String::from_utf8_lossy(&child.stderr).into_owned();
    assert_eq!(child.status.code(), Some(130), "{stderr}");
    assert!(
        stderr.contains("stopping when the command ends") && !stderr.contains("device"),
        "{stderr}"
    );
}
