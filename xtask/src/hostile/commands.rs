//! The commands that a hostile file is given to.

use std::path::Path;

use super::hostile_file::Reader;

/// Well-formed files that a command needs beside the hostile one.
#[derive(Clone, Debug)]
pub struct Companions {
    /// A small trace.
    pub trace: String,
    /// A `perf.data` with samples of libraries.
    pub samples: String,
    /// A Dalvik executable.
    pub code: String,
    /// A saved ledger.
    pub ledger: String,
}

const EXPORTS: [&str; 9] =
    ["pprof", "firefox", "speedscope", "folded", "perfetto", "chrome", "csv", "json", "parquet"];

/// All commands that fit the file, as arguments; what they write is in `out`, an empty folder. The first ones are those that matter
/// most.
pub fn commands(reader: Reader, file: &Path, out: &Path, with: &Companions) -> Vec<Vec<String>> {
    let file = file.display().to_string();
    let file = file.as_str();
    let to = |name: &str| out.join(name).display().to_string();
    let line = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let export =
        |format: &&str| line(&["export", file, "-f", format, "-o", &to(&format!("out.{format}"))]);
    let store = to("store");
    match reader {
        Reader::Trace => {
            let mut list = vec![
                line(&["report", file, "--json", &to("report.json")]),
                line(&["report", file, "--html", &to("report.html"), "--quiet"]),
                line(&["diagnose", file, "--json", "-"]),
                line(&["report", file, "--full", "--no-pager"]),
                line(&["top", "--plain", file]),
                line(&["diff", file, &with.trace, "--anyway"]),
                line(&["calibrate", file]),
                line(&["import", file, "-o", &to("imported")]),
            ];
            list.extend(EXPORTS.iter().map(export));
            list.push(line(&["report", file, &with.trace, "--join"]));
            list.push(line(&["verify", file]));
            list.push(line(&["runs", "import", file, "--store", &store]));
            list
        }
        Reader::Package => vec![
            line(&["verify", file]),
            line(&["instrument", file, "-o", &to("out.apk")]),
            line(&["instrument", file, "-o", &to("all.apk"), "--all"]),
            line(&["verify", file, "--json", "-", "--strict"]),
            line(&["report", &with.samples, "--symbols", file]),
            line(&["instrument", file, "--dry-run", "--json", "-"]),
            line(&["report", file]),
        ],
        Reader::Ledger => {
            let mut list = vec![
                line(&["report", file, "--json", &to("report.json")]),
                line(&["top", "--plain", file]),
                line(&["diff", file, &with.ledger, "--anyway"]),
                line(&["runs", "import", file, "--app", "a.b", "--store", &store]),
                line(&["check", file, "--store", &store]),
                line(&["baseline", "set", file]),
                line(&["instrument", &with.code, "-o", &to("out.dex"), "--calls", file]),
            ];
            list.extend(EXPORTS.iter().map(export));
            list
        }
        Reader::Meter => vec![
            line(&["report", &with.trace, "--meter", file]),
            line(&["report", "--json", "-", file]),
            line(&["calibrate", file]),
        ],
        Reader::Model => vec![
            line(&["model", "check", file]),
            line(&["report", &with.trace, "--device-model", file]),
            line(&["model", "show", file]),
            line(&["model", "diff", file, file]),
        ],
        Reader::ApiCosts => vec![
            line(&["model", "check", file]),
            line(&["report", &with.trace, "--api-costs", file]),
        ],
        Reader::Mapping => vec![
            line(&["report", &with.samples, "--mapping", file]),
            line(&["instrument", &with.code, "-o", &to("out.dex"), "--mapping", file]),
        ],
        Reader::Symbols => vec![
            line(&["report", &with.samples, "--symbols", file]),
            line(&["report", &with.samples, "--kallsyms", file]),
        ],
        Reader::Configuration => vec![
            line(&["report", &with.trace, "--config", file]),
            line(&["check", &with.ledger, "--config", file, "--store", &store]),
        ],
        Reader::Table => vec![
            line(&["calibrate", "--csv", file, "--target", "power"]),
            line(&["calibrate", "--csv", file, "--list-parameters"]),
            line(&["model", "check", file]),
        ],
    }
}
