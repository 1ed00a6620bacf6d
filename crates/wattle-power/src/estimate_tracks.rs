//! From a timeline to power tracks.

use wattle_timeline::Timeline;

use crate::estimators::{Draft, ESTIMATORS, Scene};
use crate::note::PowerNote;
use crate::stated_energies::{self, Estimated};
use crate::{
    BatteryFacts, ClockCosts, InputStatement, PowerError, PowerEstimate, PowerOptions,
    battery_summary, meter_summary, recorded_model, spread,
};

/// Turns a timeline into power tracks, by the device's own meters and the best model that applies.
///
/// Data missing from a recording is listed in the notes of the result; it is never an error.
pub fn estimate(timeline: &Timeline, options: &PowerOptions) -> Result<PowerEstimate, PowerError> {
    let scene = Scene::new(timeline, options);
    let mut draft = Draft::default();
    draft.notes(profile_notes(timeline, options));
    draft.notes(recorded_model::notes(timeline));
    let emulator = timeline.device.virtual_device();
    if let Some(emulator) = emulator.filter(|_| !timeline.energy.rails.is_empty()) {
        draft.note(PowerNote::RailsOfEmulator { emulator });
    }
    for estimator in ESTIMATORS {
        estimator.contribute(&scene, &mut draft);
    }
    let clocks = ClockCosts::new(timeline, scene.of_cpu().map(|chosen| chosen.of), &scene.voltage);
    draft.notes(clocks.iter().flat_map(ClockCosts::notes));
    let cpu_energy = draft.cpu_energy;
    let rails_counted = draft.rails_counted;
    let android = draft.android_estimate();
    let mut estimate = draft.finish(scene.window);
    estimate.clocks = clocks;
    let (tracks, errors) = (&estimate.tracks, &estimate.errors);
    let estimated = Estimated { tracks, errors, android };
    let by_meter = meter_summary::summary(timeline, scene.window, tracks, errors);
    // The battery of an emulator is a number that somebody typed in.
    let (window, voltage) = (scene.window, &scene.voltage);
    let facts = BatteryFacts::new(timeline, window, voltage, options, &scene.applicable);
    let capacity = facts.capacity.as_ref().map(|capacity| capacity.charge);
    let by_battery = || battery_summary::summary(timeline, window, voltage, capacity, estimated);
    estimate.battery = by_meter.or_else(|| emulator.map_or_else(by_battery, |_| None));
    let by_rails = rails_counted.map(|counted| stated_energies::of_rails(counted, estimated));
    let has_tracks = !tracks.is_empty();
    let battery = estimate.battery.as_ref();
    let by_battery = battery.and_then(|battery| stated_energies::of_battery(battery, has_tracks));
    let statistics = stated_energies::of_statistics(timeline, window, voltage, estimated);
    let known = |statement: &InputStatement| {
        by_battery.as_ref().is_some_and(|battery| battery.source == statement.source)
    };
    let others = statistics.into_iter().filter(|statement| !known(statement)).collect::<Vec<_>>();
    estimate.statements = by_rails.into_iter().chain(by_battery).chain(others).collect();
    estimate.battery_facts = facts;
    estimate.spread = spread::spread(&scene, &estimate, cpu_energy);
    Ok(estimate)
}

/// Power profiles that are not used, or only in part.
fn profile_notes(timeline: &Timeline, options: &PowerOptions) -> Vec<PowerNote> {
    let mut notes = Vec::new();
    for profile in options.profiles.iter().chain(&options.recorded_profile) {
        let name = profile.name.clone();
        if let Some(why) = profile.placeholder.clone() {
            notes.push(PowerNote::ProfilePlaceholder { profile: name, why });
        } else if profile.cpu.is_none() {
            notes.push(PowerNote::ProfileWithoutCpu { profile: name });
        } else if let Some(of) = profile.copied_from(timeline) {
            let original = of.name.clone();
            notes.push(PowerNote::ProfileCopied { profile: name, original });
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{
        BatterySample, BatteryTrack, CounterScope, CpuTimeline, IdleState, Quantity, Rail,
        StateKind, StateTrack, Uid, Usage, Window,
    };
    use wattle_units::{BootNanos, Hertz};

    use super::*;
    use crate::{PowerProfile, work};

    /// A recording with so many changes of everything that is estimated by its changes.
    fn recording(changes: i64) -> Timeline {
        let at = |index: i64| BootNanos::new(index * 1_000_000);
        let all = || 0..changes;
        let mut timeline =
            Timeline { window: Window::new(at(0), at(changes)), ..Timeline::default() };
        timeline.device.soc = Some("Tensor".to_owned());
        for cpu in 0..8 {
            let clock = |index: i64| [300_000, 574_000][((index + cpu) / 3 % 2) as usize];
            timeline.cpus.push(CpuTimeline {
                frequency: all().map(|i| (at(i), Hertz::from_kilohertz(clock(i)))).collect(),
                idle: all().map(|i| (at(i), IdleState(((i + cpu) % 3 - 1) as i8))).collect(),
                ..CpuTimeline::default()
            });
        }
        for name in ["S4M_VDD_CPUCL0", "S3M_VDD_CPUCL1", "VSYS_PWR_DISPLAY"] {
            let name = timeline.names.intern(name);
            timeline.energy.rails.push(Rail {
                name,
                subsystem: None,
                sampling_rate: 0,
                time: all().map(at).collect(),
                energy: all().map(|i| 100 * (i as u64) + (i as u64 % 7)).collect(),
            });
        }
        let sample = |index: i64| BatterySample {
            time: at(index),
            current: Some(500_000),
            charge: Some(4_000_000 - 10 * index),
            voltage: Some(4_000_000 + index % 5),
            ..BatterySample::default()
        };
        let samples = all().map(sample).collect();
        timeline.energy.batteries.push(BatteryTrack { name: None, samples });
        let mut state = |kind, scope, levels: u32| {
            let level = all().map(|i| (at(i), i as u32 % levels)).collect();
            timeline.system.states.push(StateTrack { kind, scope, tag: None, level });
        };
        state(StateKind::Screen, CounterScope::Global, 2);
        state(StateKind::ScreenBrightness, CounterScope::Global, 200);
        state(StateKind::Audio, CounterScope::Uid(Uid(10_001)), 2);
        state(StateKind::Audio, CounterScope::Uid(Uid(10_002)), 3);
        state(StateKind::Camera, CounterScope::Global, 2);
        for index in (0..changes).step_by(4) {
            for (quantity, uid) in [(Quantity::Screen, None), (Quantity::Audio, Some(Uid(10_001)))]
            {
                let window = Window::new(at(index), at(index + 2));
                timeline.system.usage.push(Usage { quantity, uid, tag: None, window, value: 1e-3 });
            }
        }
        timeline
    }

    /// The work of every stage, counted in segments, changes and intervals that it looks at.
    #[test]
    fn twice_the_input_is_twice_the_work() {
        let profile = "<device><item name='screen.on'>100</item><item name='screen.full'>200</item>\
            <item name='audio'>50</item><item name='camera.avg'>300</item></device>";
        let mut options = PowerOptions::default();
        options.profiles.push(PowerProfile::parse("test", profile).unwrap());
        let work = |changes: i64| {
            let timeline = recording(changes);
            let mut found = PowerEstimate::default();
            let units = work::during(|| found = estimate(&timeline, &options).unwrap());
            assert!(found.tracks.len() > 10 && found.battery.is_some(), "{}", found.tracks.len());
            units
        };
        let (once, twice) = (work(1000), work(2000));
        assert!(once > 20_000, "{once} units: the stages are not counted");
        assert!(twice as f64 <= 2.2 * once as f64, "{once} units, twice the input {twice}");
    }
}
