//! Rows of Perfetto's own tests of Wattson, to the printed digit.
//!
//! Source: google/perfetto ec5d16b1, `test/trace_processor/diff_tests/stdlib/wattson/tests.py`. The traces
//! behind those tests are not public, so each row's state is built by hand from its own columns and from the
//! curves; its powers are then compared with the printed ones.
//!
//! Not rebuilt, because a row holds sums over a trace that is not public, or no power at all:
//! `device_name` (a query of metadata), `time_window_api`, `idle_attribution`, `irq_flattening`,
//! `all_tasks_flattening_and_idle_exits`, `gpu_active_regions`, `tpu_estimate` (means and sums over a trace),
//! `syscore_suspend`, `hotplug_tk` (times only). `idle_remap` is rebuilt as the map it tests, the middle row
//! of `ui_continuous_estimates` for the DSU is a sum with L3 counts that are not printed, as are the
//! `dsu_scu_mw` of `dsu_devfreq_system_state` and of `multi_variant_static`: their cores are compared,
//! and their shared power must be at least static plus interconnect.

use wattle_power::{
    DeviceModel, ModelChoice, PowerEstimate, PowerOptions, Scope, estimate, library,
};
use wattle_timeline::{
    CounterScope, CounterTrack, CpuTimeline, DevfreqTrack, IdleState, Steps, Timeline, Window,
};
use wattle_units::{BootNanos, Hertz, Watts};

/// A state of the whole CPU that lasts for a while.
#[derive(Clone, Default)]
struct State<'a> {
    soc: &'a str,
    nanos: i64,
    /// kHz of each CPU, 0 where no frequency was ever logged.
    khz: Vec<u64>,
    /// Idle state of each CPU.
    idle: Vec<i8>,
    /// L3 hits and misses.
    l3: Option<(f64, f64)>,
    /// kHz of the DSU.
    dsu: Option<u64>,
    suspended: bool,
}

fn model(soc: &str) -> &'static DeviceModel {
    library().iter().find(|model| model.matching.socs.iter().any(|name| name == soc)).unwrap()
}

/// Returns steps with one value from the beginning of time.
fn always<T: Copy + PartialEq>(value: T) -> Steps<T> {
    [(BootNanos::new(0), value)].into_iter().collect()
}

impl State<'_> {
    fn timeline(&self) -> Timeline {
        let end = BootNanos::new(self.nanos);
        let mut timeline =
            Timeline { window: Window::new(BootNanos::new(0), end), ..Timeline::default() };
        timeline.device.soc = Some(self.soc.to_owned());
        for (khz, idle) in self.khz.iter().zip(&self.idle) {
            let mut cpu = CpuTimeline { idle: always(IdleState(*idle)), ..CpuTimeline::default() };
            if *khz > 0 {
                cpu.frequency = always(Hertz::from_kilohertz(*khz));
            }
            timeline.cpus.push(cpu);
        }
        if let Some(dsu) = self.dsu {
            let name = timeline.names.intern("gs-memlat-devfreq:devfreq_dsu");
            let frequency = always(Hertz::from_kilohertz(dsu));
            timeline.hardware.devfreq.push(DevfreqTrack { name, frequency });
        }
        if let Some((hits, misses)) = self.l3 {
            for (event, count) in [("l3d_cache", hits), ("bus_access", misses)] {
                let name = timeline.names.intern(&format!("arm_dsu_0/{event}/_cpu0"));
                timeline.system.counters.push(CounterTrack {
                    name,
                    scope: CounterScope::Global,
                    time: vec![BootNanos::new(0), end],
                    // The printed count is what is left after cutting: anything up to the next.
                    value: vec![count + 0.5, 0.0],
                });
            }
        }
        if self.suspended {
            timeline.suspend.suspended = always(true);
        }
        timeline
    }

    fn estimate(&self) -> PowerEstimate {
        let mut options = PowerOptions::default();
        options.model = ModelChoice::Curves;
        estimate(&self.timeline(), &options).unwrap()
    }

    /// Milliwatts of each core and of everything shared, as printed.
    fn row(&self) -> (Vec<String>, String) {
        let estimate = self.estimate();
        let mut cores = Vec::new();
        let mut shared = 0.0;
        for track in &estimate.tracks {
            assert_eq!(track.len(), 1, "a constant state gives one segment: {track:?}");
            assert_eq!(track.end(), BootNanos::new(self.nanos));
            let power: Watts = track.get(0).unwrap().power;
            match &track.scope {
                Scope::Core(cpu) => cores.push((*cpu, format!("{:.6}", power.milliwatts()))),
                Scope::Cores(_) => shared += power.milliwatts(),
                other => panic!("no such scope in a CPU model: {other:?}"),
            }
        }
        cores.sort();
        (cores.into_iter().map(|(_, power)| power).collect(), format!("{shared:.6}"))
    }
}

#[track_caller]
fn check(state: &State<'_>, cores: &[f64], shared: &str) {
    let (found_cores, found_shared) = state.row();
    let expected: Vec<String> = cores.iter().map(|mw| format!("{mw:.6}")).collect();
    // Wattson has eight columns whatever the number of CPUs.
    assert_eq!(found_cores, expected[..found_cores.len()]);
    assert!(expected[found_cores.len()..].iter().all(|mw| mw == "0.000000"));
    assert_eq!(found_shared, shared);
}

/// As [`check`], where L3 counts are part of the printed shared power but not printed themselves.
#[track_caller]
fn check_cores(state: &State<'_>, cores: &[f64], shared: f64) {
    let (found_cores, found_shared) = state.row();
    let expected: Vec<String> = cores.iter().map(|mw| format!("{mw:.6}")).collect();
    assert_eq!(found_cores, expected);
    let found: f64 = found_shared.parse().unwrap();
    assert!(found > 0.0 && found <= shared, "{found} without L3 is more than {shared} with it");
}

const NO: f64 = 0.0;

/// `l3_calculations`, `system_state_mw_calculations` with the states of `intermediate_table`.
#[test]
fn l3_and_votes_on_tensor() {
    let khz = vec![
        1_401_000, 1_401_000, 1_401_000, 1_401_000, 2_253_000, 2_253_000, 2_802_000, 2_802_000,
    ];
    let check = |nanos, l3, idle: [i8; 8], shared: &str| {
        let state = State {
            soc: "Tensor",
            nanos,
            khz: khz.clone(),
            idle: idle.to_vec(),
            l3: Some(l3),
            ..State::default()
        };
        let active = [208.14, 208.14, 208.14, 208.14, 527.05, 527.05, 1942.89, 1942.89];
        let waiting = [3.45, 3.45, 3.45, 3.45, 23.5, 23.5, 121.43, 121.43];
        let cores: Vec<f64> =
            (0..8).map(|cpu| if idle[cpu] == -1 { active[cpu] } else { waiting[cpu] }).collect();
        check(&state, &cores, shared);
    };
    check(75_521, (8326.0, 9689.0), [0, 0, 0, 0, -1, 0, -1, 0], "408.573903");
    check(2_254_517, (248_577.0, 289_258.0), [0, 0, 0, 0, 0, 0, -1, 0], "408.602332");
    check(81, (8.0, 10.0), [0, 0, 0, 0, 0, 0, -1, -1], "377.459753");
    check(488, (53.0, 62.0), [0, 0, 0, 0, -1, -1, -1, -1], "403.624426");
    check(122, (13.0, 15.0), [-1, 0, 0, 0, -1, -1, -1, -1], "395.139180");
    check(163, (17.0, 20.0), [-1, 0, -1, 0, -1, -1, -1, -1], "389.643681");
    check(204, (22.0, 26.0), [-1, 0, -1, -1, -1, -1, -1, -1], "402.211569");
    check(11_596, (1278.0, 1487.0), [-1, -1, -1, -1, -1, -1, -1, -1], "408.431816");
    check(4720, (520.0, 605.0), [-1, -1, -1, -1, -1, -1, -1, 0], "408.285869");
    check(18_921, (2086.0, 2427.0), [-1, -1, -1, -1, 0, -1, -1, 0], "408.551913");
}

/// `static_curve_selection`: a cluster that is all in deep idle has no static power. CPUs whose power
/// Wattson prints as NULL have logged no frequency yet and are idle here.
#[test]
fn static_power_needs_an_awake_core() {
    let mut state = State {
        soc: "Tensor",
        nanos: 23_030,
        khz: vec![300_000, 300_000, 300_000, 300_000, 400_000, 400_000, 0, 0],
        idle: vec![1, 1, 1, 1, 1, -1, 1, 1],
        ..State::default()
    };
    check(&state, &[NO, NO, NO, NO, NO, 28.51, NO, NO], "0.000000");
    state.idle[5] = 1;
    check(&state, &[NO; 8], "0.000000");
}

/// `suspend_calculations` on a watch: suspended, then rows 2 to 5.
#[test]
fn suspend_is_no_power() {
    let mut state = State {
        soc: "monaco",
        nanos: 424_063,
        khz: vec![1_708_800; 4],
        idle: vec![-1; 4],
        ..State::default()
    };
    check(&state, &[39.69, 39.69, 39.69, 39.69, NO, NO, NO, NO], "18.390000");
    state.idle[2] = 1;
    check(&state, &[39.69, 39.69, NO, 39.69, NO, NO, NO, NO], "18.390000");
    state.suspended = true;
    check(&state, &[NO; 8], "0.000000");
}

/// `dsu_devfreq_system_state` on Tensor G4, all 20 rows: which cores are active in each.
#[test]
fn the_dsu_clock_sets_the_little_cores_power() {
    // Cores 0 to 3 and 7; 4 to 6 are active in all rows.
    let rows = [
        ([0, 1, 1, 1, 1], 1_271.145_271),
        ([1, 1, 1, 1, 1], 1_271.148_554),
        ([1, 1, 1, 1, 0], 1_270.995_753),
        ([1, 1, 1, 1, 1], 1_271.105_587),
        ([1, 1, 1, 0, 1], 1_270.614_641),
        ([1, 1, 1, 1, 1], 1_271.196_124),
        ([1, 1, 1, 0, 1], 1_271.166_706),
        ([0, 1, 1, 0, 1], 1_270.620_321),
        ([1, 1, 1, 0, 1], 1_271.070_056),
        ([1, 1, 1, 0, 0], 1_271.118_234),
        ([1, 1, 1, 0, 1], 1_271.005_033),
        ([1, 1, 1, 1, 1], 1_271.167_766),
        ([1, 1, 1, 1, 0], 1_271.076_795),
        ([1, 1, 1, 1, 1], 1_271.200_356),
        ([1, 0, 1, 1, 1], 1_271.193_880),
        ([1, 0, 0, 1, 1], 1_271.186_713),
        ([0, 0, 0, 1, 1], 1_271.180_805),
        ([1, 0, 0, 1, 1], 1_271.190_927),
        ([0, 0, 0, 1, 1], 1_271.006_475),
        ([0, 0, 1, 1, 1], 1_271.130_924),
    ];
    let mut khz = vec![1_950_000; 4];
    khz.extend([2_600_000, 2_600_000, 2_600_000, 3_105_000]);
    for (active, shared) in rows {
        let mut cores: Vec<f64> =
            active[..4].iter().map(|on| if *on == 1 { 205.6 } else { 2.67 }).collect();
        cores.extend([674.24; 3]);
        cores.push(if active[4] == 1 { 3327.56 } else { 99.47 });
        let [c0, c1, c2, c3, c7] = active.map(|on: i8| -on);
        let idle = vec![c0, c1, c2, c3, -1, -1, -1, c7];
        let state = State {
            soc: "Tensor G4",
            nanos: 10_000,
            khz: khz.clone(),
            idle,
            dsu: Some(1_800_000),
            ..State::default()
        };
        check_cores(&state, &cores, shared);
    }
}

/// `missing_cpus_on_guest`: a guest of a Tensor G4 sees no DSU, 610 MHz stand in.
#[test]
fn a_guest_takes_the_placeholder_of_the_dsu() {
    let check = |idle: [i8; 7], khz5, cores: [f64; 7]| {
        let state = State {
            soc: "none",
            nanos: 1080,
            khz: vec![1_849_000, 1_849_000, 1_849_000, 1_849_000, 648_000, khz5, 648_000],
            idle: idle.to_vec(),
            ..State::default()
        };
        let mut timeline = state.timeline();
        timeline.device.guest_soc = Some("Tensor G4".to_owned());
        let mut options = PowerOptions::default();
        options.model = ModelChoice::Curves;
        let estimate = estimate(&timeline, &options).unwrap();
        for track in &estimate.tracks {
            if let Scope::Core(cpu) = track.scope {
                let expected = cores.get(cpu.index()).copied().unwrap_or_default();
                let found = track.get(0).unwrap().power.milliwatts();
                assert_eq!(format!("{found:.6}"), format!("{expected:.6}"), "CPU {cpu}");
            }
        }
    };
    let little = 176.28;
    let mid = 70.05;
    check([1, 1, 1, 1, -1, -1, 1], 787_000, [NO, NO, NO, NO, mid, 83.26, NO]);
    check([1, 1, 1, 1, -1, -1, 1], 648_000, [NO, NO, NO, NO, mid, mid, NO]);
    check([1, 1, 1, 1, -1, 1, 1], 648_000, [NO, NO, NO, NO, mid, NO, NO]);
    check([-1, 1, 1, 1, -1, 1, 1], 648_000, [little, NO, NO, NO, mid, NO, NO]);
    check([-1, 1, 1, -1, -1, 1, 1], 648_000, [little, NO, NO, little, mid, NO, NO]);
    check([-1, 1, 1, -1, -1, -1, 1], 648_000, [little, NO, NO, little, mid, mid, NO]);
    check([1, 1, 1, -1, -1, -1, 1], 648_000, [NO, NO, NO, little, mid, mid, NO]);
    check([1, 1, 1, -1, -1, 1, 1], 648_000, [NO, NO, NO, little, mid, NO, NO]);
    check([1, -1, 1, -1, -1, 1, 1], 648_000, [NO, little, NO, little, mid, NO, NO]);
}

/// `devfreq_hotplug_and_suspend`: all six rows; all but CPUs 0 and 7 are offline.
#[test]
fn offline_cores_count_as_deeply_idle() {
    let mut state = State {
        soc: "Tensor G4",
        nanos: 7527,
        khz: vec![1_425_000, 1_425_000, 1_425_000, 1_425_000, 357_000, 357_000, 357_000, 1_164_000],
        idle: vec![-1, 1, 1, 1, 1, 1, 1, -1],
        dsu: Some(820_000),
        ..State::default()
    };
    check(&state, &[111.02, NO, NO, NO, NO, NO, NO, 375.49], "63.790000");
    state.idle[7] = 1;
    check(&state, &[111.02, NO, NO, NO, NO, NO, NO, NO], "63.790000");
    state.idle[0] = 1;
    check(&state, &[NO; 8], "49.230000");
    state.suspended = true;
    check(&state, &[NO; 8], "0.000000");

    state.suspended = false;
    state.idle = vec![-1; 8];
    let mut timeline = state.timeline();
    for cpu in &mut timeline.cpus[1..] {
        cpu.online = always(false);
    }
    let mut options = PowerOptions::default();
    options.model = ModelChoice::Curves;
    let estimate = estimate(&timeline, &options).unwrap();
    let total: f64 = estimate.tracks.iter().map(|t| t.get(0).unwrap().power.milliwatts()).sum();
    assert_eq!(format!("{total:.6}"), "174.810000", "111.02 of CPU 0 and 63.79 shared");
}

/// `multi_static_calc` on SXR2230P: one static from a dependent curve, one from a plain one. CPUs that
/// Wattson prints as NULL have no frequency yet and are in deep idle here.
#[test]
fn static_power_of_plain_and_dependent_curves_adds() {
    let check = |khz0, idle: [i8; 6], cores: [f64; 8], shared: &str| {
        let high = 2_361_600;
        let state = State {
            soc: "SXR2230P",
            nanos: 573,
            khz: vec![khz0, khz0, high, high, high, high],
            idle: idle.to_vec(),
            ..State::default()
        };
        check(&state, &cores, shared);
    };
    let (high, low) = (2_361_600, 1_920_000);
    let (wait, run) = (22.69, 529.69);
    check(high, [0, 1, 0, -1, 1, 0], [17.29, NO, wait, run, NO, wait, NO, NO], "58.220000");
    check(high, [0, -1, 0, -1, 1, 0], [17.29, 682.86, wait, run, NO, wait, NO, NO], "58.220000");
    check(high, [0, -1, 0, 0, 1, 0], [15.06, 647.09, wait, wait, NO, wait, NO, NO], "60.920000");
    check(low, [0, -1, 0, -1, 1, 0], [10.13, 446.46, wait, run, NO, wait, NO, NO], "44.220000");
    check(low, [0, 0, 0, -1, 1, 0], [10.13, 10.13, wait, run, NO, wait, NO, NO], "44.220000");
    check(low, [0, 0, -1, -1, 1, 0], [10.13, 10.13, run, run, NO, wait, NO, NO], "44.220000");
}

/// `multi_variant_static` on Tensor G5: clusters 5 and 7 depend on each other, 0 on the DSU.
#[test]
fn clusters_may_depend_on_each_other() {
    let check = |khz0: u64, khz1: u64, idle2: i8, idle3: i8, cores: [f64; 4], shared: f64| {
        let state = State {
            soc: "Tensor G5",
            nanos: 32_239,
            khz: vec![khz0, khz1, 533_000, 533_000, 533_000, 1_785_000, 1_785_000, 3_782_000],
            idle: vec![-1, -1, idle2, idle3, -1, -1, -1, -1],
            dsu: Some(1_516_000),
            ..State::default()
        };
        let [c0, c1, c2, c3] = cores;
        check_cores(&state, &[c0, c1, c2, c3, 30.95, 473.6, 473.6, 2244.54], shared);
    };
    check(460_000, 460_000, 0, -1, [100.8, 100.8, 3.36, 30.95], 149.839_659);
    check(460_000, 460_000, -1, -1, [100.8, 100.8, 30.95, 30.95], 149.837_743);
    check(729_000, 460_000, -1, -1, [139.42, 100.8, 30.95, 30.95], 162.226_139);
    check(729_000, 729_000, -1, -1, [139.42, 139.42, 30.95, 30.95], 162.249_919);
    check(729_000, 729_000, -1, 0, [139.42, 139.42, 30.95, 3.36], 162.224_294);
}

/// `multiple_1d_static` on SM8750: the four distinct sums.
#[test]
fn several_clusters_static_powers_add() {
    let check = |khz0, awake: [bool; 2], shared: &str| {
        let mut idle = vec![if awake[0] { -1 } else { 1 }; 6];
        idle.extend([if awake[1] { -1 } else { 1 }; 2]);
        let mut khz = vec![khz0; 6];
        khz.extend([1_017_600; 2]);
        let state = State { soc: "SM8750", nanos: 47_188, khz, idle, ..State::default() };
        assert_eq!(state.row().1, shared);
    };
    check(556_800, [true, false], "20.790000");
    check(556_800, [true, true], "45.340000");
    check(2_400_000, [true, true], "83.940000");
    check(2_400_000, [true, false], "59.390000");
}

/// `ui_continuous_estimates`: the rows of cores.
#[test]
fn longest_states_of_cores() {
    let check = |khz: [u64; 3], idle: [i8; 8], cpu: usize, expected: &str| {
        let khz = [khz[0], khz[0], khz[0], khz[0], khz[1], khz[1], khz[2], khz[2]].to_vec();
        let state =
            State { soc: "Tensor", nanos: 1000, khz, idle: idle.to_vec(), ..State::default() };
        let milliwatts: f64 = state.row().0[cpu].parse().unwrap();
        assert_eq!(format!("{milliwatts:.4}"), expected);
    };
    let all = [0, 1, 1, 1, 1, 1, -1, -1];
    check([738_000, 400_000, 1_277_000], all, 0, "1.0900");
    check([738_000, 400_000, 1_277_000], all, 7, "306.5700");
    check([1_803_000, 400_000, 2_048_000], [-1, 1, 1, 1, 1, 1, -1, 1], 0, "269.9100");
    check([300_000, 400_000, 2_802_000], [1, 1, 1, 1, 1, 1, 1, -1], 7, "1942.8900");
}

/// `idle_remap`: drivers of these SoCs know more states than the curves.
#[test]
fn deeper_idle_states_share_a_column() {
    for (soc, states) in [("MT6858", 6), ("MT6897", 9), ("neo", 3), ("SXR2230P", 3)] {
        let model = model(soc);
        assert_eq!(model.idle_column(0), 0);
        for state in 1..states {
            assert_eq!(model.idle_column(state), 1, "{soc} state {state}");
        }
    }
}
