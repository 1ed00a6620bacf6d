//! Five accesses to a web page, as Hitani and others measured them.

use wattle_units::Nanos;

use super::system_processes::{recorder, system_server};
use crate::SplitMix64;
use crate::{
    Access, Action, AppSpec, PhoneSpec, Poller, SimError, Simulation, ThreadSpec, Transfer,
    Workload,
};

/// The low-level calls that move bytes in [`web_access`]: those that a profiler allocates the counters to.
pub const WEB_CALLS: [&str; 5] = [
    "java.net.Socket.connect",
    "java.net.SocketOutputStream.write",
    "java.net.SocketInputStream.read",
    "java.io.FileInputStream.read",
    "java.io.FileOutputStream.write",
];

const CONNECT: &str = WEB_CALLS[0];
const WRITE: &str = WEB_CALLS[1];
const READ: &str = WEB_CALLS[2];
const FILE_READ: &str = WEB_CALLS[3];
const FILE_WRITE: &str = WEB_CALLS[4];

/// Number of accesses.
const ACCESSES: u32 = 5;
/// From one to the next, in seconds.
const APART: f64 = 3.0;

/// Five accesses to a web page, three seconds apart, with a shell that polls the counters of networks and disks at a
/// period, and hooks around all calls. Each access makes a dozen low-level calls ([`WEB_CALLS`]) on two threads that partly overlap; meanwhile other
/// processes use the network too. The sizes and lengths follow from the seed; the period changes none of them.
///
/// # Errors
///
/// When the period is below a millisecond.
pub fn web_access(period: Nanos, seed: u64) -> Result<Simulation, SimError> {
    let mut random = SplitMix64::new(seed).fork(6);
    // Somewhere between two readings, whatever their period is.
    let offset = random.between(0.25, 0.9);
    let (mut loader, mut images) = (Vec::new(), Vec::new());
    for _ in 0..ACCESSES {
        loader.extend([
            Action::NextPeriod { period: Nanos::from_seconds(APART) },
            exact_sleep(offset),
            page(&mut random),
        ]);
        images.extend([Action::AwaitWake, pictures(&mut random)]);
    }
    let once = |name: &str, program| {
        let mut thread = ThreadSpec::new(name, program);
        thread.once = true;
        thread
    };
    let main = vec![Action::next_period(100.0), Action::compute(0.4)];
    let app = AppSpec {
        name: "com.example.browser".into(),
        package: Some("com.example.browser".into()),
        uid: 10_245,
        threads: vec![
            once("loader", loader),
            once("images", images),
            ThreadSpec::new("m.example.browser", main),
        ],
        recorder: false,
    };
    let workload = Workload {
        duration: Nanos::from_seconds(APART * f64::from(ACCESSES + 1) + 0.5),
        apps: vec![app, others(&mut random), system_server(), recorder()],
        ..Workload::default()
    };
    let simulation = Simulation::new(PhoneSpec::pixel_like(), workload, seed)?.with_hooks();
    simulation.with_poller(Poller::new(900, period))
}

/// The page itself and what it refers to. The index of the thread for pictures is 1.
fn page(random: &mut SplitMix64) -> Action {
    let mut body = vec![
        Action::compute(3.0),
        Action::call(FILE_READ, vec![read_disk(random.between(2e3, 30e3), 2.0)]),
        Action::call(CONNECT, vec![network(0.0, 0.0, random.between(20.0, 60.0))]),
        Action::call(WRITE, vec![network(0.0, random.between(350.0, 900.0), 4.0)]),
        read_call(random, (8e3, 24e3), (60.0, 150.0)),
        Action::call("com.example.browser.Html.parse", vec![Action::compute(25.0)]),
        Action::Wake { thread: 1 },
    ];
    for _ in 0..3 {
        let write = network(0.0, random.between(300.0, 700.0), 3.0);
        body.push(Action::call(WRITE, vec![write]));
        body.push(read_call(random, (5e3, 40e3), (40.0, 160.0)));
        body.push(Action::compute(random.between(2.0, 12.0)));
    }
    let cache = Action::Access(Access {
        device: "sda".to_owned(),
        read_bytes: 0,
        write_bytes: random.between(20e3, 90e3) as u64,
        length: Nanos::from_seconds(random.between(4e-3, 15e-3)),
    });
    body.push(Action::call(FILE_WRITE, vec![cache]));
    Action::call("com.example.browser.PageLoader.load", body)
}

fn pictures(random: &mut SplitMix64) -> Action {
    let mut body = vec![Action::call(CONNECT, vec![network(0.0, 0.0, random.between(20.0, 60.0))])];
    for _ in 0..2 + random.below(3) {
        let write = network(0.0, random.between(300.0, 600.0), 3.0);
        body.push(Action::call(WRITE, vec![write]));
        body.push(read_call(random, (10e3, 60e3), (60.0, 260.0)));
        body.push(Action::call("com.example.browser.Image.decode", vec![Action::compute(14.0)]));
    }
    Action::call("com.example.browser.ImageLoader.load", body)
}

/// Other processes' traffic, all the time: a push service and a clock, a few kilobytes a second.
fn others(random: &mut SplitMix64) -> AppSpec {
    let push = vec![
        Action::sleep(random.between(330.0, 420.0)),
        Action::compute(0.3),
        network(700.0, 250.0, 12.0),
    ];
    let sync = vec![Action::sleep(2100.0), Action::compute(1.0), network(4200.0, 600.0, 60.0)];
    AppSpec {
        name: "com.example.push".into(),
        package: Some("com.example.push".into()),
        uid: 10_011,
        threads: vec![ThreadSpec::new("m.example.push", push), ThreadSpec::new("sync", sync)],
        recorder: false,
    }
}

fn read_call(random: &mut SplitMix64, bytes: (f64, f64), millis: (f64, f64)) -> Action {
    let bytes = random.between(bytes.0, bytes.1);
    let length = random.between(millis.0, millis.1);
    Action::call(READ, vec![network(bytes, 0.0, length), Action::compute(0.3)])
}

fn network(rx: f64, tx: f64, millis: f64) -> Action {
    Action::Transfer(Transfer {
        interface: "wlan0".to_owned(),
        rx_bytes: rx as u64,
        tx_bytes: tx as u64,
        length: Nanos::from_seconds(millis * 1e-3),
    })
}

fn read_disk(bytes: f64, millis: f64) -> Action {
    Action::Access(Access {
        device: "sda".to_owned(),
        read_bytes: bytes as u64,
        write_bytes: 0,
        length: Nanos::from_seconds(millis * 1e-3),
    })
}

fn exact_sleep(seconds: f64) -> Action {
    Action::Sleep { length: Nanos::from_seconds(seconds), spread: 0.0 }
}
