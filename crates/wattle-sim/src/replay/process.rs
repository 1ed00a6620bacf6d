//! Processes and threads with the numbers that they really had.

use wattle_units::{BootNanos, Nanos};

use super::{ReplayAction, ReplayEvent};
use crate::{Access, Action, Transfer};

/// A thread of a [`ReplayProcess`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayThread {
    /// The kernel's number of it.
    pub tid: u32,
    /// Its name; the kernel keeps 15 bytes of it.
    pub name: String,
    /// The kernel's priority: 120 for an ordinary thread, less is more urgent.
    pub priority: i32,
    /// When it was created. One that is older than its process is as old as that.
    pub start: BootNanos,
    /// When it ended; it sleeps until then after its last action.
    pub end: Option<BootNanos>,
    /// Actions of the thread. The order of equal instants is that of this list.
    pub actions: Vec<ReplayAction>,
    /// Actions that it repeats beside those, such as a service of the system. Threads with actions have none.
    pub program: Vec<Action>,
}

impl ReplayThread {
    /// A thread of ordinary priority that has done nothing and is as old as its process.
    pub fn new(tid: u32, name: &str) -> Self {
        Self {
            tid,
            name: name.to_owned(),
            priority: 120,
            start: BootNanos::MIN,
            end: None,
            actions: Vec::new(),
            program: Vec::new(),
        }
    }

    /// It works from an instant until another.
    #[must_use]
    pub fn busy(self, from: BootNanos, until: BootNanos) -> Self {
        self.did(from, ReplayEvent::Busy(until))
    }

    /// A section begins.
    #[must_use]
    pub fn begin(self, at: BootNanos, label: &str) -> Self {
        self.did(at, ReplayEvent::Begin(label.to_owned()))
    }

    /// The innermost section ends.
    #[must_use]
    pub fn end(self, at: BootNanos) -> Self {
        self.did(at, ReplayEvent::End)
    }

    /// Bytes are moved over a network.
    #[must_use]
    pub fn transfer(self, at: BootNanos, transfer: Transfer) -> Self {
        self.did(at, ReplayEvent::Transfer(transfer))
    }

    /// Storage is read or written.
    #[must_use]
    pub fn access(self, at: BootNanos, access: Access) -> Self {
        self.did(at, ReplayEvent::Access(access))
    }

    /// It did something.
    #[must_use]
    pub fn did(mut self, at: BootNanos, event: ReplayEvent) -> Self {
        self.actions.push(ReplayAction { at, event });
        self
    }
}

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayProcess {
    /// The kernel's number of it; its main thread has the same.
    pub pid: u32,
    /// The number of the process that made it.
    pub parent: u32,
    /// Its uid.
    pub uid: u32,
    /// Its name, that is, its command line.
    pub name: String,
    /// Its package, for apps.
    pub package: Option<String>,
    /// Whether it belongs to the recorder: what it draws is *profiling overhead*.
    pub recorder: bool,
    /// When it was made; before the window for most.
    pub start: BootNanos,
    /// When it ended.
    pub end: Option<BootNanos>,
    /// Its threads. Where the main one is missing, one is added that does nothing.
    pub threads: Vec<ReplayThread>,
}

impl ReplayProcess {
    /// A process without threads that `zygote64` or `init` made long ago.
    pub fn new(pid: u32, uid: u32, name: &str) -> Self {
        Self {
            pid,
            parent: 1,
            uid,
            name: name.to_owned(),
            package: None,
            recorder: false,
            start: BootNanos::MIN,
            end: None,
            threads: Vec::new(),
        }
    }

    /// The same, of an app's package.
    #[must_use]
    pub fn of_package(mut self, package: &str) -> Self {
        self.package = Some(package.to_owned());
        self
    }

    /// The same, made while the phone ran.
    #[must_use]
    pub fn living(mut self, start: BootNanos, end: Option<BootNanos>) -> Self {
        self.start = start;
        self.end = end;
        self
    }

    /// The same with one thread more.
    #[must_use]
    pub fn with_thread(mut self, thread: ReplayThread) -> Self {
        self.threads.push(thread);
        self
    }

    /// The same, belonging to the recorder.
    #[must_use]
    pub fn of_recorder(mut self) -> Self {
        self.recorder = true;
        self
    }
}

/// Processes that every phone has, with what they do all the time: `init`, `zygote64`, `surfaceflinger`,
/// `system_server` and the recorder's `traced` and `traced_probes`. Their numbers are below 2000.
pub fn system_processes() -> Vec<ReplayProcess> {
    let periodic = |tid, name: &str, millis: i64, million_cycles: f64| {
        let period = Nanos::new(millis * 1_000_000);
        let program = vec![Action::NextPeriod { period }, Action::compute(million_cycles)];
        ReplayThread { program, ..ReplayThread::new(tid, name) }
    };
    let quiet = |pid, uid, name: &str, comm: &str| {
        ReplayProcess::new(pid, uid, name).with_thread(ReplayThread::new(pid, comm))
    };
    let zygote = 561;
    let mut init = quiet(1, 0, "/system/bin/init", "init");
    init.parent = 0;
    let mut server = ReplayProcess::new(1331, 1000, "system_server")
        .with_thread(periodic(1331, "system_server", 130, 0.9))
        .with_thread(periodic(1345, "android.bg", 210, 2.5))
        .with_thread(periodic(1352, "binder:1331_1", 37, 0.25))
        .with_thread(periodic(1353, "binder:1331_2", 53, 0.3));
    server.parent = zygote;
    vec![
        init,
        quiet(zygote, 0, "zygote64", "main"),
        ReplayProcess::new(612, 1000, "/system/bin/surfaceflinger").with_thread(ReplayThread {
            priority: 97,
            ..periodic(612, "surfaceflinger", 100, 1.2)
        }),
        quiet(733, 9999, "/system/bin/traced", "traced").of_recorder(),
        ReplayProcess::new(735, 9999, "/system/bin/traced_probes")
            .with_thread(periodic(735, "traced_probes", 50, 0.5))
            .of_recorder(),
        server,
    ]
}
