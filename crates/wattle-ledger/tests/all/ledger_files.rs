//! The file format.

use crate::common::Phone;
use proptest::prelude::*;
use wattle_ledger::{AttributionOptions, Ledger, LedgerError};
use wattle_power::{
    BatterySummary, ComponentCoverage, Coverage, CoveredPart, DrainedBy, EstimatedFrom,
    InputStatement, ModelFacts, ModelSpread, RailSummary, Scope, StatementSource,
};
use wattle_timeline::{
    ArtifactQuality, ClockAlignment, CpuFacts, InterruptKind, Note, Severity, ThreadId,
};
use wattle_units::{Estimate, Hertz, Interval, Joules, Nanos, Provenance};

/// A ledger that has every kind of row and every key.
fn ledger() -> Ledger {
    let mut phone = Phone::new(2, 100);
    let (app, probes) = (phone.thread("app"), phone.thread("traced"));
    phone.timeline.tasks.processes[0].uid = Some(wattle_timeline::Uid(10001));
    phone.timeline.tasks.processes[0].package = Some(phone.timeline.names.intern("com.example"));
    phone.timeline.tasks.threads.push(wattle_timeline::Thread::default());
    phone.idles(0, &[(0, 1), (20, -1)]);
    phone.runs(0, &[(0, 30, ThreadId::IDLE), (30, 60, app), (60, 80, probes)]);
    phone.runs(0, &[(80, 90, ThreadId(3))]);
    phone.probed(app, &[(0, 70, "frame", 0), (40, 50, "draw ✓ \"quoted\"", 1)]);
    phone.probes_cost(4, 3).test("com.example.FooTest#bar", 35, 200);
    phone.timeline.code.probe_costs[0].process = Some(wattle_timeline::ProcessId(0));
    phone.timeline.quality.alignments.push(ClockAlignment {
        artifact: "logcat.txt".into(),
        clock: "realtime".into(),
        by: "/proc/uptime and date".into(),
        offset_ns: -1_700_000_000_000_000_000,
        drift_ppb: Some(-7),
        residual_ns: Some(5_000_000),
        readings: 2,
    });
    phone.interrupt(0, InterruptKind::Soft, 45, 47, "NET_RX");
    phone.gpu_work(0, &[(0, 50, 10001)]);
    phone.core(0, &[(100, 1.0 / 3.0)]).cores(&[0, 1], &[(100, 0.1)]);
    phone.draws("gpu", Scope::Gpu(0), &[(100, 0.7)]);
    phone.draws("pixel thing", Scope::Device, &[(100, 1e-3)]);
    let model = ModelFacts {
        kind: "curves".into(),
        name: "Tensor".into(),
        chosen: "soc".into(),
        reason: None,
        source: "perfetto".into(),
        provenance: Provenance::Modelled,
        version: 1,
    };
    let joules = Joules::new(1e-3);
    let estimate = Estimate {
        joules,
        interval: Interval { low: joules * 0.9, high: joules * 1.1 },
        provenance: Provenance::Measured,
    };
    phone.estimate.model = Some(model.clone());
    phone.estimate.spread.push(ModelSpread { model, cpu: estimate });
    phone.estimate.rails.push(RailSummary {
        name: "S2M_VDD_CPUCL2".into(),
        label: Some("cpu.big".into()),
        component: wattle_power::Component::Cpu,
        joules,
        modelled: Some(estimate),
        covered_s: 1.5,
        samples: 8,
        mended: 0,
        booked: true,
    });
    phone.estimate.battery = Some(BatterySummary {
        by: DrainedBy::Battery,
        drained: estimate,
        accounted: estimate,
        discharging: Nanos::new(100_000),
        covered: Nanos::new(100_000),
        reading: "µA, positive is out".into(),
    });
    phone.estimate.statements.push(InputStatement {
        source: StatementSource::AndroidEstimate,
        joules,
        interval: None,
        provenance: Provenance::Modelled,
        time: Nanos::new(100_000),
        estimate: Some(estimate),
    });
    let window = phone.timeline.window;
    phone.estimate.coverage = Coverage {
        window,
        components: vec![ComponentCoverage {
            component: wattle_power::Component::Cpu,
            parts: vec![CoveredPart {
                from: EstimatedFrom::Curves,
                provenance: Provenance::Modelled,
                windows: [window].into_iter().collect(),
            }],
        }],
        is_whole_device: false,
    };
    phone.estimate.errors.add_meter(wattle_power::Meter {
        name: "rail".into(),
        error: 0.01,
        group: None,
    });
    phone.estimate.errors.sources[0].meter = Some(wattle_power::MeterId(0));
    phone.estimate.errors.groups[0].freedom = Some(7.0);
    phone.timeline.quality.artifacts.push(ArtifactQuality {
        name: "trace".into(),
        format: "perfetto".into(),
        events: [("sched_switch".to_owned(), 3)].into(),
        unread: [("7".to_owned(), 1)].into(),
        notes: vec![Note::new(Severity::Error, "truncated", "it ends").at(7).times(2)],
        ..ArtifactQuality::default()
    });
    phone.timeline.device.soc = Some("Tensor".into());
    phone.timeline.device.sdk = Some(33);
    phone.timeline.device.cpus.push(CpuFacts {
        processor: Some("AArch64".into()),
        frequencies: vec![Hertz::from_kilohertz(300_000)],
        capacity: Some(1024),
    });
    phone.attribute(&AttributionOptions::default())
}

fn json(ledger: &Ledger) -> serde_json::Value {
    serde_json::to_value(ledger).expect("JSON")
}

#[test]
fn ledgers_are_what_the_schema_says() {
    let schema = include_str!("../../../../docs/schema/ledger-1.schema.json");
    let schema = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let full = ledger();
    let window = full.recording.window;
    for ledger in [full, Ledger::empty(window)] {
        let instance = json(&ledger);
        let errors: Vec<String> = validator
            .iter_errors(&instance)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    // And not anything goes.
    let mut wrong = json(&Ledger::empty(window));
    wrong["shared_policy"] = "fair".into();
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn every_top_level_key_is_documented() {
    let page = include_str!("../../../../docs/ledger-format.md");
    let instance = json(&ledger());
    let keys: Vec<&String> = instance.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 27);
    for key in keys {
        assert!(
            page.contains(&format!("`{key}`")) || page.contains(&format!("`{key}[]`")),
            "{key}"
        );
    }
}

#[test]
fn a_file_gives_back_the_same_ledger_compressed_or_plain() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.ledger.json.zst");
    let ledger = ledger();
    std::fs::write(&path, ledger.to_bytes().expect("bytes")).expect("saved");
    assert_eq!(Ledger::load(&path).expect("loaded"), ledger);
    let plain = serde_json::to_vec_pretty(&ledger).expect("JSON");
    assert_eq!(Ledger::from_bytes(&plain).expect("read"), ledger);
    let missing = Ledger::load(&folder.path().join("missing")).expect_err("no file");
    assert!(missing.to_string().contains("missing"), "{missing}");
}

/// A file that the code wrote of [`ledger`] before its fields were grouped into parts.
#[test]
fn a_file_of_an_earlier_version_is_read_and_written_again_byte_by_byte() {
    let earlier = include_bytes!("ledger-1.json");
    let read = Ledger::from_bytes(earlier).expect("read");
    assert_eq!(read.test_runs.tests.len(), 1);
    let again = serde_json::to_vec(&read).expect("JSON");
    assert!(again == earlier, "{}", String::from_utf8_lossy(&again));
}

#[test]
fn keys_that_are_missing_twice_or_unknown_are_treated_by_kind() {
    let text = serde_json::to_string(&Ledger::empty(wattle_timeline::Window::default()));
    let text = text.expect("JSON");
    let unknown = text.replacen('{', "{\"of_a_later_version\": [1, {}],", 1);
    assert!(Ledger::from_bytes(unknown.as_bytes()).is_ok());
    let without_model = text.replacen("\"model\":null,", "", 1);
    assert!(without_model.len() < text.len());
    assert!(Ledger::from_bytes(without_model.as_bytes()).is_ok());
    refused(text.replacen("\"rails\":[],", "", 1).as_bytes(), "missing field `rails`");
    let twice = text.replacen('{', "{\"rails\":[],", 1);
    refused(twice.as_bytes(), "duplicate field `rails`");
}

#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let error = Ledger::from_bytes(bytes).expect_err("refused");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn other_files_and_versions_are_named() {
    refused(b"", "found nothing");
    refused(&[0xff, 0xd8, 0xff, 0xe0, 0, 0], r#"begins with "\xff\xd8\xff\xe0""#);
    refused(b"{}", "JSON without a schema");
    refused(br#"{"schema": "wattle-report/1"}"#, "wattle-report/1");
    refused(br#"{"schema": "wattle-ledger/2"}"#, "has the format \"wattle-ledger/2\"");
    refused(br#"{"schema": "wattle-ledger/1"}"#, "missing field");
    refused(b"{\"schema\": ", "was cut off");
    refused(&[0x28, 0xb5, 0x2f, 0xfd], "was cut off");
    let whole = ledger().to_bytes().expect("written");
    refused(&whole[..whole.len() / 2], "was cut off");
}

/// Changes one thing and expects that it is found.
#[track_caller]
fn spoilt(spoil: impl FnOnce(&mut Ledger), words: &str) {
    let mut ledger = ledger();
    spoil(&mut ledger);
    refused(&serde_json::to_vec(&ledger).expect("JSON"), words);
}

#[test]
fn rows_that_do_not_fit_together_are_refused() {
    spoilt(|l| l.rows.threads[0].process = 99, "thread 0 points to process 99");
    spoilt(|l| l.rows.paths[1].thread = 99, "path 1 points to thread 99");
    spoilt(|l| l.rows.paths[1].caller = Some(wattle_ledger::PathId(1)), "before its caller");
    spoilt(|l| l.rows.paths[1].thread = 1, "its caller of");
    spoilt(
        |l| l.rows.accounts[0] = wattle_ledger::Account::Path { path: wattle_ledger::PathId(77) },
        "account 0 points to path 77",
    );
    spoilt(|l| l.bookings[0].account.0 = 99, "points to account 99");
    spoilt(|l| l.bookings[0].component.0 = 99, "points to component 99");
    spoilt(|l| l.bookings[0].source.0 = 99, "points to source 99");
    spoilt(|l| l.bookings.swap(0, 1), "ascending order");
    spoilt(|l| l.power.errors.sources[0].group.0 = 99, "points to group 99");
    spoilt(
        |l| l.power.errors.sources[0].meter = Some(wattle_power::MeterId(9)),
        "points to meter 9",
    );
    spoilt(|l| l.rows.cpus[0].joules_by_source[0].0.0 = 99, "points to source 99");
    spoilt(|l| l.over_time.series[0].power.truncate(3), "has 3 values");
    spoilt(|l| l.bookings[0].joules = Joules::new(7.0), "does not close");
    spoilt(|l| l.rows.components[0].name = "tpu".into(), "no component");
    spoilt(|l| l.recording.window.end = wattle_units::BootNanos::new(-1), "ends before it starts");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a file holds, reading it ends with a ledger or an error.
    #[test]
    fn damaged_files_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        packed in any::<bool>(),
    ) {
        let ledger = ledger();
        let mut bytes = if packed {
            ledger.to_bytes().expect("written")
        } else {
            serde_json::to_vec(&ledger).expect("JSON")
        };
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        match Ledger::from_bytes(&bytes) {
            Ok(read) => prop_assert!(read.total().is_some()),
            Err(LedgerError::File { .. }) => prop_assert!(false, "no file is involved"),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
