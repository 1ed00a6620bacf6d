//! Undamaged recordings are not called damaged.

use wattle_ingest::read_bytes;
use wattle_testdata::requires;

use crate::read_totals::notes;

/// Notes that stand for damage.
const CODES: [&str; 3] = ["times-apart", "rail-leaps", "thread-clock-impossible"];

/// Folders of real recordings, and their files that are at least so many bytes: smaller ones are made by hand for tests of parsers.
const FOLDERS: [&str; 11] = [
    "perfetto",
    "perfetto/pairs",
    "perfetto/rails",
    "perfetto/emanafa",
    "perfdata",
    "etl",
    "art_trace",
    "batterystats",
    "systrace",
    "logcat",
    "perf_script",
];

#[requires(data)]
#[test]
fn real_recordings_are_not_called_damaged() {
    let (mut read, mut wrong) = (0, Vec::new());
    for folder in FOLDERS {
        let entries = std::fs::read_dir(wattle_testdata::path(folder)).expect("a folder");
        for path in
            entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file())
        {
            let bytes = std::fs::read(&path).expect("a file");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let Ok(timeline) = read_bytes(&name, &bytes) else { continue };
            read += 1;
            let found = notes(&timeline).filter(|note| CODES.contains(&note.code.as_str()));
            wrong
                .extend(found.map(|note| format!("{folder}/{name}: {}: {}", note.code, note.text)));
        }
    }
    assert!(read > 50, "{read} recordings");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
