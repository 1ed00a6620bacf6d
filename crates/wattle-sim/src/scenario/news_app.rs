//! A news app on a phone with rails.

use wattle_units::Nanos;

use super::system_processes::{recorder, surface_flinger, system_server};
use crate::{
    Action, AppSpec, CurveErrors, InterruptSpec, PhoneSpec, SimError, Simulation, ThreadSpec,
    Workload,
};

/// Creates the simulation of `wattle demo`: fifteen seconds of a news app on a phone with rails that deviates from its
/// model by as much as two phones of one kind differ.
pub fn demo(seed: u64) -> Result<Simulation, SimError> {
    let workload = news_app(Nanos::from_seconds(15.0));
    Simulation::with_errors(PhoneSpec::pixel_like(), workload, DEMO_ERRORS, seed)
}

/// The size is that of the disagreement between published curves of one SoC, halved.
pub(super) const DEMO_ERRORS: CurveErrors =
    CurveErrors { shared_sd: 0.10, own_sd: 0.04, specimens: 8 };

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
