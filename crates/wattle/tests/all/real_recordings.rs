//! Every real recording that holds energy: what Wattle reports, what the input itself states, and whether it is physically possible.
//! `docs/real-recordings.md` is written from it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wattle_testdata::requires;
use wattle_units::Joules;

use crate::support::{list, number, wattle};

/// Folders of recordings, and how many files each has that may hold energy.
const FOLDERS: [(&str, usize); 9] = [
    ("perfetto", 6),
    ("perfetto/emanafa", 6),
    ("systrace", 7),
    ("batterystats", 3),
    ("bugreport", 1),
    ("perfdata", 12),
    ("perf_script", 5),
    ("etl", 11),
    ("power_meter", 1),
];

/// Recordings together with the power profile of their device, which the file alone does not contain.
const WITH_PROFILE: [(&str, &str); 3] = [
    ("batterystats/emanafa-batstat_mi9.log", "power_profile/power_profile-mi9lite.xml"),
    ("batterystats/emanafa-energy_saving.log", "power_profile/power_profile-mi9lite.xml"),
    ("batterystats/navitas-batterystats-1.txt", "power_profile/power_profile-nexus5x-bullhead.xml"),
];

/// Endings of what describes a recording and is none.
const DESCRIPTIONS: [&str; 6] =
    [".expected.json", ".perfscript.txt", ".baseline.txt", ".csv", "COUNTS.json", ".tar.gz"];

/// Recordings with a mean power that no device of their class has, and why that is right.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Remarks on statements that are no measure.
const REMARKS: [(&str, &str); 1] = [(
    "batterystats/navitas-batterystats-1.txt",
    "an emulator: its own power profile holds placeholders (capacity 1000 mAh), so Android's estimate is of no device, and the \
     profile of a phone does not describe it either",
)];

/// Milliwatts that a device of a class can draw, all of it or its CPU alone, and watts of one core.
struct Bounds {
    milliwatts: std::ops::RangeInclusive<f64>,
    core_watts: f64,
}

/// A phone: from deep sleep to the most that its battery gives.
const PHONE: Bounds = Bounds { milliwatts: 1.0..=15_000.0, core_watts: 8.0 };
/// A desktop computer or server: from one that sleeps to two sockets at their limit.
const COMPUTER: Bounds = Bounds { milliwatts: 100.0..=1_000_000.0, core_watts: 30.0 };

/// One report.
struct Recorded {
    name: String,
    report: Value,
}

fn report(file: &Path, profile: Option<&str>) -> Option<Value> {
    let mut words = vec!["report".into(), file.as_os_str().to_owned(), "--json".into(), "-".into()];
    if let Some(profile) = profile {
        words.push("--device-model".into());
        words.push(wattle_testdata::path(profile).into_os_string());
    }
    let run = wattle(words);
    (run.code == Some(0)).then(|| run.json())
}

/// The reports of all files that hold energy.
fn recorded() -> Vec<Recorded> {
    let mut all = Vec::new();
    let root = wattle_testdata::root().expect("real recordings");
    let mut add = |file: PathBuf, profile: Option<&str>| {
        let Some(report) = report(&file, profile) else { return };
        let has_statements = report.get("statements").is_some_and(|it| it[0].is_object());
        if report["total_joules"].is_null() && !has_statements {
            return;
        }
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        let name = match profile.and_then(|profile| profile.rsplit('/').next()) {
            Some(profile) => format!("{name} with {profile}"),
            None => name,
        };
        all.push(Recorded { name, report });
    };
    for (folder, count) in FOLDERS {
        let is_recording = |name: &str| !DESCRIPTIONS.iter().any(|ending| name.ends_with(ending));
        for file in wattle_testdata::files(folder, count, is_recording) {
            add(file, None);
        }
    }
    for (file, profile) in WITH_PROFILE {
        add(wattle_testdata::path(file), Some(profile));
    }
    all
}

/// Mean power of the device and of each core lies in what its class can draw.
fn check_bounds(of: &Recorded) {
    let Recorded { name, report } = of;
    if report["total_joules"].is_null() || EXCEPTIONS.iter().any(|(file, _)| file == name) {
        return;
    }
    let system = report["device"]["system"].as_str();
    let bounds = if matches!(system, Some("linux" | "windows")) { COMPUTER } else { PHONE };
    let mean = number(report, "/mean_mw");
    assert!(bounds.milliwatts.contains(&mean), "{name}: mean {mean} mW");
    let components = list(report, "/energy_coverage/components");
    let Some(cpu) = components.iter().find(|row| row["name"] == "cpu") else { return };
    for core in list(report, "/cpus") {
        let watts = core["core_joules"].as_f64().map(|joules| joules / number(cpu, "/covered_s"));
        assert!(watts.is_none_or(|watts| watts <= bounds.core_watts), "{name}: {core}");
    }
}

/// The figure before its statements.
fn headline(report: &Value) -> [String; 2] {
    let Some(joules) = report["total_joules"].as_f64() else {
        return ["–".to_owned(), "–".to_owned()];
    };
    let [low, high] = ["/total/interval_joules/0", "/total/interval_joules/1"]
        .map(|bound| Joules::new(number(report, bound)));
    let covers = &report["energy_coverage"];
    let heading = covers["heading"].as_str().unwrap_or("Total");
    let provenance = report["total"]["provenance"].as_str().unwrap_or_default();
    let figure = format!("{heading} {} [{low} – {high}], {provenance}", Joules::new(joules));
    [figure, covers["text"].as_str().unwrap_or("–").to_owned()]
}

/// Cells of a statement: the energy, the ratio, whether the interval of the estimate contains it.
fn statement(row: &Value) -> [String; 3] {
    let joules = number(row, "/joules");
    let stated = format!(
        "{}: {} in {:.3} s",
        row["source"].as_str().unwrap_or_default(),
        Joules::new(joules),
        number(row, "/covered_s"),
    );
    let ratio = row["ratio"].as_f64().map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
    let bounds = &row["estimate_interval_joules"];
    let inside = match (bounds[0].as_f64(), bounds[1].as_f64()) {
        (Some(low), Some(high)) if low <= joules && joules <= high => "yes",
        (Some(_), Some(_)) => "no",
        _ => "–",
    };
    [stated, ratio, inside.to_owned()]
}

fn page(all: &[Recorded]) -> String {
    let mut text = "# Real recordings\n\nEvery file of the test data that holds energy: what `wattle report` says first, what that \
        covers, and beside it the energy\nthat the input itself states (`rails`: the phone's power rails; `discharge`: of the battery; \
        `android-estimate`: Android's\nown *Estimated power use*; `power-meter`), which is about the whole device unless it is of \
        rails. The ratio is our estimate by\nthat statement for the same time; the last column says whether the 90 % interval of our \
        estimate contains it. A total of the CPU\nalone cannot contain what the whole device drew.\n\nWritten by \
        `WATTLE_WRITE_DOCS=1 cargo test -p wattle --test all real_recordings`.\n\n\
        | file | report | covers | the input states | ratio | in the interval |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for Recorded { name, report } in all {
        let [figure, covers] = headline(report);
        let none = Vec::new();
        let statements = report.get("statements").and_then(Value::as_array).unwrap_or(&none);
        let rows: Vec<[String; 3]> = statements.iter().map(statement).collect();
        let column = |index: usize| {
            let cells: Vec<&str> = rows.iter().map(|row| row[index].as_str()).collect();
            if cells.is_empty() { "–".to_owned() } else { cells.join("<br>") }
        };
        let cells = [figure, covers, column(0), column(1), column(2)].join(" | ");
        let _ = writeln!(text, "| `{name}` | {cells} |");
    }
    text += "\nRemarks:\n\n";
    for (file, remark) in REMARKS.iter().chain(&EXCEPTIONS) {
        let _ = writeln!(text, "- `{file}`: {remark}.");
    }
    text
}

#[requires(data)]
#[test]
fn real_recordings_are_physically_possible_and_documented() {
    let all = recorded();
    assert!(all.len() >= 20, "{} recordings with energy", all.len());
    all.iter().for_each(check_bounds);
    let with_statements = all.iter().filter(|of| of.report.get("statements").is_some()).count();
    assert!(with_statements >= 5, "{with_statements} recordings state energy");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/real-recordings.md");
    let expected = page(&all);
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&file, &expected).expect("written");
    }
    let found = std::fs::read_to_string(&file).expect("docs/real-recordings.md");
    assert!(
        found == expected,
        "out of date: WATTLE_WRITE_DOCS=1 cargo test -p wattle --test all real_recordings"
    );
}
