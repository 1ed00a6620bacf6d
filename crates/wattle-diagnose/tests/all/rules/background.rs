//! Rules about what apps do while nobody looks: syncs, services, alarms, work on big cores, frames without a picture.

use wattle_diagnose::ConfidenceLevel;
use wattle_diagnose::FindingSeverity::{Note, Warning};
use wattle_power::{Component, Scope};
use wattle_timeline::{
    CounterScope, CpuFacts, CpuId, CpuTimeline, DeviceWake, FrameOwner, JankCauses, ProcessId,
    SchedSlice, ScreenFrame, StateKind, TaskState, ThreadId, Uid, WakeCause,
};

use super::scene::{APP, Expected, Scene, at, check, window};

#[test]
fn sync_loop() {
    // Syncs of five seconds.
    let syncs = |count: u32, period: f64, tags: &[&str]| {
        let mut scene = Scene::new(1000.0 + f64::from(count + 1) * period);
        for (offset, tag) in (0..).zip(tags) {
            let own = (1..=count).filter(|i| *i as usize % tags.len() == offset);
            let starts = own.map(|i| f64::from(i) * period);
            let changes: Vec<(f64, u32)> =
                starts.flat_map(|start| [(start, 1), (start + 5000.0, 0)]).collect();
            scene = scene.state(StateKind::Sync, Some(APP), tag, &changes);
        }
        scene
    };
    let mail = "mail/com.google/me";
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "ran a sync 12 times, each within 10.0 s of the one before",
        when: Some((15_000.0, 185_000.0)),
        place: None,
        joules: None,
    };
    let looping = syncs(12, 15_000.0, &[mail]);
    check("sync-loop", &looping, &syncs(4, 15_000.0, &[mail]), ("least-count", 13.0), expected);
    // Once an hour; several things once each.
    let hourly = syncs(8, 3_600_000.0, &[mail]);
    check("sync-loop", &looping, &hourly, ("longest-pause", 9.0), expected);
    let several = syncs(8, 15_000.0, &["mail", "calendar", "contacts", "photos", "notes", "news"]);
    check("sync-loop", &looping, &several, ("least-count", 13.0), expected);
    // A burst.
    let burst = syncs(7, 15_000.0, &[mail]);
    check("sync-loop", &looping, &burst, ("least-time", 180.0), expected);
}

#[test]
fn foreground_service_left_on() {
    let service = |uses: Option<StateKind>| {
        let scene = Scene::new(3_600_000.0)
            .state(StateKind::Screen, None, "", &[(0.0, 1), (600_000.0, 0)])
            .state(
                StateKind::ForegroundService,
                Some(APP),
                "com.example.app.KeepAlive",
                &[(0.0, 1)],
            );
        match uses {
            Some(kind) => scene.state(kind, Some(APP), "", &[(0.0, 1)]),
            None => scene,
        }
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "for 50 min 0 s with the screen off and used nothing",
        when: Some((600_000.0, 3_600_000.0)),
        place: Some("com.example.app.KeepAlive"),
        joules: None,
    };
    let keeps = service(None);
    for kind in [StateKind::Audio, StateKind::Gnss, StateKind::Sensor] {
        check(
            "foreground-service-left-on",
            &keeps,
            &service(Some(kind)),
            ("least-time", 4000.0),
            expected,
        );
    }
    // A screen that is on all the time, and an app in front.
    let lit = Scene::new(3_600_000.0).state(StateKind::Screen, None, "", &[(0.0, 1)]).state(
        StateKind::ForegroundService,
        Some(APP),
        "com.example.app.KeepAlive",
        &[(0.0, 1)],
    );
    let front = service(None).state(StateKind::TopApp, Some(APP), "", &[(0.0, 1)]);
    for quiet in [lit, front] {
        check("foreground-service-left-on", &keeps, &quiet, ("least-time", 4000.0), expected);
    }
    // Where uses are recorded, and this app has none, that is worth more.
    let found = keeps.findings("foreground-service-left-on", &[]);
    assert_eq!(found[0].confidence.level, ConfidenceLevel::Low);
    let recorded = service(None).state(StateKind::Audio, Some(APP), "", &[(0.0, 1), (60_000.0, 0)]);
    let found = recorded.findings("foreground-service-left-on", &[]);
    assert_eq!(found[0].confidence.level, ConfidenceLevel::Medium);
}

#[test]
fn exact_alarms() {
    let alarms = |period: f64, scatter: f64, others: Option<f64>| {
        let mut scene = Scene::new(period * 12.0);
        let name = scene.timeline.names.intern("*walarm*:com.example.app.Tick");
        let mut wakes: Vec<DeviceWake> = Vec::new();
        for i in 1..=10_u32 {
            let time = f64::from(i) * period + f64::from(i * i * 7919 % 29) * scatter;
            let alarm = |time: f64, uid| DeviceWake {
                time: at(time),
                cause: WakeCause::Alarm,
                uid: Some(uid),
                text: Some(name),
            };
            wakes.push(alarm(time, APP));
            wakes.extend(others.map(|after| alarm(time + after, Uid(10_099))));
        }
        scene.timeline.suspend.wakes = wakes;
        scene
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "by an exact alarm every 5 min 0 s (10 times in 45 min 0 s)",
        when: Some((300_000.0, 3_000_000.0)),
        place: Some("com.example.app.Tick"),
        joules: None,
    };
    let exact = alarms(300_000.0, 0.0, None);
    // No period; together with another app's; once an hour.
    for quiet in [
        alarms(300_000.0, 2000.0, None),
        alarms(300_000.0, 0.0, Some(200.0)),
        alarms(3_600_000.0, 0.0, None),
    ] {
        check("exact-alarms", &exact, &quiet, ("least-count", 11.0), expected);
    }
}

#[test]
fn light_work_on_big_cores() {
    // Sixty times 50 ms in a minute, on one of two cores.
    let works = |cpu: u32, millis: f64, draws: bool| {
        let mut scene = Scene::new(60_000.0);
        let worker = scene.beside(ThreadId(1), "Worker");
        scene.timeline.cpus.push(CpuTimeline::default());
        scene.timeline.device.cpus = [250, 1000]
            .map(|capacity| CpuFacts { capacity: Some(capacity), ..CpuFacts::default() })
            .into();
        for i in 0..60 {
            let start = f64::from(i) * 1000.0;
            let mut run = |cpu: u32, thread: ThreadId, from: f64, to: f64| {
                scene.timeline.cpus[cpu as usize].sched.push(SchedSlice {
                    window: window(from, to),
                    thread,
                    end_state: Some(TaskState(1)),
                });
            };
            run(cpu, worker, start, start + millis);
            if draws {
                run(1 - cpu, ThreadId(1), start, start + 2.0);
            }
        }
        scene.draws(Component::Cpu, Scope::Core(CpuId(cpu)), 1.0, "core")
    };
    let expected = Expected {
        severity: Note,
        who: Some("com.example.app"),
        says: "ran on big cores for 3.0 s of its 3.0 s",
        when: Some((0.0, 60_000.0)),
        place: None,
        joules: Some(3.0),
    };
    let big = works(1, 50.0, false);
    // On the little core; of an app that draws; more than a little core can do.
    for quiet in [works(0, 50.0, false), works(1, 50.0, true), works(1, 400.0, false)] {
        check("light-work-on-big-cores", &big, &quiet, ("least-big", 4.0), expected);
    }
}

#[test]
fn unseen_frames() {
    // Frames each 20 ms: drawn for two seconds, and from 5 s on for five.
    let frames = |picture: Option<&str>| {
        let mut scene = Scene::new(12_000.0);
        let render = scene.beside(ThreadId(1), "RenderThread");
        let drawn = (0..100).map(|i| f64::from(i) * 20.0);
        let undrawn = (0..250).map(|i| 5000.0 + f64::from(i) * 20.0);
        let all: Vec<(f64, f64, &str, u16)> = drawn
            .clone()
            .chain(undrawn.clone())
            .map(|t| (t, t + 1.0, "Choreographer#doFrame", 0))
            .collect();
        let mut pictures: Vec<(f64, f64, &str, u16)> =
            drawn.map(|t| (t + 2.0, t + 4.0, "DrawFrames 7", 0)).collect();
        if let Some(name) = picture {
            pictures.extend(undrawn.clone().map(|t| (t + 2.0, t + 4.0, name, 0)));
        }
        let runs = undrawn.map(|t| (t, t + 1.0, 1, true));
        scene.slices(1, &all).slices(render.0, &pictures).runs(runs).core(1.0)
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "worked for 50.2 frames each second for 5.0 s and drew nothing",
        when: Some((5000.0, 9980.0)),
        place: Some("Choreographer#doFrame"),
        joules: Some(0.249),
    };
    let unseen = frames(None);
    for picture in ["DrawFrames 8", "eglSwapBuffersWithDamageKHR", "queueBuffer"] {
        check("unseen-frames", &unseen, &frames(Some(picture)), ("least-time", 6.0), expected);
    }
    // The frame timeline knows of frames for a display that is off.
    let timed = |jank: JankCauses| {
        let mut scene = Scene::new(12_000.0);
        let frame = |i: i32| ScreenFrame {
            owner: FrameOwner::App,
            process: Some(ProcessId(0)),
            token: i64::from(i),
            display_token: i64::from(i),
            layer: None,
            expected: None,
            actual: window(1000.0 + f64::from(i) * 20.0, 1010.0 + f64::from(i) * 20.0),
            jank,
            is_dropped: false,
            by_gpu: false,
        };
        scene.timeline.code.frames = (0..251).map(frame).collect();
        scene
    };
    let expected = Expected {
        says: "while the display was off",
        when: Some((1000.0, 6000.0)),
        place: None,
        joules: None,
        ..expected
    };
    let dark = timed(JankCauses::DISPLAY_NOT_ON);
    for jank in [JankCauses::NONE, JankCauses::APP_DEADLINE_MISSED] {
        check("unseen-frames", &dark, &timed(jank), ("least-time", 6.0), expected);
    }
}

/// Times of pictures at a rate.
fn every(from: f64, to: f64, per_second: f64) -> impl Iterator<Item = f64> {
    let count = ((to - from) * per_second / 1000.0) as u32;
    (0..count).map(move |index| from + f64::from(index) * 1000.0 / per_second)
}

#[test]
fn high_refresh_rate() {
    // A list that scrolls for two seconds, a film for five, and the list again.
    let film = |per_second: f64, rates: &[(f64, f64)]| {
        let pictures = every(0.0, 2000.0, 120.0)
            .chain(every(2000.0, 7000.0, per_second))
            .chain(every(7000.0, 10_000.0, 120.0));
        let rates: Vec<(f64, f64)> = rates.to_vec();
        let name = "ActiveModeFps 4619827677550801152";
        Scene::new(10_000.0).pictures(pictures).counter(
            name,
            CounterScope::Process(ProcessId(1)),
            &rates,
        )
    };
    let expected = Expected {
        severity: Note,
        who: Some("com.example.app"),
        says: "refreshed 120 times each second for 5.0 s while 24.0 new pictures came each second, most of them of com.example.app",
        when: Some((2000.0, 7000.0)),
        place: None,
        joules: None,
    };
    let fast = [(0.0, 120.0)];
    let shows = film(24.0, &fast);
    // All of it at the panel's rate; a panel of 60 Hz, one that follows, one whose rate is not known meanwhile.
    let follows = [(0.0, 120.0), (2000.0, 60.0), (7000.0, 120.0)];
    let unknown = [(0.0, 120.0), (2000.0, 0.0), (7000.0, 120.0)];
    for quiet in
        [film(120.0, &fast), film(24.0, &[(0.0, 60.0)]), film(24.0, &follows), film(24.0, &unknown)]
    {
        check("high-refresh-rate", &shows, &quiet, ("least-time", 6.0), expected);
    }
    check("high-refresh-rate", &shows, &film(100.0, &fast), ("high-rate", 130.0), expected);
    check("high-refresh-rate", &shows, &film(70.0, &fast), ("most-share", 0.1), expected);
    // A finger that moves now and then, and a display that is off.
    let touches =
        [(2500.0, 2501.0, "deliverInputEvent", 0), (5000.0, 5001.0, "deliverInputEvent", 0)];
    let touched = film(24.0, &fast).slices(2, &touches);
    check("high-refresh-rate", &shows, &touched, ("least-time", 6.0), expected);
    let dark =
        film(24.0, &fast).state(StateKind::Screen, None, "", &[(0.0, 1), (1900.0, 0), (7100.0, 1)]);
    check("high-refresh-rate", &shows, &dark, ("least-time", 6.0), expected);
}

#[test]
fn high_refresh_rate_by_other_words() {
    let scene = || Scene::new(10_000.0).pictures(every(0.0, 9900.0, 24.0));
    let found = |scene: &Scene| scene.findings("high-refresh-rate", &[]);
    let of_process = CounterScope::Process(ProcessId(1));
    // A composer's time of one refresh; a driver's rate.
    let period = found(&scene().counter("VsyncPeriod", of_process, &[(0.0, 11_111_111.0)]));
    assert!(period[0].title.contains("refreshed 90.0 times"), "{period:#?}");
    let driver = found(&scene().counter("panel_fps", of_process, &[(0.0, 120.0)]));
    assert_eq!(driver[0].confidence.level, ConfidenceLevel::High);
    // A mode that was requested need not have come about.
    let asked = scene().counter("ActiveModeFPS_HWC -46", of_process, &[(0.0, 120.0)]);
    assert_eq!(found(&asked), []);
    // Expected times two and three refreshes apart, with single ones in between: 120 Hz, without a counter.
    let mut refresh = 0_u32;
    let steps = (0..400_u32).map(|index| {
        refresh += [5, 4, 1, 6][index as usize % 4];
        f64::from(refresh) * 1000.0 / 120.0
    });
    let times: Vec<f64> = steps.take_while(|time| *time < 9900.0).collect();
    let inferred = found(&Scene::new(10_000.0).pictures(times));
    assert_eq!(inferred[0].confidence.level, ConfidenceLevel::Medium, "{inferred:#?}");
    assert!(inferred[0].title.contains("refreshed 120 times"), "{inferred:#?}");
    // Without the frame timeline SurfaceFlinger's compositions are the pictures.
    let mut composed = Scene::new(10_000.0);
    let flinger = composed.thread("/system/bin/surfaceflinger", Uid(1000));
    let compositions: Vec<(f64, f64, &str, u16)> =
        every(0.0, 9900.0, 24.0).map(|time| (time, time + 2.0, "composite 77", 0)).collect();
    let composed = composed.slices(flinger.0, &compositions).counter(
        "ActiveConfigFPS",
        CounterScope::Global,
        &[(0.0, 120.0)],
    );
    let findings = found(&composed);
    assert_eq!((findings.len(), findings[0].who.as_deref()), (1, None), "{findings:#?}");
}
