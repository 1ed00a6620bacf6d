//! Where tests find real recordings.
//!
//! Real traces are large and belong to others, so they are not part of this repository. Tests look for
//! them in `$WATTLE_DATA`, else in `../shared/data` beside the workspace. A test that needs a file that
//! is not there is skipped, and says so on the real standard error, past the test harness's capture, so
//! that a green run without data cannot be taken for a full one.
//!
//! ```
//! let Some(path) = wattle_testdata::find("perfetto/no-such-file") else { return };
//! # let _ = path;
//! ```

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of real recordings, if it is there.
pub fn root() -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("WATTLE_DATA") {
        return Some(PathBuf::from(root)).filter(|root| root.is_dir());
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    Some(workspace.parent()?.join("shared/data")).filter(|root| root.is_dir())
}

/// The path of one file or folder of the real recordings; `None`, said loudly, when it is not there.
#[track_caller]
pub fn find(relative: &str) -> Option<PathBuf> {
    let found = root().map(|root| root.join(relative)).filter(|path| path.exists());
    if found.is_none() {
        skipped(relative);
    }
    found
}

/// The content of one file of the real recordings; `None`, said loudly, when it is not there.
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
