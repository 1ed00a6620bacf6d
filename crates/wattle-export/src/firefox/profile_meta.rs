//! `meta`: what the profile is.

use serde_json::{Value, json};
use wattle_ledger::FrameClass;

use crate::perfetto::SYNTHESISED;
use crate::stack_frames::FrameKind;
use crate::{Extract, Schedule, remarks};

/// Time between samples as the front end takes it, in milliseconds.
const INTERVAL: f64 = 1.0;

/// The colour of a kind of frames, one of `CategoryColor`.
const fn color(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Account | FrameKind::Sampled(FrameClass::Truncated) => "grey",
        FrameKind::Call => "blue",
        FrameKind::Sampled(FrameClass::Java) => "green",
        FrameKind::Sampled(FrameClass::Jit) => "yellow",
        FrameKind::Sampled(FrameClass::Native) => "lightblue",
        FrameKind::Sampled(FrameClass::Kernel) => "orange",
        FrameKind::Sampled(FrameClass::Unknown) => "brown",
        FrameKind::Sampled(FrameClass::Unsampled) => "transparent",
    }
}

pub fn meta(extract: &Extract<'_>, schedule: &Schedule) -> Value {
    let ledger = extract.ledger();
    let categories: Vec<Value> = FrameKind::ALL
        .into_iter()
        .map(
            |kind| json!({ "name": kind.name(), "color": color(kind), "subcategories": ["Other"] }),
        )
        .collect();
    let mut facts = vec![json!({
        "label": "Weights of samples",
        "format": "string",
        "value": format!("energy in {}", schedule.unit),
    })];
    if schedule.is_synthesised {
        facts.push(json!({ "label": "Times", "format": "string", "value": SYNTHESISED }));
    }
    facts.extend(
        remarks::remarks(extract)
            .into_iter()
            .map(|text| json!({ "label": "Remark", "format": "string", "value": text })),
    );
    // What is known without a time is at the window's end, and the front end leaves out what is at the end of its range.
    let length = super::profile_threads::millis(ledger.recording.window.duration().value());
    let end = length + INTERVAL;
    let mut meta = json!({
        "version": 24,
        "preprocessedProfileVersion": super::VERSION,
        "processType": 0,
        "product": format!("{} (energy in {})", remarks::title(ledger), schedule.unit),
        "importedFrom": format!("Wattle {}", env!("CARGO_PKG_VERSION")),
        "interval": INTERVAL,
        "startTime": 0,
        "profilingStartTime": 0,
        "profilingEndTime": end,
        "startTimeAsClockMonotonicNanosecondsSinceBoot": ledger.recording.window.start.value(),
        "stackwalk": 1,
        "debug": false,
        "platform": "Android",
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "keepProfileThreadOrder": true,
        "initialSelectedThreads": [0],
        "categories": categories,
        "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns" },
        "markerSchema": super::profile_markers::schemas(),
        "extra": [{ "label": "Energy", "entries": facts }],
    });
    if let (Some(model), Value::Object(meta)) = (&ledger.recording.device.model, &mut meta) {
        meta.insert("device".to_owned(), Value::String(model.clone()));
    }
    meta
}
