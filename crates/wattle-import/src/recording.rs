//! Facts in `recording.json`: the app, the device, the run, clocks, what is missing.

use wattle_recording::{Iteration, Outcome, Recording};
use wattle_timeline::{
    Architecture, CpuFacts, DeviceFacts, Emulator, Note, ProbeCost, Severity, TestOutcome, TestRun,
    Timeline, TimelineBuilder, Window,
};
use wattle_units::{BootNanos, Hertz, Nanos};

use crate::{Clock, ClockFacts, Derivation, DerivationStage};

/// CPUs of a description that are believed.
const MAX_CPUS: u32 = 4096;

/// Gives the builder what does not depend on clocks.
pub(crate) fn apply(recording: &Recording, builder: &mut TimelineBuilder) {
    for app in &recording.apps {
        let package = builder.names.intern(&app.package);
        builder.tasks().app(package);
    }
    for recorder in &recording.recorders {
        builder.tasks().recorder(recorder.pid);
    }
    if let Some(cost) = &recording.probe_cost {
        let nanos = |value: f64| Nanos::new(value.round() as i64);
        let is_sane = [cost.median_ns, cost.low_ns, cost.high_ns]
            .iter()
            .all(|value| (0.0..1e12).contains(value));
        if is_sane {
            // What lies between the time stamps was not measured: half of it is as good as any.
            let cost = ProbeCost {
                process: None,
                pair: nanos(cost.median_ns),
                low: nanos(cost.low_ns),
                high: nanos(cost.high_ns),
                inside: nanos(cost.median_ns / 2.0),
                pairs: cost.pairs,
            };
            builder.code().probe_cost(None, cost);
        }
    }
    if let Some(reason) = &recording.interrupted {
        let text = format!("the recording broke off ({reason}): figures are of what was saved");
        builder.note(Note::new(Severity::Warning, "recording-interrupted", text));
    }
    for source in
        recording.sources.iter().filter(|source| !source.recorded && !is_on_request(source))
    {
        let reason = source.reason.as_deref().unwrap_or("no reason is given");
        let text = format!("{} was not recorded: {reason}", source.name);
        builder.note(Note::new(Severity::Info, "source-missing", text));
    }
    for step in recording.steps.iter().filter(|step| step.restored == Some(false)) {
        let reason = step.error.as_deref().unwrap_or("no reason is given");
        let text = format!("{} was not put back after the run: {reason}", step.what);
        builder.note(Note::new(Severity::Warning, "not-restored", text));
    }
    let refused = |step: &&wattle_recording::StepFacts| step.restored.is_none();
    for step in recording.steps.iter().filter(refused) {
        if let Some(error) = &step.error {
            let text = format!("{} was not done: {error}", step.what);
            builder.note(Note::new(Severity::Warning, "not-prepared", text));
        }
    }
    for text in &recording.notes {
        builder.note(Note::new(Severity::Info, "recording", text.clone()));
    }
}

/// Nobody misses what nobody asked for.
fn is_on_request(source: &wattle_recording::SourceFacts) -> bool {
    source.reason.as_deref() == Some("only used on request")
}

/// Facts about the device in the recording, and the removal of a battery that was charged.
pub(crate) struct DeviceOfRecording(pub Recording);

impl Derivation for DeviceOfRecording {
    fn stage(&self) -> DerivationStage {
        DerivationStage::Device
    }

    fn derive(self: Box<Self>, timeline: &mut Timeline, _: &ClockFacts) {
        device(&self.0, &mut timeline.device);
        leave_out_charged_battery(&self.0, timeline);
    }
}

/// Removes the battery's currents if the phone was on a cable: the flow into or out of its battery is then not the
/// phone's consumption.
fn leave_out_charged_battery(recording: &Recording, timeline: &mut Timeline) {
    let battery = recording.device.as_ref().and_then(|device| device.battery.as_ref());
    let Some(battery) = battery.filter(|battery| !battery.plugged.is_empty()) else { return };
    if timeline.energy.batteries.is_empty() {
        return;
    }
    timeline.energy.batteries.clear();
    let text = format!(
        "the phone was plugged in ({}): its battery's currents are not what it drew and are left out; record over Wi-Fi to have \
         them",
        battery.plugged.join(", ")
    );
    timeline.quality.notes.push(Note::new(Severity::Warning, "battery-charged", text));
}

/// Fills in what the trace does not say of the device.
pub(crate) fn device(recording: &Recording, device: &mut DeviceFacts) {
    let Some(known) = &recording.device else { return };
    let fill = |slot: &mut Option<String>, value: &Option<String>| {
        if slot.is_none() {
            slot.clone_from(value);
        }
    };
    fill(&mut device.fingerprint, &known.fingerprint);
    fill(&mut device.manufacturer, &known.product.manufacturer);
    fill(&mut device.model, &known.product.model);
    fill(&mut device.codename, &known.product.codename);
    fill(&mut device.soc, &known.product.soc);
    fill(&mut device.board, &known.product.board);
    fill(&mut device.kernel, &known.kernel);
    device.sdk = device.sdk.or(known.sdk);
    let kernel = || known.kernel.as_deref().and_then(Architecture::from_kernel);
    let abi = || known.abi.as_deref().and_then(Architecture::from_machine);
    device.architecture = device.architecture.or_else(kernel).or_else(abi);
    device.emulator = device.emulator.or(known.emulator.then_some(Emulator::Android));
    if !device.cpus.is_empty() {
        return;
    }
    let listed = known.policies.iter().flat_map(|policy| &policy.cpus).chain(&known.cpus);
    let Some(last) = listed.copied().filter(|cpu| *cpu < MAX_CPUS).max() else { return };
    device.cpus = vec![CpuFacts::default(); last as usize + 1];
    for policy in &known.policies {
        for cpu in &policy.cpus {
            if let Some(facts) = device.cpus.get_mut(*cpu as usize) {
                let kilohertz = policy.frequencies_khz.iter().copied();
                facts.frequencies = kilohertz.map(Hertz::from_kilohertz).collect();
                facts.frequencies.sort_unstable();
            }
        }
    }
}

/// The uids of the packages that were recorded.
pub fn uids(recording: &Recording) -> Vec<(String, u32)> {
    let apps = recording.apps.iter();
    apps.filter_map(|app| Some((app.package.clone(), app.uid?))).collect()
}

/// The package, if only one was recorded.
pub fn only_app(recording: &Recording) -> Option<&str> {
    match recording.apps.as_slice() {
        [app] => Some(&app.package),
        _ => None,
    }
}

/// When the recording was made: from the first to the last thing that it says of clocks or iterations.
pub(crate) fn window(recording: &Recording, clocks: &ClockFacts) -> Option<Window> {
    let clocked = || {
        let start = recording.clocks_start.iter().map(|pair| pair.device_boot_ns).min()?;
        let ends = recording.clocks_end.iter();
        let end = ends.map(|pair| pair.device_boot_ns.saturating_add(pair.boot_step_ns)).max()?;
        Some(Window::new(BootNanos::new(start), BootNanos::new(end)))
    };
    let iterated = || {
        let host = clocks.fit(Clock::Host)?;
        let start = recording.iterations.iter().map(|it| it.start_host_ns).min()?;
        let end = recording.iterations.iter().map(|it| it.end_host_ns).max()?;
        let slack = Nanos::new(host.residual());
        let at = |time| BootNanos::new(host.to_boot(time));
        Some(Window::new(at(start) - slack, at(end) + slack))
    };
    clocked().or_else(iterated)
}

/// The time from the scenario's first mark to its last.
pub(crate) fn scenario(recording: &Recording) -> Option<Window> {
    let marks = |it: &Iteration| Some((it.start_boot_ns?, it.end_boot_ns?));
    let all: Option<Vec<(i64, i64)>> = recording.iterations.iter().map(marks).collect();
    let all = all?;
    let start = all.iter().map(|(start, _)| *start).min()?;
    let end = all.iter().map(|(_, end)| *end).max()?;
    (start < end).then(|| Window::new(BootNanos::new(start), BootNanos::new(end)))
}

/// The tests as the host saw them, unless the device's own log told of them.
pub(crate) fn tests(
    recording: &Recording,
    clocks: &ClockFacts,
    has_better: bool,
    builder: &mut TimelineBuilder,
) {
    let all = || recording.iterations.iter().flat_map(|it| it.tests.iter().map(move |t| (it, t)));
    if has_better || all().next().is_none() {
        return;
    }
    let Some(host) = clocks.fit(Clock::Host) else {
        let text = "the recording lists tests, but nothing leads from the host's clock to the device's: their energy is not told \
                    apart";
        builder.note(Note::new(Severity::Warning, "tests-unaligned", text));
        return;
    };
    let at = |time| BootNanos::new(host.to_boot(time));
    for (iteration, test) in all() {
        let name = builder.names.intern(&format!("{}#{}", test.class, test.method));
        builder.code().test(TestRun {
            name,
            iteration: iteration.number,
            window: Window::new(at(test.start_host_ns), at(test.end_host_ns)),
            uncertainty: Nanos::new(host.residual()),
            outcome: if test.is_not_executed() {
                TestOutcome::NotExecuted
            } else {
                outcome(test.outcome)
            },
        });
    }
}

fn outcome(outcome: Outcome) -> TestOutcome {
    match outcome {
        Outcome::Passed => TestOutcome::Passed,
        Outcome::Failed => TestOutcome::Failed,
        Outcome::Crashed => TestOutcome::Crashed,
        Outcome::Skipped => TestOutcome::Skipped,
        Outcome::Interrupted => TestOutcome::Interrupted,
    }
}
