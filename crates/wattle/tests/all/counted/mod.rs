//! Programs run in a real Android runtime with stand-ins for framework classes, which bear the real names and count their calls
//! themselves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail the test"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use wattle_ledger::Ledger;
use wattle_timeline::SiteKind;

use crate::art::ArtHost;
use crate::build;
use crate::corpus::tools;

/// A place that calls the framework: the caller's class and method, the line, what is called with its descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub caller: String,
    pub line: Option<u32>,
    pub api: String,
}

/// Number of calls by place.
pub type Counts = BTreeMap<Place, u64>;

/// A runtime with the stand-ins, and a program.
pub struct Counted {
    art: ArtHost,
    folder: PathBuf,
    app: PathBuf,
    ending: PathBuf,
}

/// A run with probes.
pub struct Recorded {
    /// Counts of the stand-ins.
    pub counted: Counts,
    /// Output of the program.
    pub said: String,
    /// Output of the probes, and the probe map.
    pub artifacts: Vec<PathBuf>,
}

impl Counted {
    /// Compiles the stand-ins and a program.
    #[track_caller]
    pub fn make(name: &str, sources: &[PathBuf]) -> Self {
        let art = ArtHost::new();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let java = java();
        let (doubles, app, ending) =
            (folder.join("doubles.dex"), folder.join("app.dex"), folder.join("ending.dex"));
        let classes = folder.join("doubles");
        tools::java(&tools::files_below(&java.join("doubles")), &classes, &doubles);
        tools::java(&tools::files_below(&java.join("ending")), &folder.join("ending"), &ending);
        tools::java_against(sources, Some(&classes), &folder.join("app"), &app);
        let art = art.with_framework(&std::fs::read(&doubles).unwrap());
        Self { art, folder, app, ending }
    }

    /// Runs the program as it is.
    #[track_caller]
    pub fn plain(&self, main: &str) -> (Counts, String) {
        let ran =
            self.art.run(&[self.app.clone(), self.ending.clone()], "ending.Ending", &[main], &[]);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        counted(&String::from_utf8_lossy(&ran.stdout))
    }

    /// Runs the program with probes.
    #[track_caller]
    pub fn recorded(&self, main: &str, mode: &str, sink: &str) -> Recorded {
        let what = format!("{main} {mode} {sink}");
        let place = self.folder.join(&what);
        let records = place.join("records");
        std::fs::create_dir_all(&records).unwrap();
        let output = place.join("out.dex");
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        command.arg("instrument").arg(&self.app).arg("-o").arg(&output).args(["--all", "--quiet"]);
        command.args(["--mode", mode, "--sink", sink, "--short-methods", "probe"]);
        let made = command.current_dir(&place).output().unwrap();
        assert!(made.status.success(), "{what}: {}", String::from_utf8_lossy(&made.stderr));
        let sections = place.join("sections.txt");
        let options = [
            format!("-Dwattle.dir={}", records.display()),
            format!("-Dwattle.trace={}", sections.display()),
        ];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let code = [output, place.join("out-runtime.dex"), self.ending.clone()];
        let ran = self.art.run(&code, "ending.Ending", &[main], &options);
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && !errors.contains("ended by"), "{what}: {errors}");
        match sink {
            "file" => {}
            "trace" => {
                let lines = std::fs::read_to_string(&sections).unwrap();
                std::fs::write(records.join("trace.pftrace"), trace(&lines)).unwrap();
            }
            _ => std::fs::write(records.join("log.txt"), &ran.stderr).unwrap(),
        }
        let mut artifacts = tools::files_below(&records);
        assert_eq!(artifacts.len(), 1, "{what}: {artifacts:?}");
        artifacts.push(place.join("out.probes.jsonl"));
        let (counted, said) = counted(&String::from_utf8_lossy(&ran.stdout));
        Recorded { counted, said, artifacts }
    }
}

fn java() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus/java")
}

/// All sources of a program of the corpus.
pub fn sources(name: &str) -> Vec<PathBuf> {
    tools::files_below(&java().join(name))
}

/// The lines of the stand-ins, and the rest of what was printed.
fn counted(stdout: &str) -> (Counts, String) {
    let (mut counts, mut said) = (Counts::new(), String::new());
    for line in stdout.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let ["counted", count, caller, line, api] = words[..] else {
            said += line;
            said += "\n";
            continue;
        };
        let line = line.parse().ok();
        let place = Place { caller: caller.to_owned(), line, api: api.to_owned() };
        let known = counts.insert(place, count.parse().unwrap());
        assert_eq!(known, None, "{caller} {line:?} {api} twice");
    }
    (counts, said)
}

/// Printed sections as a kernel's trace, a microsecond apart.
fn trace(lines: &str) -> Vec<u8> {
    let events: Vec<Vec<u8>> = lines
        .lines()
        .zip(1_u64..)
        .map(|(line, at)| {
            let mut words = line.splitn(3, ' ');
            let (kind, thread) = (words.next().unwrap(), words.next().unwrap());
            let tid = 100 + thread.parse::<u64>().unwrap();
            let text = match words.next() {
                Some(label) => format!("{kind}|101|{label}\n"),
                None => format!("{kind}|101\n"),
            };
            build::print(at * 1000, tid, &text)
        })
        .collect();
    build::bundle(0, &events)
}

/// Runs `wattle report` on input files and returns its JSON, and the ledger that it saves.
#[track_caller]
pub fn report(artifacts: &[PathBuf], more: &[&str]) -> (Value, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.ledger.json.zst");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
    command.arg("report").args(artifacts).arg("--save").arg(&saved).args(["--json", "-"]);
    let ran = command.args(more).current_dir(folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    (serde_json::from_slice(&ran.stdout).unwrap(), Ledger::load(&saved).unwrap())
}

/// The calls of the framework that a ledger has, by where they stand.
pub fn calls(ledger: &Ledger) -> Counts {
    let mut counts = Counts::new();
    let site = |index: u32| &ledger.rows.sites[index as usize];
    for path in &ledger.rows.paths {
        let Some(call) = path.site.map(site).filter(|it| it.kind == SiteKind::Call) else {
            continue;
        };
        let within = site(call.within.expect("the method that a call stands in"));
        let descriptor = call.descriptor.as_deref().unwrap_or_default();
        let place = Place {
            caller: format!("{}.{}", within.class, within.method),
            line: call.line,
            api: format!("{}.{}{descriptor}", call.class, call.method),
        };
        *counts.entry(place).or_default() += path.calls;
    }
    counts
}

/// Counts the runs of each method, by class, name and descriptor.
pub fn methods(ledger: &Ledger) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for path in &ledger.rows.paths {
        let Some(site) = path.site.map(|it| &ledger.rows.sites[it as usize]) else { continue };
        if site.kind == SiteKind::Method {
            let descriptor = site.descriptor.as_deref().unwrap_or_default();
            let name = format!("{}.{}{descriptor}", site.class, site.method);
            *counts.entry(name).or_default() += path.calls;
        }
    }
    counts
}
