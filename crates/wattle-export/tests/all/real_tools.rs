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
    assert!(types[0].starts_with("energy/nanojoules"), "{types:?}");
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
    assert_eq!(sums[0], (total(ledger) * 1e9).round() as i64, "{raw}");
    assert_eq!(sums[1..=ledger.rows.components.len()].iter().sum::<i64>(), sums[0]);
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
        Command::new(pprof)
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
        (" draw", 0.7e9, 1.24e9),
        (" schedule", 0.04e9, 0.04e9),
        (" Cart.sum", 0.25e9, 0.25e9 + 1e9 / 3.0 + 1e7),
    ] {
        let figures = figures(name);
        let number = |text: &str| text.trim_end_matches("nanojoules").parse::<f64>().unwrap();
        assert!((number(&figures[0]) / flat - 1.0).abs() < 1e-3, "{name}: {figures:?}");
        assert!((number(&figures[3]) / cumulative - 1.0).abs() < 1e-3, "{name}: {figures:?}");
    }
    assert!(top.contains("lerp (inline)"), "{top}");
    assert!(top.contains("[idle floor]"), "{top}");
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
