//! `wattle export` from the command line.

use std::path::Path;
use std::process::{Command, Output};

use wattle_ledger::Ledger;

fn wattle(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wattle")).args(arguments).current_dir(folder).output().unwrap()
}

/// The simulated phone's trace, model and ledger.
fn recorded(folder: &Path) -> Ledger {
    let output = wattle(
        &[
            "demo",
            "--quiet",
            "--save",
            "run.ledger.json.zst",
            "--trace",
            "run.pftrace",
            "--device-model",
            "phone.toml",
        ],
        folder,
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ledger::load(&folder.join("run.ledger.json.zst")).unwrap()
}

#[track_caller]
fn check(folder: &Path, words: &str, code: i32, files: &[&str]) -> Output {
    let arguments: Vec<&str> = words.split_whitespace().collect();
    let output = wattle(&arguments, folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words}: {said}");
    for file in files {
        let length = std::fs::metadata(folder.join(file)).map(|facts| facts.len());
        assert!(length.is_ok_and(|length| length > 50), "{words}: {file}");
    }
    output
}

fn folded_sum(text: &[u8]) -> i64 {
    let lines = std::str::from_utf8(text).unwrap().lines();
    lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<i64>().unwrap()).sum()
}

#[test]
fn a_ledger_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let ledger = recorded(at);
    let joules = ledger.total().unwrap().joules.value();

    // The name tells the format; several at once.
    let names = [
        "a.pb.gz",
        "a.profile.json",
        "a.speedscope.json",
        "a.folded",
        "a.pftrace",
        "a.trace.json",
        "a.zip",
        "a.csv",
        "a.ledger.json",
        "a.parquet",
    ];
    let outputs: String = names.iter().flat_map(|name| [" -o ", *name]).collect();
    check(at, &format!("export run.ledger.json.zst{outputs}"), 0, &names);
    let folded = std::fs::read(at.join("a.folded")).unwrap();
    assert_eq!(folded_sum(&folded), (joules * 1e6).round() as i64);

    // Several formats into one folder.
    let files = ["all/energy.pb.gz", "all/csv/paths.csv", "all/parquet/bookings.parquet"];
    check(at, "export run.ledger.json.zst -f pprof -f csv -f parquet -o all", 0, &files);
    check(at, "export run.ledger.json.zst -f csv --table series -o all/", 0, &["all/series.csv"]);

    // To standard output, in another unit; what is exported again is the same ledger.
    let output = check(at, "export run.ledger.json.zst -f folded --unit mJ", 0, &[]);
    assert_eq!(folded_sum(&output.stdout), (joules * 1e3).round() as i64);
    let again = check(at, "export a.ledger.json -f folded -o -", 0, &[]);
    assert_eq!(again.stdout, folded);

    // From the trace itself.
    let output = check(at, "export run.pftrace --device-model phone.toml -f folded -q", 0, &[]);
    assert_eq!(folded_sum(&output.stdout), (joules * 1e6).round() as i64);
    assert!(output.stderr.is_empty());

    // One process is a part of it.
    let name =
        &ledger.rows.processes.iter().find(|process| process.package.is_some()).unwrap().name;
    let words = format!("export run.ledger.json.zst -f folded --process {name}");
    let part = check(at, &words, 0, &[]).stdout;
    assert!(folded_sum(&part) > 0 && folded_sum(&part) < folded_sum(&folded));
    assert!(
        part.split(|byte| *byte == b'\n').all(|l| l.is_empty() || l.starts_with(name.as_bytes()))
    );
}

#[test]
fn what_cannot_be_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    for (words, code, reason) in [
        ("export run.ledger.json.zst", 2, "expected --format"),
        ("export run.ledger.json.zst -o run.xyz", 2, "no format has this file ending"),
        ("export run.ledger.json.zst -f gprof", 2, "expected one of pprof"),
        ("export run.ledger.json.zst -f pprof -f folded", 2, "2 formats and 0 outputs"),
        ("export run.ledger.json.zst -f json --app com.example.news", 2, "no filter"),
        ("export run.ledger.json.zst -f folded --model curves", 2, "needs the recording"),
        ("export nothing.pftrace -f folded", 3, "nothing.pftrace"),
        ("export run.ledger.json.zst -f folded -o no/such/folder.folded", 4, "no/such"),
    ] {
        let output = check(at, words, code, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(reason), "{words}: {said}");
        assert!(output.stdout.is_empty(), "{words}");
    }
    let nobody = check(at, "export run.ledger.json.zst -f folded --thread nobody", 2, &[]);
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no such thread"));
}

/// Stacks without times have no energy: no format has anything to write, and none writes a file.
#[test]
fn nothing_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("stacks.folded"), "main;draw 5\nmain;load 7\n").unwrap();
    let formats = [
        "pprof",
        "firefox",
        "speedscope",
        "folded",
        "perfetto",
        "chrome",
        "csv",
        "json",
        "parquet",
    ];
    for format in formats {
        let words = format!("export stacks.folded -f {format} -o result/{format}.out");
        let output = check(at, &words, 3, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("nothing to export: no energy figure: "), "{words}: {said}");
        assert!(said.contains("without times"), "{words}: {said}");
    }
    let left: Vec<_> = std::fs::read_dir(at).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["stacks.folded"]);
}

/// A part of a ledger has no power over time: its table is not written.
#[test]
fn a_table_without_rows_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let ledger = recorded(at);
    let of_app = ledger.rows.processes.iter().find(|process| process.package.is_some()).unwrap();
    let name = &of_app.name;
    let words = format!("export run.ledger.json.zst -f csv --process {name} -o part/");
    check(at, &words, 0, &["part/paths.csv", "part/bookings.csv"]);
    assert!(!at.join("part/series.csv").exists());
    let words = format!("export run.ledger.json.zst -f csv --table series --process {name}");
    let output = check(at, &words, 3, &[]);
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing to export to table series"));
}
