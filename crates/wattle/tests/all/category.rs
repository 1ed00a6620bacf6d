//! `--category`, `--reference` and `--carbon` of the real program, on ledgers that it saved itself.

use std::path::Path;

use crate::support::{list, number, wattle};
use serde_json::Value;

/// Saves the ledgers of simulated phones.
fn save(folder: &Path, seeds: &[u32]) {
    std::fs::create_dir_all(folder).expect("folder");
    for seed in seeds {
        let file = folder.join(format!("{seed}.ledger.json.zst"));
        let file = file.to_str().expect("UTF-8");
        let run = wattle(["demo", "--seed", &seed.to_string(), "--quiet", "--save", file]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}

fn report(arguments: &[&str]) -> Value {
    wattle([&["report"], arguments, &["--json", "-"]].concat()).json()
}

#[test]
fn a_ledger_is_rated_among_others() {
    let folder = tempfile::tempdir().expect("folder");
    let others = folder.path().join("others");
    save(&others, &[1, 2, 3, 4, 5]);
    let mine = others.join("1.ledger.json.zst");
    let (others, mine) = (others.to_str().expect("UTF-8"), mine.to_str().expect("UTF-8"));

    let rated = report(&[mine, "--category", others]);
    let rating = &rated["rating"];
    assert_eq!(rating["category"], "others");
    assert_eq!(rating["of"], "device");
    assert_eq!(number(rating, "/references"), 4.0, "it is not compared with itself");
    assert_eq!(list(rating, "/left_out").len(), 1);
    assert_eq!(number(rating, "/joules"), number(&rated, "/total_joules"));
    let spent: Vec<f64> = (2..=5)
        .map(|seed| {
            let file = format!("{others}/{seed}.ledger.json.zst");
            number(&report(&[&file]), "/total_joules")
        })
        .collect();
    let below = spent.iter().filter(|other| **other < number(rating, "/joules")).count();
    assert_eq!(number(rating, "/percentile"), below as f64 / 4.0 * 100.0);
    let letter = rating["letter"].as_str().expect("a letter");
    let limits: Vec<f64> =
        list(rating, "/limits").iter().map(|limit| limit.as_f64().expect("a number")).collect();
    let begun = limits.iter().filter(|limit| number(rating, "/joules") >= **limit).count();
    assert_eq!(letter, ["A", "B", "C", "D", "E"][begun]);
    // No probes: nobody knows how much of the app ran.
    assert_eq!(rating["comparable"], false);
    let page = wattle(["report", mine, "--category", others]);
    assert_eq!(page.code, Some(0), "a bad rating is no failure: {}", page.stderr);
    assert!(page.stdout.contains(&format!("Rating {letter}")), "{}", page.stdout);
    assert!(page.stdout.contains("coverage: not known"), "{}", page.stdout);

    // A damaged ledger beside them takes nothing away.
    let broken = format!("{others}/broken.ledger.json.zst");
    std::fs::write(&broken, [0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]).expect("file");
    let beside = report(&[mine, "--category", others]);
    assert_eq!(number(&beside, "/rating/references"), 4.0);
    assert_eq!(beside["rating"]["limits"], rating["limits"]);
    assert_eq!(list(&beside, "/rating/left_out").len(), 2);

    let per_minute = report(&[mine, "--category", others, "--rate-per", "minute"]);
    let seconds = number(&per_minute, "/duration_s");
    let expected = number(&per_minute, "/total_joules") / seconds * 60.0;
    assert!((number(&per_minute, "/rating/joules") / expected - 1.0).abs() < 1e-12);

    check_files(folder.path(), mine, others);
    check_human(folder.path(), mine);
}

/// Category files, good and bad.
fn check_files(folder: &Path, mine: &str, others: &str) {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let good = file(
        "chats.json",
        r#"{"format": "wattle-category/1", "name": "Chats", "of": "device", "source": "by hand",
            "baseline": {"joules": 1000, "width": 100}}"#,
    );
    let rated = report(&[mine, "--category", &good, others]);
    assert_eq!(rated["rating"]["category"], "Chats");
    assert_eq!(rated["rating"]["rule"], "baseline");
    assert_eq!(number(&rated, "/rating/references"), 4.0);
    assert_eq!(number(&rated, "/rating/limits/1"), 1000.0);
    assert_eq!(rated["rating"]["letter"], "A");
    let of_library = report(&[mine, "--category", "aeon-web-browsers"]);
    assert_eq!(number(&of_library, "/rating/limits/1"), 145.0);
    assert!(of_library["rating"]["letter"].is_null(), "no app is known");

    let bad = file("bad.toml", "format = 'wattle-category/1'\nname = 'x'");
    check_exit(&["report", mine, "--category", &bad], 3, "missing field");
    check_exit(&["report", mine, "--category", "nowhere"], 3, "aeon-web-browsers");
    let empty = folder.join("empty");
    std::fs::create_dir(&empty).expect("folder");
    let empty = empty.to_str().expect("UTF-8");
    check_exit(&["report", mine, "--category", empty], 3, "no saved ledger");
    check_exit(&["report", mine, "--category", "aeon-web-browsers", &good], 2, "energy of the");
    check_exit(&["report", mine, "--category", others, "--least-coverage", "500"], 2, "0 to 100");
    check_exit(&["report", mine, "--rate-per", "minute"], 2, "--category");
}

#[track_caller]
fn check_exit(arguments: &[&str], code: i32, said: &str) {
    let run = wattle(arguments);
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

/// Human units by flag and by configuration.
fn check_human(folder: &Path, mine: &str) {
    let nexus = report(&[mine, "--reference", "nexus-7-2013", "--carbon", "36"]);
    let joules = number(&nexus, "/total_joules");
    // 15.01 Wh in 9 h; 36 g/kWh are 10 µg/J.
    let browsing = joules / (15.01 / 9.0);
    assert!((number(&nexus, "/human/activities/0/seconds") / browsing - 1.0).abs() < 1e-12);
    assert!((number(&nexus, "/human/co2e_g") / (joules * 1e-5) - 1.0).abs() < 1e-12);
    std::fs::write(
        folder.join("mine.toml"),
        "format = 'wattle-reference-devices/1'\n[[device]]\nid = 'mine'\nname = 'My phone'\n\
         battery = { energy_wh = 1, source = 's' }\n\
         [[device.activity]]\nname = 'map'\nwatts = 2\nsource = 's'\n",
    )
    .expect("file");
    let config = folder.join("wattle.toml");
    std::fs::write(&config, "[report]\nreference = 'mine.toml'\ncarbon = 0\n").expect("file");
    let config = config.to_str().expect("UTF-8");
    let own = report(&[mine, "--config", config]);
    assert_eq!(own["human_units"]["reference"]["name"], "My phone");
    assert_eq!(number(&own, "/human/activities/0/seconds"), joules / 2.0);
    assert_eq!(number(&own, "/human/co2e_g"), 0.0);
    let flag = report(&[mine, "--config", config, "--reference", "nexus-7-2012"]);
    assert_eq!(flag["human_units"]["reference"]["id"], "nexus-7-2012");
    check_exit(&["report", mine, "--reference", "nokia-3310"], 2, "nexus-7-2013");
    check_exit(&["report", mine, "--carbon", "-1"], 2, "0 or more");
    check_exit(&["report", mine, "--carbon", "coal"], 2, "neither a number");
    let page = wattle(["report", mine, "--full", "--reference", "nexus-7-2013"]).stdout;
    assert!(page.contains("web browsing") && page.contains("on a Nexus 7 (2013)"), "{page}");
}
