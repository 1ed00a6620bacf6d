//! Rules on simulated phones with known truth: several defects at a time and in one thread, beside load, starts of apps and games. The
//! simulator knows no rule: it knows threads that sleep, compute, wake each other and move bytes.
#![expect(clippy::print_stdout, reason = "the scores are what a reader of the test wants")]

use std::collections::BTreeSet;

use wattle_diagnose::{DiagnoseOptions, Diagnosis, IdleChoice, Input, diagnose};
use wattle_ingest::read_bytes;
use wattle_ledger::{AttributionOptions, attribute};
use wattle_power::PowerEstimate;
use wattle_sim::android::{PanelContent, PanelMode, PanelRun};
use wattle_sim::{
    Action, AppSpec, InterruptSpec, PhoneSpec, Simulated, Simulation, SplitMix64, ThreadSpec,
    Transfer, Workload,
};
use wattle_timeline::{Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use crate::planted::traces::each;

/// Length of a recording of a phone, and when its user puts it down.
const LENGTH: f64 = 24.0;
const IDLE_FROM: f64 = 13.0;

/// A finding as far as it is compared with the truth: the rule, and the process or thread.
pub type Named = (String, String);

/// The outcome of one recording.
#[derive(Debug, Default)]
pub struct Score {
    injected: usize,
    found: usize,
    missed: Vec<String>,
    wrong: Vec<String>,
}

impl Score {
    pub fn new(name: &str, truth: &BTreeSet<Named>, found: &BTreeSet<Named>) -> Self {
        let said = |it: &Named| format!("{name}: {} {}", it.0, it.1);
        Self {
            injected: truth.len(),
            found: truth.intersection(found).count(),
            missed: truth.difference(found).map(said).collect(),
            wrong: found.difference(truth).map(said).collect(),
        }
    }
}

/// The figures of docs/diagnose.md; `recordings` is how many there were.
pub fn check(what: &str, scores: &[Score]) {
    let injected: usize = scores.iter().map(|it| it.injected).sum();
    let found: usize = scores.iter().map(|it| it.found).sum();
    let wrong: Vec<&String> = scores.iter().flat_map(|it| &it.wrong).collect();
    let missed: Vec<&String> = scores.iter().flat_map(|it| &it.missed).collect();
    println!(
        "{what}: {} recordings, {injected} injected, {found} found, {} false\nmissed {missed:#?}\nfalse {wrong:#?}",
        scores.len(),
        wrong.len()
    );
    assert!(injected > scores.len() / 2, "{what}: {injected} injected");
    assert!(found as f64 >= injected as f64 * 0.95, "{what}: {found} of {injected}: {missed:#?}");
    assert!(wrong.len() * 10 <= scores.len(), "{what}: {wrong:#?}");
}

pub fn look(timeline: &Timeline, idle: IdleChoice) -> Diagnosis {
    let power = PowerEstimate::default();
    let ledger = attribute(timeline, &power, &AttributionOptions::default()).unwrap();
    let mut options = DiagnoseOptions::default();
    options.idle = idle;
    let diagnosis = diagnose(Input { timeline, power: &power, ledger: &ledger }, &options).unwrap();
    super::properties::check(&diagnosis);
    diagnosis
}

/// Indices of threads that others wake, in the order of [`workload`]'s processes.
const SERVER: usize = 1;
const COLLECTOR: usize = 4;

/// A defect of an app on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Defect {
    /// Asks system_server for each frame.
    Chatter,
    /// Makes garbage.
    Churn,
    /// Works five times each second behind a dark window.
    Poll,
    /// Asks a server every three seconds.
    NetworkPoll,
    /// Decodes a film on the CPU.
    Video,
    /// Works for frames that it does not draw.
    Unseen,
    /// Shows few new pictures on a panel at a high rate.
    Refresh,
    /// Works in the background on big cores.
    BigCores,
    /// Spins after the phone was put down.
    Spin,
    /// Naps of some milliseconds after the phone was put down.
    Nap,
    /// A timer whose thread wakes another, which wakes the next, after the phone was put down.
    Chain,
    /// A touch controller that interrupts all the time.
    Breaker,
}

const ACTIVE: [Defect; 8] = [
    Defect::Chatter,
    Defect::Churn,
    Defect::Poll,
    Defect::NetworkPoll,
    Defect::Video,
    Defect::Unseen,
    Defect::Refresh,
    Defect::BigCores,
];
const AT_IDLE: [Defect; 4] = [Defect::Spin, Defect::Nap, Defect::Chain, Defect::Breaker];

impl Defect {
    fn truth(self) -> Named {
        let (rule, who) = match self {
            Self::Chatter => ("binder-chatter", "com.example.news"),
            Self::Churn => ("memory-churn", "com.example.news"),
            Self::Poll => ("background-poll", "com.example.sync"),
            Self::NetworkPoll => ("network-poll", "com.example.chat"),
            Self::Video => ("software-video", "media.swcodec"),
            Self::Unseen => ("unseen-frames", "com.example.maps"),
            Self::Refresh => ("high-refresh-rate", "com.example.news"),
            Self::BigCores => ("light-work-on-big-cores", "com.example.photos"),
            Self::Breaker => ("idle-breaker", "IRQ (fts_touch)"),
            Self::Chain => ("wake-chain", "com.example.clock"),
            Self::Spin => ("busy-wait", "com.example.sync"),
            Self::Nap => ("short-sleep", "com.example.chat"),
        };
        (rule.to_owned(), who.to_owned())
    }
}

fn exactly(millis: f64) -> Action {
    Action::Sleep { length: Nanos::from_seconds(millis * 1e-3), spread: 0.0 }
}

fn app(name: &str, uid: u32, threads: Vec<ThreadSpec>) -> AppSpec {
    let package = name.starts_with("com.").then(|| name.to_owned());
    AppSpec { name: name.to_owned(), package, uid, threads, recorder: false }
}

fn once(mut thread: ThreadSpec) -> ThreadSpec {
    thread.once = true;
    thread
}

/// A phone with these defects, and much else that is none.
fn workload(defects: &BTreeSet<Defect>, random: &mut SplitMix64) -> Workload {
    let has = |defect| defects.contains(&defect);
    let is_idle = AT_IDLE.iter().any(|it| has(*it));
    let loops = |name: &str, millis: f64, cycles: f64| {
        ThreadSpec::new(name, vec![Action::sleep(millis), Action::compute(cycles)])
    };
    let system = app(
        "system_server",
        1000,
        vec![
            loops("system_server", random.between(150.0, 900.0), 1.0),
            ThreadSpec::new("binder:1200_3", vec![Action::AwaitWake, Action::compute(0.15)]),
            loops("android.bg", random.between(200.0, 2000.0), random.between(0.5, 4.0)),
        ],
    );
    // The news app, in front until the phone is put down: its frames, its garbage, its questions.
    let frame = if random.chance(0.5) { 16.667 } else { 33.333 };
    let until = if is_idle { IDLE_FROM - 1.0 } else { LENGTH };
    let mut drawing = vec![Action::next_period(frame), Action::compute(random.between(0.5, 3.0))];
    let ask = || {
        Action::call(
            "com.example.news.Feed.checkNetwork",
            vec![Action::compute(0.2), Action::Wake { thread: SERVER }, Action::compute(0.1)],
        )
    };
    let parse = || {
        Action::call(
            "com.example.news.Feed.parse",
            vec![Action::compute(30.0), Action::Wake { thread: COLLECTOR }, Action::sleep(4.0)],
        )
    };
    // Both in one thread, sometimes.
    let is_one_thread = has(Defect::Chatter) && has(Defect::Churn) && random.chance(0.5);
    if has(Defect::Chatter) {
        drawing.push(ask());
    }
    let mut main: Vec<Action> = vec![Action::Repeat {
        times: (until * 1000.0 / frame) as u32,
        body: if is_one_thread {
            let parts = vec![Action::Repeat { times: 3, body: drawing.clone() }, parse()];
            vec![Action::Repeat { times: 1, body: parts }]
        } else {
            drawing.clone()
        },
    }];
    if is_one_thread {
        main = vec![Action::Repeat {
            times: (until * 1000.0 / (frame * 3.0 + 80.0)) as u32,
            body: vec![Action::Repeat { times: 3, body: drawing }, parse()],
        }];
    }
    main.push(Action::sleep(60_000.0));
    // Its start: work for a second, with questions by the dozen and a collection.
    let mut start = vec![Action::compute(400.0)];
    let question = vec![Action::Wake { thread: SERVER }, Action::compute(2.0), Action::sleep(1.0)];
    start.push(Action::Repeat { times: 120, body: question });
    start.extend([Action::Wake { thread: COLLECTOR }, Action::compute(200.0)]);
    let mut news = vec![
        ThreadSpec::new("m.example.news", main),
        ThreadSpec::new("HeapTaskDaemon", vec![Action::AwaitWake, Action::compute(14.0)]),
        once(ThreadSpec::new("Startup", start)),
        loops("Jit thread pool", random.between(300.0, 900.0), 2.0),
    ];
    let per_frame = vec![Action::next_period(frame), Action::compute(random.between(0.5, 2.0))];
    let render = Action::Repeat { times: (until * 1000.0 / frame) as u32, body: per_frame };
    news.push(ThreadSpec::new("RenderThread", vec![render, Action::sleep(60_000.0)]));
    if has(Defect::Churn) && !is_one_thread {
        news.push(ThreadSpec::new(
            "Parser",
            vec![parse(), Action::sleep(random.between(10.0, 40.0))],
        ));
    }
    // Apps in the background.
    let mut sync = vec![loops("m.example.sync", 4000.0, 0.5)];
    if has(Defect::Poll) {
        let period = random.between(100.0, 900.0);
        let refresh = Action::call(
            "com.example.sync.Refresher.refresh",
            vec![Action::compute(period * 0.02)],
        );
        sync.push(ThreadSpec::new("Refresher", vec![exactly(period), refresh]));
    }
    if has(Defect::Spin) {
        let spin = Action::call("com.example.sync.Waiter.spin", vec![Action::compute(5000.0)]);
        let after = Nanos::from_seconds(IDLE_FROM + random.between(0.5, 4.0));
        sync.push(once(ThreadSpec::new("Waiter", vec![spin]).starting_after(after)));
    }
    let mut chat = vec![loops("m.example.chat", 2500.0, 0.5)];
    let bytes = |rx_bytes| Transfer {
        interface: "wlan0".to_owned(),
        rx_bytes,
        tx_bytes: 300,
        length: Nanos::from_seconds(0.04),
    };
    if has(Defect::NetworkPoll) {
        let period = random.between(2.2, 3.2) * 1000.0;
        let poll = vec![exactly(period), Action::compute(0.5), Action::Transfer(bytes(600))];
        chat.push(ThreadSpec::new("OkHttp", poll));
    } else if random.chance(0.5) {
        // Downloads now and then.
        let load = vec![Action::sleep(5000.0), Action::Transfer(bytes(2_000_000))];
        chat.push(ThreadSpec::new("OkHttp", load));
    }
    if has(Defect::Nap) {
        let period = random.between(3.0, 14.0);
        let nap = Action::call("com.example.chat.Socket.poll", vec![Action::compute(0.1)]);
        let after = Nanos::from_seconds(IDLE_FROM + random.between(0.5, 4.0));
        chat.push(ThreadSpec::new("Socket", vec![exactly(period), nap]).starting_after(after));
    }
    let mut apps = vec![
        system,
        app("com.example.news", 10_201, news),
        app("com.example.sync", 10_202, sync),
        app("com.example.chat", 10_203, chat),
        app("/vendor/bin/hw/sensors", 1000, vec![loops("sensors", 60.0, 0.2)]),
    ];
    // Sound codecs run on the CPU by design.
    let mut codecs = vec![loops("media.swcodec", 1000.0, 0.2)];
    if random.chance(0.5) {
        codecs.push(ThreadSpec::new(
            "c2.android.aac.",
            vec![Action::next_period(23.0), Action::compute(1.0)],
        ));
    }
    if has(Defect::Video) {
        let decode = vec![Action::next_period(33.333), Action::compute(random.between(5.0, 15.0))];
        codecs.push(ThreadSpec::new("c2.android.avc.", decode));
    }
    if !is_idle {
        apps.push(app("media.swcodec", 1046, codecs));
        apps.push(app("com.example.maps", 10_205, maps(has(Defect::Unseen), random)));
        if random.chance(0.5) {
            let part = |name: &str, cycles: f64| {
                let frame = vec![
                    Action::next_period(16.667),
                    Action::compute(cycles),
                    Action::Draw { length: Nanos::from_seconds(0.006) },
                ];
                ThreadSpec::new(name, frame)
            };
            let game = vec![
                part("m.example.game", 4.0),
                part("UnityGfxDevice", 5.0),
                part("GLThread 12", 3.0),
            ];
            apps.push(app("com.example.game", 10_204, game));
        }
    }
    if has(Defect::BigCores) {
        apps.push(app("com.example.photos", 10_207, photos()));
    }
    if has(Defect::Chain) {
        let before: usize = apps.iter().map(|it| it.threads.len()).sum();
        apps.push(app("com.example.clock", 10_206, chain(before, random)));
    }
    for index in 0..random.below(6) {
        let name = format!("load-{index}");
        let millis = random.between(5.0, 60.0);
        // Irregular load of a platform's service, while the phone is used.
        let busy = vec![
            Action::sleep(millis),
            Action::compute(millis * random.between(0.02, 0.2)),
            Action::sleep(millis * 2.0),
        ];
        if !is_idle {
            apps.push(app(
                &format!("/system/bin/{name}"),
                1000,
                vec![ThreadSpec::new(&name, busy)],
            ));
        }
    }
    let interrupts = if is_idle { interrupts(has(Defect::Breaker), random) } else { Vec::new() };
    Workload { duration: Nanos::from_seconds(LENGTH), apps, interrupts, ..Workload::default() }
}

/// An app that shows nothing, whose indexer is bound to the second cluster.
fn photos() -> Vec<ThreadSpec> {
    // By no clock: a poll would be another defect.
    let index =
        [200.0, 1500.0, 500.0].map(|rest| vec![Action::sleep(rest), Action::compute(260.0)]);
    let index = index.concat();
    let idle = vec![Action::sleep(5000.0), Action::compute(0.2)];
    vec![
        ThreadSpec::new("example.photos", idle),
        ThreadSpec::new("Indexer", index).on_clusters(&[1]),
    ]
}

/// Whether the indexer of [`photos`] worked as much as the rule is about: more than a trifle, and no more than a little core could have
/// done. `None` where that is close.
fn is_light_work(phone: &PhoneSpec, simulated: &Simulated) -> Option<bool> {
    let worked = simulated.truth.threads.iter().find(|it| it.thread == "Indexer");
    let worked = worked.map_or(0.0, |it| it.cpu.seconds());
    let capacity = |cluster: usize| {
        let cluster = phone.clusters.get(cluster)?;
        Some(cluster.curve.last()?.frequency.value() as f64 * cluster.work_per_cycle)
    };
    let ratio = capacity(1)? / capacity(0)?;
    let little = worked * ratio / LENGTH;
    match () {
        () if worked > 2.3 && little < 0.45 && ratio > 1.6 => Some(true),
        () if worked < 1.7 || little > 0.55 || ratio < 1.4 => Some(false),
        () => None,
    }
}

/// Wi-Fi now and then, a timer of the kernel, and with the defect a touch controller.
fn interrupts(has_breaker: bool, random: &mut SplitMix64) -> Vec<InterruptSpec> {
    let every = |name: &str, irq: i32, millis: f64| InterruptSpec {
        name: name.to_owned(),
        irq,
        cpu: 0,
        mean_period: Nanos::from_seconds(millis * 1e-3),
        hard: Nanos::from_seconds(30e-6),
        soft: None,
        wakes: None,
    };
    let mut interrupts = vec![every("wlan0", 120, 250.0)];
    if random.chance(0.5) {
        interrupts.push(every("arch_timer", 3, random.between(8.0, 20.0)));
    }
    if has_breaker {
        interrupts.push(every("fts_touch", 310, random.between(5.0, 7.0)));
    }
    interrupts
}

/// The number of the news app's process in [`workload`].
const NEWS: u32 = 1100;

/// A panel with the news app's pictures from the start of a recording on.
fn panel(is_needless: bool, start: BootNanos, random: &mut SplitMix64) -> PanelRun {
    let at = |seconds: f64| start + Nanos::from_seconds(seconds);
    let content = |from: f64, to: f64, per_second: f64| PanelContent {
        pid: NEWS,
        layer: "TX - com.example.news/com.example.news.Main#0".to_owned(),
        from: at(from),
        to: at(to),
        per_second,
    };
    let fast: u32 = if random.chance(0.5) { 90 } else { 120 };
    let full = f64::from(fast);
    let mode = |from: f64, hertz: u32| PanelMode { from: at(from), hertz };
    let (low, length) = (random.between(2.0, 8.0), random.between(4.5, 9.0));
    let slow = [24.0, 30.0, full / 2.0][random.below(3) as usize];
    let three = |rate: f64| {
        let rest = content(low + length, LENGTH, full);
        vec![content(0.0, low, full), content(low, low + length, rate), rest]
    };
    let (modes, content) = match random.below(4) {
        _ if is_needless => (vec![mode(0.0, fast)], three(slow)),
        // Nothing but what 60 Hz can show.
        0 => (vec![mode(0.0, 60)], vec![content(0.0, LENGTH, slow)]),
        // A list that scrolls all the time.
        1 => (vec![mode(0.0, fast)], vec![content(0.0, LENGTH, full)]),
        // It stands still for a moment now and then.
        2 => {
            let scrolls = (0..6).map(|index| {
                let from = f64::from(index) * 4.0;
                content(from, from + random.between(2.2, 3.0), full)
            });
            (vec![mode(0.0, fast)], scrolls.collect())
        }
        // The panel follows.
        _ => (vec![mode(0.0, fast), mode(low, 60), mode(low + length, fast)], three(slow)),
    };
    PanelRun { modes, content, until: at(LENGTH) }
}

/// A map that is drawn for a second; with the defect its callback asks for frames for eight more, and nothing is drawn.
fn maps(is_unseen: bool, random: &mut SplitMix64) -> Vec<ThreadSpec> {
    let frames = |name: &str, times: u32, cycles: f64| Action::Repeat {
        times,
        body: vec![Action::next_period(16.667), Action::call(name, vec![Action::compute(cycles)])],
    };
    let cycles = random.between(0.3, 1.5);
    let mut main = vec![frames("Choreographer#doFrame", 60, cycles)];
    if is_unseen {
        main.push(Action::sleep(random.between(300.0, 2000.0)));
        main.push(frames("Choreographer#doFrame", 480, cycles));
    }
    main.push(Action::sleep(60_000.0));
    let render = vec![frames("DrawFrames", 60, cycles), Action::sleep(60_000.0)];
    vec![ThreadSpec::new("m.example.maps", main), ThreadSpec::new("RenderThread", render)]
}

/// A timer's thread and three others, each of which wakes the next; `before` is the number of threads of other processes.
fn chain(before: usize, random: &mut SplitMix64) -> Vec<ThreadSpec> {
    let wake = |index: usize| Action::Wake { thread: before + index };
    let link = |name: &str, next: usize| {
        ThreadSpec::new(name, vec![Action::AwaitWake, Action::compute(0.2), wake(next)])
    };
    let tick = vec![
        Action::Sleep { length: Nanos::from_seconds(random.between(0.25, 0.9)), spread: 0.0 },
        Action::compute(0.2),
        wake(1),
    ];
    vec![
        ThreadSpec::new("Ticker", tick),
        link("Dispatcher", 2),
        link("Worker", 3),
        ThreadSpec::new("Logger", vec![Action::AwaitWake, Action::compute(0.2)]),
    ]
}

/// The rules of all findings, with those whom they name.
pub fn rules_and_names(diagnosis: &Diagnosis) -> BTreeSet<Named> {
    let found = diagnosis.findings.iter();
    found.map(|it| (it.rule.0.clone(), it.who.clone().unwrap_or_default())).collect()
}

fn of_phone(seed: u64) -> Score {
    let mut random = SplitMix64::new(seed).fork(0x0DEF);
    let is_idle = seed % 4 == 3;
    let candidates: &[Defect] = if is_idle { &AT_IDLE } else { &ACTIVE };
    let mut defects = BTreeSet::new();
    // Every eighth recording has none.
    if !seed.is_multiple_of(8) {
        for _ in 0..=random.below(3) {
            defects.insert(candidates[random.below(candidates.len() as u64) as usize]);
        }
    }
    let phone =
        if seed.is_multiple_of(2) { PhoneSpec::pixel_like() } else { PhoneSpec::random(seed) };
    if phone.clusters.len() < 2 {
        defects.remove(&Defect::BigCores);
    }
    if defects.contains(&Defect::Spin) {
        // Who spins leaves no idle state to break, on a phone of few cores.
        defects.remove(&Defect::Breaker);
    }
    let workload = workload(&defects, &mut random);
    let simulation = Simulation::new(phone.clone(), workload, seed).unwrap();
    let mut simulated = simulation.with_network_packets().run().unwrap();
    if !is_idle {
        let panel = panel(defects.contains(&Defect::Refresh), simulated.truth.start, &mut random);
        simulated.trace = panel.write(simulated.trace).unwrap();
    }
    let timeline = read_bytes("simulated", &simulated.trace).unwrap();
    let window = timeline.window;
    let put_down = Window::new(window.start + Nanos::from_seconds(IDLE_FROM), window.end);
    let idle = if is_idle { IdleChoice::Given(vec![put_down]) } else { IdleChoice::Find };
    let diagnosis = look(&timeline, idle);
    let mut found = rules_and_names(&diagnosis);
    let mut truth: BTreeSet<Named> = defects.iter().map(|it| it.truth()).collect();
    let light_work = is_light_work(&phone, &simulated);
    if light_work != Some(true) {
        truth.remove(&Defect::BigCores.truth());
    }
    if light_work.is_none() {
        found.remove(&Defect::BigCores.truth());
    }
    Score::new(&format!("phone {seed} ({defects:?})"), &truth, &found)
}

#[test]
fn defects_of_phones_among_load_starts_and_games() {
    check("phones", &each(48, |index| of_phone(900 + index as u64)));
}

/// Seeds that nobody had looked at when the rules were changed last.
#[test]
fn held_out_phones() {
    check("held-out phones", &each(48, |index| of_phone(71_000 + index as u64)));
}
