//! The summary, its views and its selection from end to end.

use serde_json::Value;

use crate::support::{Run, list, number, wattle};

/// The simulated phone's trace and its model.
struct Recorded {
    folder: tempfile::TempDir,
}

impl Recorded {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let recorded = Self { folder };
        let [trace, model] = [recorded.path("run.pftrace"), recorded.path("model.toml")];
        let run = wattle(["demo", "--quiet", "--trace", &trace, "--device-model", &model]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        recorded
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn report(&self, flags: &str) -> Run {
        let [trace, model] = [self.path("run.pftrace"), self.path("model.toml")];
        let fixed = ["report", &trace, "--device-model", &model];
        let flags = flags.replace('@', &self.path(""));
        wattle(
            fixed.into_iter().map(str::to_owned).chain(flags.split_whitespace().map(str::to_owned)),
        )
    }

    fn json(&self, flags: &str) -> Value {
        self.report(&format!("{flags} --json -")).json()
    }

    /// Words that a report has, after flags.
    #[track_caller]
    fn check(&self, flags: &str, words: &[&str]) -> String {
        let run = self.report(flags);
        assert_eq!(run.code, Some(0), "{flags}: {}", run.stderr);
        for words in words {
            assert!(run.stdout.contains(words), "{flags}: no {words:?} in\n{}", run.stdout);
        }
        run.stdout
    }
}

/// Three significant digits with the prefix of a report.
fn text(joules: f64) -> String {
    wattle_units::Joules::new(joules).to_string()
}

#[test]
fn the_answer_is_in_25_lines() {
    let recorded = Recorded::new();
    let report = recorded.json("");
    let total = text(number(&report, "/total/joules"));
    let page = recorded.check("", &["Power ", "Top consumers", "Findings", "Quality ", "Next "]);
    assert!(page.lines().count() <= 25, "{page}");
    let second = page.lines().nth(1).expect("a second line");
    assert!(second.starts_with(&total), "{total} is not the beginning of {second}");
    for line in page.lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert_eq!(line, line.trim_end());
    }
    let first = &list(&report, "/consumers")[0];
    let name = first["name"].as_str().expect("a name");
    assert!(page.contains(name), "no {name} in {page}");
    let shares: f64 = ["measured", "modelled", "assumed"]
        .iter()
        .map(|word| number(&report, &format!("/provenance_shares/{word}")))
        .sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

#[test]
fn consumers_are_all_processes_of_an_app() {
    let report = Recorded::new().json("");
    let consumers = list(&report, "/consumers");
    let sum = |list: &[Value]| -> f64 { list.iter().filter_map(|it| it["joules"].as_f64()).sum() };
    let apps: f64 = list(&report, "/apps").iter().filter_map(|it| it["joules"].as_f64()).sum();
    let expected = sum(list(&report, "/processes")) + apps;
    assert!((sum(consumers) - expected).abs() < 1e-9 * expected, "{expected}");
    assert!(!consumers.is_empty());
}

#[test]
fn all_tables_or_one() {
    let recorded = Recorded::new();
    recorded.check("--full", &["Components", "Processes", "Quality\n"]);
    recorded.check("--full --diagnose", &["Components", "Findings"]);
    let mut seen = 0;
    for view in [
        "components",
        "consumers",
        "apps",
        "cpus",
        "processes",
        "threads",
        "methods",
        "apis",
        "slices",
        "art",
        "findings",
        "tests",
        "suspects",
        "transfers",
        "rails",
        "models",
        "quality",
    ] {
        let page = recorded.check(&format!("--view {view}"), &[]);
        let has_nothing = format!("nothing for --view {view}");
        assert!(page.lines().count() > 4 || page.contains(&has_nothing), "{view}: {page}");
        assert!(view == "components" || !page.contains("\nComponents"), "{view}: {page}");
        seen += 1;
    }
    assert_eq!(seen, 17);
}

#[track_caller]
fn check_usage(recorded: &Recorded, flags: &str, said: &str) {
    let run = recorded.report(flags);
    assert_eq!(run.code, Some(2), "{flags}: {}", run.stderr);
    assert!(run.stderr.contains(said), "{flags}: {}", run.stderr);
}

#[test]
fn energies_have_the_unit_that_was_asked_for() {
    let recorded = Recorded::new();
    let joules = number(&recorded.json(""), "/total/joules");
    let page = recorded.check("--unit mWh", &["mWh"]);
    let second = page.lines().nth(1).expect("a second line");
    let found: f64 = second.split(' ').next().expect("a number").parse().expect("a number");
    assert!((found / (joules / 3.6) - 1.0).abs() < 0.006, "{second}: {joules} J");
    recorded.check("--unit mAh --voltage 3.8", &["mAh"]);
    check_usage(&recorded, "--unit Wh", "possible values: J, mWh, mAh");
}

#[test]
fn patterns_choose_processes_and_threads() {
    let recorded = Recorded::new();
    let all = recorded.json("");
    let process = list(&all, "/processes")
        .iter()
        .find(|row| list(row, "/threads").len() > 1)
        .expect("a process with threads");
    let name = process["name"].as_str().expect("a name");
    let part = recorded.json(&format!("--process ^{name}$"));
    let joules = |value: &Value| value["joules"].as_f64().expect("joules");
    // The app's uid has energy of display and memory besides that of its processes.
    let consumer = list(&all, "/consumers").iter().find(|row| row["name"] == name);
    let consumer = consumer.expect("a consumer");
    assert!((joules(&part["app"]) - joules(consumer)).abs() < 1e-9, "{}", part["app"]);
    let thread = &list(process, "/threads")[0];
    let pattern = thread["name"].as_str().expect("a name");
    let one = recorded.json(&format!("--process ^{name}$ --thread ^{pattern}$"));
    assert!((joules(&one["app"]) - joules(thread)).abs() < 1e-9, "{}", one["app"]);
    assert_eq!(number(&one, "/total/joules"), number(&all, "/total/joules"));
    recorded.check(&format!("--process ^{name}$"), &["of the total", "process /"]);
    let none = recorded.report("--process no-such-process");
    assert_eq!(none.code, Some(2), "{}", none.stdout);
    assert!(none.stderr.contains("no process matches"), "{}", none.stderr);
    check_usage(&recorded, "--process (", "--process");
}

#[test]
fn files_are_named_with_their_size() {
    let recorded = Recorded::new();
    let run = recorded.report("--html @page.html --save @run.ledger.json.zst --json @report.json");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["page.html", "run.ledger.json.zst", "report.json"] {
        let path = recorded.path(name);
        assert!(run.stderr.contains(&format!("wrote {path}, ")), "{}", run.stderr);
    }
    let quiet = recorded.report("--html @page.html --quiet");
    assert_eq!((quiet.stderr.as_str(), quiet.stdout.as_str()), ("", ""));
    let saved = wattle(["report", &recorded.path("run.ledger.json.zst")]);
    assert!(!saved.stdout.contains("Findings"), "{}", saved.stdout);
    let page = std::fs::read_to_string(recorded.path("page.html")).expect("a page");
    assert!(page.contains("findings"), "the page has a diagnosis");
}
