//! The page of a difference, and sampled stacks in a report's flame graph, in a real browser.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use crate::support::{self, check_shown as check, write_page as write};

use wattle_ledger::{Charge, FrameClass, FrameEntry, Ledger};
use wattle_report::{
    DiffReport, FlameKind, FlameOptions, HTML_LIMIT, MergedNodes, Per, ReportOptions, diff_html,
};
use wattle_testdata::requires;

use crate::support::html;

use self::support::{BIG, Builder, HOSTILE, LITTLE};
use crate::webdriver::Browser;

const FLAME: &str = "#flame-canvas";

fn diff_page(before: &Ledger, after: &Ledger, per: &Per) -> String {
    let runs = [("old.ledger.json.zst", before), ("<b>new", after)];
    diff_html(runs, per, &FlameOptions::default()).expect("a page")
}

/// The phone of the other tests after a change: drawing costs more, one layout less, and a method is new.
fn changed() -> Ledger {
    let mut ledger = support::phone();
    let path = |ledger: &Ledger, name: &str| {
        ledger.rows.paths.iter().position(|path| path.name == name).expect("a path") as u32
    };
    let draw = path(&ledger, "DrawFrames");
    let hostile = path(&ledger, HOSTILE);
    "measure".clone_into(&mut ledger.rows.paths[hostile as usize].name);
    let frame = path(&ledger, "Choreographer#doFrame");
    for booking in &mut ledger.bookings {
        let path = ledger.rows.accounts[booking.account.0 as usize].path().map(|path| path.0);
        if path == Some(draw) && booking.charge == Charge::Core {
            booking.joules = booking.joules * 2.0;
        }
        if path == Some(frame) && booking.charge == Charge::Core {
            booking.joules = booking.joules * 0.5;
        }
    }
    ledger
}

fn go_to(browser: &Browser, address: &str) {
    browser.js(&format!("location.hash = '{address}'; return 1"));
    std::thread::sleep(std::time::Duration::from_millis(100));
}

fn address(browser: &Browser) -> String {
    browser.js("return location.hash").as_str().unwrap_or_default().to_owned()
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_what_changed() {
    let page = diff_page(&support::phone(), &changed(), &Per::Run);
    assert!(!page.contains("<b>new") && !page.contains("<img"), "a name became markup");
    let browser = Browser::start("diff", &[]);
    browser.open(&write("diff.html", &page));
    // 0.6 J more for drawing, 0.15 J less for frames; 0.5 J of measuring have another name.
    check(&browser.text("#crumb"), "old.ledger.json.zst");
    check(&browser.text("#crumb"), "<b>new");
    check(&browser.text("#total"), "Higher");
    check(&browser.text("#total"), "Device");
    check(&browser.text("#total"), "+450mJ+5.8 %");
    check(&browser.text("#total"), "7.80 J → 8.25 J");
    check(&browser.text("#beside"), "com.example.app");
    check(&browser.text("#beside"), "3.50 J → 3.95 J");
    check(&browser.text("#axis"), "B +5.8 %");
    check(&browser.text("#comparable"), "Same model");
    check(&browser.text("#comparable"), "its error cancels");
    check(&browser.text("#changed"), "DrawFrames");
    check(&browser.text("#changed"), "+600 mJ");

    // One selection rules everything, is in the address and survives going back.
    browser.js("wattle.select({ app: wattle.find('com.example.app') }); return 1");
    check(&address(&browser), "#app=com.example.app");
    browser.js("document.querySelector('#changed-by [data-id=thread]').click(); return 1");
    check(&browser.text("#changed"), "RenderThread");
    browser.js(
        "wattle.select({ thread: wattle.threads(wattle.state.app).find(([, name]) => name === 'RenderThread')[0] }); return 1",
    );
    check(&address(&browser), "thread=RenderThread");
    check(&browser.text("#total"), "700 mJ → 1.30 J");
    check(&browser.text("#methods-list"), "DrawFrames");
    check(&browser.text("#methods-of"), "RenderThread");
    go_to(&browser, "app=com.example.app&comp=gpu&kept=yes");
    check(&browser.text("#total"), "Equal");
    check(&browser.text("#selection"), "GPU");
    browser.click("#clear");
    assert_eq!(address(&browser), "#kept=yes");

    // By keyboard into the program that now has most, its thread and its call.
    browser.js("document.querySelector('#flame-canvas').focus(); return 1");
    let down = "\u{e015}";
    for key in [down, down, down] {
        browser.key(key);
    }
    let chosen = || browser.text("#flame-selected");
    check(&chosen(), "com.example.app › main: 2.30 J → 2.15 J");
    check(&chosen(), "lower");
    browser.key("\u{e014}");
    check(&chosen(), "RenderThread: 700 mJ → 1.30 J, +600 mJ, +85.7 %");
    check(&chosen(), "higher");
    browser.key("\u{e007}");
    let zoom = || browser.js("return document.querySelector('#flame-canvas').dataset.zoom");
    assert_eq!(zoom(), "RenderThread");
    browser.key("\u{e00c}");
    assert_eq!(zoom(), "com.example.app");

    browser.type_into("#find", "layout");
    let matched = || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        browser.text("#flame-matches")
    };
    // Two nested ones count once.
    check(&matched(), "1 match: 1.70 J → 1.70 J, 0");
    browser.clear("#find");
    browser.type_into("#find", "measure");
    check(&matched(), "1 match: 0 J → 500 mJ, +500 mJ");
    check(&browser.text("#methods-list"), "new");
    browser.clear("#find");
    check(&matched(), "");

    let first = || browser.text("#methods-list tbody tr:first-child");
    check(&first(), "DrawFrames");
    check(&first(), "+600.0");
    check(&first(), "Higher");
    assert_ne!(browser.js("return document.title"), "owned");
    browser.check_quiet();
}

/// The page shows of a selection the figures of the engine.
#[requires(program = "chromedriver")]
#[test]
fn panels_have_the_figures_of_the_engine() {
    let (before, after) = (support::phone(), changed());
    let report = DiffReport::new(
        [("a", &before), ("b", &after)],
        &Per::Run,
        &FlameOptions::default(),
        MergedNodes::default(),
    )
    .expect("a comparison");
    let browser = Browser::start("diff-figures", &[]);
    browser.open(&write("figures.html", &diff_page(&before, &after, &Per::Run)));
    let mut seen = 0;
    let programs = report.graph.nodes.iter().filter(|node| node.parent == Some(0));
    for node in programs.filter(|node| node.kind == FlameKind::Process) {
        let components = node.components.iter().map(|part| (Some(part.name.name()), part.total));
        for (component, energy) in components.chain([(None, node.total)]) {
            let change = energy.change.expect("a change");
            let component = component
                .map_or("null".to_owned(), |name| format!("wattle.components.indexOf('{name}')"));
            let name = serde_json::to_string(&node.name).expect("JSON");
            let found = browser.js(&format!(
                "wattle.select({{ app: wattle.find({name}), component: {component} }});
                 const of = wattle.figures(), sum = of.what_changed.reduce((all, it) => all + it.difference, 0);
                 return [of.difference, of.interval[0], of.interval[1], sum, of.verdict]"
            ));
            let scale = report.total.after.joules().expect("a total").value();
            let expected =
                [change.joules, change.interval.low, change.interval.high, change.joules];
            for (nth, expected) in expected.iter().enumerate() {
                let found = found[nth].as_f64().expect("a number");
                assert!(
                    (found - expected.value()).abs() < 1e-6 * scale,
                    "{nth}: {found} {expected}"
                );
            }
            assert_eq!(found[4], change.verdict().name(), "{name} {component}");
            seen += 1;
        }
    }
    assert!(seen >= 6, "only {seen} selections were compared");
    browser.check_quiet();
}

/// The colours say what the words say: pixels of the picture itself.
#[requires(program = "chromedriver")]
#[test]
fn higher_is_orange_and_lower_is_blue() {
    let page = write("colours.html", &diff_page(&support::phone(), &changed(), &Per::Second));
    for theme in ["light", "dark"] {
        let browser = Browser::start(theme, &[]);
        browser.open(&page);
        check(&browser.text("#total"), "780 mW → 825 mW");
        // Selected, its row is as wide as the picture.
        let color = |thread: &str| {
            go_to(&browser, &format!("app=com.example.app&thread={thread}&theme={theme}"));
            // Read from a copy: the browser warns of reading from the picture itself.
            let pixel = browser.js(
                "const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
                 copy.drawImage(document.querySelector('#flame-canvas'), 3 * devicePixelRatio,
                    (2 * 22 + 3) * devicePixelRatio, 1, 1, 0, 0, 1, 1);
                 return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3)",
            );
            let of = |at: usize| pixel[at].as_i64().expect("a colour");
            [of(0), of(1), of(2)]
        };
        let [red, _, blue] = color("main");
        assert!(blue > red + 10, "{theme}: lower is {red} {blue}");
        let [red, _, blue] = color("RenderThread");
        assert!(red > blue + 10, "{theme}: higher is {red} {blue}");
        browser.check_quiet();
    }
}

#[requires(program = "chromedriver")]
#[test]
fn large_comparisons_stay_usable() {
    let page = diff_page(&support::busy(500, 9000), &support::busy(500, 10_000), &Per::Run);
    assert!(page.len() <= HTML_LIMIT, "{} bytes", page.len());
    let browser = Browser::start("large-diff", &["--force-dark-mode"]);
    browser.open(&write("large-diff.html", &page));
    check(&browser.text("#flame-note"), "smaller");
    browser.type_into("#find", "performRecompose_1");
    std::thread::sleep(std::time::Duration::from_millis(300));
    check(&browser.text("#flame-matches"), "match");
    browser.point("#flame-canvas", [20.0, 30.0], true);
    browser.check_quiet();
}

/// On a phone's width nothing scrolls sideways, and axe finds nothing serious.
#[requires(program = "chromedriver")]
#[test]
fn a_phone_shows_all_of_it() {
    let page = write("narrow-diff.html", &diff_page(&support::phone(), &changed(), &Per::Run));
    let browser = Browser::start("narrow-diff", &[]);
    browser.become_telephone([390, 844]);
    browser.open(&page);
    let wide = browser.js(
        "return [document.documentElement.scrollWidth, innerWidth, [...document.querySelectorAll('main *')].filter((node) => !node.closest('.scroll') && node.getBoundingClientRect().right > innerWidth + 1).length]",
    );
    assert_eq!(wide[2], 0, "{wide}");
    assert!(wide[0].as_i64() <= wide[1].as_i64(), "{wide}");
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[requires(env = "WATTLE_AXE")]
#[test]
fn axe_finds_nothing_serious_in_a_comparison() {
    let page = write("axe-diff.html", &diff_page(&support::phone(), &changed(), &Per::Run));
    let browser = Browser::start("axe-diff", &[]);
    browser.open(&page);
    browser.load_axe();
    for theme in ["light", "dark"] {
        for selection in
            ["{}", "{ app: wattle.find('com.example.app') }", "{ component: 1, w: 'd' }"]
        {
            browser.js(&format!(
                "wattle.select({{ app: null, component: null, theme: '{theme}', ...{selection} }}); return 1"
            ));
            browser.check_accessibility(&format!("{theme} {selection}"));
        }
    }
}

#[requires(program = "chromedriver")]
#[test]
fn empty_runs_make_a_page() {
    let empty = Ledger::empty(wattle_timeline::Window::default());
    let browser = Browser::start("empty-diff", &[]);
    browser.open(&write("empty-diff.html", &diff_page(&empty, &empty, &Per::Run)));
    check(&browser.text("#total"), "One of the runs does not know it");
    check(&browser.text("#methods"), "No call path");
    browser.check_quiet();
}

fn select(browser: &Browser, selector: &str, option: &str) {
    browser.js(&format!(
        "const select = document.querySelector('{selector}');
         select.value = [...select.options].find((o) => o.text.startsWith('{option}')).value;
         select.dispatchEvent(new Event('change'));
         return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(1))))"
    ));
}

/// Stacks of samples: 2 J in native code, 1 J in the kernel, half a joule truncated.
fn sampled() -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let frames = [
        (FrameClass::Native, "libart.so!run"),
        (FrameClass::Kernel, "el0_svc"),
        (FrameClass::Truncated, "[truncated]"),
    ];
    for (class, name) in frames {
        b.ledger.rows.frames.push(FrameEntry {
            class,
            function: Some(name.to_owned()),
            mapping: None,
            inlined: false,
            file: None,
            line: None,
        });
    }
    let app = b.process(100, "com.example.app", Some("com.example.app"), 10_100);
    let thread = b.thread(app, 100, "main", 1000);
    let root = b.path(thread, None, "", 1, [0, 0]);
    let frame = |b: &mut Builder, caller, frame: u32, joules, source| {
        let name = frames[frame as usize].1;
        let path = b.path(thread, Some(caller), name, 0, [100, 0]);
        b.ledger.rows.paths[path.0 as usize].frame = Some(frame);
        b.ledger.rows.paths[path.0 as usize].samples = 10;
        b.pay(path, Charge::Core, source, joules);
        path
    };
    let native = frame(&mut b, root, 0, 2.0, BIG);
    frame(&mut b, native, 1, 1.0, LITTLE);
    frame(&mut b, root, 2, 0.5, BIG);
    b.ledger
}

#[requires(program = "chromedriver")]
#[test]
fn sampled_stacks_are_coloured_by_what_they_are_of() {
    let page = html(&sampled(), &ReportOptions::default()).expect("a page");
    let browser = Browser::start("sampled", &[]);
    browser.open(&write("sampled.html", &page));
    let legend = || browser.text("#flame-legend").replace('\u{202f}', " ");
    assert_eq!(legend(), "", "colours mean components unless asked otherwise");
    select(&browser, "#flame-colour", "what a frame");
    for words in ["native 2.00 J", "kernel 1.00 J", "truncated 500 mJ"] {
        check(&legend(), words);
    }
    browser.point(FLAME, [20.0, 77.0], false);
    check(&browser.text("#tip"), "libart.so!run");
    check(&browser.text("#tip"), "native");
    browser.point(FLAME, [20.0, 99.0], true);
    let selected = browser.text("#flame-selected").replace('\u{202f}', " ");
    check(&selected, "el0_svc: 1.00 J");
    check(&selected, "kernel");
    browser.check_quiet();

    // Where nothing was sampled there is nothing to choose.
    let page = html(&support::phone(), &ReportOptions::default()).expect("a page");
    browser.open(&write("not-sampled.html", &page));
    let choices = browser.number("return document.querySelectorAll('#flame-colours').length");
    assert_eq!(choices, 0.0);
}
