//! The phone as a device, which fails where it is told to.

use std::io::{Cursor, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use wattle_device::adb::InstallRefusal;
use wattle_device::{
    Cancel, Device, DeviceError, FileFacts, InstallOptions, ShellEvent, ShellOutput, ShellStream,
};

use super::Phone;
use super::phone::App;

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The command does nothing and says no.
    Refuses,
    /// The command is done, but says no.
    DoneButRefuses,
    /// The command is done, but no answer comes in time.
    DoneButTimedOut,
    /// The device is gone for so many calls; what was asked was done.
    DoneButGone(usize),
    /// The device is gone for so many calls.
    Gone(usize),
    /// Somebody asks to stop before the call.
    Cancel,
    /// Somebody asks to stop while the call is made.
    CancelWhile,
}

/// Fault at the call of this number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: usize,
    pub kind: Kind,
}

/// Effect on the phone after a command.
type After = (String, fn(&mut Phone));

#[derive(Debug, Default)]
struct Inner {
    phone: Phone,
    /// Every command, in order.
    calls: Vec<String>,
    fault: Option<Fault>,
    /// The device is gone until the call of this number.
    gone_until: usize,
    after: Option<After>,
    installs: Vec<InstallOptions>,
    /// Cancelled by the fault.
    run: Option<Cancel>,
}

/// A device of a [`Phone`]. Devices made with `with_cancel` share it.
#[derive(Clone, Debug)]
pub struct ScriptedDevice {
    serial: String,
    inner: Arc<Mutex<Inner>>,
    cancel: Cancel,
}

impl ScriptedDevice {
    pub fn new(phone: Phone) -> Self {
        Self::named("R58N12ABCDE", phone)
    }

    pub fn named(serial: &str, phone: Phone) -> Self {
        let cancel = Cancel::new();
        let inner = Inner { phone, run: Some(cancel.clone()), ..Inner::default() };
        Self { serial: serial.to_owned(), inner: Arc::new(Mutex::new(inner)), cancel }
    }

    pub fn with_fault(self, fault: Fault) -> Self {
        self.lock().fault = Some(fault);
        self
    }

    /// The phone does this by itself after a command.
    pub fn after(self, command: &str, act: fn(&mut Phone)) -> Self {
        self.lock().after = Some((command.to_owned(), act));
        self
    }

    /// The state now.
    pub fn phone(&self) -> Phone {
        self.lock().phone.clone()
    }

    /// Changes the state behind everybody's back.
    pub fn change(&self, change: impl FnOnce(&mut Phone)) {
        change(&mut self.lock().phone);
    }

    /// Every command so far.
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    /// Returns the options of all installations.
    pub fn installs(&self) -> Vec<InstallOptions> {
        self.lock().installs.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic of a test elsewhere leaves the state as it is.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// One call to the device, which may be the one that fails.
    fn call<T>(
        &self,
        what: &str,
        limit: Duration,
        act: impl FnOnce(&mut Phone) -> Result<T, DeviceError>,
        refused: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let mut inner = self.lock();
        let number = inner.calls.len();
        inner.calls.push(what.to_owned());
        let gone =
            || DeviceError::Disconnected { serial: self.serial.clone(), what: what.to_owned() };
        let kind = inner.fault.filter(|fault| fault.at == number).map(|fault| fault.kind);
        if kind == Some(Kind::Cancel)
            && let Some(run) = &inner.run
        {
            run.cancel();
        }
        self.cancel.check()?;
        let then = inner.after.clone().filter(|(command, _)| command == what);
        let act = |phone: &mut Phone| {
            let done = act(phone);
            if let Some((_, then)) = then {
                then(phone);
            }
            done
        };
        if number < inner.gone_until {
            return Err(gone());
        }
        match kind {
            Some(Kind::Refuses) => refused(),
            Some(Kind::DoneButRefuses) => {
                let _ = act(&mut inner.phone)?;
                refused()
            }
            Some(Kind::DoneButTimedOut) => {
                let _ = act(&mut inner.phone)?;
                Err(DeviceError::TimedOut { what: what.to_owned(), limit })
            }
            Some(Kind::DoneButGone(calls)) => {
                inner.gone_until = number + calls;
                let _ = act(&mut inner.phone)?;
                Err(gone())
            }
            Some(Kind::Gone(calls)) => {
                inner.gone_until = number + calls;
                Err(gone())
            }
            Some(Kind::CancelWhile) => {
                let _ = act(&mut inner.phone)?;
                if let Some(run) = &inner.run {
                    run.cancel();
                }
                Err(DeviceError::Cancelled)
            }
            Some(Kind::Cancel) | None => act(&mut inner.phone),
        }
    }
}

/// Several questions in one script: `echo '@@wattle name'; { command; } </dev/null 2>&1; echo "…end $?"`.
fn run(phone: &mut Phone, script: &str) -> ShellOutput {
    if script.starts_with("unzip ")
        && let Some(stdout) = phone.unpacked.clone()
    {
        return ShellOutput { stdout, stderr: Vec::new(), status: Some(0) };
    }
    if !script.starts_with("echo '@@wattle ") {
        let (status, text) = phone.command(script);
        let bytes = text.into_bytes();
        let (stdout, stderr) = if status == 0 { (bytes, Vec::new()) } else { (Vec::new(), bytes) };
        return ShellOutput { stdout, stderr, status: Some(status) };
    }
    let mut out = String::new();
    for part in script.split("echo '@@wattle ").skip(1) {
        let (name, rest) = part.split_once("'; { ").expect("a question");
        let (command, _) = rest.split_once("; } </dev/null 2>&1;").expect("a command");
        let (status, text) = phone.command(command);
        out.push_str(&format!("@@wattle {name}\n{text}\n@@wattle end {status}\n"));
    }
    ShellOutput { stdout: out.into_bytes(), stderr: Vec::new(), status: Some(0) }
}

impl Device for ScriptedDevice {
    fn serial(&self) -> &str {
        &self.serial
    }

    fn with_cancel(&self, cancel: Cancel) -> Box<dyn Device> {
        Box::new(Self { cancel, ..self.clone() })
    }

    fn shell(&self, command: &str, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.call(
            command,
            limit,
            |phone| Ok(run(phone, command)),
            || {
                Ok(ShellOutput {
                    stderr: b"Error: not today\n".to_vec(),
                    status: Some(255),
                    ..ShellOutput::default()
                })
            },
        )
    }

    fn stream(&self, command: &str) -> Result<Box<dyn ShellStream>, DeviceError> {
        let output = self.shell(command, Duration::ZERO)?;
        let mut events = vec![ShellEvent::Exit(output.status)];
        events.push(ShellEvent::Stderr(output.stderr));
        // In parts, as they come over a cable.
        events
            .extend(output.stdout.chunks(1000).rev().map(|part| ShellEvent::Stdout(part.to_vec())));
        Ok(Box::new(ScriptedStream(events)))
    }

    fn shell_with_input(
        &self,
        command: &str,
        _input: &mut dyn Read,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        self.shell(command, limit)
    }

    fn push(&self, _from: &mut dyn Read, to: &str, _mode: u32) -> Result<u64, DeviceError> {
        Err(DeviceError::Refused { what: format!("push {to}"), said: "read only".into() })
    }

    fn pull(&self, from: &str, into: &mut dyn Write) -> Result<u64, DeviceError> {
        let refused =
            || DeviceError::Refused { what: format!("pull {from}"), said: "No such file".into() };
        let act = |phone: &mut Phone| phone.file(from).cloned().ok_or_else(refused);
        let bytes = self.call(&format!("pull {from}"), Duration::ZERO, act, || Err(refused()))?;
        std::io::copy(&mut Cursor::new(bytes), into)
            .map_err(|source| DeviceError::File { path: from.into(), source })
    }

    fn stat(&self, path: &str) -> Result<Option<FileFacts>, DeviceError> {
        let act = |phone: &mut Phone| {
            Ok(phone.file(path).map(|bytes| FileFacts {
                name: path.to_owned(),
                mode: 0o100_644,
                bytes: bytes.len() as u64,
                modified: 0,
            }))
        };
        self.call(&format!("stat {path}"), Duration::ZERO, act, || Ok(None))
    }

    fn list(&self, folder: &str) -> Result<Vec<FileFacts>, DeviceError> {
        let act = |phone: &mut Phone| {
            let below = format!("{folder}/");
            let mut found: Vec<FileFacts> = Vec::new();
            for (path, bytes) in &phone.files {
                let Some(rest) = path.strip_prefix(&below) else { continue };
                let (name, mode) = match rest.split_once('/') {
                    Some((inner, _)) => (inner, 0o040_755),
                    None => (rest, 0o100_644),
                };
                if found.iter().all(|file| file.name != name) {
                    let bytes = bytes.len() as u64;
                    found.push(FileFacts { name: name.to_owned(), mode, bytes, modified: 0 });
                }
            }
            Ok(found)
        };
        self.call(&format!("list {folder}"), Duration::ZERO, act, || Ok(Vec::new()))
    }

    fn install(&self, packages: &[PathBuf], options: &InstallOptions) -> Result<(), DeviceError> {
        let refused = |said: &str| DeviceError::NotInstalled {
            package: packages[0].clone(),
            refusal: InstallRefusal::parse(said).expect("a refusal"),
        };
        self.lock().installs.push(options.clone());
        let mut contents: Vec<Vec<u8>> =
            packages.iter().map(|path| std::fs::read(path).expect("a package")).collect();
        let act = |phone: &mut Phone| {
            let (package, app) = read_app(contents.clone());
            if let Some(old) = phone.apps.get(&package) {
                if old.signer != app.signer {
                    return Err(refused(
                        "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package signatures do not match]",
                    ));
                }
                if old.version_code > app.version_code && !options.downgrade {
                    return Err(refused("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]"));
                }
            }
            let data = phone.apps.get(&package).map(|old| old.data.clone()).unwrap_or_default();
            if phone.spoils_installs {
                contents[0].push(0);
            }
            phone.apps.insert(package, App { data, packages: contents, ..app });
            Ok(())
        };
        self.call("install", Duration::ZERO, act, || {
            Err(refused("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]"))
        })
    }
}

/// Returns an app as Android would read it from packages.
pub fn read_app(packages: Vec<Vec<u8>>) -> (String, App) {
    let base = wattle_apk::Apk::open(&packages[0]).expect("a package");
    let manifest = base.manifest().expect("a manifest");
    let report = wattle_apk::verify(&packages[0]).expect("a report");
    let der = report.certificate().expect("a certificate").der().to_vec();
    let step = |hash: i32, byte: &u8| hash.wrapping_mul(31).wrapping_add(i32::from(*byte as i8));
    let app = App {
        version_code: manifest.version_code.unwrap_or(0),
        signer: der.iter().fold(1, step) as u32,
        debuggable: manifest.application.and_then(|application| application.debuggable)
            == Some(true),
        packages,
        data: String::new(),
    };
    (manifest.package, app)
}

pub fn sha256(bytes: &[u8]) -> String {
    wattle_apk::Hash::Sha256.digest(&[bytes]).iter().map(|byte| format!("{byte:02x}")).collect()
}

struct ScriptedStream(Vec<ShellEvent>);

impl ShellStream for ScriptedStream {
    fn next(&mut self, _patience: Duration) -> Result<Option<ShellEvent>, DeviceError> {
        Ok(self.0.pop())
    }

    fn write(&mut self, _bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn close_input(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}
