//! A replay: what was put in is what a reader of the recording finds, at the times it was put in.

use std::collections::BTreeMap;

use wattle_sim::replay::{
    RecordedSources, Replay, ReplayClocks, ReplayProcess, ReplayThread, ReplayWindow,
    system_processes,
};
use wattle_sim::{CurveErrors, Device, PhoneSpec, SimError, Simulated, Transfer};
use wattle_timeline::{Pid, SliceScope, Tid, Timeline, Uid};
use wattle_units::{BootNanos, Nanos};

/// An instant of boot time, in milliseconds after the window's begin.
fn ms(millis: i64) -> BootNanos {
    BootNanos::new(5_000_000_000 + millis * 1_000_000)
}

const WINDOW: ReplayWindow =
    ReplayWindow::new(BootNanos::new(5_000_000_000), BootNanos::new(6_000_000_000));

fn clocks() -> ReplayClocks {
    ReplayClocks {
        real_at_boot: Nanos::new(1_790_000_000_123_456_789),
        real_drift_ppm: 12.0,
        monotonic_behind: Nanos::new(2_000_000_000),
        ..ReplayClocks::default()
    }
}

/// Two threads of an app: one is in a section since before the window, the other is made within it.
fn app() -> ReplayProcess {
    let main = ReplayThread::new(4321, "m.example.shop")
        .begin(ms(-50), "application")
        .begin(ms(100), "outer")
        .busy(ms(100), ms(180))
        .begin(ms(120), "inner")
        .end(ms(150))
        .end(ms(180))
        .begin(ms(300), "waits")
        .end(ms(400));
    let worker = ReplayThread {
        start: ms(200),
        end: Some(ms(700)),
        ..ReplayThread::new(4400, "a-worker-with-a-long-name")
    }
    .busy(ms(200), ms(500))
    .begin(ms(250), "inner")
    .end(ms(450));
    ReplayProcess::new(4321, 10_077, "com.example.shop")
        .of_package("com.example.shop")
        .with_thread(main)
        .with_thread(worker)
}

fn replay(app: ReplayProcess) -> Replay {
    let mut replay = Replay::new(PhoneSpec::pixel_like(), clocks(), 7);
    for process in system_processes() {
        replay.add(process);
    }
    replay.add(app);
    replay
}

fn sources() -> RecordedSources {
    let mut sources = RecordedSources::default();
    sources.atrace_apps = vec!["com.example.shop".to_owned()];
    sources
}

fn read(simulated: &Simulated) -> Timeline {
    wattle_ingest::read_bytes("trace.perfetto-trace", &simulated.trace).unwrap()
}

/// `(thread, section) → (begin, end)` in milliseconds after the window's begin; in order of time.
fn sections(timeline: &Timeline) -> Vec<(u32, String, f64, f64)> {
    let mut all = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let tid = timeline.tasks.threads[thread.index()].tid.0;
        for slice in timeline.code.slices.of(track) {
            let name = timeline.names.get(slice.name).to_owned();
            let millis = |at: BootNanos| (at - WINDOW.start).milliseconds();
            all.push((tid, name, millis(slice.start), millis(slice.end)));
        }
    }
    all.sort_by(|a, b| a.2.total_cmp(&b.2));
    all
}

#[test]
fn a_reader_finds_what_happened() {
    let simulated = replay(app()).run(WINDOW, &sources()).unwrap();
    let timeline = read(&simulated);
    assert_eq!((timeline.window.start, timeline.window.end), (WINDOW.start, WINDOW.end));
    let shop = timeline.tasks.processes.iter().find(|it| it.pid == Pid(4321)).unwrap();
    assert_eq!(timeline.names.get(shop.name.unwrap()), "com.example.shop");
    assert_eq!(shop.uid, Some(Uid(10_077)));
    assert_eq!(timeline.names.get(shop.package.unwrap()), "com.example.shop");
    let worker = timeline.tasks.threads.iter().find(|it| it.tid == Tid(4400)).unwrap();
    assert_eq!(timeline.names.get(worker.name.unwrap()), "a-worker-with-a");
    let wanted = [
        (4321, "outer", 100.0, 180.0),
        (4321, "inner", 120.0, 150.0),
        (4400, "inner", 250.0, 450.0),
        (4321, "waits", 300.0, 400.0),
    ];
    let found = sections(&timeline);
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for ((tid, name, begin, end), wanted) in found.into_iter().zip(wanted) {
        assert_eq!((tid, name.as_str()), (wanted.0, wanted.1));
        // A core may have to come out of deep idle first.
        assert!((begin - wanted.2).abs() < 0.5, "{name} begins at {begin}");
        assert!((end - wanted.3).abs() < 0.5, "{name} ends at {end}");
    }
}

#[test]
fn truth_tells_threads_and_paths() {
    let truth = replay(app()).run(WINDOW, &sources()).unwrap().truth;
    assert!((truth.booked() / truth.total - 1.0).abs() < 1e-9);
    let cpu: BTreeMap<u32, f64> =
        truth.threads.iter().map(|thread| (thread.tid, thread.cpu.milliseconds())).collect();
    assert!((cpu[&4321] - 80.0).abs() < 1.0, "{cpu:?}");
    assert!((cpu[&4400] - 300.0).abs() < 1.0, "{cpu:?}");
    let own = |tid: u32, path: &[&str]| {
        let method = truth.methods.iter().find(|it| it.tid == tid && it.path == path).unwrap();
        (method.calls, method.self_cpu.milliseconds())
    };
    let (calls, millis) = own(4321, &["application", "outer", "inner"]);
    assert_eq!(calls, 1);
    assert!((millis - 30.0).abs() < 0.5, "{millis}");
    let (calls, millis) = own(4321, &["application", "outer"]);
    assert_eq!(calls, 1);
    assert!((millis - 50.0).abs() < 0.5, "{millis}");
    // It was entered before the window.
    assert_eq!(own(4321, &["application"]).0, 0);
    let (_, millis) = own(4400, &["inner"]);
    assert!((millis - 200.0).abs() < 0.5, "{millis}");
}

#[test]
fn the_same_replay_gives_the_same_bytes() {
    let run = || replay(app()).run(WINDOW, &sources()).unwrap();
    assert_eq!(run(), run());
    let other =
        replay(app()).with_errors(CurveErrors { shared_sd: 0.1, own_sd: 0.02, specimens: 4 });
    let other_run = other.run(WINDOW, &sources()).unwrap();
    assert_ne!(other_run.truth.total, run().truth.total);
    assert_eq!(other_run.device_model, other.device_model());
}

/// Energy of memory that the app has caused.
fn memory_of_the_app(simulated: &Simulated) -> f64 {
    let memory = simulated.truth.devices.iter().find(|it| it.device == Device::Memory);
    let processes = &memory.unwrap().processes;
    let app = processes.iter().find(|it| it.pid == 4321).unwrap();
    app.joules.value()
}

#[test]
fn code_is_the_same_whatever_runs_beside_it() {
    let memory = |others: u32| {
        let phone = PhoneSpec::pixel_like().with_memory_rails();
        let mut replay = Replay::new(phone, clocks(), 7);
        for pid in 0..others {
            replay.add(ReplayProcess::new(900 + pid, 1000, "another"));
        }
        replay.add(app());
        memory_of_the_app(&replay.run(WINDOW, &sources()).unwrap())
    };
    let (alone, crowded) = (memory(0), memory(3));
    assert!(alone > 0.0 && (crowded / alone - 1.0).abs() < 0.03, "{alone} {crowded}");
}

#[test]
fn what_was_not_asked_for_is_not_there() {
    let mut nothing = RecordedSources::default();
    nothing.scheduling = false;
    nothing.rails = false;
    nothing.battery = false;
    nothing.process_stats = false;
    nothing.packages = false;
    let with = read(&replay(app()).run(WINDOW, &sources()).unwrap());
    let without = read(&replay(app()).run(WINDOW, &nothing).unwrap());
    assert!(!with.energy.rails.is_empty() && without.energy.rails.is_empty());
    assert!(!with.energy.batteries.is_empty() && without.energy.batteries.is_empty());
    assert!(!with.tasks.packages.is_empty() && without.tasks.packages.is_empty());
    assert!(!with.code.slices.is_empty() && without.code.slices.is_empty());
    assert!(without.cpus.iter().all(|cpu| cpu.sched.is_empty()));
    let mut by_package = RecordedSources::default();
    by_package.atrace_apps = vec!["com.example.other".to_owned()];
    assert!(read(&replay(app()).run(WINDOW, &by_package).unwrap()).code.slices.is_empty());
}

#[test]
fn processes_of_another_time_are_not_there() {
    let early = ReplayProcess::new(50, 0, "early").living(ms(-100), Some(ms(-1)));
    let late = ReplayProcess::new(51, 0, "late").living(ms(1000), None);
    let within = ReplayProcess::new(52, 10_001, "com.example.within")
        .of_package("com.example.within")
        .living(ms(300), Some(ms(600)))
        .with_thread(ReplayThread::new(52, "within").busy(ms(310), ms(320)));
    let mut replay = replay(app());
    for process in [early, late, within] {
        replay.add(process);
    }
    let simulated = replay.run(WINDOW, &sources()).unwrap();
    let timeline = read(&simulated);
    let named = |name: &str| {
        timeline
            .tasks
            .processes
            .iter()
            .find(|it| it.name.is_some_and(|it| timeline.names.get(it) == name))
    };
    assert!(named("early").is_none() && named("late").is_none());
    let within = named("com.example.within").unwrap();
    assert_eq!((within.pid, within.uid), (Pid(52), Some(Uid(10_001))));
    let start = (within.start.unwrap() - WINDOW.start).milliseconds();
    assert!((299.9..301.0).contains(&start), "{start}");
    assert!(simulated.truth.threads.iter().all(|thread| ![50, 51].contains(&thread.pid)));
}

#[test]
fn a_thread_without_a_cpu_is_late() {
    // Three threads of a phone with one core want to work at the same time.
    let mut phone = PhoneSpec::small();
    phone.clusters.truncate(1);
    phone.clusters[0].cores = 1;
    let mut crowd = ReplayProcess::new(900, 10_001, "crowd");
    for number in 0..3 {
        let thread = ReplayThread::new(900 + number, "worker")
            .busy(ms(100), ms(200))
            .begin(ms(110), "half")
            .end(ms(190))
            .begin(ms(800), "rested")
            .busy(ms(800), ms(810))
            .end(ms(810));
        crowd = crowd.with_thread(thread);
    }
    let mut replay = Replay::new(phone, clocks(), 3);
    replay.add(crowd);
    let mut all = RecordedSources::default();
    all.atrace_apps = vec!["*".to_owned()];
    let simulated = replay.run(WINDOW, &all).unwrap();
    for thread in &simulated.truth.threads {
        let millis = thread.cpu.milliseconds();
        assert!((millis - 110.0).abs() < 1.0, "{millis}");
    }
    let found = sections(&read(&simulated));
    let last = found.iter().filter(|it| it.1 == "half").map(|it| it.3).fold(0.0, f64::max);
    assert!((365.0..395.0).contains(&last), "the last is done at {last}");
    // After a rest nobody is late any more but by those who run at the same time.
    let rested: Vec<f64> = found.iter().filter(|it| it.1 == "rested").map(|it| it.2).collect();
    assert!(rested.iter().all(|begin| (800.0..835.0).contains(begin)), "{rested:?}");
}

#[test]
fn the_clocks_are_told() {
    let simulated = replay(app()).run(WINDOW, &sources()).unwrap();
    let mut readings = 0;
    for packet in wattle_wire::Fields::new(&simulated.trace).map(Result::unwrap) {
        let Some(snapshot) = wattle_wire::Fields::find(packet.value.bytes(), 6) else { continue };
        let mut values = BTreeMap::new();
        for clock in wattle_wire::Fields::new(snapshot.bytes()).map(Result::unwrap) {
            if clock.number == 1 {
                let entry = clock.value.bytes();
                let part = |number| wattle_wire::Fields::find(entry, number).unwrap().uint();
                values.insert(part(1), part(2) as i64);
            }
        }
        let boot = values[&6];
        // 12 ppm of 5 to 6 seconds are 60 to 72 µs.
        let wall = values[&1] - boot - 1_790_000_000_123_456_789;
        assert!((60_000..=72_000).contains(&wall), "{wall}");
        assert_eq!(values[&3], boot - 2_000_000_000);
        readings += 1;
    }
    assert!(readings >= 2);
}

#[test]
fn transfers_belong_to_the_open_section() {
    let transfer = |rx, tx| Transfer {
        interface: "rmnet_data0".to_owned(),
        rx_bytes: rx,
        tx_bytes: tx,
        length: Nanos::new(20_000_000),
    };
    let main = ReplayThread::new(4321, "m.example.shop")
        .begin(ms(100), "java.net.SocketInputStream.read")
        .transfer(ms(101), transfer(10_000, 0))
        .transfer(ms(130), transfer(500, 20))
        .end(ms(160))
        .transfer(ms(200), transfer(0, 700));
    let app = ReplayProcess::new(4321, 10_077, "com.example.shop").with_thread(main);
    let mut packets = sources();
    packets.network_packets = true;
    let simulated = replay(app).run(WINDOW, &packets).unwrap();
    let bytes = &simulated.truth.bytes;
    assert_eq!(bytes.calls.len(), 2);
    let [read, thread] = [&bytes.calls[0], &bytes.calls[1]];
    assert_eq!(read.path, ["java.net.SocketInputStream.read"]);
    assert_eq!((read.own.inward, read.own.outward), (10_500, 20));
    assert!(thread.path.is_empty());
    assert_eq!(thread.own.outward, 700);
    let counted = bytes.counted("rmnet_data0");
    assert_eq!(counted, read.counted + thread.counted);
    // What the trace's packets say is what the interface counted.
    let timeline = read_packets(&simulated);
    assert_eq!(timeline, counted.total());
}

fn read_packets(simulated: &Simulated) -> u64 {
    read(simulated)
        .hardware
        .packets
        .iter()
        .filter(|it| it.uid == Some(Uid(10_077)))
        .map(|it| it.bytes)
        .sum()
}

#[test]
fn a_process_begins_on_an_idle_phone() {
    let thread =
        ReplayThread::new(70, "alone").begin(ms(400), "work").busy(ms(400), ms(450)).end(ms(450));
    let mut replay = Replay::new(PhoneSpec::pixel_like(), clocks(), 3);
    replay.add(ReplayProcess::new(70, 10_001, "alone").living(ms(400), None).with_thread(thread));
    let mut all = RecordedSources::default();
    all.atrace_apps = vec!["*".to_owned()];
    let found = sections(&read(&replay.run(WINDOW, &all).unwrap()));
    let [(70, name, begin, end)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(name, "work");
    assert!((400.0..400.5).contains(begin) && (450.0..450.7).contains(end), "{found:?}");
}

#[track_caller]
fn refuses(replay: &Replay, window: ReplayWindow, because: &str) {
    let error: SimError = replay.run(window, &sources()).unwrap_err();
    assert!(error.to_string().contains(because), "{error} does not say {because:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let replayed = replay(app());
    refuses(&replayed, ReplayWindow::new(ms(5), ms(5)), "1 ms to 1e6 s");
    refuses(&replayed, ReplayWindow::new(BootNanos::new(-5), ms(5)), "from boot on");
    let mut twice = replay(app());
    twice.add(ReplayProcess::new(4400, 0, "the worker's number"));
    refuses(&twice, WINDOW, "no other thread has");
    let nowhere =
        Transfer { interface: String::new(), rx_bytes: 1, tx_bytes: 1, length: Nanos::new(1) };
    let mut odd = replay(app());
    let thread = ReplayThread::new(77, "odd").transfer(ms(10), nowhere);
    odd.add(ReplayProcess::new(77, 0, "odd").with_thread(thread));
    refuses(&odd, WINDOW, "1 to 31 letters");
}
