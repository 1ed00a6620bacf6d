//! `wattle accuracy` as its users run it: the real program on the published data sets.

use std::path::Path;

use crate::support::{number, wattle};
use serde_json::Value;
use wattle_testdata::requires;

fn check_schema(table: &Value) {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/accuracy-1.schema.json");
    let schema = std::fs::read_to_string(&file).expect("the schema is in the repository");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(table).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[requires(data)]
#[test]
fn freqbench_from_the_table_and_the_archive_gives_a_table_that_keeps_what_is_demanded() {
    let joined = wattle_testdata::path("models/freqbench");
    let meter = wattle_testdata::path("power_meter");
    let data = [joined.to_str().expect("UTF-8"), meter.to_str().expect("UTF-8")];
    let demands = ["--require", "ratio<=1", "--require", "freqbench:coverage>=0.85"];
    let arguments = [&["accuracy", "--data"], &data[..], &demands[..]].concat();
    let run = wattle([&arguments[..], &["--json", "-"]].concat());
    let table = run.json();
    check_schema(&table);
    let sets: Vec<&str> = table["sets"]
        .as_array()
        .expect("sets")
        .iter()
        .filter_map(|set| set["name"].as_str())
        .collect();
    assert_eq!(sets, ["freqbench", "android-runner"]);
    assert_eq!(table["lines"].as_array().expect("lines").len(), 9);
    assert!(number(&table, "/lines/1/ratio") <= 1.0);

    let printed = wattle(&arguments);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for part in ["power(f) from 5 points", "learnt shape", "batterystats", "figures of others"] {
        assert!(printed.stdout.contains(part), "no {part} in {}", printed.stdout);
    }

    let refused = wattle([&arguments[..], &["--require", "mape<=0.001", "--quiet"]].concat());
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("mape<=0.001: freqbench power(f) from 3 points: found 0.0"));
}

/// A trace with rails and a scheduler is a data set, too; what is demanded of best models is demanded of its fit.
#[requires(data)]
#[test]
fn rails_are_judged_and_held_to_what_is_demanded() {
    let trace = wattle_testdata::path("perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace");
    let arguments = ["accuracy", "--data", trace.to_str().expect("UTF-8"), "--require"];
    let table = wattle([&arguments[..], &["rails:weighted<=0.2", "--json", "-"]].concat()).json();
    check_schema(&table);
    assert_eq!(table["sets"][0]["name"], "rails");
    assert_eq!(number(&table, "/sets/0/rows") as u64, 52);
    let printed = wattle([&arguments[..], &["rails:ratio<=1"]].concat());
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for part in ["oriole cpu.little, periods", "windows of 250 ms", "plain curves"] {
        assert!(printed.stdout.contains(part), "no {part} in {}", printed.stdout);
    }
    let refused = wattle([&arguments[..], &["weighted<=0.001", "--quiet"]].concat());
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("weighted<=0.001: rails rail periods: found 0."));
}

/// Rows of a data set that nobody published: invented, so that every figure is known to be of this file.
#[test]
fn androwatts_is_known_by_its_columns_whatever_else_is_there() {
    let folder = tempfile::tempdir().expect("folder");
    let mut text = String::from(
        "ID,Red_Pixel_Avg,Green_Pixel_Avg,Blue_Pixel_Avg,Brightness,Display_ENERGY_AVG_UWS,CPU_BIG_FREQ_KHz,\
         CPU_MID_FREQ_KHz,BATTERY_DISCHARGE_RATE_UAS,somebody's own\n",
    );
    let run = |row: u32| {
        let (red, green, blue) = (row * 37 % 241, row * 59 % 241, row * 83 % 241);
        let (brightness, clock) = (row * 29 % 101, 500_000 + row * 7919 % 2_000_000);
        let mid = if row.is_multiple_of(5) { "err".to_owned() } else { (clock / 2).to_string() };
        let display = 80_000 + 5 * (red + green + 2 * blue) * brightness;
        let battery = 200_000 + display + clock / 4;
        format!("{row},{red},{green},{blue},{brightness},{display},{clock},{mid},{battery},x\n")
    };
    text.extend((0..80).map(run));
    text += "broken\n";
    let file = folder.path().join("any name.csv");
    std::fs::write(&file, text).expect("file");
    let file = file.to_str().expect("UTF-8");
    let table = wattle(["accuracy", "--data", file, "--folds", "4", "--json", "-"]).json();
    check_schema(&table);
    assert_eq!(number(&table, "/sets/0/rows") as u64, 80);
    let notes = table["sets"][0]["notes"].to_string();
    assert!(notes.contains("1 runs have no measured figure"), "{notes}");
    let targets: Vec<&str> = table["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .filter_map(|line| line["target"].as_str())
        .collect();
    // Rails that the file does not have are not judged, and not printed as 0.
    let expected = ["battery", "rail sum", "display"].map(|target| [target; 4]).concat();
    assert_eq!(targets, expected);
    let again = wattle(["accuracy", "--data", file, "--folds", "4", "--json", "-"]).json();
    assert_eq!(table, again, "the same seed gives the same table");
}

#[test]
fn what_cannot_be_judged_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().to_str().expect("UTF-8").to_owned();
    let empty = wattle(["accuracy", "--data", &path]);
    assert_eq!(empty.code, Some(3));
    assert!(empty.stderr.contains("no known data set in"), "{}", empty.stderr);
    let missing = wattle(["accuracy", "--data", &format!("{path}/nothing")]);
    assert_eq!(missing.code, Some(3));
    let demand = wattle(["accuracy", "--data", &path, "--require", "beauty>=1"]);
    assert_eq!(demand.code, Some(2));
    std::fs::write(folder.path().join("x.tar.gz"), b"\x1f\x8bdamaged").expect("file");
    std::fs::write(folder.path().join("x.csv"), "soc,cpu,freq_khz,active_mw\na,0,1000,5\n")
        .expect("file");
    let few = wattle(["accuracy", "--data", &path]);
    assert_eq!(few.code, Some(3));
    assert!(few.stderr.contains("freqbench: "), "{}", few.stderr);
    let other = wattle(["accuracy", "--data", &path, "--set", "androwatts"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("expected one of freqbench"), "{}", other.stderr);
}
