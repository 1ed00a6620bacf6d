//! The command under test, and all that is known of the names of its files.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::probe_map::ProbeMap;

/// Options of an instrumentation.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub mode: &'static str,
    pub sink: &'static str,
    /// Short methods too.
    pub short: bool,
}

/// Output of an instrumentation.
pub struct Instrumented {
    /// The program with probes.
    pub code: Vec<PathBuf>,
    /// The runtime class.
    pub runtime: PathBuf,
    pub map: ProbeMap,
    /// The command's summary of it.
    pub summary: Value,
}

/// Puts probes into an executable; everything is in scope.
#[track_caller]
pub fn instrument(dex: &Path, asked: Asked, folder: &Path) -> Instrumented {
    std::fs::create_dir_all(folder).unwrap();
    let output = folder.join("out.dex");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
    command.arg("instrument").arg(dex).arg("-o").arg(&output).args(["--all", "--json", "-"]);
    command.args(["--mode", asked.mode, "--sink", asked.sink]);
    command.args(["--short-methods", if asked.short { "probe" } else { "skip" }]);
    if asked.mode != "methods" {
        // Programs that run here call little of what spends energy. These they call a lot, and always on objects that
        // are there and no proxies: of a call that never arrives the runtime's trace knows nothing.
        for api in
            ["java.io.**", "java.lang.StringBuilder", "java.lang.Integer", "java.lang.Throwable"]
        {
            command.args(["--api", api]);
        }
    }
    let ran = command.current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {said}");
    let summary: Value = serde_json::from_slice(&ran.stdout).unwrap();
    // Classes that had to move are beside the first file: out-2.dex, out-3.dex, ...
    let further = (2..).map(|number| folder.join(format!("out-{number}.dex")));
    let mut code = vec![output];
    code.extend(further.take_while(|path| path.is_file()));
    let map = std::fs::read_to_string(folder.join("out.probes.jsonl")).unwrap();
    Instrumented {
        code,
        runtime: folder.join("out-runtime.dex"),
        map: ProbeMap::parse(&map),
        summary,
    }
}
