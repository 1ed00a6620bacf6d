//! Compilers and disassemblers that the corpus needs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler from Java classes to Dalvik code, which came with the runtime.
#[track_caller]
fn dx_jar() -> PathBuf {
    wattle_testdata::variable("WATTLE_ART").join("x/usr/share/java/com.android.dx.jar")
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Java sources to a Dalvik executable.
pub fn java(sources: &[PathBuf], folder: &Path, dex: &Path) {
    java_against(sources, None, folder, dex);
}

/// Java sources to a Dalvik executable; with the folder whose `classes` they name and do not bring.
pub fn java_against(sources: &[PathBuf], against: Option<&Path>, folder: &Path, dex: &Path) {
    let classes = folder.join("classes");
    std::fs::create_dir_all(&classes).unwrap();
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-g", "-source", "8", "-target", "8", "-encoding", "UTF-8"]);
    if let Some(against) = against {
        javac.arg("-cp").arg(against.join("classes"));
    }
    run(javac.arg("-d").arg(&classes).args(sources));
    let mut dx = Command::new("java");
    dx.arg("-cp").arg(dx_jar()).arg("com.android.dx.command.Main");
    dx.args(["--dex", "--min-sdk-version=26"]);
    run(dx.arg(format!("--output={}", dex.display())).arg(&classes));
}

/// All files below a folder, sorted.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Texts of assembly to a Dalvik executable.
pub fn smali(sources: &[PathBuf], dex: &Path) {
    run(Command::new("smali").arg("a").args(sources).arg("-o").arg(dex));
}

/// The methods that have code, as `some.pack.Class.name(I)V`, by Android's own disassembler.
pub fn methods_with_code(dex: &Path) -> Vec<String> {
    let text = run(Command::new("dexdump").arg(dex));
    let quoted = |line: &str| line.split('\'').nth(1).unwrap_or_default().to_owned();
    let (mut class, mut name, mut descriptor) = (String::new(), String::new(), String::new());
    let mut methods = Vec::new();
    for line in text.lines() {
        let word = line.trim_start();
        if word.starts_with("Class descriptor ") {
            class = quoted(line).trim_start_matches('L').trim_end_matches(';').replace('/', ".");
        } else if word.starts_with("name ") {
            name = quoted(line);
        } else if word.starts_with("type ") {
            descriptor = quoted(line);
        } else if word.starts_with("code ") && word.ends_with('-') {
            methods.push(format!("{class}.{name}{descriptor}"));
        }
    }
    methods
}
