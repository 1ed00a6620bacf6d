//! Whether figures of two ledgers may be held against each other.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use wattle_ledger::Ledger;
use wattle_table::{Column, describe};
use wattle_units::Joules;

use super::Per;
use crate::clean::clean;
use crate::model::listed;

/// Weight of an objection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectionWeight {
    /// The difference says nothing of the app: it is not shown unless that is asked for.
    Refusal,
    /// The difference may have another cause, too.
    Warning,
}

/// Why figures of two ledgers are not comparable, or less than they look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Its weight.
    pub weight: ObjectionWeight,
    /// A short name that stays.
    pub code: &'static str,
    /// In words, with what both ledgers have.
    pub text: String,
}

describe!(
    Objection,
    "objection",
    "a reason why the figures are not comparable, or less than they look",
    [
        Column::word(
            "weight",
            "a refusal: the difference says nothing of the app",
            &["refusal", "warning"],
            |row: &Objection| Some(&row.weight)
        ),
        Column::text("code", "stable key", |row: &Objection| row.code).words(&[
            "model-differs",
            "model-version-differs",
            "model-source-differs",
            "model-numbers-differ",
            "policy-differs",
            "components-differ",
            "coverage-differs",
            "rails-differ",
            "device-differs",
            "device-unknown",
            "system-differs",
            "scheduler-differs",
            "sampling-differs",
            "stacks-differ",
            "probes-differ",
            "length-differs",
            "app-differs",
            "events-lost",
            "input-damaged",
        ]),
        Column::text("text", "a sentence with the facts of both ledgers", |row: &Objection| &row
            .text),
    ]
);

/// Windows that are apart by less than this part are equally long.
const SAME_LENGTH: f64 = 0.05;

/// All objections, refusals first.
pub(super) fn objections(ledgers: [&Ledger; 2], per: &Per) -> Vec<Objection> {
    let mut found = Objections(Vec::new());
    found.models(ledgers);
    found.devices(ledgers);
    found.recordings(ledgers, per);
    let mut found = found.0;
    found.sort_by_key(|objection| objection.weight);
    found
}

/// Why runs of two ledgers are not comparable at all; the rest of [`Objection`]s are warnings.
pub fn refusals(ledgers: [&Ledger; 2]) -> Vec<Objection> {
    let mut found = objections(ledgers, &Per::Run);
    found.retain(|objection| objection.weight == ObjectionWeight::Refusal);
    found
}

/// Whether numbers of one name are the same numbers in both ledgers, so that their errors are common.
pub(super) fn is_same_model([before, after]: [&Ledger; 2]) -> bool {
    let facts = |ledger: &Ledger| {
        let model = ledger.power.model.as_ref()?;
        Some((model.name.clone(), model.version, model.source.clone(), model.provenance))
    };
    facts(before) == facts(after) && !devices_differ([before, after])
}

/// Groups of errors that have one name in both ledgers, and other sizes: they are not of the same numbers, whatever the model is
/// called. Those with an energy in both runs count.
pub(super) fn other_sizes(ledgers: [&Ledger; 2]) -> Vec<String> {
    let used = ledgers.map(|ledger| {
        let mut groups = BTreeMap::new();
        for booking in ledger.bookings.iter().filter(|b| b.joules != Joules::ZERO) {
            let source = ledger.power.errors.sources.get(usize::from(booking.source.0));
            let group = source
                .and_then(|source| ledger.power.errors.groups.get(usize::from(source.group.0)));
            if let Some(group) = group {
                groups.insert(group.name.as_str(), (group.shared, group.freedom));
            }
        }
        groups
    });
    let [before, after] = &used;
    let differ = before
        .iter()
        .filter(|(name, sizes)| after.get(*name).is_some_and(|others| others != *sizes));
    differ.map(|(name, _)| (*name).to_owned()).collect()
}

struct Objections(Vec<Objection>);

impl Objections {
    fn refuse(&mut self, code: &'static str, text: String) {
        self.0.push(Objection { weight: ObjectionWeight::Refusal, code, text: cleaned(text) });
    }

    fn warn(&mut self, code: &'static str, text: String) {
        self.0.push(Objection { weight: ObjectionWeight::Warning, code, text: cleaned(text) });
    }

    fn models(&mut self, ledgers: [&Ledger; 2]) {
        let [before, after] = ledgers.map(|ledger| ledger.power.model.as_ref());
        match (before, after) {
            (Some(a), Some(b)) if (&a.name, &a.kind) != (&b.name, &b.kind) => self.refuse(
                "model-differs",
                format!(
                    "the device models differ: {} ({}) before, {} ({}) after; their difference is not the app's",
                    a.name, a.kind, b.name, b.kind
                ),
            ),
            (Some(a), Some(b)) if a.version != b.version => self.refuse(
                "model-version-differs",
                format!(
                    "the device model {} is version {} before and {} after; figures of two versions are not comparable",
                    a.name, a.version, b.version
                ),
            ),
            (Some(a), Some(b)) if a.source != b.source || a.provenance != b.provenance => self.warn(
                "model-source-differs",
                format!(
                    "the device model {} is from {:?} ({}) before and from {:?} ({}) after",
                    a.name, a.source, a.provenance, b.source, b.provenance
                ),
            ),
            (Some(model), None) | (None, Some(model)) => self.refuse(
                "model-differs",
                format!(
                    "the device model {} is behind one ledger only; the other has none",
                    model.name
                ),
            ),
            _ => {}
        }
        if is_same_model(ledgers) {
            let names = other_sizes(ledgers);
            if !names.is_empty() {
                let text = format!(
                    "the device models have one name and version, and their errors differ: {}; if their figures do, too, the difference is not the app's",
                    names.join(", ")
                );
                self.warn("model-numbers-differ", text);
            }
        }
        let [before, after] = ledgers.map(|ledger| ledger.power.shared_policy.as_str());
        if before != after {
            self.refuse(
                "policy-differs",
                format!(
                    "power that cores share is divided by {before:?} before and by {after:?} after"
                ),
            );
        }
        let [before, after] = ledgers.map(|ledger| {
            let mut names: Vec<_> =
                ledger.rows.components.iter().map(|entry| entry.name.name().to_owned()).collect();
            names.sort_unstable();
            names
        });
        let only = |of: &[String], other: &[String]| {
            let only = of.iter().filter(|name| !other.contains(name));
            only.cloned().collect::<Vec<_>>().join(", ")
        };
        for (of, other, when) in [(&before, &after, "before"), (&after, &before, "after")] {
            let names = only(of, other);
            if !names.is_empty() {
                self.warn(
                    "components-differ",
                    format!(
                        "known {when} only, and not compared, because no data is not 0 J: {names}"
                    ),
                );
            }
        }
        self.coverage(ledgers);
        let [before, after] = ledgers.map(|ledger| {
            let booked = ledger.power.rails.iter().filter(|rail| rail.booked);
            booked.map(|rail| rail.name.as_str()).collect::<BTreeSet<_>>()
        });
        if before != after {
            let differ: Vec<_> = before.symmetric_difference(&after).copied().collect();
            self.warn(
                "rails-differ",
                format!(
                    "measured in one run only: {}; a model stands for them in the other",
                    differ.join(", ")
                ),
            );
        }
    }

    /// Components of both runs that are covered for other parts of their windows.
    fn coverage(&mut self, ledgers: [&Ledger; 2]) {
        let [Some(before), Some(after)] = ledgers.map(|ledger| ledger.power.coverage.as_ref())
        else {
            return;
        };
        let [first, second] = ledgers.map(|ledger| ledger.recording.window.duration().seconds());
        // Components that are covered alike are one warning.
        let mut differing: Vec<([String; 2], Vec<String>)> = Vec::new();
        for covered in &before.components {
            let Some(other) = after.get(&covered.component) else { continue };
            let parts = [covered.covered.seconds() / first, other.covered.seconds() / second];
            if (parts[0] - parts[1]).abs() > SAME_LENGTH {
                let name = covered.component.to_string();
                let parts = parts.map(|part| format!("{:.0} %", part * 100.0));
                match differing.iter_mut().find(|(known, _)| *known == parts) {
                    Some((_, names)) => names.push(name),
                    None => differing.push((parts, vec![name])),
                }
            }
        }
        for ([before, after], names) in differing {
            let (is, its) = if names.len() == 1 {
                ("is", "its energy is")
            } else {
                ("are", "their energies are")
            };
            let names = listed(&names);
            let text = format!(
                "{names} {is} covered for {before} of the time before and {after} after: {its} of other lengths of time"
            );
            self.warn("coverage-differs", text);
        }
    }

    fn devices(&mut self, ledgers: [&Ledger; 2]) {
        let name = |ledger: &Ledger| {
            let parts: Vec<&str> = device(ledger).into_iter().flatten().collect();
            parts.join(", ")
        };
        let names = ledgers.map(name);
        if devices_differ(ledgers) {
            let [before, after] = names;
            self.refuse(
                "device-differs",
                format!("the devices differ: {before} before, {after} after"),
            );
        } else if names.iter().any(String::is_empty) && names[0] != names[1] {
            let text = "one ledger does not say on which device it was made";
            self.warn("device-unknown", text.to_owned());
        }
        let [before, after] = ledgers.map(|ledger| ledger.recording.device.fingerprint.as_deref());
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            self.warn(
                "system-differs",
                format!("the systems differ: {before} before, {after} after"),
            );
        }
    }

    fn recordings(&mut self, ledgers: [&Ledger; 2], per: &Per) {
        let [before, after] = ledgers.map(|ledger| ledger.recording.has_scheduler);
        if before != after {
            let when = if before { "before" } else { "after" };
            self.refuse(
                "scheduler-differs",
                format!("the scheduler was recorded {when} only: threads of the other run have no energy of their own"),
            );
        }
        let [before, after] = ledgers.map(|ledger| ledger.sheets.sampling.as_ref());
        match (before, after) {
            (Some(a), Some(b)) if a.event != b.event => self.warn(
                "sampling-differs",
                format!("stacks were sampled by {} before and by {} after", a.event, b.event),
            ),
            (Some(a), Some(b)) if a.is_schedule_inferred != b.is_schedule_inferred => self.warn(
                "sampling-differs",
                "the time on CPUs is inferred from samples in one run only".into(),
            ),
            (Some(_), None) | (None, Some(_)) => self.warn(
                "stacks-differ",
                "stacks are of samples in one run and of recorded calls in the other: few of their names meet".into(),
            ),
            _ => {}
        }
        let [before, after] = ledgers.map(|ledger| ledger.sheets.probes.is_some());
        if before != after {
            self.warn(
                "probes-differ",
                "probes were in the app's code in one run only: the app did not run the same code"
                    .into(),
            );
        }
        let lengths @ [before, after] =
            ledgers.map(|ledger| ledger.recording.window.duration().seconds());
        if lengths_differ(lengths, per) {
            self.warn(
                "length-differs",
                format!("the runs last {before:.3} s and {after:.3} s; a comparison per second takes that out where both do the same all the time"),
            );
        }
        let [before, after] = ledgers.map(|ledger| {
            let mut apps = ledger.recording.apps.clone();
            apps.sort_unstable();
            apps
        });
        if before != after && !before.is_empty() && !after.is_empty() {
            self.warn(
                "app-differs",
                format!(
                    "recorded of {} before and of {} after",
                    before.join(", "),
                    after.join(", ")
                ),
            );
        }
        for (ledger, when) in ledgers.into_iter().zip(["before", "after"]) {
            let lost: u64 =
                ledger.quality.artifacts.iter().map(|artifact| artifact.lost_events).sum();
            if lost > 0 {
                self.warn("events-lost", format!("recorders lost {lost} events {when}"));
            }
            // Lost events have been said.
            let errors = ledger.quality.errors();
            let Some(error) = errors.get(usize::from(lost > 0)) else { continue };
            if lengths_differ(lengths, per) {
                self.refuse(
                    "input-damaged",
                    format!(
                        "{when} a part of the recording is missing, and its energy with it: {error}"
                    ),
                );
            } else {
                self.warn("input-damaged", format!("{when}: {error}"));
            }
        }
    }
}

/// Whether two runs that are compared as wholes are of different lengths.
fn lengths_differ([before, after]: [f64; 2], per: &Per) -> bool {
    *per == Per::Run && (before - after).abs() > SAME_LENGTH * before.max(after)
}

/// The text, fit for a terminal.
fn cleaned(text: String) -> String {
    let clean = clean(&text);
    if clean == text { text } else { clean }
}

/// Returns the names that distinguish devices: SoC, code name, model.
fn device(ledger: &Ledger) -> [Option<&str>; 3] {
    let facts = &ledger.recording.device;
    [facts.soc_name(), facts.device_name(), facts.model.as_deref()]
}

/// Whether two ledgers say different things of their devices.
fn devices_differ(ledgers: [&Ledger; 2]) -> bool {
    let [before, after] = ledgers.map(device);
    before.iter().zip(after).any(|pair| matches!(pair, (Some(a), Some(b)) if *a != b))
}
