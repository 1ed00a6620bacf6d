//! Rules about habits of apps, which need no idle time: calls, timers, garbage, codecs, questions.

use wattle_diagnose::ConfidenceLevel;
use wattle_diagnose::FindingSeverity::{Note, Warning};
use wattle_timeline::{Quantity, StateKind, ThreadId, Uid};

use super::scene::{APP, Expected, Scene, check, only};

#[test]
fn binder_chatter() {
    // Each 20 ms the app's thread runs for a millisecond and wakes a binder thread of system_server.
    let calls = |server: &str, binder: &str, count: u32, period: f64| {
        let mut scene = Scene::new(10_000.0).core(1.0);
        let process = scene.thread(server, Uid(1000));
        let binder = scene.beside(process, binder);
        let times = (1..=count).map(|i| f64::from(i) * period);
        let sections: Vec<(f64, f64, &str, u16)> =
            times.clone().map(|t| (t, t + 1.0, "checkNetwork", 0)).collect();
        scene
            .runs(times.clone().map(|t| (t, t + 1.0, 1, true)))
            .slices(1, &sections)
            .wakes(times.map(|t| (t + 0.5, binder.0)))
    };
    let chatty = calls("system_server", "binder:900_3", 400, 20.0);
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "calls system_server 50.1 times each second for 8.0 s",
        when: Some((20.5, 8000.5)),
        place: Some("checkNetwork"),
        // From the first call on, which is half a millisecond into the first run, to the last: 399 ms at 1 W.
        joules: Some(0.399),
    };
    // As many calls to what is sent pictures.
    let draws = calls("/system/bin/surfaceflinger", "binder:900_3", 400, 20.0);
    check("binder-chatter", &chatty, &draws, ("least-rate", 60.0), expected);
    // A start of two seconds; calls now and then; a thread that answers no calls.
    for quiet in [
        calls("system_server", "binder:900_3", 100, 20.0),
        calls("system_server", "binder:900_3", 90, 100.0),
        calls("system_server", "android.bg", 400, 20.0),
    ] {
        check("binder-chatter", &chatty, &quiet, ("least-time", 9.0), expected);
    }
    let found = chatty.findings("binder-chatter", &[]);
    assert_eq!(found[0].confidence.level, ConfidenceLevel::High, "{:?}", found[0].confidence);
}

#[test]
fn background_poll() {
    let timer = |draws: bool, period: f64| {
        let mut scene = Scene::new(60_000.0).core(1.0);
        let poller = scene.beside(ThreadId(1), "Poller");
        let count = (59_000.0 / period) as u32;
        let mut runs: Vec<(f64, f64, u32, bool)> = (1..=count)
            .map(|i| f64::from(i) * period)
            .map(|t| (t, t + 5.0, poller.0, true))
            .collect();
        if draws {
            runs.extend((1..900).map(|i| f64::from(i) * 64.0).map(|t| (t + 8.0, t + 9.0, 1, true)));
            runs.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        scene.runs(runs)
    };
    let polls = timer(false, 200.0);
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "works every 200.0 ms",
        when: Some((400.0, 59_000.0)),
        place: None,
        joules: Some(293.0 * 5e-3),
    };
    check("background-poll", &polls, &timer(true, 160.0), ("longest-period", 100.0), expected);
    check("background-poll", &polls, &timer(false, 7000.0), ("least-time", 100.0), expected);
}

#[test]
fn network_poll() {
    let asks = |period: f64, bytes: u64| {
        let times: Vec<f64> = (1..=20).map(|i| f64::from(i) * period).collect();
        Scene::new(period * 21.0).packets("rmnet_data0", times, bytes)
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "asks the network every 30.0 s, 20 times",
        when: Some((30_000.0, 600_000.0)),
        place: None,
        joules: None,
    };
    // Segments of a film; what Android recommends.
    for quiet in [asks(30_000.0, 2_000_000), asks(1_800_000.0, 500)] {
        check("network-poll", &asks(30_000.0, 500), &quiet, ("least-count", 30.0), expected);
    }
    let random =
        (1..=20_u32).map(|i| f64::from(i) * 30_000.0 + f64::from(i * i * 7919 % 29) * 1000.0);
    let random = Scene::new(700_000.0).packets("rmnet_data0", random, 500);
    check("network-poll", &asks(30_000.0, 500), &random, ("longest-period", 10.0), expected);
}

#[test]
fn memory_churn() {
    // Ten times the parser runs for 40 ms, and after it the collector for 20 ms.
    let parses = |collection: f64, pause: f64| {
        let mut scene = Scene::new(100_000.0).core(1.0);
        let parser = scene.beside(ThreadId(1), "Parser");
        let collector = scene.beside(ThreadId(1), "HeapTaskDaemon");
        let runs = (1..=10).map(|i| f64::from(i) * pause).flat_map(move |t| {
            [(t, t + 40.0, parser.0, true), (t + 40.0, t + 40.0 + collection, collector.0, true)]
        });
        let sections: Vec<(f64, f64, &str, u16)> =
            (1..=10).map(|i| f64::from(i) * pause).map(|t| (t, t + 40.0, "parse", 0)).collect();
        scene.runs(runs).slices(parser.0, &sections)
    };
    let churns = parses(20.0, 100.0);
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "33 % of its CPU time on 10 collections",
        when: Some((140.0, 1060.0)),
        place: Some("parse"),
        joules: Some(0.2),
    };
    // Little of it; as much, but once in eight seconds.
    for quiet in [parses(2.0, 100.0), parses(20.0, 8000.0)] {
        check("memory-churn", &churns, &quiet, ("least-share", 0.5), expected);
    }
    // One cause is one finding: the runtime's rule leaves to this one what it reports.
    let both = churns.diagnose(&{
        let mut options = only("memory-churn", &[]);
        options.rules.only.push("jit-gc-tax".to_owned());
        options
    });
    let rules: Vec<&str> = both.findings.iter().map(|it| it.rule.0.as_str()).collect();
    assert_eq!(rules, ["memory-churn"]);
}

#[test]
fn collections_of_a_change_of_state_are_no_garbage() {
    let collects = |name: &str| {
        let mut scene = Scene::new(5000.0);
        let collector = scene.beside(ThreadId(1), "HeapTaskDaemon");
        scene
            .runs([(1000.0, 1300.0, collector.0, true), (2000.0, 2010.0, 1, true)])
            .slices(collector.0, &[(1000.0, 1300.0, name, 0)])
    };
    let found = collects("Background young concurrent copying GC").findings("jit-gc-tax", &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = collects("CollectorTransition concurrent copying GC").findings("jit-gc-tax", &[]);
    assert_eq!(found, []);
}

#[test]
fn software_video() {
    let decodes = |name: &str| {
        let mut scene = Scene::new(10_000.0).core(1.0);
        let server = scene.thread("media.swcodec", Uid(1046));
        let codec = scene.beside(server, name);
        scene.runs((1..=200).map(|i| f64::from(i) * 33.0).map(|t| (t, t + 10.0, codec.0, true)))
    };
    let expected = Expected {
        severity: Warning,
        who: Some("media.swcodec"),
        says: "2.0 s in 6.6 s",
        when: Some((33.0, 6610.0)),
        place: None,
        joules: Some(2.0),
    };
    let video = decodes("c2.android.avc.");
    check("software-video", &video, &decodes("c2.android.aac."), ("least-time", 3.0), expected);
    // The SoC's own block, whose thread only hands buffers over.
    check("software-video", &video, &decodes("c2.exynos.h264."), ("least-use", 0.5), expected);
}

#[test]
fn a_stuck_wakelock() {
    let hours = |count: f64| count * 3_600_000.0;
    let held = |until: f64, screen: u32| {
        Scene::new(hours(20.0)).state(StateKind::Screen, None, "", &[(0.0, screen)]).state(
            StateKind::Wakelock,
            Some(APP),
            "Sync",
            &[(hours(1.0), 1), (hours(until), 0)],
        )
    };
    let stuck = held(2.2, 0).findings("wakelock-held-long", &[]);
    let [finding] = stuck.as_slice() else { panic!("{stuck:#?}") };
    assert!(finding.title.contains("held the wakelock \"Sync\" for 1 h 12 min"), "{finding:#?}");
    assert_eq!(held(1.8, 0).findings("wakelock-held-long", &[]), []);
    // With the screen on the device is awake anyway.
    assert_eq!(held(2.2, 1).findings("wakelock-held-long", &[]), []);
    assert_eq!(held(2.2, 0).findings("wakelock-held-long", &[("stuck-hours", 1.5)]), []);
}

#[test]
fn accounts_of_android_get_no_advice_for_apps() {
    let alarms = |uid: Uid| {
        Scene::new(36_000_000.0)
            .usage(Quantity::OnBattery, None, "", 36_000.0)
            .usage(Quantity::AlarmWakeups, Some(uid), "*walarm*:tick", 500.0)
            .findings("alarm-wakes", &[])
    };
    let of_app = alarms(APP);
    assert!(of_app[0].severity == Warning && of_app[0].remedy.contains("WorkManager"));
    let of_system = alarms(Uid(1000));
    assert_eq!(of_system[0].severity, Note);
    assert_eq!(of_system[0].who.as_deref(), Some("system"));
    assert!(!of_system[0].remedy.contains("WorkManager"), "{of_system:#?}");
    // A copy of the app for another user, and nobody.
    let of_work_profile = alarms(Uid(1_010_077));
    assert_eq!(of_work_profile[0].who.as_deref(), Some("com.example.app (user 10)"));
    assert_eq!(alarms(Uid(u32::MAX)), []);
    // What the kernel and the resolver send is the device's, and context.
    let radio = |uid: Uid| {
        Scene::new(36_000_000.0)
            .usage(Quantity::CellActive, Some(uid), "", 2000.0)
            .usage(Quantity::CellReceivedBytes, Some(uid), "", 20_000.0)
            .findings("chatty-network", &[])
    };
    assert_eq!(radio(APP).len(), 1);
    for uid in [Uid(0), Uid(1051)] {
        assert_eq!(radio(uid), []);
    }
}

#[test]
fn recorders_are_no_culprits() {
    let naps = |name: &str| {
        let mut scene = Scene::new(5000.0);
        let thread = scene.thread(name, Uid(2000));
        let naps = (1..=400_u32).map(|i| f64::from(i) * 5.0);
        scene.runs(naps.map(|t| (t, t + 0.5, thread.0, true))).findings("short-sleep", &[])
    };
    assert_eq!(naps("C:\\Tools\\Monitor.exe").len(), 1);
    for tool in
        ["C:\\Tools\\PerfView.exe", "/apex/com.android.adbd/bin/adbd", "simpleperf", "wpr.exe"]
    {
        assert_eq!(naps(tool), [], "{tool}");
    }
}

#[test]
fn little_energy_makes_a_note() {
    // A second of a core in five seconds: 720 J an hour for each watt.
    let spins = |watts: f64, rule: &str| {
        let spins = (100..200_u32).map(|i| f64::from(i) * 10.0).map(|t| (t, t + 10.0, 1, false));
        let naps = (200..260_u32).map(|i| f64::from(i) * 10.0).map(|t| (t, t + 0.1, 2, true));
        let scene = Scene::new(5000.0).runs(spins.chain(naps)).core(watts);
        let found = scene.findings(rule, &[]);
        (found[0].severity, found[0].joules_per_hour.unwrap())
    };
    let (severity, rate) = spins(1.0, "busy-wait");
    assert!(severity == Warning && (700.0..740.0).contains(&rate), "{rate}");
    let (severity, rate) = spins(0.001, "busy-wait");
    assert!(severity == Note && (0.7..0.74).contains(&rate), "{rate}");
    // What a thread draws is only a part of what its naps cost: they keep the core from deep idle.
    let (severity, rate) = spins(0.001, "short-sleep");
    assert!(severity == Warning && rate < 0.01, "{rate}");
}

/// A game of a minute as the kernel writes it (ftrace text): its limit falls after 20 s, and the zone grows warmer.
fn throttled(limit_khz: u32, degrees: [u32; 2]) -> wattle_timeline::Timeline {
    use std::fmt::Write as _;
    let mut text = String::from("# tracer: nop\n#\n");
    let mut line = |time: f64, event: &str| {
        writeln!(text, "  <idle>-0     [000] d..2   {time:.6}: {event}").unwrap();
    };
    line(100.0, "cpu_frequency_limits: min=300000 max=2800000 cpu_id=0");
    line(100.0, "cpu_frequency: state=2800000 cpu_id=0");
    for second in 0..60_u32 {
        let time = 100.0 + f64::from(second);
        let hot = usize::from(second >= 20);
        line(
            time,
            &format!(
                "thermal_temperature: thermal_zone=cpu-0 id=1 temp_prev=0 temp={}",
                degrees[hot]
            ),
        );
        if second == 20 {
            line(time, &format!("cpu_frequency_limits: min=300000 max={limit_khz} cpu_id=0"));
            line(time, &format!("cpu_frequency: state={limit_khz} cpu_id=0"));
        }
        line(
            time + 0.001,
            "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=UnityMain next_pid=4242 next_prio=110",
        );
        line(
            time + 0.801,
            "sched_switch: prev_comm=UnityMain prev_pid=4242 prev_prio=110 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120",
        );
    }
    wattle_ingest::read_bytes("game.txt", text.as_bytes()).unwrap()
}

#[test]
fn thermal_throttling() {
    let found = |limit_khz: u32, degrees: [u32; 2]| {
        let timeline = throttled(limit_khz, degrees);
        Scene { timeline, ..Scene::default() }.findings("thermal-throttling", &[])
    };
    let hot = found(2_000_000, [38_000, 52_000]);
    let [finding] = hot.as_slice() else { panic!("{hot:#?}") };
    assert!(
        finding.title.starts_with("CPU 0 was held at 2.00 GHz or less (of 2.80 GHz) for 32.0 s"),
        "{finding:#?}"
    );
    assert_eq!((finding.severity, finding.confidence.level), (Note, ConfidenceLevel::High));
    assert!(
        finding.evidence.iter().any(|it| it.text.contains("52.0 °C then, 38.0 °C")),
        "{finding:#?}"
    );
    // A battery saver does the same without heat.
    let saved = found(2_000_000, [38_000, 38_500]);
    assert_eq!(saved[0].confidence.level, ConfidenceLevel::Low);
    // A limit that hardly falls.
    assert_eq!(found(2_700_000, [38_000, 52_000]), []);
}
