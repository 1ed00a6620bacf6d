//! `wattle serve` and `wattle push`, as their users meet them: the real program, a real browser, a real trace.

use std::time::Duration;

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::served_program::Served;
use crate::support::{number, trace, wattle};
use crate::webdriver::Browser;

const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";

/// The pages of a project: two runs of one trace, a run of the demo's app, a package, and a run of that app without its defects.
const PAGES: [&str; 14] = [
    "",
    "/runs",
    "/runs/1",
    "/compare?a=3&b=4",
    "/compare?a=1&b=2&whole=yes",
    "/compare/several?run=1&run=2&run=3",
    "/apps/androidx.benchmark.integration.macrobenchmark.target",
    "/findings",
    "/budgets",
    "/queue",
    "/jobs/1",
    "/jobs/4",
    "/devices",
    "/settings",
];

const RULES: &str = "[[check.rule]]\nsubject = \"app\"\nat-most = \"200 mJ\"\n\n\
                     [[check.rule]]\nsubject = \"component:cpu\"\nat-most = \"1 kJ\"\n";

/// A server with the runs of [`PAGES`], and budgets.
fn with_everything() -> Served {
    let served = Served::start();
    let app = ["--app", "androidx.benchmark.integration.macrobenchmark.target", "--app-version"];
    for version in ["1.1", "1.2"] {
        let run = served.push(&trace(TRACE), &[&app[..], &[version, "--commit", version]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    served.push_demo("4.1", &[]);
    let package = served.push(&wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk"), &[]);
    assert_eq!(package.code, Some(0), "{}", package.stderr);
    served.push_demo("4.2", &["--fixed"]);
    let rules = json!({ "toml": RULES });
    assert_eq!(served.send("PUT", "/api/v1/projects/default/budgets", &rules).0, 204);
    served
}

/// A link that shows a comparison.
fn shared_comparison(served: &Served) -> String {
    let new = json!({ "runs": [1, 2], "days": 1 });
    let (_, made) = served.send("POST", "/api/v1/projects/default/shares", &new);
    let made: Value = serde_json::from_str(&made).expect("JSON");
    made["url"].as_str().expect("an address").to_owned()
}

/// Nothing that can be scrolled sideways, and nothing cut off at the right edge.
#[track_caller]
fn check_all_within(browser: &Browser, address: &str) {
    let cut = browser.js(
        "const within = (box) => box.closest('canvas, nav, .cards thead, .tabs, .scroll, .hidden-text, pre, .log, textarea');
         return [...document.querySelectorAll('main *')].filter((it) => {
           const box = it.getBoundingClientRect();
           return box.width > 0 && box.right > innerWidth + 1 && !within(it);
         }).slice(0, 3).map((it) => it.outerHTML.slice(0, 120))",
    );
    assert_eq!(cut, json!([]), "{address} at {}", browser.js("return innerWidth"));
}

/// Presses a button that leads to another page, and waits for that.
fn click_away(browser: &Browser, selector: &str) {
    browser.js("document.documentElement.dataset.ready = 'old'; return 1");
    browser.click(selector);
    browser.wait_until_ready();
}

/// A script of a page that waits, and its result.
fn fetched(browser: &Browser, path: &str) -> String {
    browser.js(&format!(
        "window.fetched = null; fetch('{path}').then((it) => it.text()).then((text) => {{ window.fetched = text; }}); return 1"
    ));
    for _ in 0..400 {
        let text = browser.js("return window.fetched");
        if let Some(text) = text.as_str() {
            return text.to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{path}: no answer");
}

#[track_caller]
fn check_quiet(browser: &Browser) {
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
}

/// Nothing is wider than a telephone.
#[track_caller]
fn check_narrow(browser: &Browser, address: &str, screen: u32) {
    browser.visit(address);
    let width = browser.number("return document.documentElement.scrollWidth");
    assert!(width <= f64::from(screen), "{address} is {width} wide, the screen {screen}");
}

/// Uploads the trace by the page, and waits for the page of its run.
fn upload_by_page(browser: &Browser, url: &str) {
    browser.visit(url);
    browser.type_into("#files", &trace(TRACE).display().to_string());
    browser.click("#start");
    for _ in 0..1200 {
        let place = browser.js("return location.pathname");
        if place.as_str().is_some_and(|path| path.contains("/runs/")) {
            browser.wait_until_ready();
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("no run: {} {:?}", browser.text("main"), browser.log("browser"));
}

#[requires(data, program = "chromedriver")]
#[test]
fn a_trace_is_uploaded_read_shared_and_compared() {
    let mut served = Served::start();
    let url = served.url.clone();
    let browser = Browser::start("serve", &[]);
    upload_by_page(&browser, &url);

    // The figures are those of the command line.
    let expected = wattle(["report", "--json", "-", trace(TRACE).to_str().expect("a name")]).json();
    let total = number(&expected, "/total_joules");
    let shown = browser.number("return wattle.answer().device.joules");
    assert!((shown - total).abs() <= 1e-6 * total, "{shown} J, expected {total} J");
    let run = "/api/v1/projects/default/runs/1";
    let report: Value =
        serde_json::from_str(&fetched(&browser, &format!("{run}/files/report.json")))
            .expect("JSON");
    assert_eq!(report["total_joules"], expected["total_joules"]);
    assert_eq!(report["processes"], expected["processes"]);
    let threads = fetched(&browser, &format!("{run}/files/threads.csv"));
    let joules: f64 = csv_column(&threads, "joules").iter().sum();
    assert!((joules - total).abs() <= 1e-6 * total, "threads sum to {joules} J, not {total} J");

    // All views work under the server's policy, and the selection is in the address.
    for view in ["tree", "tracks", "tables", "quality", "flame"] {
        browser.js(&format!("wattle.select({{ view: '{view}' }}); return 1"));
    }
    browser.js("wattle.select({ t: [0.1, 0.2], view: 'tables' }); return 1");
    let address = browser.js("return location.href");
    let address = address.as_str().expect("an address").to_owned();
    assert!(address.contains("#t=0.1-0.2"), "{address}");
    let selected = browser.number("return wattle.answer().device.joules");
    assert!(selected > 0.0 && selected < total, "{selected} J of {total} J");
    check_quiet(&browser);

    // A comment keeps the selection.
    browser.type_into("#comment", "here");
    click_away(&browser, "#comment-form button");
    assert!(browser.text("#comments").contains("here"));
    browser.visit(&format!("{url}/p/default/runs/1"));
    browser.click("#comments a[data-selection]");
    std::thread::sleep(Duration::from_millis(500));
    let again = browser.number("return wattle.answer().device.joules");
    assert!((again - selected).abs() <= 1e-9 * total, "{again} J, selected {selected} J");

    // A link shows the same to whoever has it.
    click_away(&browser, "form[action$=\"/share\"] button");
    let link = browser.text("#link");
    browser.visit(&link);
    let shared = browser.number("return wattle.answer().device.joules");
    assert!((shared - total).abs() <= 1e-6 * total, "{shared} J");
    check_quiet(&browser);

    // The same trace once more, and both compared: nothing changed.
    assert_eq!(served.push(&trace(TRACE), &[]).code, Some(0));
    browser.visit(&format!("{url}/p/default/runs"));
    click_away(&browser, "form[action$=\"/compare\"] button");
    let figures = browser.js("return wattle.figures()");
    assert_eq!(figures["difference"], json!(0), "{figures}");
    check_quiet(&browser);

    drop(browser);
    assert_eq!(served.end(), Some(0), "it ends in order");
}

/// The numbers of a column of CSV.
fn csv_column(text: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().expect("a head").iter().position(|it| it == name);
    let at = at
        .unwrap_or_else(|| panic!("no column {name}: {}", text.lines().next().unwrap_or_default()));
    let number = |row: csv::Result<csv::StringRecord>| row.expect("a row")[at].parse().ok();
    reader.records().filter_map(number).collect()
}

#[requires(data, env = "WATTLE_AXE")]
#[test]
fn pages_can_be_used_by_everybody() {
    let served = with_everything();
    let shared = shared_comparison(&served);
    let browser = Browser::start("serve-axe", &[]);
    for theme in ["light", "dark"] {
        for path in PAGES.into_iter().chain(["/nothing"]) {
            let address = format!("{}/p/default{path}#theme={theme}", served.url);
            browser.visit(&address);
            browser.load_axe();
            browser.check_accessibility(&address);
        }
        browser.visit(&format!("{shared}#theme={theme}"));
        browser.load_axe();
        browser.check_accessibility("a shared comparison");
    }
    // On a telephone, where tables are lists of cards.
    browser.become_telephone([390, 844]);
    for path in [
        "/runs",
        "/compare/several?run=1,2",
        "/findings",
        "/budgets",
        "/devices",
        "/queue",
        "/settings",
    ] {
        let address = format!("{}/p/default{path}", served.url);
        browser.visit(&address);
        browser.load_axe();
        browser.check_accessibility(&address);
    }
}

/// Collapsed stacks have samples and no time: they become a report, which is looked at, and no run, which would be compared.
#[requires(program = "chromedriver")]
#[test]
fn what_has_no_time_is_a_report_and_no_run() {
    let served = Served::start();
    let stacks = served.folder.path().join("stacks.folded");
    std::fs::write(&stacks, "main;load;parse 30\nmain;draw 10\n").expect("written");
    let pushed = served.push(&stacks, &[]);
    assert_eq!(pushed.code, Some(0), "{}", pushed.stderr);
    let (_, runs) = served.get("/api/v1/projects/default/runs");
    assert_eq!(runs.trim(), "[]");
    let browser = Browser::start("serve-timeless", &[]);
    browser.visit(&format!("{}/p/default/jobs/1", served.url));
    assert!(browser.text("#job").contains("no length in time"), "{}", browser.text("#job"));
    click_away(&browser, "#job a[href$=\"/jobs/1/report\"]");
    let page = browser.text("body");
    assert!(page.contains("stacks without times") && page.contains("It is no run"), "{page}");
    let functions = browser.text("#sampled-list tbody");
    assert!(functions.starts_with("parse") && functions.contains("30"), "{functions}");
    check_quiet(&browser);
}

#[requires(data, program = "chromedriver")]
#[test]
fn pages_fit_narrow_screens_and_their_parts_lead_on() {
    let served = with_everything();
    let shared = shared_comparison(&served);
    let browser = Browser::start("serve-narrow", &[]);
    for width in [390, 500] {
        browser.become_telephone([width, 844]);
        for path in PAGES {
            let address = format!("{}/p/default{path}", served.url);
            check_narrow(&browser, &address, width);
            check_all_within(&browser, &address);
        }
        check_narrow(&browser, &shared, width);
        check_all_within(&browser, &shared);
    }
    check_quiet(&browser);

    // A finding leads to its run with the time and the app of the finding selected.
    let project = format!("{}/p/default", served.url);
    browser.visit(&format!("{project}/findings?app=com.example.news"));
    let href =
        browser.js("return document.querySelector('tbody a[href*=\"#t=\"]').getAttribute('href')");
    let href = href.as_str().expect("an address").to_owned();
    click_away(&browser, "tbody a[href*=\"#t=\"]");
    assert!(browser.js("return location.href").as_str().is_some_and(|it| it.ends_with(&href)));
    let (from, to) = href.split_once("#t=").expect("a time").1.split_once('-').expect("two ends");
    let to = to.split('&').next().unwrap_or_default();
    let t = browser.js("return wattle.state.t");
    assert_eq!(
        t,
        json!([from.parse::<f64>().expect("a number"), to.parse::<f64>().expect("a number")])
    );
    assert!(!browser.js("return wattle.state.app").is_null(), "{href}");

    // A comparison shows the app, and the whole device for who wants that.
    browser.visit(&format!("{project}/compare?a=1&b=2"));
    let of_app = browser.js("return wattle.figures()");
    browser.visit(&format!("{project}/compare?a=1&b=2&whole=yes"));
    let of_device = browser.js("return wattle.figures()");
    let total = number(&of_device, "/before");
    let expected = wattle(["report", "--json", "-", trace(TRACE).to_str().expect("a name")]).json();
    let expected = number(&expected, "/total_joules");
    assert!((total - expected).abs() < 1e-4 * expected, "{total} J, expected {expected} J");
    browser.visit(&format!("{project}/compare?a=1&b=2"));
    assert!(browser.text("#verdict").contains("macrobenchmark.target"), "{of_app}");

    // Budgets say which rule is broken.
    browser.visit(&format!("{project}/budgets"));
    let text = browser.text("main");
    assert!(text.contains("✗ failed") && text.contains("✓ passed"), "{text}");
    check_quiet(&browser);
}

#[requires(data, program = "chromedriver")]
#[test]
fn pages_are_used_by_keyboard_in_both_themes() {
    const TAB: &str = "\u{e004}";
    let served = with_everything();
    let browser = Browser::start("serve-keyboard", &[]);
    for path in [
        "",
        "/runs",
        "/compare/several?run=1,2",
        "/findings",
        "/budgets",
        "/queue",
        "/jobs/4",
        "/devices",
        "/settings",
    ] {
        browser.visit(&format!("{}/p/default{path}#theme=light", served.url));
        browser.key(TAB);
        let first = browser.js("return document.activeElement.className");
        assert_eq!(first, "skip", "{path}: the first stop");
        // Every link, button and field is reached, and whatever has the focus shows it.
        let wanted = browser.number(
            "const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, [tabindex=\"0\"]')];
             const radios = new Set();
             return all.filter((it) => it.getClientRects().length > 0 && !(it.type === 'radio' && (radios.has(it.name) || !radios.add(it.name)))).length",
        );
        let mut reached = 1.0;
        for _ in 0..400 {
            let outline = browser.js("const of = getComputedStyle(document.activeElement); return of.outlineStyle + of.boxShadow");
            assert_ne!(
                outline,
                "nonenone",
                "{path}: {}",
                browser.js("return document.activeElement.outerHTML.slice(0, 200)")
            );
            browser.key(TAB);
            if browser.js("return document.activeElement === document.body || document.activeElement.className === 'skip'") == json!(true) {
                break;
            }
            reached += 1.0;
        }
        assert!(reached >= wanted, "{path}: {reached} of {wanted} can be reached");
        browser.js("document.activeElement.blur(); return 1");
        browser.key("t");
        assert_eq!(browser.js("return document.documentElement.dataset.theme"), "dark", "{path}");
        browser.click("#theme");
        assert_eq!(browser.js("return document.documentElement.dataset.theme"), "light", "{path}");
    }
    // The theme goes along within the site, and is no selection of a comment.
    browser.visit(&format!("{}/p/default/runs#theme=dark", served.url));
    click_away(&browser, "#runs-list tbody a");
    assert_eq!(browser.js("return document.documentElement.dataset.theme"), "dark");
    assert_eq!(browser.text("#comment-about"), "About the whole run");
    check_quiet(&browser);
}

/// Pictures for the documentation: into the folder that `WATTLE_PICTURES` names, else nowhere that stays.
#[requires(data, program = "chromedriver")]
#[test]
fn pages_have_pictures() {
    let served = with_everything();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = std::env::var_os("WATTLE_PICTURES")
        .map_or_else(|| folder.path().to_owned(), std::path::PathBuf::from);
    let browser = Browser::start("serve-pictures", &["--hide-scrollbars"]);
    browser.resize([1000, 640]);
    let shared = shared_comparison(&served);
    let pages = [
        ("upload", ""),
        ("runs", "/runs"),
        ("run", "/runs/3#t=3-5&app=com.example.news"),
        ("app", "/apps/androidx.benchmark.integration.macrobenchmark.target"),
        ("compare", "/compare?a=3&b=4"),
        ("several", "/compare/several?run=3&run=4"),
        ("findings", "/findings"),
        ("budgets", "/budgets"),
        ("queue", "/queue"),
        ("package", "/jobs/4"),
        ("devices", "/devices"),
        ("settings", "/settings"),
    ];
    let mut addresses: Vec<(&str, String)> = pages
        .into_iter()
        .map(|(name, path)| (name, format!("{}/p/default{path}", served.url)))
        .collect();
    addresses.push(("shared", shared));
    for (name, address) in addresses {
        browser.visit(&address);
        std::thread::sleep(Duration::from_millis(300));
        let file = folder.join(format!("server-{name}.png"));
        browser.picture(&file);
        let bytes = std::fs::metadata(&file).expect("a picture").len();
        assert!((5_000..250_000).contains(&bytes), "{name}: {bytes} bytes");
    }
}

#[test]
fn what_cannot_be_read_is_a_failed_job_and_the_server_goes_on() {
    let served = Served::start();
    let folder = served.folder.path();
    let garbage = folder.join("garbage.pftrace");
    std::fs::write(&garbage, b"no trace at all").expect("a file");
    // 1 GB of zeros in 1 MB.
    let bomb = folder.join("bomb.zip");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&bomb).expect("a file"));
    archive.start_file("trace.pftrace", zip::write::SimpleFileOptions::default()).expect("a file");
    for _ in 0..1000 {
        std::io::Write::write_all(&mut archive, &vec![0; 1 << 20]).expect("zeros");
    }
    archive.finish().expect("an archive");
    for file in [&garbage, &bomb] {
        let run = served.push(file, &[]);
        assert_eq!(run.code, Some(3), "{}: {} {}", file.display(), run.stdout, run.stderr);
        assert!(run.stdout.contains("/p/default/jobs/"), "{}", run.stdout);
        assert!(
            !run.stderr.contains(&folder.display().to_string()),
            "a path of the server: {}",
            run.stderr
        );
    }
    let none = served.push(&folder.join("none"), &[]);
    assert_eq!(none.code, Some(3), "{}", none.stderr);
}

#[test]
fn others_are_let_in_only_as_users() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let data = folder.path().to_str().expect("a name").to_owned();
    let refused = wattle(["serve", "--bind", "0.0.0.0:0", "--data", &data]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("wattle serve user add NAME"), "{}", refused.stderr);
    let added = wattle(["serve", "user", "add", "ann", "--data", &data]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    assert!(added.stdout.contains("password: "), "{}", added.stdout);
    let again = wattle(["serve", "user", "add", "ann", "--data", &data]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    let list = wattle(["serve", "user", "list", "--data", &data]);
    assert_eq!(list.stdout, "ann  manages the server  default: admin\n");
    assert!(added.stdout.contains("start a running server again"), "{}", added.stdout);
    let serve = |words: &[&str]| {
        let words = [&["serve"], words, &["--data", data.as_str()]].concat();
        let run = wattle(&words);
        assert_eq!(run.code, Some(0), "{words:?}: {}", run.stderr);
        run.stdout
    };
    assert_eq!(
        serve(&["project", "add", "android", "--title", "Android"]),
        "added the project android\n"
    );
    let second = serve(&["user", "add", "ben", "--project", "android", "--role", "reader"]);
    assert!(!second.contains("start a running server again"), "{second}");
    serve(&["user", "role", "ben", "member", "--project", "default"]);
    let list = "ann  manages the server  default: admin\nben  android: reader  default: member\n";
    assert_eq!(serve(&["user", "list"]), list);
    serve(&["user", "remove", "ben", "--project", "android"]);
    assert!(serve(&["user", "list"]).ends_with("\nben  default: member\n"));
    let kept =
        serve(&["project", "keep", "android", "--runs", "90", "--last", "20", "--uploads", "1"]);
    assert_eq!(kept, "android keeps runs: 90 days, the latest 20 of a series; uploads: 1 day\n");
    let projects = serve(&["project", "list"]);
    assert!(
        projects.starts_with("android  0 runs, 0 members, 0.0 MB; keeps runs: 90 days"),
        "{projects}"
    );
    assert_eq!(serve(&["tidy", "--dry-run"]), "nothing to delete\n");
    let asked = wattle(["serve", "project", "remove", "android", "--data", &data]);
    assert_eq!(asked.code, Some(2), "{}", asked.stdout);
    assert!(asked.stderr.contains("--yes"), "{}", asked.stderr);
    assert_eq!(serve(&["project", "remove", "android", "--yes"]), "removed the project android\n");
    for (words, expected) in [
        (vec!["user", "add", "cid", "--project", "none"], "no such project"),
        (vec!["user", "role", "cid", "admin", "--project", "default"], "no such user"),
        (vec!["project", "remove", "none"], "no such project"),
        (vec!["project", "add", "default"], "the project default exists"),
    ] {
        let refused = wattle([&["serve"], &words[..], &["--data", data.as_str()]].concat());
        assert_eq!(refused.code, Some(2), "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{words:?}: {}", refused.stderr);
    }
    assert!(!serve(&["user", "list"]).contains("cid"), "nothing of a mistake is left");
    let last = wattle(["serve", "user", "disable", "ann", "--data", &data]);
    assert_eq!(last.code, Some(2), "{}", last.stderr);
    let mut served = Served::start_in(folder);
    let file = served.folder.path().join("a.pftrace");
    std::fs::write(&file, b"x").expect("a file");
    let unknown = served.push(&file, &[]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("--token-file"), "{}", unknown.stderr);
    assert_eq!(served.end(), Some(0));
}
