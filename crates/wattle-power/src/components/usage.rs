//! Android's rules on what was counted of stretches of time.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Note, Severity, Timeline, Window};

use super::draw::{Drawn, Rates};
use super::portion::{Answer, ComponentCharge, Portion, Rule};
use super::sources::Sources;
use super::totals::{Stretches, Totals};
use super::tracks::Tracks;
use super::{
    ambient, audio, awake, bluetooth, camera, cellular, cpu, display, flashlight, gnss, measured,
    memory, phone, sensors, shape, video, wifi,
};
use crate::voltage::Voltage;
use crate::{Component, Figures, PowerTrack, Scope};

/// A rule of Android's.
type Answers = fn(&Totals<'_>, Rates<'_>) -> Answer;

/// Every rule, with what the device can have measured in its place.
const RULES: [(Rule, Answers); 15] = [
    (cpu::RULE, cpu::answer),
    (awake::WAKELOCK, awake::answer),
    (display::RULE, display::answer),
    (ambient::RULE, ambient::answer),
    (wifi::RULE, wifi::answer),
    (cellular::RULE, cellular::answer),
    (phone::RULE, phone::answer),
    (bluetooth::RULE, bluetooth::answer),
    (gnss::RULE, gnss::answer),
    (camera::RULE, camera::answer),
    (flashlight::RULE, flashlight::answer),
    (audio::RULE, audio::answer),
    (video::RULE, video::answer),
    (sensors::RULE, sensors::answer),
    (memory::RULE, memory::answer),
];

/// What Android's rules make of every stretch of time that the system counted, with these figures: the charges of its
/// own battery statistics, at the battery's voltage. `docs/component-models.md` has each rule.
pub fn component_charges(timeline: &Timeline, figures: &Figures) -> Vec<ComponentCharge> {
    let rates = Rates { figures, measured_voltage: true };
    let mut charges = Vec::new();
    for totals in &Stretches::of(timeline).totals {
        for (rule, answers) in &RULES {
            let answer = measured::replace(rule, totals, answers(totals, rates));
            charges.extend(answer.portions.into_iter().map(|portion| charge(portion, totals)));
        }
        let others = measured::others(totals).portions;
        charges.extend(others.into_iter().map(|portion| charge(portion, totals)));
    }
    charges
}

fn charge(portion: Portion, totals: &Totals<'_>) -> ComponentCharge {
    let uid = match portion.scope {
        Scope::App(uid) | Scope::Tail(uid) => Some(uid),
        _ => None,
    };
    ComponentCharge {
        rule: portion.rule,
        component: portion.component,
        uid,
        charge: portion.drawn.charge,
        window: totals.window,
        measured: portion.measured,
    }
}

/// Tracks by totals, and when each component was covered by them.
#[derive(Default)]
pub(super) struct Modelled {
    pub(super) tracks: Vec<PowerTrack>,
    pub(super) covered: BTreeMap<Component, Vec<Window>>,
    pub(super) missing: BTreeMap<&'static str, BTreeSet<&'static str>>,
    pub(super) notes: Vec<Note>,
}

pub(super) fn model(
    timeline: &Timeline,
    figures: &Figures,
    voltage: &Voltage,
    skip_cpu: bool,
    sources: &mut Sources<'_>,
) -> Modelled {
    let rates = Rates { figures, measured_voltage: voltage.is_measured() };
    let mut stretches = Stretches::of(timeline);
    let mut modelled = Modelled::default();
    for totals in &mut stretches.totals {
        if let Some(times) = wifi::limit_packets(totals) {
            let text = format!(
                "Wi-Fi packets that would have been on the air {times:.1} times as long as there was time by Android's rule (2 KB \
                 at 1 Mb/s): taken to fill the time"
            );
            modelled.notes.push(Note::new(Severity::Warning, "wifi-packets-limited", text));
        }
        let totals = &*totals;
        for (rule, answers) in &RULES {
            if skip_cpu && rule.component == Component::Cpu {
                continue;
            }
            let answer = measured::replace(rule, totals, answers(totals, rates));
            modelled.take(
                (rule.name, &rule.component),
                &answer,
                timeline,
                totals,
                rates,
                voltage,
                sources,
            );
        }
        let others = measured::others(totals);
        let rule = (measured::CUSTOM, &Component::Other(String::new()));
        modelled.take(rule, &others, timeline, totals, rates, voltage, sources);
    }
    if stretches.overlapping > 0 {
        let text = "totals of a stretch of time inside a longer one with totals: not used";
        let note = Note::new(Severity::Info, "usage-overlapping", text);
        modelled.notes.push(note.times(stretches.overlapping));
    }
    if stretches.unusable > 0 {
        let text = "totals below zero, not finite or of no time: not used";
        let note = Note::new(Severity::Warning, "usage-unusable", text);
        modelled.notes.push(note.times(stretches.unusable));
    }
    modelled
}

impl Modelled {
    #[expect(
        clippy::too_many_arguments,
        reason = "one call; a struct of them would have no other use"
    )]
    fn take(
        &mut self,
        (rule, component): (&'static str, &Component),
        answer: &Answer,
        timeline: &Timeline,
        totals: &Totals<'_>,
        rates: Rates<'_>,
        voltage: &Voltage,
        sources: &mut Sources<'_>,
    ) {
        if !answer.missing.is_empty() {
            self.missing.entry(rule).or_default().extend(answer.missing.iter().copied());
        }
        // What was counted and came to nothing drew nothing: states have no word on it either.
        if !answer.used.is_empty() {
            self.cover(component, totals.window);
        }
        for portion in &answer.portions {
            let source = if portion.measured {
                let custom = portion.rule == measured::CUSTOM;
                let consumer = if custom { portion.component.name() } else { portion.rule };
                sources.of_meter(consumer, &portion.scope)
            } else {
                sources.of_figures(portion.rule, &answer.used, rates.figures)
            };
            let mut tracks = Tracks::new(portion.component.clone(), source, voltage);
            spread(portion, timeline, totals.window, rates, &mut tracks);
            self.tracks.extend(tracks.finish());
            self.cover(&portion.component, totals.window);
        }
    }

    fn cover(&mut self, component: &Component, window: Window) {
        let covered = self.covered.entry(component.clone()).or_default();
        if covered.last() != Some(&window) {
            covered.push(window);
        }
    }
}

/// Draws a portion over the window, by its shape.
fn spread(
    portion: &Portion,
    timeline: &Timeline,
    window: Window,
    rates: Rates<'_>,
    tracks: &mut Tracks<'_>,
) {
    let steps = shape::of(timeline, portion, window, rates);
    let whole = shape::integral(&steps, window);
    let per_weight: Drawn = portion.drawn * (1.0 / whole);
    let mut now = window.start;
    for (end, weight) in steps {
        let rate = per_weight.per(1.0) * weight;
        tracks.draw(&portion.scope, now, end, rate);
        now = end;
    }
}
