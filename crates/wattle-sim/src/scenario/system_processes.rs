//! Processes of the system, with what they do all the time.

use crate::{Action, AppSpec, ThreadSpec};

pub(super) fn surface_flinger() -> AppSpec {
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

pub(super) fn system_server() -> AppSpec {
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

pub(super) fn recorder() -> AppSpec {
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
