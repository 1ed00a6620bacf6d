//! `wattle calibrate --update`: what it takes, prints and writes.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::support::{Run, list, wattle};

/// A folder with a recording that has power rails, `one.pftrace`, and the model of its phone, `phone.toml`.
struct Phone(TempDir);

impl Phone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let effects: wattle_sim::Effects = "binning=0.1".parse().unwrap();
        let seconds = wattle_units::Nanos::from_seconds(2.0);
        let run = wattle_sim::scenario::other_apps(&effects, seconds, 7, 101).unwrap();
        let simulated = run.run().unwrap();
        std::fs::write(folder.path().join("one.pftrace"), &simulated.trace).unwrap();
        std::fs::write(folder.path().join("phone.toml"), &simulated.device_model).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// `wattle` with a command line in which names with a dot are files of the folder.
    fn run(&self, line: &str) -> Run {
        let of = |word: &str| {
            if word.contains(".toml") || word.contains(".pftrace") {
                self.path(word).display().to_string()
            } else {
                word.to_owned()
            }
        };
        wattle(line.split(' ').map(of))
    }

    #[track_caller]
    fn update(&self, more: &str) -> Run {
        let run = self.run(&format!("calibrate --update phone.toml one.pftrace{more}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    }
}

/// Flags that do not go with `--update`: a usage error with these words, before anything is read.
#[track_caller]
fn check_refused(flags: &str, words: &str) {
    let line = format!("calibrate --update phone.toml one.pftrace {flags}");
    let run = wattle(line.split(' '));
    assert_eq!(run.code, Some(2), "{flags}: {}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(words), "{flags}: {}", run.stderr);
}

#[test]
fn options_of_a_fit_are_refused() {
    let cannot = "cannot be used with";
    for flags in [
        "--every 1",
        "--folds 3",
        "--kind linear",
        "--ridge 1",
        "--robust",
        "--unconstrained",
        "--voltage 3.8",
        "--target cpu",
        "--parameters cpu.busy",
        "--list-parameters",
        "--into x.toml",
        "--group app",
        "--order x",
        "--duration x",
        "--key x",
        "--test x.csv",
        "--target-unit W",
        "--time x",
        "--time-unit ms",
        "--figure x",
        "--warm-up 0.2",
        "--api-costs",
    ] {
        check_refused(flags, cannot);
    }
    check_refused("--output -", "--output -: expected the name of a file");
    let stdin = wattle(["calibrate", "--update", "-", "one.pftrace"]);
    assert_eq!(stdin.code, Some(2), "{}", stdin.stderr);
    assert!(stdin.stderr.contains("found standard input"), "{}", stdin.stderr);
    assert!(stdin.stderr.contains("--output FILE"), "{}", stdin.stderr);
}

#[test]
fn a_recording_that_the_model_has_leaves_it_as_it_is() {
    let phone = Phone::new();
    let first = phone.update("").stdout;
    assert!(first.contains("\nwrote ") && !first.contains("nothing new"), "{first}");
    let learnt = phone.text("phone.toml");
    assert!(learnt.contains("version = 2\n"), "{learnt}");
    let modified = || phone.path("phone.toml").metadata().unwrap().modified().unwrap();
    let before = modified();
    let again = phone.update("").stdout;
    assert!(again.contains("nothing new: the model already has what"), "{again}");
    assert!(!again.contains("wrote "), "{again}");
    let json = phone.update(" --json -").json();
    assert_eq!(json.pointer("/rails/changed").and_then(serde_json::Value::as_bool), Some(false));
    assert_eq!(json.pointer("/output"), None);
    assert_eq!((phone.text("phone.toml"), modified()), (learnt.clone(), before));
    // The file of --output is written in any case.
    phone.update(" --output other.toml");
    assert_eq!(phone.text("other.toml"), learnt);
}

#[test]
fn a_model_gets_another_name() {
    let phone = Phone::new();
    phone.update("");
    let learnt = phone.text("phone.toml");
    let (name, _) = learnt.split_once("version").unwrap();
    let renamed = phone.update(" --name mine").stdout;
    assert!(renamed.contains("mine: power curves corrected") && renamed.contains("\nwrote "));
    let now = phone.text("phone.toml");
    assert_eq!(now.replace("name = \"mine\"\n", name.lines().nth(1).unwrap()), {
        let line = name.lines().nth(1).unwrap();
        learnt.replace(&format!("{line}\n"), line)
    });
    assert!(phone.update("").stdout.contains("nothing new"));
}

/// The cells of a line of the table.
fn cells(text: &str, quantity: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter_map(|line| line.trim_start().strip_prefix(quantity));
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn the_table_has_units_and_numbers_before_and_after() {
    let phone = Phone::new();
    let text = phone.update("").stdout;
    assert_eq!(cells(&text, "quantity")[0], ["unit", "before", "after", "±"]);
    assert!(text.contains("measured power divided by the power of the model's curve"), "{text}");
    assert!(text.contains("(CPU policy 0): 1 recording, "), "{text}");
    let executing = cells(&text, "cores executing");
    assert_eq!(executing.len(), 3, "{text}");
    for row in &executing {
        assert_eq!(row[..3], ["×", "curve", "1.00"], "{text}");
    }
    for row in cells(&text, "added while awake (idle floor)") {
        assert_eq!(row[..2], ["mW", "0.0"], "{text}");
    }
    // What was after is before the next time.
    let next = phone.update("").stdout;
    for (first, then) in executing.iter().zip(cells(&next, "cores executing")) {
        assert_eq!(first[3], then[2], "{text}\n{next}");
    }
}

#[test]
fn models_are_compared_by_their_rails() {
    let phone = Phone::new();
    std::fs::copy(phone.path("phone.toml"), phone.path("plain.toml")).unwrap();
    phone.update("");
    let compared = phone.run("model diff plain.toml phone.toml --json -").json();
    let rows: Vec<_> = list(&compared, "/rows")
        .iter()
        .filter(|row| row["what"].as_str().unwrap().starts_with("rail "))
        .collect();
    assert_eq!(rows.len(), 3 * 6, "{compared}");
    assert!(rows.iter().all(|row| row["a"].is_null() && row["b"].is_number()), "{compared}");
    let learnt: toml::Table = phone.text("phone.toml").parse().unwrap();
    let rail = &learnt["rail"][0];
    let name = rail["name"].as_str().unwrap();
    let value = |title: &str| {
        let what = format!("rail {name}, {title}");
        let row = rows.iter().find(|row| row["what"] == what.as_str());
        row.unwrap_or_else(|| panic!("no {what}"))
    };
    for (key, title, unit) in [
        ("active", "cores executing", "× curve"),
        ("idle", "cores idle", "× curve"),
        ("shared", "shared by the cluster", "× curve"),
        ("floor", "added while awake (idle floor)", "mW"),
        ("awake", "added while any core executes", "mW"),
    ] {
        let row = value(title);
        let expected = &rail[key][0];
        let whole = || expected.as_integer().unwrap() as f64;
        let expected = expected.as_float().unwrap_or_else(whole);
        assert!((row["b"].as_f64().unwrap() - expected).abs() < 1e-9, "{row} {expected}");
        assert_eq!(row["unit"], unit);
    }
    assert_eq!(value("recordings")["b"], 1.0);
    let text = phone.run("model diff plain.toml phone.toml").stdout;
    assert!(text.contains(&format!("rail {name}, cores executing ")), "{text}");
    let same = phone.run("model diff phone.toml phone.toml --json -").json();
    let same = list(&same, "/rows");
    assert!(same.iter().all(|row| row["a"] == row["b"]), "{same:?}");
}

/// A rail whose name is made to break tables and messages.
#[test]
fn hostile_names_of_rails_stay_on_their_line() {
    let phone = Phone::new();
    phone.update("");
    let learnt = phone.text("phone.toml");
    let table: toml::Table = learnt.parse().unwrap();
    let name = table["rail"][0]["name"].as_str().unwrap();
    let hostile =
        learnt.replace(&format!("name = \"{name}\""), "name = \"X\\nrail fake\\u001b[2J\\u202e\"");
    assert_ne!(hostile, learnt);
    std::fs::write(phone.path("phone.toml"), &hostile).unwrap();
    let run = phone.run("calibrate --update phone.toml one.pftrace");
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr.lines().filter(|line| line.contains("rail")).count(), 1);
    for line in
        ["model diff phone.toml phone.toml", "model show phone.toml", "model check phone.toml"]
    {
        let run = phone.run(line);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{line}: {text}");
        assert!(!text.lines().any(|line| line.starts_with("rail fake")), "{line}: {text}");
    }
}

/// A model that a link will point to.
#[cfg(unix)]
#[test]
fn a_model_behind_a_link_to_no_file_is_made() {
    let phone = Phone::new();
    phone.update(" --output corrected.toml");
    std::os::unix::fs::symlink("real.toml", phone.path("link.toml")).unwrap();
    phone.update(" --output link.toml");
    assert!(phone.path("link.toml").is_symlink());
    assert_eq!(phone.text("real.toml"), phone.text("corrected.toml"));
}
