//! Compilers and disassemblers that the corpus needs, and whether it is right to do without them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a missing runtime or tool is an error: continuous integration sets it once it has installed them.
pub fn required() -> bool {
    std::env::var_os("WATTLE_REQUIRE_ART").is_some_and(|value| value == "1")
}

/// Says past the harness's capture that something was skipped; an error where it must not be.
#[track_caller]
pub fn skipped(what: &str) {
    assert!(!required(), "{what}, and WATTLE_REQUIRE_ART=1");
    let caller = std::panic::Location::caller();
    let test = std::thread::current().name().unwrap_or("?").to_owned();
    let _ =
        writeln!(std::io::stderr(), "SKIPPED {test} ({}:{}): {what}", caller.file(), caller.line());
}

/// The folder of the Android runtime, see `ArtHost`.
pub fn art_root() -> Option<PathBuf> {
    match std::env::var_os("WATTLE_ART") {
        Some(root) => Some(PathBuf::from(root)),
        None => Some(Path::new(&std::env::var_os("HOME")?).join(".cache/wattle/art")),
    }
}

/// The compiler from Java classes to Dalvik code, which came with the runtime.
fn dx_jar() -> Option<PathBuf> {
    Some(art_root()?.join("x/usr/share/java/com.android.dx.jar")).filter(|jar| jar.is_file())
}

/// Whether all that makes code of the corpus is there; says so where not.
#[track_caller]
pub fn are_there() -> bool {
    if dx_jar().is_none() {
        skipped("no dx beside the Android runtime");
        return false;
    }
    for tool in ["javac", "smali", "dexdump"] {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|it| it.join(tool).is_file()));
        if !found {
            skipped(&format!("no {tool}"));
            return false;
        }
    }
    true
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
    dx.arg("-cp").arg(dx_jar().unwrap()).arg("com.android.dx.command.Main");
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
