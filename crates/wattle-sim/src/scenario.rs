//! Workloads to simulate.

use wattle_units::Nanos;

use crate::random::SplitMix64;
use crate::{
    Action, AppSpec, CurveErrors, InterruptSpec, PhoneEvent, PhoneSpec, SimError, Simulation,
    ThreadSpec, Workload,
};

/// What `wattle demo` shows: fifteen seconds of a news app on a phone with rails that is not quite as its
/// model says, by as much as two phones of one kind differ.
pub fn demo(seed: u64) -> Result<Simulation, SimError> {
    let workload = news_app(Nanos::from_seconds(15.0));
    Simulation::with_errors(PhoneSpec::pixel_like(), workload, DEMO_ERRORS, seed)
}

/// The size is that of the disagreement between published curves of one SoC, halved.
const DEMO_ERRORS: CurveErrors = CurveErrors { shared_sd: 0.10, own_sd: 0.04, specimens: 8 };

/// The place of each thread of [`news_app`].
mod place {
    pub const RENDER: usize = 1;
    pub const NETWORK: usize = 4;
    pub const SURFACE: usize = 7;
}

/// An app that shows a scrolling news feed: frames on main and render thread, a pool that loads, parses and
/// decodes, a tracker that nobody asked for; beside it the system and the recorder.
pub fn news_app(duration: Nanos) -> Workload {
    use Action as A;
    let wake = |thread| A::Wake { thread };
    let main = vec![
        A::NextPeriod { period: Nanos::new(16_666_667) },
        A::call(
            "Choreographer#doFrame",
            vec![
                A::call(
                    "com.example.news.FeedActivity.onScroll",
                    vec![
                        A::compute(1.0),
                        A::call("com.example.news.FeedAdapter.bind", vec![A::compute(2.4)]),
                    ],
                ),
                A::call("android.view.View.layout", vec![A::compute(1.4)]),
                wake(place::RENDER),
            ],
        ),
    ];
    let render = vec![
        A::AwaitWake,
        A::call(
            "DrawFrames",
            vec![
                A::compute(1.5),
                A::call("flush commands", vec![A::compute(3.1)]),
                wake(place::SURFACE),
            ],
        ),
    ];
    let pool = |first: bool| {
        vec![
            A::sleep(if first { 45.0 } else { 80.0 }),
            A::call(
                "com.example.news.FeedLoader.load",
                vec![
                    wake(place::NETWORK),
                    A::compute(0.4),
                    A::sleep(6.0),
                    A::call(
                        "com.example.news.FeedLoader.parse",
                        vec![
                            A::compute(4.0),
                            A::call("com.example.news.Json.readObject", vec![A::compute(5.0)]),
                        ],
                    ),
                    A::Repeat {
                        times: 3,
                        body: vec![A::call(
                            "com.example.news.ImageDecoder.decode",
                            vec![A::compute(5.5)],
                        )],
                    },
                    A::call(
                        "com.example.news.FeedStore.save",
                        vec![A::compute(1.6), A::sleep(1.2)],
                    ),
                ],
            ),
        ]
    };
    let network = vec![
        A::AwaitWake,
        A::call("okhttp3.RealCall.execute", vec![A::compute(0.5), A::sleep(3.0), A::compute(0.9)]),
    ];
    let tracker = vec![
        A::NextPeriod { period: Nanos::new(100_000_000) },
        A::call("com.example.tracker.Beacon.collect", vec![A::compute(2.2)]),
    ];
    let app = AppSpec {
        name: "com.example.news".into(),
        package: Some("com.example.news".into()),
        uid: 10_234,
        recorder: false,
        threads: vec![
            ThreadSpec::new("m.example.news", main).with_priority(110),
            ThreadSpec::new("RenderThread", render).with_priority(110),
            ThreadSpec::new("pool-1-thread-1", pool(true)),
            ThreadSpec::new("pool-1-thread-2", pool(false)),
            ThreadSpec::new("OkHttp Dispatch", network),
            ThreadSpec::new("tracker", tracker).starting_after(Nanos::new(120_000_000)),
            ThreadSpec::new(
                "HeapTaskDaemon",
                vec![
                    A::sleep(420.0),
                    A::call("Background concurrent copying GC", vec![A::compute(11.0)]),
                ],
            )
            .with_priority(124)
            .on_clusters(&[0]),
        ],
    };
    Workload {
        duration,
        apps: vec![app, surface_flinger(), system_server(), recorder()],
        interrupts: interrupts(),
        events: Vec::new(),
    }
}

fn surface_flinger() -> AppSpec {
    use Action as A;
    AppSpec {
        name: "/system/bin/surfaceflinger".into(),
        package: None,
        uid: 1000,
        recorder: false,
        threads: vec![
            ThreadSpec::new(
                "surfaceflinger",
                vec![A::AwaitWake, A::call("composite", vec![A::compute(1.8)])],
            )
            .with_priority(97),
        ],
    }
}

fn system_server() -> AppSpec {
    use Action as A;
    let thread = |name: &str, millis: f64, cycles: f64| {
        ThreadSpec::new(name, vec![A::sleep(millis), A::compute(cycles)])
    };
    AppSpec {
        name: "system_server".into(),
        package: None,
        uid: 1000,
        recorder: false,
        threads: vec![
            thread("system_server", 130.0, 0.9),
            thread("android.bg", 210.0, 2.5),
            thread("binder:1300_1", 37.0, 0.25),
            thread("binder:1300_2", 53.0, 0.3),
            thread("SensorService", 19.5, 0.08).with_priority(100),
        ],
    }
}

fn recorder() -> AppSpec {
    use Action as A;
    AppSpec {
        name: "/system/bin/traced_probes".into(),
        package: None,
        uid: 9999,
        recorder: true,
        threads: vec![ThreadSpec::new(
            "traced_probes",
            vec![A::next_period(50.0), A::compute(0.5)],
        )],
    }
}

fn interrupts() -> Vec<InterruptSpec> {
    vec![
        InterruptSpec {
            name: "arch_timer".into(),
            irq: 11,
            cpu: 0,
            mean_period: Nanos::new(9_000_000),
            hard: Nanos::new(4_000),
            soft: Some((1, Nanos::new(6_000))),
            wakes: None,
        },
        InterruptSpec {
            name: "wlan0".into(),
            irq: 233,
            cpu: 0,
            mean_period: Nanos::new(14_000_000),
            hard: Nanos::new(7_000),
            soft: Some((3, Nanos::new(38_000))),
            wakes: Some(place::NETWORK),
        },
    ]
}

/// A random workload for any phone: processes with threads whose methods nest at random, sleep, wake each other,
/// and fit on no cluster in particular; sometimes a suspend or a hotplug.
pub fn random(phone: &PhoneSpec, duration: Nanos, seed: u64) -> Workload {
    let mut random = SplitMix64::new(seed).fork(4);
    let processes = 1 + random.below(4) as usize;
    let sizes: Vec<usize> = (0..processes).map(|_| 1 + random.below(4) as usize).collect();
    let threads: usize = sizes.iter().sum();
    let mut apps = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        let threads = (0..*size).map(|thread| {
            let mut program = body(&mut random, index, threads, 0);
            // Whatever else it does, it also lets go of the CPU.
            program.push(Action::sleep(random.between(0.5, 30.0)));
            let mut spec = ThreadSpec::new(&format!("p{index}-thread-{thread}"), program);
            spec.priority = 100 + random.below(30) as i32;
            if random.chance(0.2) {
                spec.clusters = vec![random.below(phone.clusters.len() as u64) as usize];
            }
            // The main thread is there as long as its process is.
            if random.chance(0.1) && thread > 0 {
                spec.starts_after =
                    Nanos::new((duration.value() as f64 * random.unit() * 0.5) as i64);
            }
            spec
        });
        let threads = threads.collect();
        let name = format!("com.example.random{index}");
        apps.push(AppSpec {
            package: Some(name.clone()),
            name,
            uid: 10_000 + index as u32,
            recorder: false,
            threads,
        });
    }
    apps.push(recorder());
    let mut interrupts = Vec::new();
    for number in 0..random.below(3) {
        interrupts.push(InterruptSpec {
            name: format!("dev{number}"),
            irq: 50 + number as i32,
            cpu: random.below(u64::from(phone.cpus())) as u32,
            mean_period: Nanos::from_seconds(random.between(0.5e-3, 20e-3)),
            hard: Nanos::from_seconds(random.between(1e-6, 40e-6)),
            soft: random.chance(0.5).then(|| (3, Nanos::from_seconds(random.between(2e-6, 90e-6)))),
            wakes: random.chance(0.5).then(|| random.below(threads as u64) as usize),
        });
    }
    let mut events = Vec::new();
    let part = |fraction: f64| Nanos::new((duration.value() as f64 * fraction) as i64);
    if random.chance(0.25) {
        events.push(PhoneEvent::Suspend { after: part(0.4), length: part(0.2) });
    }
    if phone.cpus() > 1 && random.chance(0.25) {
        let cpu = 1 + random.below(u64::from(phone.cpus() - 1)) as u32;
        events.push(PhoneEvent::Offline { cpu, after: part(0.2), length: part(0.3) });
    }
    Workload { duration, apps, interrupts, events }
}

fn body(random: &mut SplitMix64, process: usize, threads: usize, depth: u32) -> Vec<Action> {
    let mut actions = vec![Action::compute(random.exponential(0.4) + 0.01)];
    for _ in 0..random.below(4) {
        actions.push(match random.below(if depth < 4 { 8 } else { 4 }) {
            0 | 1 => Action::compute(random.exponential(1.0) + 0.01),
            2 => Action::sleep(random.exponential(2.0) + 0.05),
            3 => Action::Wake { thread: random.below(threads as u64) as usize },
            _ => {
                let method = format!("com.example.r{process}.Class.m{}", random.below(12));
                Action::Call { method, body: body(random, process, threads, depth + 1) }
            }
        });
    }
    actions
}
