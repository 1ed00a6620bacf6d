//! The page of a history in a real browser.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use std::path::PathBuf;

use wattle_report::{
    FlameOptions, HISTORY_PAGE_SCHEMA, HistoryBlame, HistoryBudget, HistoryChange, HistoryCommit,
    HistoryComparison, HistoryConfirmation, HistoryLevel, HistoryPage, HistoryPart, HistoryPlace,
    HistoryRange, HistoryRelease, HistorySeries, HistoryStanding, HistorySuspicion, Per, diff_html,
    history_html,
};
use wattle_testdata::requires;

use crate::support::{self, check_shown as check, write_page as write};
use crate::webdriver::Browser;

const DECODE: &str = "com.example.news.ImageDecoder.decode";

/// A version of five runs; the deviation from the level repeats every seven versions.
fn commit(at: usize, level: f64) -> HistoryCommit {
    let joules = level * (1.0 + 0.004 * ((at * 5 % 7) as f64 - 3.0));
    HistoryCommit {
        commit: Some(format!("{at:02x}{:038x}", 0xabc)),
        version_name: Some(format!("4.{}", at / 15)),
        first: format!("2026-11-{:02} 12:00", at / 2 + 1),
        runs: 5,
        run: format!("run:{}", at * 5 + 1),
        joules,
        interval_joules: [joules * 0.95, joules * 1.05],
        deviation_joules: Some(joules * 0.01),
        ..HistoryCommit::default()
    }
}

fn place(scenario: &str, branch: &str) -> HistoryPlace {
    HistoryPlace {
        device: Some("Pixel 6a".to_owned()),
        device_key: Some("33161".to_owned()),
        model: Some("Pixel 6a".to_owned()),
        model_version: Some(1),
        scenario: Some(scenario.to_owned()),
        branch: Some(branch.to_owned()),
    }
}

fn change(at: usize, joules: f64, before: f64) -> HistoryChange {
    HistoryChange {
        range: HistoryRange { last_good: at - 1, first_bad: at, surely_bad: at, found_at: at + 2 },
        joules,
        interval_joules: [joules - 0.02, joules + 0.02],
        before_joules: before,
        confidence: 0.999,
        confirmation: HistoryConfirmation::FollowingCommits,
        blame: Some(HistoryBlame { method: DECODE.to_owned(), joules: joules * 0.8 }),
        runs: [format!("run:{}", at * 5 - 4), format!("run:{}", at * 5 + 1)],
    }
}

fn level(first: usize, last: usize, joules: f64) -> HistoryLevel {
    HistoryLevel { first, last, joules, band_joules: Some([joules * 0.98, joules * 1.02]) }
}

/// 30 versions: 2 J, from the 13th on 2.2 J, of which 2.15 J are allowed.
fn feed() -> HistorySeries {
    let of = |at: usize| if at < 12 { 2.0 } else { 2.2 };
    let part = |name: &str, share: f64| HistoryPart {
        name: name.to_owned(),
        joules: (0..30).map(|at| Some(of(at) * share)).collect(),
    };
    HistorySeries {
        place: place("Feed scroll", "main"),
        commits: (0..30).map(|at| commit(at, of(at))).collect(),
        omitted: 0,
        standing: HistoryStanding {
            joules: 2.2,
            band_joules: Some([2.156, 2.244]),
            since: 12,
            commits: 18,
            budget: Some(HistoryBudget { joules: 2.15, rule: "app".to_owned() }),
            release: Some(HistoryRelease { name: "4.0".to_owned(), joules: 2.0 }),
            open: vec![0],
            detectable_share: Some(0.033),
            runs_per_commit: 5,
            ..HistoryStanding::default()
        },
        levels: vec![level(0, 11, 2.0), level(12, 29, 2.2)],
        changes: vec![change(12, 0.2, 2.0)],
        suspected: None,
        components: vec![part("cpu", 0.75), part("display", 0.25)],
        methods: vec![part(DECODE, 0.3), part("com.example.news.Feed.bind", 0.1)],
    }
}

/// Two versions of one run: nothing can be said.
fn start() -> HistorySeries {
    let mut commits = vec![commit(0, 0.4), commit(1, 0.9)];
    for commit in &mut commits {
        commit.runs = 1;
        commit.deviation_joules = None;
    }
    let levels = vec![HistoryLevel { first: 0, last: 1, joules: 0.65, band_joules: None }];
    HistorySeries {
        place: place("Cold start", "main"),
        commits,
        standing: HistoryStanding {
            joules: 0.65,
            commits: 2,
            missing: 9,
            runs_per_commit: 1,
            ..HistoryStanding::default()
        },
        levels,
        changes: Vec::new(),
        components: Vec::new(),
        methods: Vec::new(),
        ..feed()
    }
}

/// A branch with a change that is not certain.
fn topic() -> HistorySeries {
    let mut series = feed();
    series.place.branch = Some("topic".to_owned());
    series.standing.open = Vec::new();
    series.suspected = Some(HistorySuspicion {
        change: HistoryChange {
            confirmation: HistoryConfirmation::Waiting,
            ..series.changes.remove(0)
        },
        before: 10,
        after: 29,
        pairs: 4,
    });
    series.levels = vec![level(0, 29, 2.05)];
    series
}

fn page() -> HistoryPage {
    HistoryPage {
        schema: HISTORY_PAGE_SCHEMA,
        app: "com.example.news".to_owned(),
        quantity: "app",
        series: vec![feed(), start(), topic()],
        omitted_series: 0,
        left_out: 1,
        comparisons: vec![HistoryComparison {
            before: "run:56".to_owned(),
            after: "run:61".to_owned(),
            href: "history-comparisons/run-56-run-61.html".to_owned(),
        }],
        comparison_address: None,
    }
}

fn file(name: &str, page: &HistoryPage) -> PathBuf {
    write(name, &history_html(page).expect("a page"))
}

fn address(browser: &Browser) -> String {
    browser.js("return location.hash").as_str().unwrap_or_default().to_owned()
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_when_energy_rose_and_both_runs() {
    let (before, after) = (support::phone(), support::phone());
    let runs = [("run:56", &before), ("run:61", &after)];
    let comparison = diff_html(runs, &Per::Run, &FlameOptions::default()).expect("a page");
    write("history-comparisons/run-56-run-61.html", &comparison);
    let browser = Browser::start("history", &[]);
    browser.open(&file("history.html", &page()));
    check(&browser.text("#crumb"), "com.example.news · 62 versions in 3 series");
    check(&browser.text("#level"), "Feed scroll");
    check(&browser.text("#level"), "2.20J2.3 % above the budget of 2.15 J");
    check(&browser.text("#level"), "Budget open");
    check(&browser.text("#level"), "level since 0c000000, 18 versions · noise ±2.0 %");
    check(&browser.text("#release"), "+10.0 %\n2.00 J → 2.20 J");
    check(&browser.text("#regression"), "+10.0 %\nImageDecoder.decode · 0c000000");
    check(&browser.text("#detectable"), "3.3 %\nin one version of 5 runs");
    check(&browser.text("#changes"), "+200 mJ");
    check(&browser.text("#changes"), "in 0c000000, after 0b000000 · +180 mJ to +220 mJ (90 %)");
    check(&browser.text("#changes"), "80.0 % of it in ImageDecoder.decode itself");
    check(&browser.text("#changes"), "wattle bisect --good 0b000000 --bad 0c000000 -- BUILD");
    assert_eq!(browser.number("return document.querySelectorAll('.levels .point').length"), 30.0);
    assert_eq!(browser.number("return document.querySelectorAll('.levels .level').length"), 2.0);

    // A change picks both of its versions; the pair is in the address and survives going back.
    browser.click(".change-head");
    assert_eq!(address(&browser), "#a=0b000000&b=0c000000");
    check(&browser.text("#pair"), "Compare run:56 and run:61");
    check(&browser.text("#pair"), "+185 mJ, +9.1 %");
    browser.js("history.back(); return 1");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(address(&browser), "");
    assert!(browser.js("return document.querySelector('#pair').hidden").as_bool().expect("a bool"));

    // Two versions without a page: the command that compares them.
    browser.click("#versions-list tbody tr:nth-child(1) .pick");
    check(&browser.text("#pair"), "Pick another version");
    browser.click("#versions-list tbody tr:nth-child(3) .pick");
    check(&browser.text("#pair"), "wattle diff run:136 run:146");
    browser.key("\u{e00c}");
    assert_eq!(address(&browser), "");

    // By keyboard: the newest version, the one before it.
    browser.js("document.querySelector('.levels').focus(); return 1");
    browser.key("\u{e012}");
    check(&browser.text("#tip"), "First run");
    browser.key("\u{e007}");
    browser.key("\u{e012}");
    browser.key("\u{e012}");
    browser.key("\u{e007}");
    assert_eq!(address(&browser), "#a=1c000000&b=1d000000");
    browser.key("\u{e00c}");

    // The chart itself: its last version.
    let wide = browser.number("return document.querySelector('.levels').clientWidth");
    browser.point(".levels", [wide - 90.0, 150.0], true);
    assert_eq!(address(&browser), "#a=1d000000");
    browser.key("\u{e00c}");

    browser.type_into("#find", "0c0");
    std::thread::sleep(std::time::Duration::from_millis(200));
    check(&browser.text("#versions-of"), "1 of 30");
    browser.clear("#find");

    browser.js("document.querySelector('#views [data-id=components]').click(); return 1");
    check(&browser.text("#parts"), "CPU");
    check(&browser.text("#parts"), "1650 1500 +150");
    browser.js("document.querySelector('#views [data-id=methods]').click(); return 1");
    check(&browser.text("#methods-list"), "ImageDecoder.decode");
    assert_eq!(address(&browser), "#view=methods");
    browser.js("document.querySelector('#views [data-id=energy]').click(); return 1");
    browser.check_quiet();

    // The link leads to the comparison.
    browser.click(".change-item .open-comparison");
    std::thread::sleep(std::time::Duration::from_millis(500));
    check(&browser.text("#crumb"), "run:61");
    check(&browser.text("#total"), "Equal");
}

#[requires(program = "chromedriver")]
#[test]
fn series_are_switched_and_filtered() {
    let browser = Browser::start("history-series", &[]);
    browser.open(&file("history-series.html", &page()));
    browser.click("#cards .card:nth-child(2)");
    check(&browser.text("#level"), "Cold start");
    check(&browser.text("#level"), "the newest of 2 versions, 1 run");
    check(&browser.text("#caution"), "Changes and noise can be judged from 11 on");
    check(&browser.text("#changes"), "Too few versions");
    assert_eq!(browser.number("return document.querySelectorAll('.levels .level').length"), 0.0);
    check(&address(&browser), "scenario=Cold+start");

    browser.js("const select = document.querySelector('#filter-branch');
         select.value = 'topic'; select.dispatchEvent(new Event('change')); return 1");
    check(&browser.text("#regression"), "Suspected regression\n+10.0 %");
    check(&browser.text("#changes"), "4 more runs each of 0a000000 and 1d000000");
    assert_eq!(browser.number("return document.querySelectorAll('#cards .card').length"), 1.0);
    check(&address(&browser), "branch=topic");
    // The address alone leads there, too.
    browser.js("location.reload(); return 1");
    std::thread::sleep(std::time::Duration::from_millis(500));
    check(&browser.text("#regression"), "Suspected regression");
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[test]
fn a_phone_shows_all_of_a_history() {
    let file = file("narrow-history.html", &page());
    let browser = Browser::start("narrow-history", &[]);
    browser.become_telephone([390, 844]);
    browser.open(&file);
    for (series, view) in [(0, "energy"), (0, "components"), (0, "methods"), (1, "energy")] {
        browser.js(&format!(
            "wattle.select({{ series: {series}, view: '{view}' }}); wattle.pick(0); return 1"
        ));
        let wide = browser.js(
            "return [document.documentElement.scrollWidth, innerWidth, [...document.querySelectorAll('main *')].filter((node) => !node.closest('.scroll') && node.getBoundingClientRect().right > innerWidth + 1).length]",
        );
        assert_eq!(wide[2], 0, "{view}: {wide}");
        assert!(wide[0].as_i64() <= wide[1].as_i64(), "{view}: {wide}");
    }
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[requires(env = "WATTLE_AXE")]
#[test]
fn axe_finds_nothing_serious_in_a_history() {
    let browser = Browser::start("axe-history", &[]);
    browser.open(&file("axe-history.html", &page()));
    browser.load_axe();
    for theme in ["light", "dark"] {
        for series in 0..3 {
            for view in ["energy", "components", "methods"] {
                browser.js(&format!(
                    "wattle.select({{ series: {series}, view: '{view}', theme: '{theme}', picked: [0, 1] }}); return 1"
                ));
                browser.check_accessibility(&format!("{theme} {series} {view}"));
            }
        }
    }
}

#[requires(program = "chromedriver")]
#[test]
fn an_empty_history_says_so() {
    let empty = HistoryPage { series: Vec::new(), comparisons: Vec::new(), ..page() };
    let browser = Browser::start("empty-history", &[]);
    browser.open(&file("empty-history.html", &empty));
    check(&browser.text("#standing"), "No kept run has this energy");
    check(&browser.text("#standing"), "1 run did not pass");
    browser.check_quiet();
}
