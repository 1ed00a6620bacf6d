//! Cases of Perfetto's own trace-processor tests: a trace, a query, and what the query must give.

use wattle_timeline::Timeline;

/// A row of a query's result, as text.
pub type Row = Vec<String>;

const FOLDER: &str = "perfetto/diff_tests";

/// The trace of a case as Wattle reads it.
#[track_caller]
pub fn trace(case: &str) -> Timeline {
    // A trace is in protobuf, else as text.
    let folder = wattle_testdata::path(FOLDER);
    let of = |ending: &&str| folder.join(format!("{case}.{ending}")).exists();
    let ending = ["pftrace", "systrace.txt", "txt"].into_iter().find(of).unwrap_or("pftrace");
    let path = format!("{FOLDER}/{case}.{ending}");
    let bytes = wattle_testdata::bytes(&path);
    wattle_ingest::read_bytes(&path, &bytes).unwrap()
}

/// Returns the result that Perfetto expects of a case, as text.
#[track_caller]
pub fn text(case: &str) -> String {
    let bytes = wattle_testdata::bytes(&format!("{FOLDER}/{case}.expected"));
    String::from_utf8(bytes).unwrap()
}

/// The names of all cases in the folder.
#[track_caller]
pub fn cases() -> Vec<String> {
    let folder = wattle_testdata::path(FOLDER);
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut cases: Vec<_> =
        names.filter_map(|n| n.strip_suffix(".sql").map(str::to_owned)).collect();
    cases.sort_unstable();
    cases
}

/// The rows of an expected CSV, reduced to the columns asked for (by position: names repeat).
pub fn csv(text: &str, columns: &[usize]) -> Vec<Row> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).skip(1);
    lines
        .map(|line| {
            let cells = cells(line);
            columns.iter().map(|column| cells[*column].clone()).collect()
        })
        .collect()
}

fn cells(line: &str) -> Row {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("there is always a cell").push(c),
        }
    }
    cells
}

/// Compares rows in any order, numbers as numbers.
#[track_caller]
pub fn compare(case: &str, expected: Vec<Row>, found: Vec<Row>) {
    let normal = |rows: Vec<Row>| {
        let cell = |cell: String| match cell.parse::<f64>() {
            Ok(number) => format!("{number:.6}"),
            Err(_) => cell,
        };
        let mut rows: Vec<Row> =
            rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        rows.sort_unstable();
        rows
    };
    assert!(!expected.is_empty(), "{case}: nothing is expected, so nothing is tested");
    assert_eq!(normal(found), normal(expected), "{case}");
}

/// A row of anything that can be shown.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($cell.to_string()),*] };
}
pub(crate) use row;

/// Formats a value as a query shows it; `[NULL]` where nothing is known.
pub fn or_null<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "[NULL]".to_owned(), |value| value.to_string())
}
