//! The Android runtime with programs to run in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;
use wattle_phone::art::ArtRuntime;

/// The runtime, the compiler's jar beside it, and the compiled programs; all that needs tools that are not everywhere.
pub struct Bench {
    pub runtime: ArtRuntime,
    pub code: PathBuf,
    _folder: TempDir,
}

static BENCH: LazyLock<Result<Bench, String>> = LazyLock::new(Bench::new);

impl Bench {
    fn new() -> Result<Self, String> {
        let runtime = ArtRuntime::find().map_err(|error| error.to_string())?;
        let caches = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
        let root = std::env::var_os("WATTLE_ART")
            .map(PathBuf::from)
            .or_else(|| Some(caches?.join("wattle/art")))
            .unwrap_or_default();
        let dx = root.join("x/usr/share/java/com.android.dx.jar");
        if !dx.is_file() {
            return Err(format!("no dx in {}", dx.display()));
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let code = compile(&root, &dx, folder.path())?;
        Ok(Self { runtime, code, _folder: folder })
    }
}

/// The Java programs as one executable.
fn compile(root: &Path, dx: &Path, folder: &Path) -> Result<PathBuf, String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/art_programs");
    let classes = folder.join("classes");
    std::fs::create_dir(&classes).map_err(|error| error.to_string())?;
    let run = |command: &mut Command| {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
        }
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
    run(javac.args(java))?;
    let code = folder.join("programs.dex");
    let mut command = Command::new("java");
    command.arg("-cp").arg(dx).args(["com.android.dx.command.Main", "--dex", "--core-library"]);
    command.arg("--min-sdk-version=26").arg(format!("--output={}", code.display())).arg(&classes);
    run(&mut command)?;
    Ok(code)
}

/// The bench; `None`, said loudly past the harness's capture, where the runtime or a tool is missing.
#[track_caller]
pub fn bench() -> Option<&'static Bench> {
    match &*BENCH {
        Ok(bench) => Some(bench),
        Err(missing) => {
            // Continuous integration, which builds the runtime, must not pass without it.
            let required = std::env::var_os("WATTLE_REQUIRE_ART").is_some_and(|value| value == "1");
            assert!(!required, "{missing}, and WATTLE_REQUIRE_ART=1");
            let place = std::panic::Location::caller();
            let _ =
                writeln!(std::io::stderr(), "SKIPPED {}:{}: {missing}", place.file(), place.line());
            None
        }
    }
}
