//! Frames, app starts and states in rows: figures worked out by hand, and what is said where nothing is known.

use serde_json::Value;
use wattle_ledger::{
    AppState, ComponentId, FrameJank, Ledger, SpanBooking, SpanEntry, SpanParty, SpanRole,
    SpanSubject, StartupKind,
};
use wattle_power::SourceId;
use wattle_report::{By, Report, ReportOptions, terminal};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos};

use crate::support;

fn entry(subject: SpanSubject) -> SpanEntry {
    SpanEntry {
        subject,
        role: SpanRole::Named,
        app: Some("com.example.app".to_owned()),
        window: Window::new(BootNanos::new(0), BootNanos::new(10_000_000)),
        duration: Nanos::new(10_000_000),
        count: 1,
        cut: false,
        without_slices: false,
    }
}

/// A ledger with a stretch and its energies, by consumer in joules, for each subject.
fn with(stretches: &[(SpanSubject, &[(SpanParty, f64)])]) -> Ledger {
    let mut ledger = support::phone();
    for (subject, joules) in stretches {
        let span = ledger.spans.entries.len() as u32;
        let mut entry = entry(subject.clone());
        entry.without_slices = joules.is_empty();
        ledger.spans.entries.push(entry);
        ledger.spans.bookings.extend(joules.iter().map(|(party, joules)| SpanBooking {
            span,
            party: *party,
            component: ComponentId(0),
            source: SourceId(0),
            joules: Joules::new(*joules),
        }));
    }
    ledger
}

fn json(ledger: &Ledger) -> Value {
    let report = Report::new(ledger, &ReportOptions::default());
    wattle_report::json(&report).expect("JSON")
}

#[track_caller]
fn check(row: &Value, expected: &[(&str, f64)]) {
    for (key, value) in expected {
        let found = row[key].as_f64().unwrap_or(f64::NAN);
        assert!((found - value).abs() <= 1e-9 * value.abs(), "{key}: {found}, not {value}: {row}");
    }
}

#[test]
fn frames_have_means_and_quantiles() {
    let energies: Vec<[(SpanParty, f64); 1]> =
        (1..=20).map(|n| [(SpanParty::Own, f64::from(n) * 1e-3)]).collect();
    let frame = |token, jank| SpanSubject::Frame { token: Some(token), jank: Some(jank) };
    let mut frames: Vec<(SpanSubject, &[(SpanParty, f64)])> = (1..)
        .zip(&energies)
        .map(|(token, energy)| (frame(token, FrameJank::OnTime), energy.as_slice()))
        .collect();
    frames.push((frame(77, FrameJank::App), &[]));
    let report = json(&with(&frames));
    let groups = report["frame_groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 2);
    check(
        &groups[0],
        &[
            ("frames", 20.0),
            ("known", 20.0),
            ("joules", 0.21),
            ("mean_joules", 0.0105),
            ("p50_joules", 0.010),
            ("p95_joules", 0.019),
        ],
    );
    // No slices: no figure, which is not 0.
    assert_eq!(groups[1]["jank"], "app");
    check(&groups[1], &[("frames", 1.0), ("known", 0.0)]);
    assert_eq!((&groups[1]["joules"], &groups[1]["p50_joules"]), (&Value::Null, &Value::Null));
    let first = &report["frames"][0];
    check(first, &[("token", 20.0), ("joules", 0.020), ("duration_s", 0.010)]);
}

#[test]
fn starts_and_states_have_their_parts() {
    let start = SpanSubject::Startup { start: Some(StartupKind::Cold) };
    let state = SpanSubject::State { state: Some(AppState::Background) };
    let parts: &[_] = &[
        (SpanParty::Own, 0.5),
        (SpanParty::SystemServer, 0.25),
        (SpanParty::Others, 0.125),
        (SpanParty::NoProcess, 1.0),
    ];
    let report = json(&with(&[(start, parts), (state, &[(SpanParty::Own, 0.5)])]));
    let row = &report["startups"][0];
    assert_eq!((&row["kind"], &row["app"]), (&"cold".into(), &"com.example.app".into()));
    check(
        row,
        &[
            ("joules", 1.875),
            ("app_joules", 0.5),
            ("system_server_joules", 0.25),
            ("surfaceflinger_joules", 0.0),
            ("others_joules", 0.125),
            ("no_process_joules", 1.0),
            ("mean_mw", 187_500.0),
        ],
    );
    let state = &report["app_states"][0];
    assert_eq!(state["state"], "background");
    check(state, &[("joules", 0.5), ("time_s", 0.010), ("mean_mw", 50_000.0)]);
}

#[test]
fn what_nothing_is_known_of_is_said_with_what_to_record() {
    for (by, said) in [
        (By::Frame, "No frame is known"),
        (By::Startup, "No app start"),
        (By::Journey, "No user journey"),
        (By::State, "No state of any app"),
    ] {
        let mut options = ReportOptions::default();
        options.by = Some(by);
        for ledger in [support::phone(), Ledger::empty(Window::default())] {
            let page = terminal(&Report::new(&ledger, &options), &options);
            assert!(page.contains(said) && page.contains("To have them, record"), "{page}");
        }
    }
}
