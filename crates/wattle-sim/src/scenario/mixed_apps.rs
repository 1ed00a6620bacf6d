//! Several apps whose code, threads and phases are drawn.

use std::collections::BTreeMap;

use wattle_units::Nanos;

use super::news_app::DEMO_ERRORS;
use super::system_processes::{recorder, surface_flinger, system_server};
use crate::SplitMix64;
use crate::{
    Access, Action, AppSpec, Effect, Effects, InterruptSpec, PhoneSpec, RailClock, SimError,
    Simulation, ThreadSpec, Transfer, Workload,
};

/// Millions of cycles that a core does in a millisecond, about: to turn cycles into time.
const MILLION_CYCLES_A_MILLISECOND: f64 = 2.0;

/// A phone with rails and a workload of 2 to 4 apps, all drawn from the seed, with effects that the device model does not
/// know. The curves of the phone deviate from its model as those of [`super::demo`] do.
///
/// # Errors
///
/// When the duration is out of bounds.
pub fn mixed_apps(effects: &Effects, duration: Nanos, seed: u64) -> Result<Simulation, SimError> {
    other_apps(effects, duration, seed, seed)
}

/// The phone of a seed with the apps of another.
///
/// # Errors
///
/// When the duration is out of bounds.
pub fn other_apps(
    effects: &Effects,
    duration: Nanos,
    seed: u64,
    run_seed: u64,
) -> Result<Simulation, SimError> {
    let apps = workload(duration, SplitMix64::new(run_seed).fork(8));
    run_of(effects, apps, seed, (run_seed, run_seed))
}

/// The phone and the apps of a seed in a later run, in other air, after a change of their code: of so many methods in a hundred, each
/// by a factor of its own between 0.5 and 2. Without a change, 0, the apps are those of [`mixed_apps`].
///
/// # Errors
///
/// When the duration is out of bounds.
pub fn changed_apps(
    effects: &Effects,
    duration: Nanos,
    seed: u64,
    run_seed: u64,
    percent: u64,
) -> Result<Simulation, SimError> {
    let mut apps = workload(duration, SplitMix64::new(seed).fork(8));
    let mut random = SplitMix64::new(run_seed).fork(9);
    let mut factors = BTreeMap::new();
    for thread in apps.apps.iter_mut().flat_map(|app| &mut app.threads) {
        for action in &mut thread.program {
            change(action, 1.0, &mut |method: &str| {
                *factors.entry(method.to_owned()).or_insert_with(|| {
                    let changes = random.below(100) < percent;
                    if changes { 2.0_f64.powf(random.between(-1.0, 1.0)) } else { 1.0 }
                })
            });
        }
    }
    run_of(effects, apps, seed, (seed, run_seed))
}

/// Scales what each method computes itself.
fn change(action: &mut Action, factor: f64, of: &mut impl FnMut(&str) -> f64) {
    match action {
        Action::Call { method, body } => {
            let factor = of(method);
            for action in body {
                change(action, factor, of);
            }
        }
        Action::Compute { cycles, .. } => *cycles *= factor,
        _ => {}
    }
}

fn run_of(
    effects: &Effects,
    mut workload: Workload,
    seed: u64,
    (code_seed, run_seed): (u64, u64),
) -> Result<Simulation, SimError> {
    if effects.has(Effect::Recorder) {
        // It reads buffers that are larger, and counts more.
        workload.apps.extend(busy_recorder());
    }
    let mut phone = PhoneSpec::pixel_like();
    if effects.has(Effect::Devices) {
        phone = phone.with_device_rails();
    } else if effects.has(Effect::Contention) {
        phone = phone.with_memory_rails();
    }
    if effects.has(Effect::Drift) {
        for rail in &mut phone.rails {
            rail.clock = RailClock::MonotonicRaw;
        }
    }
    let simulation = Simulation::with_errors(phone, workload, DEMO_ERRORS, seed)?;
    Ok(simulation.with_effects(effects).run_as(code_seed, run_seed))
}

fn workload(duration: Nanos, mut random: SplitMix64) -> Workload {
    let count = 2 + random.below(3) as usize;
    let sizes: Vec<usize> = (0..count).map(|_| 3 + random.below(4) as usize).collect();
    let surface = sizes.iter().sum();
    let mut first = 0;
    let mut apps = Vec::new();
    for (index, threads) in sizes.into_iter().enumerate() {
        let code = Code::new(index, &mut random);
        let plan = Plan { duration: duration.seconds(), first, surface };
        apps.push(app(&code, plan, threads, &mut random));
        first += threads;
    }
    apps.extend([surface_flinger(), system_server(), recorder()]);
    Workload { duration, apps, interrupts: interrupts(), events: Vec::new() }
}

/// The run as the threads of an app have to know it.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Seconds.
    duration: f64,
    /// Place of the app's first thread among all.
    first: usize,
    /// Place of the thread that composes the screen.
    surface: usize,
}

/// A method: what it computes itself, and which ones it calls.
#[derive(Clone, Debug)]
struct Method {
    name: String,
    /// Millions of cycles of a little core.
    cycles: f64,
    callees: Vec<usize>,
    /// With all that it calls.
    total: f64,
}

/// The methods of an app. Callees come before their callers.
#[derive(Clone, Debug)]
struct Code {
    app: String,
    uid: u32,
    methods: Vec<Method>,
}

impl Code {
    fn new(index: usize, random: &mut SplitMix64) -> Self {
        let app = format!("com.example.app{index}");
        let mut methods: Vec<Method> = Vec::new();
        for number in 0..10 + random.below(31) as usize {
            // 100 µs to 30 ms of a little core at 1 GHz.
            let cycles = 10.0_f64.powf(random.between(-1.0, 1.48));
            let calls = if number < 4 { 0 } else { random.below(3) as usize };
            let callees: Vec<usize> = (0..calls)
                .map(|_| random.below(number as u64) as usize)
                .filter(|callee| methods[*callee].total < 8.0)
                .collect();
            let called: f64 = callees.iter().map(|callee| methods[*callee].total).sum();
            methods.push(Method {
                name: format!("{app}.Class{}.method{number}", number / 5),
                cycles,
                callees,
                total: cycles + called,
            });
        }
        Self { app, uid: 10_200 + index as u32, methods }
    }

    fn call(&self, method: usize) -> Action {
        let method = &self.methods[method];
        let mut body = vec![Action::compute(method.cycles * 0.6)];
        body.extend(method.callees.iter().map(|callee| self.call(*callee)));
        body.push(Action::compute(method.cycles * 0.4));
        Action::call(&method.name, body)
    }

    /// Methods of at most so many cycles together, at least one.
    fn some(&self, budget: f64, random: &mut SplitMix64) -> (Vec<Action>, f64) {
        let (mut body, mut total) = (Vec::new(), 0.0);
        for _ in 0..8 {
            let method = random.below(self.methods.len() as u64) as usize;
            if total + self.methods[method].total <= budget {
                total += self.methods[method].total;
                body.push(self.call(method));
            }
        }
        if body.is_empty() {
            let least = (0..self.methods.len())
                .min_by(|a, b| self.methods[*a].total.total_cmp(&self.methods[*b].total));
            body.extend(least.map(|method| self.call(method)));
            total = least.map_or(0.0, |method| self.methods[method].total);
        }
        (body, total)
    }
}

fn app(code: &Code, plan: Plan, threads: usize, random: &mut SplitMix64) -> AppSpec {
    let main = plan.first;
    let specs = (0..threads).map(|thread| match thread {
        0 => {
            let program = phases(code, plan, random, |code, random| {
                let (mut body, total) = code.some(7.0, random);
                let frame = Nanos::new(16_666_667);
                body.push(Action::Wake { thread: main + 1 });
                let mut iteration = vec![Action::NextPeriod { period: frame }];
                iteration.push(Action::call("Choreographer#doFrame", body));
                (iteration, (total / MILLION_CYCLES_A_MILLISECOND).max(16.7) * 1e-3)
            });
            ThreadSpec::new(&format!("main.{}", code.uid), program).with_priority(110)
        }
        1 => {
            let (mut body, _) = code.some(6.0, random);
            body.push(Action::Draw { length: Nanos::from_seconds(random.between(0.5e-3, 7e-3)) });
            body.push(Action::Wake { thread: plan.surface });
            let program = vec![Action::AwaitWake, Action::call("DrawFrames", body)];
            ThreadSpec::new("RenderThread", program).with_priority(110)
        }
        _ => {
            let program = phases(code, plan, random, |code, random| {
                let (mut body, total) = code.some(random.between(2.0, 60.0), random);
                let busy = total / MILLION_CYCLES_A_MILLISECOND;
                let duty = random.between(0.05, 0.6);
                let sleep = (busy * (1.0 - duty) / duty).clamp(1.0, 400.0);
                body.push(Action::compute(random.between(0.05, 0.4)));
                body.extend(waiting(random));
                body.push(Action::sleep(sleep));
                (body, (busy + sleep) * 1e-3)
            });
            ThreadSpec::new(&format!("worker-{thread}"), program)
        }
    });
    AppSpec {
        name: code.app.clone(),
        package: Some(code.app.clone()),
        uid: code.uid,
        threads: specs.collect(),
        recorder: false,
    }
}

/// Sometimes a transfer over Wi-Fi or an access to the disk.
fn waiting(random: &mut SplitMix64) -> Option<Action> {
    let (kind, size) = (random.below(6), 10.0_f64.powf(random.between(3.0, 5.5)));
    let length = Nanos::from_seconds(random.between(2e-3, 20e-3));
    match kind {
        0 => Some(Action::Transfer(Transfer {
            interface: "wlan0".to_owned(),
            rx_bytes: size as u64,
            tx_bytes: (size * 0.08) as u64,
            length,
        })),
        1 => Some(Action::Access(Access {
            device: "sda".to_owned(),
            read_bytes: size as u64,
            write_bytes: (size * 0.5) as u64,
            length,
        })),
        _ => None,
    }
}

/// A second process of the recorder, which reads large buffers.
fn busy_recorder() -> Option<AppSpec> {
    let mut second = recorder();
    second.name = "/system/bin/traced".into();
    let thread = second.threads.first_mut()?;
    thread.name = "traced".into();
    thread.program = vec![Action::next_period(100.0), Action::compute(4.0)];
    Some(second)
}

/// Three to six phases of a second or more each; in some the thread sleeps. `iteration` gives what a phase repeats and
/// how long it takes, in seconds.
fn phases(
    code: &Code,
    plan: Plan,
    random: &mut SplitMix64,
    iteration: impl Fn(&Code, &mut SplitMix64) -> (Vec<Action>, f64),
) -> Vec<Action> {
    let mut program = Vec::new();
    for _ in 0..3 + random.below(4) {
        let length = random.between(0.08, 0.3) * plan.duration;
        if random.chance(0.25) {
            program.push(Action::sleep(length * 1e3));
        }
        let (body, seconds) = iteration(code, random);
        let times = (length / seconds.max(1e-3)).clamp(1.0, 2000.0) as u32;
        program.push(Action::Repeat { times, body });
    }
    program
}

fn interrupts() -> Vec<InterruptSpec> {
    let source = |name: &str, irq, mean, hard, soft| InterruptSpec {
        name: name.to_owned(),
        irq,
        cpu: 0,
        mean_period: Nanos::new(mean),
        hard: Nanos::new(hard),
        soft: Some(soft),
        wakes: None,
    };
    vec![
        source("arch_timer", 11, 9_000_000, 4_000, (1, Nanos::new(6_000))),
        source("wlan0", 233, 14_000_000, 7_000, (3, Nanos::new(38_000))),
    ]
}
