//! Real recordings and programs for tests.
//!
//! Real traces are large and belong to others, so they are not part of this repository. Tests look for
//! them in `$WATTLE_DATA`, else in `../shared/data` beside the workspace. A test that needs them says so with
//! [`macro@requires`] and is ignored, with that reason, where they are missing; the functions here then simply
//! panic if something is not there.
//!
//! ```text
//! use wattle_testdata::requires;
//!
//! #[requires(data)]
//! #[test]
//! fn a_real_trace_is_read() {
//!     let trace = wattle_testdata::bytes("perfetto/some.perfetto-trace");
//!     assert!(!trace.is_empty());
//! }
//! ```

#![allow(clippy::panic, reason = "what a test needs and is not there fails the test")]

use std::cell::RefCell;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use wattle_requires::requires;

thread_local! {
    /// Needs that the test of this thread has declared.
    static DECLARED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Notes what the running test declares by [`macro@requires`], which calls this.
pub fn declare(needs: &[&'static str]) {
    DECLARED.with_borrow_mut(|declared| declared.extend(needs));
}

/// Fails a test that uses what it does not declare: where that is missing, it must be ignored.
///
/// # Panics
/// On the thread of a test, which has its name (`module::test`), if it has not declared the need.
#[track_caller]
fn check_declared(need: &str) {
    let is_declared = DECLARED.with_borrow(|declared| declared.contains(&need));
    let thread = std::thread::current();
    let is_test = thread.name().is_some_and(|name| name.contains("::"));
    assert!(
        is_declared || !is_test,
        "{} uses {need} and does not say so: #[requires(data)] or #[requires(env = \"…\")]",
        thread.name().unwrap_or_default()
    );
}

/// The folder of real recordings, if it is there.
pub fn root() -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("WATTLE_DATA") {
        return Some(PathBuf::from(root)).filter(|root| root.is_dir());
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    Some(workspace.parent()?.join("shared/data")).filter(|root| root.is_dir())
}

/// The path of one file or folder of the real recordings.
///
/// # Panics
/// If it is not there, or the test does not declare that it needs recordings.
#[track_caller]
pub fn path(relative: &str) -> PathBuf {
    check_declared("data");
    let Some(root) = root() else {
        panic!("no real recordings: neither $WATTLE_DATA nor ../shared/data is a folder")
    };
    let path = root.join(relative);
    assert!(path.exists(), "no real recording {}", path.display());
    path
}

/// The content of one file of the real recordings.
///
/// # Panics
/// If it is not there or cannot be read.
#[track_caller]
pub fn bytes(relative: &str) -> Vec<u8> {
    let path = path(relative);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder of the real recordings, not of its folders, in order of their paths; `wanted` sees each
/// file's name.
///
/// # Panics
/// If there are not `count` of them: a loop over no file tests nothing.
#[track_caller]
pub fn files(relative: &str, count: usize, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let folder = path(relative);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        path.is_file() && name.is_some_and(|name| wanted(&name))
    };
    let mut files: Vec<PathBuf> = entries.filter(is_wanted).collect();
    files.sort();
    assert_eq!(files.len(), count, "files of {} that this test is about", folder.display());
    files
}

/// The path that an environment variable names, such as `WATTLE_ART`.
///
/// # Panics
/// If it is not set, nothing is at that path, or the test does not declare that it needs it.
#[track_caller]
pub fn variable(name: &str) -> PathBuf {
    check_declared(name);
    let Some(value) = std::env::var_os(name) else { panic!("the variable {name} is not set") };
    let path = PathBuf::from(value);
    assert!(path.exists(), "{name} names {}, where nothing is", path.display());
    path
}

/// A port of this machine for a server that another program starts a moment later.
///
/// Never one that the system hands out itself (32,768 and above on Linux, 49,152 elsewhere): such a port is soon
/// somebody else's, a simulated phone's of the next test for one.
///
/// # Panics
/// If all ports below those are taken.
pub fn server_port() -> u16 {
    const LEAST: u32 = 10_000;
    const PORTS: u32 = 22_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(101);
    let candidates = std::iter::from_fn(|| {
        let port = LEAST + start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS;
        u16::try_from(port).ok()
    });
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let Some(port) = candidates.take(PORTS as usize).find(is_free) else {
        panic!("no port of this machine is free")
    };
    port
}

/// The path of one file or folder of the real recordings; `None`, said loudly, when it is not there.
///
/// For benchmarks; a test names what it needs with [`macro@requires`].
#[track_caller]
pub fn find(relative: &str) -> Option<PathBuf> {
    let found = root().map(|root| root.join(relative)).filter(|path| path.exists());
    if found.is_none() {
        skipped(relative);
    }
    found
}

/// The content of one file of the real recordings; `None`, said loudly, when it is not there.
///
/// For benchmarks; a test names what it needs with [`macro@requires`].
#[track_caller]
pub fn read(relative: &str) -> Option<Vec<u8>> {
    let path = find(relative)?;
    let content = std::fs::read(path).ok();
    if content.is_none() {
        skipped(relative);
    }
    content
}

#[track_caller]
fn skipped(relative: &str) {
    let caller = std::panic::Location::caller();
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    // Written past `eprintln!`, which the test harness captures.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {test} ({}:{}): no real data file {relative}; set WATTLE_DATA",
        caller.file(),
        caller.line()
    );
}

#[cfg(test)]
mod tests {
    /// The path of this workspace's own crate: a variable that cargo sets for every test.
    const VARIABLE: &str = "CARGO_MANIFEST_DIR";

    #[test]
    #[should_panic(expected = "does not say so")]
    fn a_test_that_does_not_say_what_it_needs_fails() {
        super::variable(VARIABLE);
    }

    #[test]
    fn what_is_declared_is_handed_out() {
        super::declare(&["data", VARIABLE]);
        assert!(super::variable(VARIABLE).is_dir());
    }
}
