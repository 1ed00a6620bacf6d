//! The statement of what a total covers, and the energies that the input itself states.

use wattle_ledger::{CoveredComponent, CoveredTime, EnergyCoverage, Ledger};
use wattle_power::{Component, EstimatedFrom, InputStatement, StatementSource};
use wattle_report::{Report, ReportOptions, terminal};
use wattle_timeline::{Note, Severity};
use wattle_units::{Joules, Nanos, Provenance};

use crate::support;

/// Seconds of a component, and of the part of them that rails measured.
type Covered = (Component, f64, Option<f64>);

/// A phone of 10 s with this coverage.
fn phone(components: &[Covered], whole_device: f64) -> Ledger {
    let mut ledger = support::phone();
    let part = |from, provenance, seconds| CoveredTime {
        from,
        provenance,
        covered: Nanos::from_seconds(seconds),
    };
    let covered = components.iter().map(|(component, seconds, rails)| CoveredComponent {
        component: component.clone(),
        covered: Nanos::from_seconds(*seconds),
        parts: match rails {
            Some(rails) if rails == seconds => {
                vec![part(EstimatedFrom::Rails, Provenance::Measured, *rails)]
            }
            Some(rails) => vec![
                part(EstimatedFrom::Curves, Provenance::Modelled, seconds - rails),
                part(EstimatedFrom::Rails, Provenance::Measured, *rails),
            ],
            None => vec![part(EstimatedFrom::Curves, Provenance::Modelled, *seconds)],
        },
    });
    let components: Vec<CoveredComponent> = covered.collect();
    let longest = components.iter().map(|covered| covered.covered).max();
    ledger.power.coverage = Some(EnergyCoverage {
        components,
        missing: if whole_device < 10.0 {
            vec![Component::Storage, Component::Wifi]
        } else {
            Vec::new()
        },
        covered: longest.unwrap_or_default(),
        whole_device: Nanos::from_seconds(whole_device),
    });
    ledger
}

/// Of a terminal that is wide enough for any sentence.
fn wide() -> ReportOptions {
    let mut options = ReportOptions::default();
    options.width = Some(400);
    options
}

#[track_caller]
fn check(components: &[Covered], whole_device: f64, heading: &str, expected: &str) {
    let ledger = phone(components, whole_device);
    let report = Report::new(&ledger, &ReportOptions::default());
    let coverage = report.energy.coverage.as_ref().expect("a statement");
    assert_eq!(coverage.heading, heading);
    assert_eq!(coverage.text, expected);
    let page = terminal(&report, &wide());
    assert!(page.contains(&format!("\n{heading} ")), "{page}");
    assert!(page.contains(expected), "{page}");
}

#[test]
fn a_total_names_its_components_and_its_time() {
    use Component::{Cpu, Display, Gpu};
    check(&[(Cpu, 10.0, None)], 0.0, "CPU", "CPU only; not estimated: storage and Wi-Fi");
    check(
        &[(Cpu, 10.0, Some(8.0)), (Display, 8.0, Some(8.0)), (Gpu, 10.0, None)],
        0.0,
        "Total",
        "covers CPU, display and GPU; not estimated: storage and Wi-Fi. Power rails cover 8.00 s of \
         10.0 s; in the rest of the time only CPU and GPU are estimated",
    );
    check(
        &[(Display, 8.0, Some(8.0))],
        0.0,
        "Display",
        "Display only; not estimated: storage and Wi-Fi. Power rails cover 8.00 s of 10.0 s; the rest \
         of the time is not covered",
    );
    check(
        &[(Cpu, 4.0, None)],
        9.0,
        "Total",
        "covers the whole device: CPU, and the rest by the battery (for 9.00 s of 10.0 s); not \
         estimated: storage and Wi-Fi. Covered in part: CPU for 4.00 s of 10.0 s",
    );
    check(
        &[(Cpu, 10.0, None)],
        10.0,
        "Total",
        "covers the whole device: CPU, and the rest by the battery",
    );
}

#[test]
fn mean_power_is_that_of_the_covered_time() {
    let of = |seconds: f64| {
        let ledger = phone(&[(Component::Display, seconds, Some(seconds))], 0.0);
        let report = Report::new(&ledger, &ReportOptions::default());
        let display = report.hardware.components.iter().find(|row| row.name == "display");
        display.and_then(|row| row.mean_mw).expect("a mean")
    };
    assert!((of(5.0) - 2.0 * of(10.0)).abs() < 1e-9);
}

#[test]
fn statements_of_the_input_stand_beside_the_total() {
    let mut ledger = support::phone();
    ledger.power.statements.push(InputStatement {
        source: StatementSource::AndroidEstimate,
        joules: Joules::new(40.0),
        interval: None,
        provenance: Provenance::Assumed,
        time: Nanos::from_seconds(10.0),
        estimate: Some(support::modelled(10.0)),
    });
    let report = Report::new(&ledger, &ReportOptions::default());
    assert_eq!(report.energy.statements[0].ratio, Some(0.25));
    let page = terminal(&report, &wide());
    let line = "the input states: Android's own estimate 40.0 J in 10.0 s, whole device; 10.0 J of it, \
                25.0 %, is estimated by component";
    assert!(page.contains(line), "{page}");
}

#[test]
fn no_error_stands_beside_no_lost_events() {
    let page = |severity| {
        let mut ledger = support::phone();
        ledger.quality.artifacts.iter_mut().for_each(|artifact| artifact.lost_events = 0);
        ledger.quality.notes.push(Note::new(severity, "cut", "the file ends early"));
        terminal(&Report::new(&ledger, &ReportOptions::default()), &ReportOptions::default())
    };
    assert!(page(Severity::Warning).contains("events dropped while recording: none"));
    assert!(!page(Severity::Error).contains("events dropped while recording: none"));
}
