//! Android's rules on what was counted of stretches of time.

use std::collections::BTreeMap;

use wattle_timeline::{Timeline, Window};

use super::draw::{Drawn, Rates};
use super::figure_errors::Sources;
use super::portion::{ComponentCharge, Portion, Rule, RuleId, RuleResult};
use super::totals::{Stretches, Totals};
use super::tracks::Tracks;
use super::{
    ambient, audio, awake, bluetooth, camera, cellular, cpu_totals, display, flashlight, gnss,
    measured_consumers, memory, phone_calls, sensors, usage_shape, video, wifi,
};
use crate::note::{MissingFigures, PowerNote};
use crate::voltage::Voltage;
use crate::{Component, Figures, PowerTrack, Scope};

/// A rule of Android's.
type Answers = fn(&Totals<'_>, Rates<'_>) -> RuleResult;

/// Every rule, with what the device can have measured in its place.
const RULES: [(Rule, Answers); 15] = [
    (cpu_totals::RULE, cpu_totals::answer),
    (awake::WAKELOCK, awake::answer),
    (display::RULE, display::answer),
    (ambient::RULE, ambient::answer),
    (wifi::RULE, wifi::answer),
    (cellular::RULE, cellular::answer),
    (phone_calls::RULE, phone_calls::answer),
    (bluetooth::RULE, bluetooth::answer),
    (gnss::RULE, gnss::answer),
    (camera::RULE, camera::answer),
    (flashlight::RULE, flashlight::answer),
    (audio::RULE, audio::answer),
    (video::RULE, video::answer),
    (sensors::RULE, sensors::answer),
    (memory::RULE, memory::answer),
];

/// Applies Android's rules to every stretch of time that the system counted, with these figures: gives the charges of
/// its own battery statistics, at the battery's voltage. `docs/component-models.md` has each rule.
pub fn component_charges(timeline: &Timeline, figures: &Figures) -> Vec<ComponentCharge> {
    let rates = Rates { figures, measured_voltage: true };
    let mut charges = Vec::new();
    for totals in &Stretches::from_timeline(timeline).totals {
        for (rule, answers) in &RULES {
            let answer = measured_consumers::replace(rule, totals, answers(totals, rates));
            charges.extend(answer.portions.into_iter().map(|portion| charge(portion, totals)));
        }
        let others = measured_consumers::others(totals).portions;
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
        rule: portion.rule.name(),
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
    pub(super) missing: MissingFigures,
    pub(super) notes: Vec<PowerNote>,
}

/// Inputs that totals are modelled from.
pub(super) struct Request<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) figures: &'a Figures,
    pub(super) voltage: &'a Voltage,
    /// Whether others estimate the CPU.
    pub(super) skip_cpu: bool,
}

impl Request<'_> {
    fn rates(&self) -> Rates<'_> {
        Rates { figures: self.figures, measured_voltage: self.voltage.is_measured() }
    }
}

pub(super) fn model(request: &Request<'_>, sources: &mut Sources<'_>) -> Modelled {
    let rates = request.rates();
    let mut stretches = Stretches::from_timeline(request.timeline);
    let mut modelled = Modelled::default();
    for totals in &mut stretches.totals {
        if let Some(times) = wifi::limit_packets(totals) {
            modelled.notes.push(PowerNote::WifiPacketsLimited { times });
        }
        let totals = &*totals;
        for (rule, answers) in &RULES {
            if request.skip_cpu && rule.component == Component::Cpu {
                continue;
            }
            let answer = measured_consumers::replace(rule, totals, answers(totals, rates));
            modelled.take(rule, &answer, request, totals.window, sources);
        }
        let others = measured_consumers::others(totals);
        modelled.take(&measured_consumers::custom(""), &others, request, totals.window, sources);
    }
    if stretches.overlapping > 0 {
        modelled.notes.push(PowerNote::UsageOverlapping { stretches: stretches.overlapping });
    }
    if stretches.unusable > 0 {
        modelled.notes.push(PowerNote::UsageUnusable { totals: stretches.unusable });
    }
    modelled
}

impl Modelled {
    pub(super) fn take(
        &mut self,
        rule: &Rule,
        answer: &RuleResult,
        request: &Request<'_>,
        window: Window,
        sources: &mut Sources<'_>,
    ) {
        let rates = request.rates();
        if !answer.missing.is_empty() {
            let missing = self.missing.entry(rule.id.name()).or_default();
            missing.extend(answer.missing.iter().copied());
        }
        // What was counted and came to nothing drew nothing: states have no word on it either.
        if !answer.used.is_empty() {
            self.cover(&rule.component, window);
        }
        for portion in &answer.portions {
            let source = if portion.measured {
                let custom = portion.rule == RuleId::Custom;
                let consumer = if custom { portion.component.name() } else { portion.rule.name() };
                sources.of_meter(consumer, &portion.scope)
            } else {
                sources.of_figures(portion.rule.name(), &answer.used, rates.figures)
            };
            let mut tracks = Tracks::new(portion.component.clone(), source, request.voltage);
            spread(portion, request.timeline, window, rates, &mut tracks);
            self.tracks.extend(tracks.finish());
            self.cover(&portion.component, window);
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
    let steps = usage_shape::steps(timeline, portion, window, rates);
    let whole = usage_shape::integral(&steps, window);
    let per_weight: Drawn = portion.drawn * (1.0 / whole);
    let mut now = window.start;
    for (end, weight) in steps {
        let rate = per_weight.per(1.0) * weight;
        tracks.draw(&portion.scope, now, end, rate);
        now = end;
    }
}
