//! One run with one period.

use anyhow::Context as _;
use wattle_ledger::{Account, AttributionOptions, Ledger};
use wattle_power::{DeviceModel, PowerOptions};
use wattle_sim::{Simulated, scenario};
use wattle_timeline::{SliceScope, Timeline};
use wattle_units::{Estimate, Nanos};

use super::bytes::SharedBytes;

/// The result of one run with one period.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Time from one poll to the next, milliseconds.
    pub period_ms: u32,
    /// The simulator's seed.
    pub seed: u64,
    /// The attribution of bytes.
    pub bytes: SharedBytes,
    /// Time on a CPU of the polling process.
    pub poller_cpu: Nanos,
    /// The profiling overhead attributed to it in the ledger.
    pub poller: Estimate,
    /// The run time of a task that shares the phone's only core with the poller.
    pub run_time: Nanos,
}

impl Measured {
    /// Runs the simulated phone twice: the accesses, and the task whose run time is taken.
    pub fn new(period_ms: u32, seed: u64) -> anyhow::Result<Self> {
        let period = Nanos::new(i64::from(period_ms) * 1_000_000);
        let simulated = scenario::web_access(period, seed)?.run()?;
        let timeline = read(&simulated)?;
        let bytes = SharedBytes::new(&timeline)?;
        let ledger = ledger(&simulated, &timeline)?;
        let pid = timeline.tasks.recorders.first().context("expected the poller's number")?.0;
        let poller_cpu = ledger
            .rows
            .threads
            .iter()
            .filter(|thread| process(&ledger, thread.process) == Some(pid))
            .map(|thread| thread.cpu)
            .sum();
        let poller = ledger
            .estimate_where(|booking| {
                let account = ledger.rows.accounts.get(booking.account.0 as usize);
                let Some(Account::Recorder { path }) = account else { return false };
                let thread =
                    ledger.rows.paths.get(path.0 as usize).map(|path| path.thread as usize);
                let thread = thread.and_then(|thread| ledger.rows.threads.get(thread));
                thread.and_then(|thread| process(&ledger, thread.process)) == Some(pid)
            })
            .context("expected energy of the poller in the ledger")?;
        let run_time = run_time(period, seed)?;
        Ok(Self { period_ms, seed, bytes, poller_cpu, poller, run_time })
    }
}

/// The kernel's number of a row of processes.
fn process(ledger: &Ledger, row: u32) -> Option<u32> {
    ledger.rows.processes.get(row as usize)?.pid
}

/// Trace and polled counters as one recording.
fn read(simulated: &Simulated) -> anyhow::Result<Timeline> {
    let counters = simulated.counters.as_deref().context("expected polled counters")?;
    let artifacts = [("demo.perfetto-trace", &*simulated.trace), ("counters.txt", counters)];
    Ok(wattle_ingest::read_all_bytes(&artifacts)?)
}

fn ledger(simulated: &Simulated, timeline: &Timeline) -> anyhow::Result<Ledger> {
    let mut options = PowerOptions::default();
    options.device_models = vec![DeviceModel::parse("demo", &simulated.device_model)?];
    let power = wattle_power::estimate(timeline, &options)?;
    // Several runs work at once: more threads for each would only get in each other's way.
    let mut attribution = AttributionOptions::default();
    attribution.threads = 1;
    Ok(wattle_ledger::attribute(timeline, &power, &attribution)?)
}

/// The duration of the only section of the polled task.
fn run_time(period: Nanos, seed: u64) -> anyhow::Result<Nanos> {
    let simulated = scenario::polled_task(Some(period), seed)?.run()?;
    let timeline = read(&simulated)?;
    let mut slices = timeline
        .code
        .slices
        .tracks
        .iter()
        .filter(|track| matches!(track.scope, SliceScope::Thread(_)))
        .flat_map(|track| timeline.code.slices.of(track));
    let slice = slices.next().filter(|slice| !slice.is_unfinished());
    let slice = slice.context("expected the task's section in the trace, found none")?;
    Ok(slice.end - slice.start)
}
