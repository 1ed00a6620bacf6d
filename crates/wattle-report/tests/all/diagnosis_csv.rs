//! The three CSV files: what is in them, and that programs which open such files see the same.

use std::path::PathBuf;
use std::process::Command;

use wattle_diagnose::Diagnosis;
use wattle_report::diagnosis::{CsvFile, csv_files};
use wattle_testdata::requires;

use crate::support::diagnosis;

/// Rows of a file with its head, by a reader of CSV that knows nothing of ours.
fn rows(diagnosis: &Diagnosis, file: CsvFile) -> Vec<Vec<String>> {
    let mut bytes = Vec::new();
    file.write(diagnosis, &mut bytes).expect("a file");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
    let record = |record: Result<csv::StringRecord, csv::Error>| {
        record.expect("a row").iter().map(str::to_owned).collect()
    };
    reader.records().map(record).collect()
}

/// Cells of a row by what stands above them.
#[track_caller]
fn check(table: &[Vec<String>], row: usize, expected: &[(&str, &str)]) {
    for (column, expected) in expected {
        let at = table[0].iter().position(|head| head == column).expect("the column");
        assert_eq!(table[row][at], *expected, "{column} of row {row}");
    }
}

#[test]
fn statistics_of_regions() {
    let table = rows(&diagnosis::after_mouse(), CsvFile::Statistics);
    assert_eq!(table.len(), 1 + 3);
    let single = [
        ("Process", "AfterMouse.race (1464)"),
        ("Thread ID", "2090"),
        ("Thread Name", "worker"),
        ("Region Start (s)", "6"),
        ("Region End (s)", "6.25"),
        ("Average CPU Usage (%)", "96"),
        ("Event Count", "1"),
        ("Mean Interval between Events (ms)", ""),
        ("Coefficient of Variation of Intervals", ""),
        ("Period (ms)", ""),
        ("Found as", "single event"),
    ];
    check(&table, 1, &single);
    let cluster = [
        ("Process", "AfterMouse.race (1464)"),
        ("Thread ID", "2084"),
        ("Thread Name", ""),
        ("Region Start (s)", "3"),
        ("Region End (s)", "4"),
        ("Events of this Thread (% of Process in Region)", "81.25"),
        ("Average CPU Usage (%)", "50"),
        ("Event Count", "200"),
        ("Mean Interval between Events (ms)", "5.015625"),
        ("Coefficient of Variation of Intervals", "0.125"),
        ("Region", "2"),
        ("Found as", "cluster"),
        ("CPU Time (ms)", "500"),
        ("Average CPU Usage of all Cores (%)", "12.5"),
        ("Period (ms)", "5"),
        ("Intervals of that Period (%)", "96.875"),
        ("Wake-ups (1/s)", "199.5"),
        ("Power (mW)", "500"),
        ("Energy (mJ)", "500"),
        ("Energy Low (mJ)", "250"),
        ("Energy High (mJ)", "1000"),
        ("Energy Provenance", "assumed"),
        ("Energy Saved if Asleep (mJ)", "375"),
        ("Saved Low (mJ)", "187.5"),
        ("Group", "1"),
    ];
    check(&table, 2, &cluster);
    let bare = rows(&diagnosis::without_energy(), CsvFile::Statistics);
    for column in ["Power (mW)", "Energy (mJ)", "Energy Low (mJ)", "Saved High (mJ)"] {
        check(&bare, 2, &[(column, "")]);
    }
}

#[test]
fn regions_by_common_stack() {
    let table = rows(&diagnosis::after_mouse(), CsvFile::CommonStacks);
    let timer = "ntdll.dll!RtlUserThreadStart -> race.dll!Timer::run -> race.dll!Timer::sleep";
    assert_eq!(table.len(), 1 + 3);
    let first = [
        ("Common Stack", "No common stack"),
        ("Majority Stack", "ntdll.dll!RtlUserThreadStart -> race.dll+0x1a2b"),
        ("Stacks with Majority Stack (%)", "100"),
        ("Region", "1"),
        ("Group Average CPU Usage (%)", "96"),
    ];
    check(&table, 1, &first);
    for (row, region, cpu_use) in [(2, "2", "50"), (3, "3", "25")] {
        let expected = [
            ("Process", "AfterMouse.race (1464)"),
            ("Thread ID", "2084"),
            ("Common Stack", timer),
            ("Average CPU Usage (%)", cpu_use),
            ("Region", region),
            ("Group", "2"),
            ("Group Average CPU Usage (%)", "37.5"),
            ("Stacks", "40"),
            ("Stacks of Switches", "32"),
        ];
        check(&table, row, &expected);
    }
}

#[test]
fn disk_operations_by_thread() {
    let table = rows(&diagnosis::after_mouse(), CsvFile::DiskIo);
    let rows = [
        ["2090", "Read", "6.01", "6.03", "20", "yes", "yes", "1"],
        // The disk itself said how long it was at it.
        ["2090", "Write", "6.1", "6.104", "4", "no", "yes", "1"],
        // Nobody knows when it began: that is not no time.
        ["2084", "Flush", "", "7", "", "no", "yes", ""],
        // The end of the recording is no completion.
        ["2090", "Read", "9.99", "", "", "yes", "no", ""],
    ];
    let columns = [
        "Thread ID",
        "Type",
        "Init Time (s)",
        "Completion Time (s)",
        "Time in I/O (ms)",
        "Init recorded",
        "Completion recorded",
        "Region",
    ];
    assert_eq!(table.len(), 1 + rows.len());
    for (row, expected) in (1..).zip(rows) {
        let expected: Vec<_> = columns.into_iter().zip(expected).collect();
        check(&table, row, &expected);
    }
    check(&table, 1, &[("Path", r"C:\Users\Müller\cache, old.db"), ("Size (B)", "65536")]);
    check(&table, 3, &[("Path", ""), ("Size (B)", "")]);
}

/// All files have their head, rows of one length, lines that end as RFC 4180 has it, and no cell that a spreadsheet would run.
#[test]
fn files_are_tables() {
    for (name, diagnosis) in diagnosis::all() {
        let files = csv_files(&diagnosis).expect("files");
        for (file, (file_name, text)) in CsvFile::ALL.into_iter().zip(files) {
            assert_eq!(file.name(), file_name);
            assert!(text.starts_with('\u{feff}') && text.ends_with("\r\n"), "{name}, {file_name}");
            assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{file_name}");
            let table = rows(&diagnosis, file);
            assert_eq!(table[0], file.columns(), "{name}");
            for cell in table[1..].iter().flatten() {
                let is_formula = cell.trim_start().starts_with(['=', '+', '-', '@']);
                assert!(!is_formula || cell.parse::<f64>().is_ok(), "{name}: {cell:?}");
                assert!(!cell.contains(char::is_control), "{name}: {cell:?}");
            }
        }
    }
}

/// Files of a diagnosis in a folder of their own.
fn folder(name: &str, diagnosis: &Diagnosis) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("diagnosis-csv").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in csv_files(diagnosis).expect("files") {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// Gnumeric opens the files: rows and columns stand where ours do, numbers are numbers, and formulas are not worked out.
#[requires(program = "ssconvert")]
#[test]
fn a_spreadsheet_opens_them() {
    for (name, diagnosis) in [
        ("after-mouse", diagnosis::after_mouse()),
        ("empty", diagnosis::empty()),
        ("hostile", diagnosis::hostile()),
        ("big", diagnosis::big(2000)),
    ] {
        let folder = folder(name, &diagnosis);
        for file in CsvFile::ALL {
            let sheet = folder.join(format!("{}.xlsx.csv", file.name()));
            let workbook = folder.join(format!("{}.xlsx", file.name()));
            // Into a real workbook and out of it again: a formula would come back as its value.
            for (from, to) in [(folder.join(file.name()), &workbook), (workbook.clone(), &sheet)] {
                let done =
                    Command::new("ssconvert").arg(&from).arg(to).output().expect("ssconvert");
                assert!(done.status.success(), "{from:?}: {done:?}");
            }
            let bytes = std::fs::read(&sheet).expect("the sheet");
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
            let found: Vec<csv::StringRecord> =
                reader.records().collect::<Result<_, _>>().expect("rows");
            let ours = rows(&diagnosis, file);
            assert_eq!(found.len(), ours.len(), "{name}, {file:?}");
            for (found, ours) in found.iter().zip(&ours) {
                assert_eq!(found.len(), ours.len(), "{name}, {file:?}");
                for (found, ours) in found.iter().zip(ours) {
                    check_cell(found, ours);
                }
            }
        }
    }
}

/// Compares the spreadsheet's text of a cell with ours: numbers may be rounded, text must be equal.
#[track_caller]
fn check_cell(found: &str, ours: &str) {
    match (found.parse::<f64>(), ours.parse::<f64>()) {
        (Ok(found), Ok(ours)) => {
            assert!((found - ours).abs() <= 1e-6 * ours.abs().max(1e-3), "{found}, not {ours}");
        }
        // Its own text marker is an apostrophe, too.
        _ => assert_eq!(found.trim_start_matches('\''), ours.trim_start_matches('\'')),
    }
}

/// The same program works out a formula that nobody defused: the test above could have failed.
#[requires(program = "ssconvert")]
#[test]
fn a_spreadsheet_works_formulas_out() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("diagnosis-csv");
    std::fs::create_dir_all(&folder).expect("a folder");
    let [from, workbook, to] =
        ["formula.csv", "formula.xlsx", "formula-out.csv"].map(|name| folder.join(name));
    std::fs::write(&from, "a\r\n=20+22\r\n").expect("a file");
    for (from, to) in [(&from, &workbook), (&workbook, &to)] {
        let done = Command::new("ssconvert").arg(from).arg(to).output().expect("ssconvert");
        assert!(done.status.success(), "{done:?}");
    }
    assert_eq!(std::fs::read_to_string(&to).expect("the sheet"), "a\n42\n");
}

/// Python's own reader sees what ours sees.
#[requires(program = "python3")]
#[test]
fn python_reads_them() {
    let script = "import csv, json, sys\n\
                  print(json.dumps(list(csv.reader(open(sys.argv[1], encoding='utf-8-sig', newline=''), strict=True))))";
    for (name, diagnosis) in
        [("python", diagnosis::after_mouse()), ("python-hostile", diagnosis::hostile())]
    {
        let folder = folder(name, &diagnosis);
        for file in CsvFile::ALL {
            let path = folder.join(file.name());
            let done = Command::new("python3").args(["-c", script]).arg(path).output();
            let done = done.expect("python3");
            assert!(done.status.success(), "{done:?}");
            let found: Vec<Vec<String>> = serde_json::from_slice(&done.stdout).expect("rows");
            assert_eq!(found, rows(&diagnosis, file), "{name}, {file:?}");
        }
    }
}
