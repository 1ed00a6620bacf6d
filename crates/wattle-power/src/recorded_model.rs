//! The power model of its SoC that a recording contains.
//!
//! It is of the device that was recorded, by somebody who knew that device, and stands above the library's for its SoC and
//! below those of the user. It counts only where its clusters are those of the recorded CPUs.

use wattle_timeline::{Severity, Timeline};

use crate::DeviceModel;
use crate::clock_match::RecordedClocks;
use crate::device_model::from_recording;
use crate::note::PowerNote;

/// The power model of its SoC that a recording contains: `None` where it contains none, the reason where it cannot be used.
pub fn recorded_model(timeline: &Timeline) -> Option<Result<DeviceModel, String>> {
    let [soc] = timeline.soc_models.as_slice() else {
        let models = timeline.soc_models.len();
        return (models > 1)
            .then(|| Err(format!("the recording contains {models} different ones")));
    };
    if timeline.device.virtual_device().is_some() {
        return Some(Err("the recording is of an emulator".to_owned()));
    }
    Some(from_recording(soc).and_then(|model| match misfit(&model, timeline) {
        Some(why) => Err(why),
        None => Ok(model),
    }))
}

/// Difference between a model's clusters and the CPUs of a recording. Virtual CPUs show none.
fn misfit(model: &DeviceModel, timeline: &Timeline) -> Option<String> {
    if timeline.has_virtual_cpus() || timeline.device.guest_soc.is_some() {
        return None;
    }
    RecordedClocks::new(timeline).contradiction(model)
}

/// Notes on the recording's own model: why it is not used, and what a reader should know of it.
pub(crate) fn notes(timeline: &Timeline) -> Vec<PowerNote> {
    let model = match recorded_model(timeline) {
        None => return Vec::new(),
        Some(Ok(model)) => model,
        Some(Err(why)) => return vec![PowerNote::RecordedModelRefused { why }],
    };
    let remark = |remark: &String| PowerNote::RecordedModelRemark { remark: remark.clone() };
    let mut notes: Vec<PowerNote> = model.remarks.iter().map(remark).collect();
    let defects = model
        .defects()
        .into_iter()
        .filter(|defect| defect.place != "model" || defect.severity == Severity::Warning);
    let defects: Vec<_> = defects.collect();
    if let Some(first) = defects.first() {
        notes.push(PowerNote::RecordedModelDoubtful {
            defects: defects.len() as u64,
            first: format!("{}: {}", first.place, first.text),
        });
    }
    notes
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{
        CpuTimeline, Emulator, SocCpu, SocCpuPoint, SocDependency, SocL3Point, SocModel, SocPolicy,
    };
    use wattle_units::{BootNanos, Hertz};

    use super::*;
    use crate::{DependsOn, PolicyId};

    /// Two clusters of two CPUs.
    fn soc() -> SocModel {
        let mut soc = SocModel { name: "Test SoC".to_owned(), ..SocModel::default() };
        for (cpu, policy) in [(0, 0), (1, 0), (2, 2), (3, 2)] {
            soc.topology.cpus.push(SocCpu { cpu, policy, ..SocCpu::default() });
        }
        for (policy, khz, active) in
            [(0, 500_000, 40.0), (0, 1_000_000, 90.0), (2, 800_000, 100.0), (2, 2_000_000, 500.0)]
        {
            soc.cpu.push(SocCpuPoint {
                policy,
                khz,
                shared: 5.0,
                active,
                idle: [2.0, 0.0],
                ..SocCpuPoint::default()
            });
        }
        soc
    }

    fn timeline(cpus: usize, soc: SocModel) -> Timeline {
        let mut timeline = Timeline { soc_models: vec![soc], ..Timeline::default() };
        timeline.cpus.resize_with(cpus, CpuTimeline::default);
        timeline
    }

    /// A change of the model, and the words of the reason for which it is refused.
    #[track_caller]
    fn check(change: impl FnOnce(&mut Timeline), reason: &str) {
        let mut timeline = timeline(4, soc());
        change(&mut timeline);
        match recorded_model(&timeline) {
            Some(Err(why)) => assert!(why.contains(reason), "{why:?} does not say {reason:?}"),
            other => panic!("{reason}: {other:?}"),
        }
        let notes: Vec<_> = notes(&timeline).iter().map(PowerNote::to_note).collect();
        let [note] = &notes[..] else { panic!("one note: {notes:?}") };
        assert_eq!(
            (note.code.as_str(), note.severity),
            ("recorded-model-refused", Severity::Warning)
        );
    }

    #[test]
    fn a_model_that_fits_is_used() {
        let timeline = timeline(4, soc());
        let model = recorded_model(&timeline).unwrap().unwrap();
        assert_eq!((model.name.as_str(), model.policies.len()), ("Test SoC", 2));
        let power = model.policies[1].power(Hertz::from_kilohertz(2_000_000), DependsOn::default());
        assert_eq!(power.shared.milliwatts(), 5.0);
        assert_eq!(power.core.map(wattle_units::Watts::milliwatts), [500.0, 2.0, 0.0]);
        assert!(notes(&timeline).is_empty(), "{:?}", notes(&timeline));
        assert_eq!(DeviceModel::parse("x", &model.to_toml()).unwrap(), model);
        for other in crate::library() {
            let own = model.error.as_ref().unwrap();
            let is_wattson = other.source.contains("Wattson");
            assert!(!is_wattson || other.error.as_ref().is_some_and(|it| own.shared > it.shared));
        }
    }

    #[test]
    fn impossible_figures_refuse_a_model() {
        let point = |change: fn(&mut SocCpuPoint)| {
            move |timeline: &mut Timeline| change(&mut timeline.soc_models[0].cpu[1])
        };
        check(
            point(|it| it.active = f64::NAN),
            "a core at work of policy 0 at 1000000 kHz: expected 0 to 8000 mW, found NaN",
        );
        check(point(|it| it.active = f64::INFINITY), "found inf");
        check(point(|it| it.active = -1.0), "found -1");
        check(point(|it| it.shared = -50.0), "found -50");
        check(
            point(|it| it.idle[1] = 1e300),
            "a core in deep idle of policy 0 at 1000000 kHz: expected 0 to 1000 mW",
        );
        check(point(|it| it.active = 8001.0), "expected 0 to 8000 mW, found 8001");
        check(point(|it| it.idle[0] = 1001.0), "an idle core of policy 0 at 1000000 kHz");
        check(point(|it| it.shared = 2501.0), "shared power of policy 0 at 1000000 kHz");
        check(point(|it| it.interconnect = 2501.0), "interconnect of policy 0 at 1000000 kHz");
        check(point(|it| it.khz = 0), "a clock of 0 kHz");
        check(point(|it| it.khz = 500_000), "expected one row a state");
        check(
            point(|it| it.on = Some(SocDependency::default())),
            "either curve or dependent_curve",
        );
    }

    #[test]
    fn powers_that_no_phone_has_together_refuse_a_model() {
        let all = |change: fn(&mut SocCpuPoint)| {
            move |timeline: &mut Timeline| timeline.soc_models[0].cpu.iter_mut().for_each(change)
        };
        let at_work = |soc: &mut SocModel| {
            soc.cpu.iter_mut().for_each(|point| point.active = 7900.0);
            soc.topology.cpus.push(SocCpu { cpu: 4, policy: 2, ..SocCpu::default() });
            soc.topology.cpus.push(SocCpu { cpu: 5, policy: 2, ..SocCpu::default() });
        };
        check(
            |timeline| at_work(&mut timeline.soc_models[0]),
            "all cores at work: expected up to 40 W, found 47.4 W",
        );
        // Two of four cores that draw 15 W, idle or not, are refused as each of them is.
        check(
            all(|it| (it.active, it.idle) = (15_000.0, [15_000.0; 2])),
            "expected 0 to 8000 mW, found 15000",
        );
        check(
            all(|it| it.idle = [600.0, 0.0]),
            "policy 0: expected idle cores below cores at work, found more in 2 of 2 states",
        );
        let leaky = |timeline: &mut Timeline| {
            let soc = &mut timeline.soc_models[0];
            soc.cpu.iter_mut().for_each(|it| (it.active, it.idle) = (1500.0, [999.0, 0.0]));
            soc.topology.cpus.push(SocCpu { cpu: 4, policy: 2, ..SocCpu::default() });
        };
        check(leaky, "all cores idle: expected up to 4 W, found 5.0 W");
    }

    /// Wattson's tables have placeholders of 111 and 222 mW for deep idle at single clocks.
    #[test]
    fn idle_above_work_at_single_clocks_is_said() {
        let mut soc = soc();
        soc.cpu[0].idle[1] = 222.0;
        let timeline = timeline(4, soc);
        assert!(recorded_model(&timeline).unwrap().is_ok());
        let notes: Vec<_> = notes(&timeline).iter().map(PowerNote::to_note).collect();
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.text.contains("at 500000 kHz idle draws more than work"), "{}", note.text);
    }

    #[test]
    fn contradicting_clusters_refuse_a_model() {
        let soc = |change: fn(&mut SocModel)| {
            move |timeline: &mut Timeline| change(&mut timeline.soc_models[0])
        };
        check(soc(|soc| soc.topology.cpus[1].policy = -1), "CPU 1 in a policy -1");
        check(soc(|soc| soc.topology.cpus[3].cpu = 100_000), "no device has a CPU 100000");
        check(soc(|soc| soc.topology.cpus[3].cpu = 0), "CPU 0 is in policy 0 and in policy 2");
        check(soc(|soc| soc.topology.cpus.clear()), "says of no CPU");
        check(soc(|soc| soc.topology.cpus[1].votes_by_clock = Some(true)), "by different rules");
        check(
            soc(|soc| soc.topology.cpus[1].deep_idle_exit = Some(i64::MIN)),
            "leaves deep idle in",
        );
        check(soc(|soc| soc.topology.idle_states.push((i64::MAX, 1))), "has no column");
        check(soc(|soc| soc.topology.idle_states.push((1, 7))), "idle state 1 has no column");
        check(soc(|soc| soc.topology.cpus.truncate(3)), "CPU 3 of the recording is in none");
        check(soc(|soc| soc.cpu.truncate(2)), "CPU 2 of the recording is in none");
        check(soc(|soc| soc.cpu.clear()), "no CPU with a curve");
        check(soc(|soc| soc.dropped = 1), "damaged, or larger");
        let twice = |soc: &mut SocModel| {
            for exit in [1, 2] {
                let of = SocPolicy { deep_idle_exit: Some(exit), ..SocPolicy::default() };
                soc.topology.policies.push(of);
            }
        };
        check(soc(twice), "policy 0 is described twice");
    }

    #[test]
    fn a_model_of_another_device_is_refused() {
        let clock = |timeline: &mut Timeline| {
            let clock = Hertz::from_kilohertz(1_234_000);
            timeline.cpus[3].frequency.push(BootNanos::new(0), clock);
        };
        check(clock, "policy 2 has none of the clocks that were recorded");
        check(|timeline| timeline.cpus.push(CpuTimeline::default()), "CPU 4 of the recording");
        check(|timeline| timeline.device.emulator = Some(Emulator::Android), "of an emulator");
        let other = |timeline: &mut Timeline| timeline.soc_models.push(SocModel::default());
        check(other, "the recording contains 2 different ones");
    }

    #[test]
    fn noise_of_a_calibration_is_counted_as_nothing() {
        let mut soc = soc();
        soc.cpu[0].shared = -0.12;
        soc.cpu[2].active = 30.0;
        soc.cpu[3].active = 20.0;
        let timeline = timeline(4, soc);
        let model = recorded_model(&timeline).unwrap().unwrap();
        let policy = &model.policies[0];
        let shared = policy.power(Hertz::from_kilohertz(500_000), DependsOn::default()).shared;
        assert_eq!(shared.milliwatts(), 0.0);
        let notes: Vec<_> = notes(&timeline).iter().map(PowerNote::to_note).collect();
        let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
        let [zeroed, doubtful] = texts[..] else { panic!("{texts:?}") };
        assert!(zeroed.contains("1 power slightly below 0 counted as 0"), "{zeroed}");
        assert!(doubtful.contains("policy 2: 2 points are doubtful"), "{doubtful}");
    }

    /// Wattson's table of Tensor G6 has the DSU's power by its own clock, in hertz.
    #[test]
    fn the_dsu_has_a_table_of_its_own() {
        let mut soc = soc();
        soc.topology.uses_devfreq = true;
        for (khz, active) in [(400_000_000, 57.0), (1_900_000_000, 142.0)] {
            soc.cpu.push(SocCpuPoint { policy: 255, khz, active, ..SocCpuPoint::default() });
        }
        soc.l3.push(SocL3Point { khz: 1, ..SocL3Point::default() });
        let model = recorded_model(&timeline(4, soc)).unwrap().unwrap();
        assert!(model.policies[0].depends_on_dsu() && model.dsu.is_some());
        assert!(!model.policies[1].depends());
        let khz = Hertz::from_kilohertz;
        for (dsu, expected) in [(400_000, 57.0), (1_900_000, 142.0)] {
            let on = DependsOn { policy: PolicyId(255), frequency: khz(dsu) };
            let power = model.policies[0].power(khz(1_000_000), on);
            assert!((power.interconnect.milliwatts() - expected).abs() < 1e-9);
            assert!((power.core[0].milliwatts() - 90.0).abs() < 1e-9);
        }
        assert_eq!(model.remarks, ["1 row of the L3 cache for clocks without a curve not used"]);
    }
}
