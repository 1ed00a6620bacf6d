//! The command under test, and all that is known of the names of its files.

use std::path::{Path, PathBuf};

use super::probe_map::ProbeMap;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub mode: &'static str,
    pub sink: &'static str,
    /// Short methods too.
    pub short: bool,
}

/// What came out.
pub struct Instrumented {
    /// The program with probes.
    pub code: Vec<PathBuf>,
    /// The runtime class.
    pub runtime: PathBuf,
    pub map: ProbeMap,
    /// The methods that cannot be touched.
    pub left_out: Vec<String>,
}

/// Puts probes into an executable; everything is in scope.
#[track_caller]
pub fn instrument(dex: &Path, asked: Asked, folder: &Path) -> Instrumented {
    use wattle_probe::{CodeFile, Mode, Options, ShortMethods, Sink};
    std::fs::create_dir_all(folder).unwrap();
    let mut options = Options::default();
    options.scope.all = true;
    options.mode = match asked.mode {
        "methods" => Mode::Methods,
        "apis" => Mode::Apis,
        _ => Mode::Both,
    };
    options.sink = match asked.sink {
        "trace" => Sink::Trace,
        "logcat" => Sink::Logcat,
        _ => Sink::File,
    };
    options.short_methods = if asked.short { ShortMethods::Probe } else { ShortMethods::Skip };
    let bytes = std::fs::read(dex).unwrap();
    let file = CodeFile { name: dex.display().to_string(), bytes: bytes.into() };
    let made = wattle_probe::instrument(&[file], &options).unwrap();
    let mut code = Vec::new();
    for (index, file) in made.files.iter().enumerate() {
        let path = folder.join(format!("out-{index}.dex"));
        std::fs::write(&path, &file.bytes).unwrap();
        code.push(path);
    }
    let runtime = folder.join("out-runtime.dex");
    std::fs::write(&runtime, &made.runtime).unwrap();
    let left_out = made.left_out.iter().map(|it| format!("{} {}", it.method, it.reason)).collect();
    let map = ProbeMap::parse(std::str::from_utf8(&made.map).unwrap());
    Instrumented { code, runtime, map, left_out }
}
