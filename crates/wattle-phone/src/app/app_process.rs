//! The process of an app.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wattle_units::BootNanos;

use super::probe_numbers::ProbeNumbers;
use super::probe_recorder::ProbeRecorder;
use crate::core::Core;
use crate::device_log::{Line, Writer};
use crate::state::InstalledPackage;

/// A process of an app, which runs as long as the journal says.
#[derive(Debug)]
pub(crate) struct AppProcess {
    pub(crate) core: Arc<Core>,
    pub(crate) package: InstalledPackage,
    pub(crate) pid: u32,
    pub(crate) map: Option<Arc<ProbeNumbers>>,
    probes: Option<Mutex<ProbeRecorder>>,
}

impl AppProcess {
    /// Starts the app: the activity manager says so in the log.
    pub(crate) fn start(core: &Arc<Core>, package: &InstalledPackage, why: &str) -> Arc<Self> {
        let now = core.clock.boot();
        let pid = core.journal.begin(now, package.uid, &package.name, Some(&package.name));
        let map = ProbeNumbers::of_package(package).map(Arc::new);
        let probes = map
            .as_ref()
            .map(|map| Mutex::new(ProbeRecorder::new(core, package, pid, Arc::clone(map), now)));
        let text = format!(
            "Start proc {pid}:{}/{} for {why}",
            package.name,
            crate::system::user_name(package.uid)
        );
        let server = Writer { boot: now, uid: 1000, pid: 1331, tid: 1345 };
        let line = Line { level: 'I', tag: "ActivityManager", message: &text };
        core.log.write(&core.clock, "system", server, line);
        let process = Self { core: Arc::clone(core), package: package.clone(), pid, map, probes };
        Arc::new(process)
    }

    /// The recorder of its probes; `None` if it has none.
    pub(crate) fn probes(&self) -> Option<MutexGuard<'_, ProbeRecorder>> {
        self.probes.as_ref().map(|probes| probes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether it was not ended from outside.
    pub(crate) fn is_running(&self) -> bool {
        self.core.journal.is_running(self.pid)
    }

    /// Writes a line to the log.
    pub(crate) fn log(&self, at: BootNanos, tid: u32, level: char, tag: &str, message: &str) {
        let writer = Writer { boot: at, uid: self.package.uid, pid: self.pid, tid };
        self.core.log.write(&self.core.clock, "main", writer, Line { level, tag, message });
    }

    /// Ends in order: what the probes still hold is written.
    pub(crate) fn end(&self) {
        let now = self.core.clock.boot();
        if let Some(mut probes) = self.probes() {
            probes.drain(now);
        }
        self.core.journal.end(now, self.pid);
    }

    /// Dies of an exception: what the probes hold is lost.
    pub(crate) fn crash(&self, exception: &str, test: &str) {
        let now = self.core.clock.boot();
        let writer = Writer { boot: now, uid: self.package.uid, pid: self.pid, tid: self.pid };
        let text = format!(
            "FATAL EXCEPTION: main\nProcess: {}, PID: {}\n{exception}\n\tat {test}(Unknown Source:7)",
            self.package.name, self.pid
        );
        let line = Line { level: 'E', tag: "AndroidRuntime", message: &text };
        self.core.log.write(&self.core.clock, "crash", writer, line);
        self.core.journal.end(now, self.pid);
    }
}
