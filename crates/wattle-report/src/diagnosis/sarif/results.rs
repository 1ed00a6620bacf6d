//! Findings and regions as results.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wattle_diagnose::{
    CodePlace, CommonStack, Diagnosis, Finding, NO_COMMON_STACK, Region, StackFrame,
};
use wattle_timeline::Window;
use wattle_units::Nanos;

use super::REGION_RULE;
use super::fingerprint::{Fingerprints, stable};
use super::log::{
    ArtifactLocation, Descriptor, Level, Location, LogicalLocation, Message, Properties,
    SarifResult, Stack, Suppression,
};
use super::{place, rules};
use crate::ReportError;
use crate::clean::{clean, clean_texts};
use crate::diagnosis::label::{self, Labels};

/// Findings, each a result; those that somebody accepts are suppressed results.
pub fn findings(
    diagnosis: &Diagnosis,
    rules: &[Descriptor],
    fingerprints: &mut Fingerprints,
) -> Result<Vec<SarifResult>, ReportError> {
    let mut results = Vec::new();
    for finding in &diagnosis.findings {
        results.push(of_finding(diagnosis, finding, rules, fingerprints)?);
    }
    for accepted in &diagnosis.accepted {
        let mut result = of_finding(diagnosis, &accepted.finding, rules, fingerprints)?;
        result.suppressions.push(Suppression::accepted(&accepted.reason));
        results.push(result);
    }
    Ok(results)
}

fn of_finding(
    diagnosis: &Diagnosis,
    finding: &Finding,
    rules: &[Descriptor],
    fingerprints: &mut Fingerprints,
) -> Result<SarifResult, ReportError> {
    let mut properties = Properties::new();
    properties.insert("at_stake".to_owned(), serde_json::to_value(finding.at_stake)?);
    properties.insert("joules_per_hour".to_owned(), finding.joules_per_hour.into());
    let confidence = &finding.confidence;
    let words = json!({ "level": confidence.level.name(), "reason": clean(&confidence.reason) });
    properties.insert("confidence".to_owned(), words);
    properties.insert("who".to_owned(), finding.who.as_deref().map(clean).into());
    properties.insert("thread".to_owned(), finding.thread.as_deref().map(clean).into());
    properties.insert("remedy".to_owned(), clean(&finding.remedy).into());
    let evidence = finding.evidence.iter().map(|evidence| {
        json!({
            "text": clean(&evidence.text),
            "window_s": evidence.window.map(|window| seconds(diagnosis, window)),
        })
    });
    properties.insert("evidence".to_owned(), evidence.collect::<Vec<Value>>().into());
    let code = finding.place.as_ref();
    let mut locations: Vec<_> = code.map(place::of_code).into_iter().collect();
    add_recording(diagnosis, &mut locations, finding.who.as_deref());
    let stacks = code.filter(|place| !place.stack.is_empty()).map(|place| Stack {
        message: Message::new("Call stack"),
        frames: place.stack.iter().rev().map(|text| place::frame_of_text(text)).collect(),
    });
    let text = match finding.evidence.first() {
        Some(first) => format!("{}. {}", finding.title.trim_end_matches('.'), first.text),
        None => finding.title.clone(),
    };
    let parts = [
        finding.rule.0.as_str(),
        finding.who.as_deref().unwrap_or_default(),
        finding.thread_name().unwrap_or_default(),
        code.map_or("", |place: &CodePlace| stable(&place.function)),
    ];
    Ok(SarifResult {
        rule_id: clean(&finding.rule.0),
        rule_index: rules::index(rules, &finding.rule.0),
        level: Level::from(finding.severity),
        message: Message::new(&text),
        analysis_target: target(diagnosis),
        locations,
        occurrence_count: 1,
        partial_fingerprints: fingerprints.of(parts),
        stacks: stacks.into_iter().collect(),
        rank: Some(confidence.level.rank()),
        suppressions: Vec::new(),
        properties,
    })
}

/// Regions: one result for all of one process's name, one thread's name and one common stack, in their order.
pub fn regions(
    diagnosis: &Diagnosis,
    rules: &[Descriptor],
    fingerprints: &mut Fingerprints,
) -> Result<Vec<SarifResult>, ReportError> {
    type Alike<'a> = (&'a str, &'a str, &'a [StackFrame]);
    let mut numbers: BTreeMap<Alike<'_>, usize> = BTreeMap::new();
    let mut alike: Vec<(Alike<'_>, Vec<&Region>)> = Vec::new();
    for region in &diagnosis.regions {
        let thread = diagnosis.thread(region.thread);
        let owner = thread.and_then(|thread| diagnosis.owner(thread));
        let key = (
            owner.map_or("unknown", label::process_name),
            thread.and_then(|thread| thread.name.as_deref()).unwrap_or_default(),
            region.stack.strict.as_slice(),
        );
        let number = *numbers.entry(key).or_insert(alike.len());
        match alike.get_mut(number) {
            Some((_, regions)) => regions.push(region),
            None => alike.push((key, vec![region])),
        }
    }
    let result = |(key, regions): (Alike<'_>, Vec<&Region>)| {
        of_regions(diagnosis, key, &regions, rules, fingerprints)
    };
    alike.into_iter().map(result).collect()
}

fn of_regions(
    diagnosis: &Diagnosis,
    (process, thread, stack): (&str, &str, &[StackFrame]),
    regions: &[&Region],
    rules: &[Descriptor],
    fingerprints: &mut Fingerprints,
) -> Result<SarifResult, ReportError> {
    let mut locations: Vec<_> = stack.last().map(place::of_frame).into_iter().collect();
    add_recording(diagnosis, &mut locations, Some(process));
    let most = regions.iter().map(|region| region.cpu_use).fold(0.0, f64::max);
    let count = regions.len();
    let named = if thread.is_empty() { "a thread".to_owned() } else { format!("thread {thread}") };
    let majority =
        regions.iter().map(|region| &region.stack).max_by_key(|stack| stack.majority.len());
    let text = format!(
        "{process}, {named}: {count} region{} of high CPU use at idle, up to {:.1} % of a core; {}",
        if count == 1 { "" } else { "s" },
        most * 100.0,
        in_common(stack, majority),
    );
    let stacks = [
        ("Common to all stacks", Some(stack)),
        ("Common to most stacks", majority.map(|stack| stack.majority.as_slice())),
    ];
    let stacks = stacks.into_iter().filter_map(|(words, frames)| {
        let frames = frames.filter(|frames| !frames.is_empty())?;
        let frames = frames.iter().rev().map(place::frame).collect();
        Some(Stack { message: Message::new(words), frames })
    });
    let mut properties = Properties::new();
    let rows: Result<Vec<Value>, ReportError> =
        regions.iter().map(|region| row(diagnosis, region)).collect();
    properties.insert("regions".to_owned(), rows?.into());
    let parts = [REGION_RULE, process, thread].into_iter();
    let parts = parts.chain(stack.iter().map(|frame| stable(&frame.text)));
    Ok(SarifResult {
        rule_id: REGION_RULE.to_owned(),
        rule_index: rules::index(rules, REGION_RULE),
        level: Level::Warning,
        message: Message::new(&text),
        analysis_target: target(diagnosis),
        locations,
        occurrence_count: count,
        partial_fingerprints: fingerprints.of(parts),
        stacks: stacks.collect(),
        rank: None,
        suppressions: Vec::new(),
        properties,
    })
}

/// The frame that all stacks of regions have, else the one that most have.
fn in_common(strict: &[StackFrame], stack: Option<&CommonStack>) -> String {
    let most = stack.and_then(|it| Some((it.majority.last()?, it.majority_share)));
    match (strict.last(), most) {
        (Some(frame), _) => format!("all in {}", frame.text),
        (None, Some((frame, share))) => {
            format!("{:.0} % of the stacks in {}", share * 100.0, frame.text)
        }
        (None, None) => NO_COMMON_STACK.to_owned(),
    }
}

/// A region in figures.
fn row(diagnosis: &Diagnosis, region: &Region) -> Result<Value, ReportError> {
    let thread = diagnosis.thread(region.thread);
    let owner = thread.and_then(|thread| diagnosis.owner(thread));
    let mut row = json!({
        "process": owner.map(label::process),
        "thread": thread.map(label::thread),
        "window_s": seconds(diagnosis, region.window),
        "cpu_use": region.cpu_use,
        "events": region.events,
        "mean_interval_s": region.mean_interval.map(Nanos::seconds),
        "period_s": region.period.map(Nanos::seconds),
        "wakeups_per_second": region.wakeups_per_second,
        "watts": region.watts,
        "energy": serde_json::to_value(region.energy)?,
        "saved": serde_json::to_value(region.saved)?,
    });
    clean_texts(&mut row);
    Ok(row)
}

/// Adds the recording as the place if the code is not known: some readers drop a result without one.
fn add_recording(diagnosis: &Diagnosis, locations: &mut Vec<Location>, who: Option<&str>) {
    let recording = diagnosis.artifacts.first().map(|name| place::of_recording(name));
    match locations.first_mut() {
        Some(first) if first.physical_location.is_some() => {}
        Some(first) => first.physical_location = recording.and_then(|it| it.physical_location),
        None => locations.extend(recording),
    }
    if let (Some(first), Some(who)) = (locations.first_mut(), who) {
        first.logical_locations.push(LogicalLocation::new(who, "process"));
    }
}

fn target(diagnosis: &Diagnosis) -> Option<ArtifactLocation> {
    diagnosis.artifacts.first().map(|name| ArtifactLocation { uri: place::uri(name) })
}

/// Both ends in seconds since the beginning of what was looked at.
fn seconds(diagnosis: &Diagnosis, window: Window) -> [f64; 2] {
    [window.start, window.end].map(|instant| diagnosis.since(instant).seconds())
}
