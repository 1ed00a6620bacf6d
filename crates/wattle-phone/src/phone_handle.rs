//! The handle of a simulated phone.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::battery_state::Battery;
use crate::core::Core;
use crate::daemon::{Listener, RunKey};
use crate::fault::Strike;
use crate::phone_options::API_LEVELS;
use crate::state::InstalledPackage;
use crate::system::Refresher;
use crate::tool_server::Server;
use crate::{Event, Fault, Namespace, PhoneError, PhoneOptions, RecordedTruth};

/// A phone that runs. It stops when this is dropped, with everything that runs on it.
#[derive(Debug)]
pub struct Phone {
    core: Arc<Core>,
    _server: ServerEnd,
    listener: Listener,
    // Dropped after the listener: what the shell has started may still call.
    _tools: Server,
    _kernel: Refresher,
    // The last: threads of apps may go on for a moment, without a place to write to.
    _folder: FolderEnd,
}

/// Removes the phone's folder when dropped, and again while something that has not noticed the end yet still writes to it.
#[derive(Debug)]
struct FolderEnd(Option<TempDir>);

impl Drop for FolderEnd {
    fn drop(&mut self) {
        let Some(folder) = self.0.take() else { return };
        let path = folder.keep();
        for _ in 0..200 {
            match std::fs::remove_dir_all(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                _ => return,
            }
        }
    }
}

/// Ends the adb server of this phone alone, when dropped.
#[derive(Debug)]
struct ServerEnd(PathBuf);

impl Drop for ServerEnd {
    fn drop(&mut self) {
        crate::sandbox::end_adb_server(&self.0);
    }
}

impl Phone {
    /// Starts a phone.
    pub fn start(options: PhoneOptions) -> Result<Self, PhoneError> {
        check(&options)?;
        let port = options.port;
        let packages = options.packages.clone();
        let core = Core::start(options, crate::recording::flush_all)?;
        crate::made::install(&core)?;
        for package in &packages {
            crate::command::preinstall(&core, package)?;
        }
        let kernel = Refresher::start(&core).map_err(PhoneError::host("making its /proc"))?;
        let tools = Server::start(&core).map_err(PhoneError::host("listening to its programs"))?;
        let key = RunKey::get().and_then(|key| key.write(&core.files.key()));
        key.map_err(PhoneError::host("making the key for adb"))?;
        core.start_sandbox().map_err(PhoneError::Sandbox)?;
        let listener =
            Listener::start(&core, port).map_err(PhoneError::host("listening to adb servers"))?;
        let folder = core.files.take_folder();
        Ok(Self {
            _server: ServerEnd(core.files.adb_socket()),
            core,
            listener,
            _tools: tools,
            _kernel: kernel,
            _folder: FolderEnd(folder),
        })
    }

    /// The address for `adb connect ADDRESS`.
    pub const fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// adb's name of it.
    pub fn serial(&self) -> String {
        self.address().to_string()
    }

    /// The file with the private key that an adb server must have to use it: `ADB_VENDOR_KEYS` of the server's environment.
    ///
    /// It is made for this run, and only this user can read it.
    pub fn adb_key(&self) -> PathBuf {
        self.core.files.key()
    }

    /// The socket, in a folder that only this user can open, for an adb server that is for this phone alone:
    /// `ADB_SERVER_SOCKET=localfilesystem:…`. A server that listens there ends with the phone.
    pub fn adb_socket(&self) -> PathBuf {
        self.core.files.adb_socket()
    }

    /// The variables of such a server's environment: it has the key, and leaves the user's own alone.
    pub fn adb_environment(&self) -> BTreeMap<String, OsString> {
        let files = &self.core.files;
        let home = files.adb_home();
        // Its log goes where temporary files go.
        let pairs = [("HOME", home.clone()), ("TMPDIR", home), ("ADB_VENDOR_KEYS", files.key())];
        pairs.map(|(name, path)| (name.to_owned(), path.into())).into()
    }

    /// Makes something go wrong, now or when its time comes.
    pub fn inject(&self, fault: Fault) {
        let core = &self.core;
        match fault {
            Fault::DisconnectAfter { bytes, away } => core.link.break_after(bytes, away),
            Fault::DisconnectAt { event, delay, away } => {
                core.faults().waiting.push((event, delay, Strike::Disconnect(away)));
            }
            Fault::RebootAt { event, delay } => {
                core.faults().waiting.push((event, delay, Strike::Reboot));
            }
            Fault::SlowLink { bytes_per_second } => core.link.limit(Some(bytes_per_second)),
            Fault::FullStorage { free_bytes } => core.files.set_free(free_bytes),
            Fault::RefuseInstall { reason } => core.faults().refuse_install = Some(reason),
            Fault::CrashTest { number } => core.faults().crash_test = Some(number),
            Fault::LoseLogLines { fraction } => core.log.lose(fraction),
            Fault::RefuseRecording => core.faults().refuse_recording = true,
            Fault::Hot { celsius } => {
                let mut state = core.state();
                state.battery.celsius = celsius;
                state.celsius = celsius + 6.0;
            }
            Fault::Charging => core.state().battery.charging = true,
            Fault::LowBattery { percent } => core.state().battery.set_percent(percent),
            Fault::PowerSave => core.state().settings.put(Namespace::Global, "low_power", "1"),
        }
    }

    /// Takes back all faults that can be taken back: the link is whole and fast, storage is free, packages are taken.
    pub fn repair(&self) {
        self.core.link.repair();
        self.core.link.limit(None);
        self.core.files.set_free(self.core.options.free_bytes);
        self.core.log.lose(0.0);
        *self.core.faults() = crate::fault::Faults::default();
        let options = &self.core.options.battery;
        let mut state = self.core.state();
        state.battery.celsius = options.celsius;
        state.battery.charging = options.usb_powered;
        state.battery.set_percent(options.percent);
        state.celsius = options.celsius + 6.0;
        state.settings.put(Namespace::Global, "low_power", "0");
    }

    /// Environment for a real `adbd` in front of this phone, where the phone's folders are those of the machine (as
    /// mounted by `tests/adbd/adbd.sh`): its shell's programs then call this phone. Faults of the link are not its own then.
    pub fn adbd_environment(&self) -> BTreeMap<&'static str, OsString> {
        let mut environment = Core::environment();
        environment.insert(crate::tool_environment::SOCKET, self.core.files.socket().into());
        environment
    }

    /// Can be reached again after a disconnection.
    pub fn reconnect(&self) {
        self.core.link.repair();
    }

    /// Restarts it.
    pub fn reboot(&self) {
        self.core.reboot();
    }

    /// The events so far, in order.
    pub fn events(&self) -> Vec<Event> {
        self.core.events()
    }

    /// A setting.
    pub fn setting(&self, namespace: Namespace, key: &str) -> Option<String> {
        self.core.state().settings.get(namespace, key).map(str::to_owned)
    }

    /// All settings of a table.
    pub fn settings(&self, namespace: Namespace) -> BTreeMap<String, String> {
        let state = self.core.state();
        let pairs = state.settings.list(namespace);
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// A system property.
    pub fn property(&self, key: &str) -> Option<String> {
        self.core.state().properties.get(key).cloned()
    }

    /// The battery, with what is faked of it.
    pub fn battery(&self) -> Battery {
        crate::recording::read_rails(&self.core);
        self.core.state().battery.clone()
    }

    /// Whether `svc power stayon` keeps the screen lit.
    pub fn stays_on(&self) -> bool {
        self.core.state().stay_on
    }

    /// Whether its clocks are fixed (`cmd power set-fixed-performance-mode-enabled`).
    pub fn has_fixed_performance(&self) -> bool {
        self.core.state().fixed_performance
    }

    /// Whether the screen is lit.
    pub fn is_awake(&self) -> bool {
        self.core.state().awake
    }

    /// An installed package.
    pub fn package(&self, name: &str) -> Option<InstalledPackage> {
        self.core.state().packages.by_name.get(name).cloned()
    }

    /// Names of all packages that did not come with the phone.
    pub fn packages(&self) -> Vec<String> {
        let state = self.core.state();
        let own = state.packages.by_name.values().filter(|package| !package.system);
        own.map(|package| package.name.clone()).collect()
    }

    /// Processes of the recorder that run: number and name.
    pub fn recorders(&self) -> Vec<(u32, String)> {
        let running = self.core.journal.running().into_iter();
        running
            .filter(|process| process.recorder && process.pid > 2000 || process.uid == 2000)
            .map(|process| (process.pid, process.name))
            .collect()
    }

    /// Whether a process of the phone's shell runs, by its number in the phone.
    pub fn is_running(&self, pid: u32) -> bool {
        self.core.sandbox().is_ok_and(|sandbox| sandbox.holds(pid))
    }

    /// Processes of an app that run.
    pub fn processes_of(&self, package: &str) -> Vec<u32> {
        let running = self.core.journal.running().into_iter();
        running
            .filter(|process| process.package.as_deref() == Some(package))
            .map(|process| process.pid)
            .collect()
    }

    /// Size of a log buffer (`main`) in bytes.
    pub fn log_buffer(&self, name: &str) -> u64 {
        let place = crate::device_log::BUFFERS.iter().position(|buffer| *buffer == name);
        place.map_or(0, |place| self.core.log.size(place).0)
    }

    /// Log lines that [`Fault::LoseLogLines`] has dropped, by tag.
    pub fn lost_log_lines(&self) -> BTreeMap<String, u64> {
        self.core.log.lost()
    }

    /// Log lines that newer ones have overwritten.
    pub fn overwritten_log_lines(&self) -> u64 {
        self.core.log.overwritten()
    }

    /// Bytes that went over the link.
    pub fn carried_bytes(&self) -> u64 {
        self.core.link.carried()
    }

    /// The ground truth of the recordings that `perfetto` has made, in their order.
    pub fn truths(&self) -> Vec<RecordedTruth> {
        self.core.state().truths.clone()
    }

    /// The host path of a path of the phone. Valid as long as the phone.
    pub fn host_path(&self, path: &str) -> PathBuf {
        self.core.files.on_host(path)
    }

    /// Now, by the phone's boot time.
    pub fn boot_now(&self) -> wattle_units::BootNanos {
        self.core.clock.boot()
    }

    /// Now, by the phone's wall clock: Unix nanoseconds.
    pub fn wall_now(&self) -> i64 {
        self.core.clock.wall()
    }
}

fn check(options: &PhoneOptions) -> Result<(), PhoneError> {
    if !API_LEVELS.contains(&options.api) {
        return Err(PhoneError::Option {
            option: "api",
            expected: "a level from 24 to 36",
            found: options.api.to_string(),
        });
    }
    if options.tool.is_empty() {
        return Err(PhoneError::Option {
            option: "tool",
            expected: "a program",
            found: "nothing".to_owned(),
        });
    }
    let cpus = options.hardware.cpus();
    if cpus == 0 || cpus > 64 {
        return Err(PhoneError::Option {
            option: "hardware",
            expected: "1 to 64 CPUs",
            found: cpus.to_string(),
        });
    }
    Ok(())
}
