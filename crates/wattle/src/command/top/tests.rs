//! Keys to state, state to screens.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use wattle_ledger::{
    Account, AccountId, Booking, Charge, ComponentEntry, ComponentId, Ledger, PathEntry, PathId,
    ProcessEntry, ThreadEntry,
};
use wattle_power::{Component, ErrorGroup, ErrorGroupId, ErrorSource, SourceId};
use wattle_report::{EnergyPaths, ForestView};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Provenance};

use super::state::{Flow, TopState};
use super::view;

/// Two apps: `com.app` with `main` (draw → 電力 → decode, io) and `worker` (decode), `other` with `t` (io).
fn ledger() -> Ledger {
    let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(1_000_000_000)));
    ledger.recording.has_scheduler = true;
    for name in [Component::Cpu, Component::Gpu] {
        ledger.rows.components.push(ComponentEntry { name, provenance: Provenance::Modelled });
    }
    ledger.power.errors.add_group(ErrorGroup { name: "cpu".into(), shared: 0.1, freedom: None });
    ledger.power.errors.add_source(ErrorSource {
        name: "cpu".into(),
        group: ErrorGroupId(0),
        own: 0.0,
        meter: None,
        provenance: Provenance::Modelled,
    });
    for (pid, name) in [(10, "com.app"), (20, "other")] {
        let (name, package) = (name.to_owned(), Some(name.to_owned()));
        ledger.rows.processes.push(ProcessEntry { pid: Some(pid), name, package, uid: None });
    }
    for (process, tid, name) in [(0, 10, "main"), (0, 11, "worker"), (1, 20, "t")] {
        let cpu = Nanos::ZERO;
        ledger.rows.threads.push(ThreadEntry { process, tid, name: name.to_owned(), cpu });
    }
    for (thread, caller, name, joules) in [
        (0, None, "", 0.5),
        (0, Some(0), "draw", 1.0),
        (0, Some(1), "電力", 2.0),
        (0, Some(2), "decode", 4.0),
        (0, Some(1), "io", 0.25),
        (1, None, "", 0.0),
        (1, Some(5), "decode", 3.0),
        (2, None, "", 0.0),
        (2, Some(7), "io", 1.5),
    ] {
        let path = PathId(ledger.rows.paths.len() as u32);
        ledger.rows.paths.push(PathEntry {
            thread,
            caller: caller.map(PathId),
            name: name.to_owned(),
            calls: u64::from(caller.is_some()),
            self_cpu: Nanos::from_seconds(joules / 10.0),
            probe_cpu: Nanos::ZERO,
            wall: Nanos::ZERO,
            site: None,
            from_lines: Vec::new(),
            frame: None,
            samples: 0,
            clock_cpu: None,
        });
        ledger.rows.accounts.push(Account::Path { path });
        ledger.bookings.push(Booking {
            account: AccountId(ledger.rows.accounts.len() as u32 - 1),
            component: ComponentId(u16::from(name == "io")),
            charge: Charge::Core,
            source: SourceId(0),
            joules: Joules::new(joules),
        });
    }
    ledger
}

/// `/text⏎` and so on: each character is a key; `→ ← ↑ ↓ ⏎ ⇥ ⎋ ⌫ ⇟ ⇱ ⇲` are keys with names.
fn press(state: &mut TopState<'_>, keys: &str) -> Flow {
    let mut flow = Flow::On;
    for c in keys.chars() {
        let code = match c {
            '→' => KeyCode::Right,
            '←' => KeyCode::Left,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            '⏎' => KeyCode::Enter,
            '⇥' => KeyCode::Tab,
            '⎋' => KeyCode::Esc,
            '⌫' => KeyCode::Backspace,
            '⇟' => KeyCode::PageDown,
            '⇱' => KeyCode::Home,
            '⇲' => KeyCode::End,
            c => KeyCode::Char(c),
        };
        flow = state.press(KeyEvent::new(code, KeyModifiers::NONE));
    }
    flow
}

/// After the keys these rows must be in sight, the selected one with `>`.
#[track_caller]
fn check(keys: &str, expected: &[&str]) {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &["com.app".to_owned()]);
    let mut state = TopState::new(&paths, ForestView::Calls, false, String::new());
    state.resize(20);
    press(&mut state, keys);
    assert_eq!(rows(&state), expected, "after {keys}");
}

fn rows(state: &TopState<'_>) -> Vec<String> {
    let row = |(at, node): (usize, &wattle_report::ForestNode)| {
        let mark = if at == state.cursor { ">" } else { "" };
        let indent = " ".repeat(state.forest.depth(*node) as usize);
        format!("{mark}{indent}{}", state.forest.label(state.paths, *node))
    };
    state.rows.iter().enumerate().map(row).collect()
}

#[test]
fn rows_open_and_close() {
    check("", &[">com.app (10)", "other (20)"]);
    check("→", &[">com.app (10)", " main [10]", " worker [11]", "other (20)"]);
    check("→→", &["com.app (10)", "> main [10]", " worker [11]", "other (20)"]);
    check("→→←", &[">com.app (10)", " main [10]", " worker [11]", "other (20)"]);
    check("→→←←", &[">com.app (10)", "other (20)"]);
    check("⏎⏎", &[">com.app (10)", "other (20)"]);
    // What was open inside is open again.
    check("→→→↑←→", &[">com.app (10)", " main [10]", "  draw", " worker [11]", "other (20)"]);
    check("↓↓↓", &["com.app (10)", ">other (20)"]);
    check("↓↑↑", &[">com.app (10)", "other (20)"]);
    check("⇲→→→→→", &["com.app (10)", "other (20)", " t [20]", ">  io"]);
    check("⇲⇱", &[">com.app (10)", "other (20)"]);
}

#[test]
fn all_below_and_the_hottest_path() {
    let all = [
        ">com.app (10)",
        " main [10]",
        "  draw",
        "   電力",
        "    decode",
        "   io",
        " worker [11]",
        "  decode",
        "other (20)",
    ];
    check("e", &all);
    check("ec", &[">com.app (10)", "other (20)"]);
    check(
        "p",
        &[
            "com.app (10)",
            " main [10]",
            "  draw",
            "   電力",
            ">    decode",
            "   io",
            " worker [11]",
            "other (20)",
        ],
    );
    check("pc", &[">com.app (10)", "other (20)"]);
}

#[test]
fn search_opens_what_it_finds() {
    let first = [
        "com.app (10)",
        " main [10]",
        "  draw",
        "   電力",
        ">    decode",
        "   io",
        " worker [11]",
        "other (20)",
    ];
    check("/dEc", &first);
    check("/dec⏎", &first);
    check(
        "/dec⏎n",
        &[
            "com.app (10)",
            " main [10]",
            "  draw",
            "   電力",
            "    decode",
            "   io",
            " worker [11]",
            ">  decode",
            "other (20)",
        ],
    );
    // Around the end, and backwards.
    check("/other⏎n", &["com.app (10)", ">other (20)"]);
    check(
        "/力⏎",
        &[
            "com.app (10)",
            " main [10]",
            "  draw",
            ">   電力",
            "   io",
            " worker [11]",
            "other (20)",
        ],
    );
    check("/zz", &[">com.app (10)", "other (20)"]);
    check("/oth⌫⌫⌫⌫⎋", &[">com.app (10)", "other (20)"]);
    check("/other⎋", &["com.app (10)", ">other (20)"]);
}

#[test]
fn a_filter_keeps_what_is_above_and_below() {
    check("/worker⏎f", &["com.app (10)", "> worker [11]"]);
    check("/worker⏎fe", &["com.app (10)", "> worker [11]", "  decode"]);
    check(
        "/io⏎f",
        &["com.app (10)", " main [10]", "  draw", ">   io", "other (20)", " t [20]", "  io"],
    );
    check("/worker⏎f⎋", &["com.app (10)", " main [10]", "> worker [11]", "other (20)"]);
    check("f", &[">com.app (10)", "other (20)"]);
}

#[test]
fn views_and_the_app_alone() {
    check("3", &[">draw", "decode", "電力", "io", "main [10]"]);
    check("a", &[">com.app (10)"]);
    check("aa", &[">com.app (10)", "other (20)"]);
    check("2→", &[">decode", " 電力", " worker [11]", "電力", "io", "draw", "main [10]"]);
    check("a2↓↓↓→", &["decode", "電力", "draw", ">main [10]", "io"]);
    check("⇥⇥⇥", &[">com.app (10)", "other (20)"]);
}

#[test]
fn order_by_any_column() {
    check("r", &["other (20)", ">com.app (10)"]);
    check("rr", &[">com.app (10)", "other (20)"]);
    // Back from total to name, by the alphabet; on to self.
    check("3S", &["decode", ">draw", "io", "main [10]", "電力"]);
    check("3Sr", &["電力", "main [10]", "io", ">draw", "decode"]);
    check("3s", &["decode", "電力", "io", ">draw", "main [10]"]);
}

#[test]
fn keys_that_end_it() {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &[]);
    let mut state = TopState::new(&paths, ForestView::Calls, false, String::new());
    assert_eq!(press(&mut state, "q"), Flow::Quit);
    // A `q` of a search is part of its text.
    assert_eq!(press(&mut state, "/q"), Flow::On);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(state.press(control_c), Flow::Quit);
    press(&mut state, "⎋a");
    assert!(state.message.as_deref().is_some_and(|it| it.contains("--app")));
    assert_eq!(press(&mut state, "?"), Flow::On);
    assert!(state.shows_help);
    assert_eq!(press(&mut state, "?q"), Flow::Quit);
}

#[test]
fn the_cursor_stays_in_sight() {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &[]);
    let mut state = TopState::new(&paths, ForestView::Calls, false, String::new());
    state.resize(3);
    press(&mut state, "e⇲");
    assert_eq!((state.cursor, state.first), (8, 6));
    press(&mut state, "↑↑↑");
    assert_eq!((state.cursor, state.first), (5, 5));
    press(&mut state, "⇟");
    assert_eq!((state.cursor, state.first), (8, 6));
    state.resize(100);
    assert_eq!((state.cursor, state.first), (8, 0));
    state.resize(0);
    assert_eq!((state.cursor, state.first), (8, 8));
}

/// The screen of a terminal of that size after the keys.
fn screen(width: u16, height: u16, keys: &str) -> String {
    let ledger = ledger();
    let paths = EnergyPaths::new(&ledger, &["com.app".to_owned()]);
    let mut state = TopState::new(&paths, ForestView::Calls, false, "a.ledger".to_owned());
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view::draw(frame, &mut state)).unwrap();
    press(&mut state, keys);
    terminal.draw(|frame| view::draw(frame, &mut state)).unwrap();
    terminal.backend().to_string()
}

/// The screen must be that of the file `tests/screens/NAME.txt`.
#[track_caller]
fn check_screen(name: &str, width: u16, height: u16, keys: &str) {
    let screen = screen(width, height, keys);
    let lines = screen.lines().map(|line| line.split('"').nth(1).unwrap_or_default().trim_end());
    let found = lines.collect::<Vec<_>>().join("\n") + "\n";
    let file = format!("{}/tests/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("WATTLE_WRITE_SCREENS").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found, expected,
        "{file} is another screen; WATTLE_WRITE_SCREENS=1 writes it:\n{found}"
    );
}

#[test]
fn screens() {
    check_screen("wide", 120, 8, "→");
    check_screen("narrow", 70, 12, "p");
    check_screen("details", 100, 22, "ed↓↓");
    check_screen("search", 100, 12, "/decode⏎f");
    check_screen("inverted", 100, 12, "2→");
    check_screen("help", 100, 28, "?");
}

#[test]
fn no_size_and_no_key_breaks_it() {
    for (width, height) in [(1, 1), (2, 2), (10, 3), (30, 5), (79, 24), (500, 3), (3, 100)] {
        for keys in ["", "e", "ed", "e?", "/de", "2e", "3]]]]d", "p[["] {
            let found = screen(width, height, keys);
            assert_eq!(found.lines().count(), usize::from(height));
        }
    }
}
