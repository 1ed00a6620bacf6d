//! The Android runtime with programs to run in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;
use wattle_phone::art::ArtRuntime;

/// The runtime and the compiled programs.
pub struct Bench {
    pub runtime: ArtRuntime,
    pub code: PathBuf,
    _folder: TempDir,
}

/// The bench of all tests.
pub fn bench() -> &'static Bench {
    static BENCH: LazyLock<Bench> = LazyLock::new(Bench::new);
    &BENCH
}

impl Bench {
    fn new() -> Self {
        let root = wattle_testdata::variable("WATTLE_ART");
        let runtime = ArtRuntime::find().expect("an Android runtime");
        let dx = root.join("x/usr/share/java/com.android.dx.jar");
        let folder = tempfile::tempdir().expect("a folder");
        let code = compile(&root, &dx, folder.path());
        Self { runtime, code, _folder: folder }
    }
}

/// The Java programs as one executable.
fn compile(root: &Path, dx: &Path, folder: &Path) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/art_programs");
    let classes = folder.join("classes");
    std::fs::create_dir(&classes).expect("a folder");
    let run = |command: &mut Command| {
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {complaint}");
    };
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-g", "-source", "8", "-target", "8", "-cp"]).arg(root.join("stub"));
    javac.arg("-sourcepath").arg(&sources).arg("-d").arg(&classes);
    let mut java: Vec<PathBuf> = ["", "junit/framework", "org/junit"]
        .iter()
        .flat_map(|part| std::fs::read_dir(sources.join(part)).into_iter().flatten())
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|it| it == "java"))
        .collect();
    java.sort();
    run(javac.args(java));
    let code = folder.join("programs.dex");
    let mut command = Command::new("java");
    command.arg("-cp").arg(dx).args(["com.android.dx.command.Main", "--dex", "--core-library"]);
    command.arg("--min-sdk-version=26").arg(format!("--output={}", code.display())).arg(&classes);
    run(&mut command);
    code
}
