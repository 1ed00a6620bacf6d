//! State shared by all parts of a running phone.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::art::ArtRuntime;
use crate::device_link::Link;
use crate::device_log::Log;
use crate::fault::{Faults, Strike};
use crate::phone_files::PhoneFiles;
use crate::power_meter::{PowerMeter, first_readings};
use crate::process_journal::Journal;
use crate::sandbox::Sandbox;
use crate::state::State;
use crate::tool_environment::{SOCKET, SOCKET_PATH};
use crate::{Event, PhoneClock, PhoneError, PhoneOptions};

/// The phone behind its handle.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) options: PhoneOptions,
    pub(crate) clock: PhoneClock,
    pub(crate) link: Link,
    pub(crate) files: PhoneFiles,
    pub(crate) log: Log,
    pub(crate) journal: Journal,
    pub(crate) meter: PowerMeter,
    /// The runtime that executes the code of packages, if enabled.
    pub(crate) runtime: Option<ArtRuntime>,
    state: Mutex<State>,
    faults: Mutex<Faults>,
    events: Mutex<Vec<Event>>,
    /// Commands of the shell that run now.
    commands: AtomicU32,
    /// Counts boots: what belongs to an earlier one ends.
    boots: AtomicU32,
    stopped: AtomicBool,
    sandbox: Mutex<Option<Arc<Sandbox>>>,
    /// Called before everything ends for a restart.
    before_reboot: fn(&Self),
}

impl Core {
    /// `before_reboot` is called before each restart: what records still writes what it has.
    pub(crate) fn start(
        options: PhoneOptions,
        before_reboot: fn(&Self),
    ) -> Result<Arc<Self>, PhoneError> {
        let clock = PhoneClock::start(options.clock.clone());
        let files = PhoneFiles::create(&options)?;
        let runtime = options.execute.then(ArtRuntime::find).transpose()?;
        let core = Self {
            state: Mutex::new(State::new(&options)),
            log: Log::new(options.seed),
            journal: Journal::new(&clock),
            meter: PowerMeter::new(&first_readings(&options), clock.boot()),
            link: Link::default(),
            runtime,
            faults: Mutex::default(),
            events: Mutex::default(),
            commands: AtomicU32::new(0),
            boots: AtomicU32::new(1),
            stopped: AtomicBool::new(false),
            sandbox: Mutex::new(None),
            before_reboot,
            clock,
            files,
            options,
        };
        Ok(Arc::new(core))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The banner that the phone sends when an adb server connects.
    pub(crate) fn banner(&self) -> String {
        let state = self.state();
        let mut banner = "device::".to_owned();
        for key in ["ro.product.name", "ro.product.model", "ro.product.device"] {
            let value = state.properties.get(key).map_or("", String::as_str);
            banner += &format!("{key}={value};");
        }
        let mut features = vec!["shell_v2", "cmd"];
        if self.options.api >= 26 {
            features.extend(["stat_v2", "fixed_push_mkdir"]);
        }
        if self.options.api >= 30 {
            features.extend(["ls_v2", "sendrecv_v2", "fixed_push_symlink_timestamp"]);
        }
        banner + "features=" + &features.join(",")
    }

    /// Ends everything that runs.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.journal.end_all(self.clock.boot());
        *self.place_of_sandbox() = None;
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// The number of this boot. What waits ends when it changes.
    pub(crate) fn boot_number(&self) -> u32 {
        if self.is_stopped() { 0 } else { self.boots.load(Ordering::SeqCst) }
    }

    /// Whether any command of the shell runs.
    pub(crate) fn is_commanded(&self) -> bool {
        self.commands.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn command_began(&self) {
        self.commands.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn command_ended(&self) {
        self.commands.fetch_sub(1, Ordering::SeqCst);
    }

    /// Restarts: everything that runs dies, what is faked is true again, clocks begin at 0, logs are empty.
    pub(crate) fn reboot(self: &Arc<Self>) {
        (self.before_reboot)(self);
        self.boots.fetch_add(1, Ordering::SeqCst);
        self.link.break_now(Some(self.options.reboot_takes));
        // A kernel that makes none any more leaves a phone that answers no command.
        let _ = self.start_sandbox();
        self.clock.reboot();
        self.log.clear_all();
        self.meter.reboot(&first_readings(&self.options), self.clock.boot());
        self.journal.reboot(&self.clock);
        self.state().reboot();
    }

    /// Ends all processes of a package.
    pub(crate) fn end_package(&self, name: &str) {
        let now = self.clock.boot();
        for process in self.journal.running() {
            if process.package.as_deref() == Some(name) {
                self.journal.end(now, process.pid);
            }
        }
    }

    /// All that has happened so far, in order.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something has happened: faults that wait for it strike.
    pub(crate) fn happened(self: &Arc<Self>, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        let strikes: Vec<(Duration, Strike)> = {
            let mut faults = self.faults();
            let (now, later) = std::mem::take(&mut faults.waiting)
                .into_iter()
                .partition(|(at, ..): &(Event, _, _)| *at == event);
            faults.waiting = later;
            let now: Vec<(Event, Duration, Strike)> = now;
            now.into_iter().map(|(_, delay, strike)| (delay, strike)).collect()
        };
        for (delay, strike) in strikes {
            let core = Arc::clone(self);
            let boot = self.boot_number();
            // Without a thread the fault does not strike, which the test that set it sees.
            let _ = std::thread::Builder::new().name("phone-fault".into()).spawn(move || {
                if core.pause(delay, boot) {
                    match strike {
                        Strike::Disconnect(away) => core.link.break_now(away),
                        Strike::Reboot => core.reboot(),
                    }
                }
            });
        }
    }

    /// Waits, and tells whether the phone still runs as it did.
    pub(crate) fn pause(&self, length: Duration, boot: u32) -> bool {
        let end = std::time::Instant::now() + length;
        loop {
            if self.boot_number() != boot {
                return false;
            }
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }

    /// Environment of the phone's shell.
    pub(crate) fn environment() -> BTreeMap<&'static str, OsString> {
        BTreeMap::from([
            ("PATH", "/system/bin".into()),
            ("HOME", "/".into()),
            ("TMPDIR", "/data/local/tmp".into()),
            ("ANDROID_ROOT", "/system".into()),
            ("ANDROID_DATA", "/data".into()),
            ("EXTERNAL_STORAGE", "/sdcard".into()),
            ("HOSTNAME", "wattle".into()),
            ("USER", "shell".into()),
            ("LOGNAME", "shell".into()),
            ("SHELL", "/system/bin/sh".into()),
            ("LC_ALL", "C".into()),
            (SOCKET, SOCKET_PATH.into()),
        ])
    }

    /// Starts the sandbox of the shell, in the place of one that ends with all that runs in it.
    pub(crate) fn start_sandbox(&self) -> io::Result<()> {
        let mut place = self.place_of_sandbox();
        // The old one first: it holds the same folders.
        *place = None;
        let made = Sandbox::start(&self.options.tool, self.files.plan(), Self::environment())?;
        *place = Some(Arc::new(made));
        Ok(())
    }

    /// The sandbox of the shell.
    ///
    /// # Errors
    /// When there is none, because the phone ends.
    pub(crate) fn sandbox(&self) -> io::Result<Arc<Sandbox>> {
        let place = self.place_of_sandbox();
        place.clone().ok_or_else(|| io::Error::other("the phone is going down"))
    }

    fn place_of_sandbox(&self) -> MutexGuard<'_, Option<Arc<Sandbox>>> {
        self.sandbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
