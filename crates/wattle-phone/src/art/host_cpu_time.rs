//! When the threads of a process executed, as the host's kernel counts it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time between two samples.
const PERIOD: Duration = Duration::from_millis(4);
/// Most samples that are kept of all threads; later ones are left out, and said to be.
const MOST_SAMPLES: usize = 20_000_000;

/// The CPU time of a thread at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CpuSample {
    /// `CLOCK_MONOTONIC` in nanoseconds.
    pub at: i64,
    /// CPU time since the thread began, in nanoseconds.
    pub used: i64,
}

/// A thread of the host, and what it used. Only samples at which it had used more than at the one before are kept, each
/// with the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct HostThread {
    pub name: String,
    pub samples: Vec<CpuSample>,
    latest: Option<CpuSample>,
}

impl HostThread {
    fn add(&mut self, sample: CpuSample) -> usize {
        let before = self.samples.len();
        let grown = match self.latest {
            None => sample.used > 0,
            Some(latest) => sample.used > latest.used,
        };
        if grown {
            if let Some(latest) = self.latest
                && self.samples.last() != Some(&latest)
            {
                self.samples.push(latest);
            }
            self.samples.push(sample);
        }
        self.latest = Some(sample);
        self.samples.len() - before
    }
}

/// Threads by the host's number.
pub(super) type HostThreads = BTreeMap<u32, HostThread>;

/// Samples a process until it is gone or nobody wants to know any more.
#[derive(Debug)]
pub(super) struct CpuSampler {
    threads: Arc<Mutex<HostThreads>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CpuSampler {
    pub fn start(process: u32) -> Self {
        let threads = Arc::new(Mutex::new(HostThreads::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (into, until) = (Arc::clone(&threads), Arc::clone(&stop));
        let run = move || {
            let folder = PathBuf::from(format!("/proc/{process}/task"));
            let mut kept = 0;
            while !until.load(Ordering::Relaxed) && kept < MOST_SAMPLES {
                let mut threads = into.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(added) = sample(&folder, &mut threads) else { break };
                drop(threads);
                kept += added;
                std::thread::sleep(PERIOD);
            }
        };
        let thread = std::thread::Builder::new().name("cpu time".to_owned()).spawn(run).ok();
        Self { threads, stop, thread }
    }

    /// The samples so far.
    pub fn threads(&self) -> HostThreads {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for CpuSampler {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// `CLOCK_MONOTONIC` in nanoseconds.
pub(super) fn monotonic() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec)
}

/// Takes a sample of all threads; `None` when the process is gone. `schedstat` holds the time on CPUs in nanoseconds,
/// the time in queues, and the number of turns (`Documentation/scheduler/sched-stats.rst` of the kernel).
fn sample(folder: &std::path::Path, threads: &mut HostThreads) -> Option<usize> {
    let mut added = 0;
    for task in std::fs::read_dir(folder).ok()?.filter_map(Result::ok) {
        let Some(number) = task.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
        let at = monotonic();
        let Some(used) = text.split_whitespace().next().and_then(|used| used.parse().ok()) else {
            continue;
        };
        let thread = threads.entry(number).or_insert_with(|| HostThread {
            name: std::fs::read_to_string(task.path().join("comm"))
                .map(|name| name.trim_end().to_owned())
                .unwrap_or_default(),
            ..HostThread::default()
        });
        added += thread.add(CpuSample { at, used });
    }
    Some(added)
}
