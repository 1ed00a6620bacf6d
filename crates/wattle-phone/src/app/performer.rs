//! A thread of an app at work.

use std::sync::Arc;
use std::time::Duration;

use wattle_sim::replay::ReplayEvent;
use wattle_sim::{Access, Transfer};
use wattle_units::{BootNanos, Nanos};

use super::AppProcess;
use crate::workload::Step;

/// The cost of a probe to its thread.
const PROBE_COST: Nanos = Nanos::new(600);
/// Time to the first byte over the network, and bytes a second.
const NETWORK: (Duration, f64) = (Duration::from_millis(9), 22e6);
/// Time to the first block of the storage, and bytes a second.
const STORAGE: (Duration, f64) = (Duration::from_micros(350), 240e6);

/// Runs steps in real time. Its own time goes exactly by the steps; the host's only has to keep up.
#[derive(Debug)]
pub(crate) struct Performer {
    process: Arc<AppProcess>,
    tid: u32,
    now: BootNanos,
    /// Numbers of the open methods, innermost last.
    open: Vec<String>,
    threads: Vec<std::thread::JoinHandle<BootNanos>>,
}

impl Performer {
    /// The main thread of a process.
    pub(crate) fn main(process: &Arc<AppProcess>) -> Self {
        Self::on(process, process.pid)
    }

    fn on(process: &Arc<AppProcess>, tid: u32) -> Self {
        let now = process.core.clock.boot();
        Self { process: Arc::clone(process), tid, now, open: Vec::new(), threads: Vec::new() }
    }

    /// Begins no earlier than now.
    pub(crate) fn catch_up(&mut self) {
        self.now = self.now.max(self.process.core.clock.boot());
    }

    /// Runs steps, and waits for the threads that they begin. `false` if the process was ended.
    pub(crate) fn run(&mut self, steps: &[Step]) -> bool {
        let alive = self.all(steps);
        for thread in std::mem::take(&mut self.threads) {
            if let Ok(end) = thread.join() {
                self.now = self.now.max(end);
            }
        }
        self.wait() && alive
    }

    fn all(&mut self, steps: &[Step]) -> bool {
        steps.iter().all(|step| self.one(step))
    }

    fn one(&mut self, step: &Step) -> bool {
        match step {
            Step::Busy(length) => self.busy(*length),
            Step::Sleep(length) => self.now = self.now + nanos(*length),
            Step::Network { rx, tx } => {
                let length = taking(NETWORK, rx + tx);
                let transfer = Transfer {
                    interface: "wlan0".to_owned(),
                    rx_bytes: *rx,
                    tx_bytes: *tx,
                    length,
                };
                self.did(ReplayEvent::Transfer(transfer));
                self.now = self.now + length;
            }
            Step::Storage { read, write } => {
                let length = taking(STORAGE, read + write);
                let access = Access {
                    device: "sda".to_owned(),
                    read_bytes: *read,
                    write_bytes: *write,
                    length,
                };
                self.did(ReplayEvent::Access(access));
                self.now = self.now + length;
            }
            Step::Log { level, tag, message } => {
                if !self.wait() {
                    return false;
                }
                self.process.log(self.now, self.tid, *level, tag, message);
            }
            Step::Call { method, body } => return self.call(method, body),
            Step::Api { method, body } => return self.api(method, body),
            Step::Thread { name, steps } => self.begin_thread(name, steps),
        }
        self.wait()
    }

    fn busy(&mut self, length: Duration) {
        let until = self.now + nanos(length);
        self.did(ReplayEvent::Busy(until));
        self.now = until;
    }

    fn did(&self, event: ReplayEvent) {
        self.process.core.journal.did(self.process.pid, self.tid, self.now, event);
    }

    /// Waits until the host's time is ours. `false` if the process was ended meanwhile.
    fn wait(&self) -> bool {
        loop {
            let left = (self.now - self.process.core.clock.boot()).value();
            if !self.process.is_running() {
                return false;
            }
            if left <= 0 {
                return true;
            }
            std::thread::sleep(Duration::from_nanos(left as u64).min(Duration::from_millis(20)));
        }
    }

    fn call(&mut self, method: &str, body: &[Step]) -> bool {
        self.probe(|probes, tid, now| probes.enter(tid, now, method));
        self.open.push(method.to_owned());
        let alive = self.all(body);
        self.open.pop();
        // A process that is gone returns from nothing.
        if alive {
            self.probe(|probes, tid, now| probes.exit(tid, now, method));
        }
        alive
    }

    fn api(&mut self, method: &str, body: &[Step]) -> bool {
        let caller = self.open.last().cloned().unwrap_or_default();
        self.probe(|probes, tid, now| probes.begin_call(tid, now, &caller, method));
        let alive = self.all(body);
        if alive {
            self.probe(|probes, tid, now| probes.end_call(tid, now, &caller, method));
        }
        alive
    }

    /// Lets a probe write, which takes a little, or longer when it is the first.
    fn probe(
        &mut self,
        write: impl FnOnce(
            &mut super::probe_recorder::ProbeRecorder,
            u32,
            BootNanos,
        ) -> Option<BootNanos>,
    ) {
        let process = Arc::clone(&self.process);
        let Some(mut probes) = process.probes() else { return };
        let Some(end) = write(&mut probes, self.tid, self.now) else { return };
        let end = end + PROBE_COST;
        self.did(ReplayEvent::Busy(end));
        self.now = end;
    }

    fn begin_thread(&mut self, name: &str, steps: &[Step]) {
        let core = Arc::clone(&self.process.core);
        let tid = core.journal.begin_thread(self.now, self.process.pid, name);
        let mut other = Self::on(&self.process, tid);
        other.now = self.now;
        let steps = steps.to_vec();
        let pid = self.process.pid;
        let started = std::thread::Builder::new().name("phone-app".into()).spawn(move || {
            other.run(&steps);
            core.journal.end_thread(other.now, pid, tid);
            other.now
        });
        if let Ok(thread) = started {
            self.threads.push(thread);
        }
    }
}

fn nanos(length: Duration) -> Nanos {
    Nanos::new(i64::try_from(length.as_nanos()).unwrap_or(i64::MAX))
}

fn taking((first, rate): (Duration, f64), bytes: u64) -> Nanos {
    nanos(first + Duration::from_secs_f64(bytes as f64 / rate))
}
