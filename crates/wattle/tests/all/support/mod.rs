//! Runs the real program.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Result of a run of the program.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "stderr: {}", self.stderr);
        serde_json::from_str(&self.stdout).expect("standard output is JSON")
    }
}

/// `wattle` with these arguments, in an empty folder of its own, so that no `wattle.toml` interferes.
pub fn wattle<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let folder = tempfile::tempdir().expect("temporary folder");
    let output: Output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(arguments)
        .current_dir(folder.path())
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A real trace of the Perfetto folder.
#[track_caller]
pub fn trace(name: &str) -> PathBuf {
    wattle_testdata::path(&format!("perfetto/{name}"))
}

/// The figure under a path of keys.
#[track_caller]
pub fn number(value: &Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {pointer}"))
}

/// The list under a path of keys.
#[track_caller]
pub fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or_else(|| panic!("no list at {pointer}"), Vec::as_slice)
}
