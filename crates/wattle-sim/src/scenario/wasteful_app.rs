//! An app in the background that wastes energy in three ways.

use wattle_units::Nanos;

use super::news_app::DEMO_ERRORS;
use super::system_processes::{recorder, system_server};
use crate::{
    Action, AppSpec, Effect, Effects, InterruptSpec, PhoneSpec, SimError, Simulation, ThreadSpec,
    Transfer, Workload,
};

/// Length of the simulation of [`wasteful_app`], in seconds.
const SECONDS: f64 = 90.0;
/// Rails of what is off while the phone lies in a pocket.
const OFF: [&str; 2] = ["VSYS_PWR_DISPLAY", "S2S_VDD_G3D"];

/// The defects that [`wasteful_app`] contains, in words.
pub const WASTES: [&str; 3] = [
    "SyncService takes a wakelock and never releases it: the phone cannot suspend",
    "ImageDecoder decodes full-size pictures of articles that nobody looks at, every 3 s",
    "Beacon sends 60 bytes over Wi-Fi every 200 ms: the radio never sleeps",
];

/// Creates the simulation of `wattle demo`: ninety seconds of a phone with rails in a pocket, on which a news app does in the
/// background what [`WASTES`] lists. The phone deviates from its model by as much as two phones of one kind differ.
///
/// # Errors
///
/// None that its fixed workload could cause.
pub fn wasteful_app(seed: u64) -> Result<Simulation, SimError> {
    simulation(Waste::All, seed)
}

/// The same phone with the same app after its defects were fixed: the wakelock is released, pictures are decoded in the size that
/// they are shown in, and the tracker collects for ten seconds before it sends.
///
/// # Errors
///
/// None that its fixed workload could cause.
pub fn thrifty_app(seed: u64) -> Result<Simulation, SimError> {
    simulation(Waste::None, seed)
}

/// Whether the app has its defects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waste {
    All,
    None,
}

impl Waste {
    /// The first value with defects, the second without.
    fn choose<T>(self, wasteful: T, thrifty: T) -> T {
        if self == Self::All { wasteful } else { thrifty }
    }
}

fn simulation(waste: Waste, seed: u64) -> Result<Simulation, SimError> {
    let mut phone = PhoneSpec::pixel_like().with_device_rails();
    phone.rails.retain(|rail| !OFF.contains(&rail.name.as_str()));
    let simulation = Simulation::with_errors(phone, workload(waste), DEMO_ERRORS, seed)?;
    Ok(simulation.with_network_packets().with_effects(&Effects::NONE.with(Effect::Devices)))
}

fn workload(waste: Waste) -> Workload {
    let app = AppSpec {
        name: "com.example.news".into(),
        package: Some("com.example.news".into()),
        uid: 10_234,
        recorder: false,
        threads: vec![main(), service(waste), pictures(waste), tracker(waste), sender(waste)],
    };
    Workload {
        duration: Nanos::from_seconds(SECONDS),
        apps: vec![app, quiet_system(), recorder()],
        interrupts: vec![InterruptSpec {
            name: "arch_timer".into(),
            irq: 11,
            cpu: 0,
            mean_period: Nanos::new(40_000_000),
            hard: Nanos::new(4_000),
            soft: Some((1, Nanos::new(6_000))),
            wakes: None,
        }],
        events: Vec::new(),
    }
}

/// The system as it is while nobody uses the phone: it wakes up a tenth as often.
fn quiet_system() -> AppSpec {
    let mut system = system_server();
    for thread in &mut system.threads {
        for action in &mut thread.program {
            if let Action::Sleep { length, .. } = action {
                *length = Nanos::new(length.value() * 10);
            }
        }
    }
    system
}

fn main() -> ThreadSpec {
    use Action as A;
    let looper = A::call("android.os.Handler.dispatchMessage", vec![A::compute(0.4)]);
    ThreadSpec::new("m.example.news", vec![A::next_period(2000.0), looper])
}

/// The wakelock that stays held.
fn service(waste: Waste) -> ThreadSpec {
    use Action as A;
    let acquire = A::call("android.os.PowerManager$WakeLock.acquire", vec![A::compute(0.05)]);
    let start =
        A::call("com.example.news.SyncService.onStartCommand", vec![A::compute(0.6), acquire]);
    let mut program = vec![A::sleep(1500.0), start];
    if waste == Waste::None {
        let release = A::call("android.os.PowerManager$WakeLock.release", vec![A::compute(0.05)]);
        program.extend([A::sleep(800.0), release]);
    }
    let mut thread = ThreadSpec::new("SyncService", program);
    thread.once = true;
    thread
}

/// The costly method.
fn pictures(waste: Waste) -> ThreadSpec {
    use Action as A;
    let cycles = waste.choose(90.0, 6.0);
    let decode = A::call("com.example.news.ImageDecoder.decode", vec![A::compute(cycles)]);
    let refresh = A::call(
        "com.example.news.FeedSync.refresh",
        vec![
            A::call("com.example.news.FeedParser.parse", vec![A::compute(14.0)]),
            A::Repeat { times: 6, body: vec![decode] },
            A::call("com.example.news.FeedStore.save", vec![A::compute(4.0), A::sleep(3.0)]),
        ],
    );
    ThreadSpec::new("feed-sync", vec![A::next_period(3000.0), refresh])
}

/// The timer that nobody needs so often.
fn tracker(waste: Waste) -> ThreadSpec {
    use Action as A;
    let collect = A::call("com.example.tracker.Beacon.collect", vec![A::compute(0.7)]);
    ThreadSpec::new("tracker", vec![A::next_period(waste.choose(100.0, 10_000.0)), collect])
}

/// The network that is used a little all the time.
fn sender(waste: Waste) -> ThreadSpec {
    use Action as A;
    let transfer = A::Transfer(Transfer {
        interface: "wlan0".into(),
        rx_bytes: 0,
        tx_bytes: waste.choose(60, 3000),
        length: Nanos::from_seconds(4e-3),
    });
    let send = A::call(
        "com.example.tracker.Beacon.send",
        vec![A::call("java.net.SocketOutputStream.write", vec![A::compute(0.3), transfer])],
    );
    ThreadSpec::new("tracker-send", vec![A::next_period(waste.choose(200.0, 10_000.0)), send])
}
