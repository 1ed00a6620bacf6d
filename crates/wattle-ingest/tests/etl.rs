//! Event trace logs of Windows, against counts and truth that were computed without this reader.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

#[path = "etl/walker.rs"]
mod walker;

use std::collections::BTreeMap;

use serde_json::Value;
use wattle_ingest::read_paths;
use wattle_timeline::{ArtifactQuality, OperatingSystem, Timeline};

/// Every log, as `EXPECTED_COUNTS.json` names them.
fn expected() -> Option<serde_json::Map<String, Value>> {
    let bytes = wattle_testdata::read("etl/EXPECTED_COUNTS.json")?;
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    Some(all["files"].as_object().unwrap().clone())
}

fn read(file: &str) -> Option<Timeline> {
    let path = wattle_testdata::find(&format!("etl/{file}"))?;
    Some(read_paths(&[path]).unwrap())
}

/// All events by name, used or not. Those with a schema are counted by provider and event, as `provider` tells them apart.
fn counts(
    quality: &ArtifactQuality,
    providers: &serde_json::Map<String, Value>,
) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::default();
    for (name, count) in quality.events.iter().chain(&quality.unread) {
        let before_event = name.rsplit_once('/').map_or("", |(provider, _)| provider);
        let name = if providers.contains_key(before_event) { before_event } else { name };
        *all.entry(name.to_owned()).or_default() += count;
    }
    all
}

#[test]
fn events_are_counted_as_an_independent_walker_counts_them() {
    let Some(expected) = expected() else { return };
    assert!(expected.len() >= 10);
    for (name, told) in expected {
        let (file, _) = name.split_once('!').unwrap_or((&name, ""));
        let Some(timeline) = read(file) else { continue };
        let [quality] = timeline.quality.artifacts.as_slice() else {
            panic!("{name}: {} artifacts", timeline.quality.artifacts.len())
        };
        let providers = told["manifest_or_tracelogging_events"].as_object().unwrap();
        let mut found = counts(quality, providers);
        for kinds in ["kernel_events", "classic_events", "manifest_or_tracelogging_events"] {
            for (kind, count) in told[kinds].as_object().unwrap() {
                assert_eq!(found.remove(kind), count.as_u64(), "{name}: {kind}");
            }
        }
        assert!(found.is_empty(), "{name}: also found {found:?}");
        let header = &told["header"];
        assert_eq!(Some(quality.lost_events), header["events_lost"].as_u64(), "{name}");
        assert_eq!(Some(timeline.device.cpus.len() as u64), header["cpus"].as_u64(), "{name}");
        assert_eq!(timeline.device.system, Some(OperatingSystem::Windows));
        let (os, build) = (header["os"].as_str().unwrap(), &header["build"]);
        assert_eq!(timeline.device.kernel, Some(format!("Windows {os}.{build}")), "{name}");
        let errors =
            quality.notes.iter().filter(|it| it.severity == wattle_timeline::Severity::Error);
        assert_eq!(errors.collect::<Vec<_>>(), Vec::<&wattle_timeline::Note>::new(), "{name}");
    }
}
