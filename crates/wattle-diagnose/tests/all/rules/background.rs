//! Rules about what apps do while nobody looks: syncs, services, alarms, work on big cores, frames without a picture.

use wattle_diagnose::ConfidenceLevel;
use wattle_diagnose::FindingSeverity::{Note, Warning};
use wattle_power::{Component, Scope};
use wattle_timeline::{
    CpuFacts, CpuId, CpuTimeline, DeviceWake, FrameOwner, JankCauses, ProcessId, SchedSlice,
    ScreenFrame, StateKind, TaskState, ThreadId, Uid, WakeCause,
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
