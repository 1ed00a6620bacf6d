//! Rails, batteries and wakelocks over time.

use wattle_power::PowerEstimate;
use wattle_timeline::{BatterySample, BatteryTrack, CounterScope, StateKind, Window};
use wattle_units::BootNanos;

use super::TrackRows;
use crate::{TimeTrack, TrackKind, TrackStretch};

/// A value of one poll of a battery.
type Polled = fn(&BatterySample) -> Option<i64>;

impl TrackRows<'_> {
    /// Mean power between the samples of each rail. A counter that falls was reset: that stretch has no data.
    pub(super) fn rails(&self, estimate: &PowerEstimate) -> Vec<TimeTrack> {
        let rails = self.timeline.energy.rails.iter();
        rails
            .map(|rail| {
                let name = self.timeline.names.get(rail.name);
                let summary = estimate.rails.iter().find(|summary| summary.name == name);
                let samples = || rail.time.iter().zip(rail.energy.iter());
                let stretches: Vec<TrackStretch> = samples()
                    .zip(samples().skip(1))
                    .filter_map(|((from, before), (to, after))| {
                        let seconds = (*to - *from).seconds();
                        let counted = after.checked_sub(*before).filter(|_| seconds > 0.0)?;
                        let of = self.inside(
                            Window::new(*from, *to),
                            (counted as f64 / seconds).round() as i64,
                        )?;
                        (of.length > 0).then_some(of)
                    })
                    .collect();
                let label = summary.and_then(|summary| summary.label.as_deref()).unwrap_or(name);
                let track = TimeTrack::new(TrackKind::Rail, label.to_owned()).with(&stretches);
                TimeTrack { component: summary.map(|summary| summary.component.clone()), ..track }
            })
            .collect()
    }

    /// Level, charge and current of each battery, each value from one poll to the next.
    pub(super) fn batteries(&self) -> Vec<TimeTrack> {
        let kinds: [(TrackKind, Polled); 3] = [
            (TrackKind::BatteryLevel, |it| Some((it.capacity_percent? * 1e3).round() as i64)),
            (TrackKind::BatteryCharge, |it| it.charge),
            (TrackKind::BatteryCurrent, |it| it.current),
        ];
        let batteries = self.timeline.energy.batteries.iter();
        batteries
            .flat_map(|battery| {
                let name = battery.name.map_or("", |name| self.timeline.names.get(name));
                kinds.map(|(kind, value)| {
                    TimeTrack::new(kind, name.to_owned()).with(&self.polled(battery, value))
                })
            })
            .collect()
    }

    fn polled(&self, battery: &BatteryTrack, value: Polled) -> Vec<TrackStretch> {
        let known: Vec<(BootNanos, i64)> =
            battery.samples.iter().filter_map(|it| Some((it.time, value(it)?))).collect();
        let next = known.iter().skip(1).map(|(time, _)| Some(*time)).chain([None]);
        let stretches = known.iter().zip(next).filter_map(|((time, value), next)| {
            self.inside(Window::new(*time, next.unwrap_or(*time)), *value)
        });
        stretches.collect()
    }

    /// When each wakelock was held, and each wakeup source of the kernel kept the device awake.
    pub(super) fn wakelocks(&self) -> Vec<TimeTrack> {
        let states = self.timeline.system.states.iter();
        states
            .filter(|state| {
                use StateKind::{LongWakelock, Wakelock, WakeupSource};
                matches!(state.kind, Wakelock | LongWakelock | WakeupSource)
            })
            .map(|state| {
                let held = state.level.segments(self.window).filter(|it| it.value > 0);
                let stretches: Vec<TrackStretch> =
                    held.filter_map(|it| self.inside(it.window, 1)).collect();
                let name = state.tag.map_or("", |name| self.timeline.names.get(name));
                let track = TimeTrack::new(TrackKind::Wakelock, name.to_owned()).with(&stretches);
                let owner = match state.scope {
                    CounterScope::Uid(uid) => Some(uid.0),
                    _ => None,
                };
                TimeTrack { owner, ..track }
            })
            .collect()
    }
}
