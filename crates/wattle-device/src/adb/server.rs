//! The adb server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::adb_limits::Deadline;
use super::device_choice::choose;
use super::link::Link;
use super::{
    AdbProgram, AttachedDevice, DeviceState, DeviceTracker, Environment, Features, Limits,
    ServerAddress,
};
use crate::{Cancel, DeviceError};

/// Pause before a server that does not listen yet is tried again.
const BREATH: Duration = Duration::from_millis(50);

/// Time for a server that is gone to come back by itself.
const COMEBACK: Duration = Duration::from_secs(2);

/// Options of finding the adb server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AdbOptions {
    /// The program that starts a server. Default is to look for it, see [`AdbProgram::find`].
    pub adb: Option<PathBuf>,
    /// The address of the server. Default is that of adb's own variables, see [`ServerAddress::from_environment`].
    pub address: Option<ServerAddress>,
    /// Variables of the environment for a server that is started, such as `ADB_VENDOR_KEYS`. Default is none but those that this
    /// process has.
    pub variables: BTreeMap<String, OsString>,
    /// Time limits. Default is [`Limits::default`].
    pub limits: Limits,
}

/// An adb server that answers.
#[derive(Clone, Debug)]
pub struct AdbServer {
    address: ServerAddress,
    limits: Limits,
    cancel: Cancel,
    version: u32,
    /// The program that was named, and where else to look.
    adb: Option<PathBuf>,
    environment: Arc<Environment>,
    variables: Arc<BTreeMap<String, OsString>>,
}

impl AdbServer {
    /// Finds the server; starts the user's own `adb start-server` if none runs on this machine.
    ///
    /// A server that is gone later is started again: another `adb` of another version ends the running one, and the
    /// device must be put back nevertheless.
    ///
    /// # Errors
    /// [`DeviceError::AdbNotFound`], [`DeviceError::ServerNotStarted`]; [`DeviceError::ServerUnreachable`] for a server
    /// on another machine; [`DeviceError::Garbled`] if something else listens there.
    pub fn find(
        options: &AdbOptions,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Self, DeviceError> {
        let address = match &options.address {
            Some(address) => address.clone(),
            None => ServerAddress::from_environment(environment)?,
        };
        let mut server = Self {
            address,
            limits: options.limits,
            cancel: cancel.clone(),
            version: 0,
            adb: options.adb.clone(),
            environment: Arc::new(environment.clone()),
            variables: Arc::new(options.variables.clone()),
        };
        server.version = server.ask_version()?;
        Ok(server)
    }

    /// Starts a server where there is none, and waits until it listens.
    fn start(&self) -> Result<Link, DeviceError> {
        let program = AdbProgram::find(self.adb.as_deref(), &self.environment)?;
        program.start_server(&self.address, &self.variables, self.limits.start, &self.cancel)?;
        self.retry_while_refused(self.limits.connect)?.map_err(|source| {
            DeviceError::ServerNotStarted {
                program: program.path().to_owned(),
                said: format!("it ended well, but nothing listens at {}: {source}", self.address),
            }
        })
    }

    /// Connects again and again while nobody listens.
    fn retry_while_refused(
        &self,
        patience: Duration,
    ) -> Result<Result<Link, std::io::Error>, DeviceError> {
        let deadline = Deadline::new("connecting to the adb server", patience);
        loop {
            match Link::to_server(&self.address, self.limits.connect, &self.cancel) {
                Err(DeviceError::ServerUnreachable { source, .. })
                    // Of a socket in the file system there may be nothing yet.
                    if matches!(source.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) =>
                {
                    if deadline.left().is_zero() {
                        return Ok(Err(source));
                    }
                    self.cancel.sleep(BREATH)?;
                }
                answer => return answer.map(Ok),
            }
        }
    }

    /// The same server under another `Cancel`.
    #[must_use]
    pub fn with_cancel(&self, cancel: Cancel) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// Its address.
    pub const fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// The time limits of this client.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The version of the server's protocol (`ADB_SERVER_VERSION`, 41 since 2018).
    pub const fn version(&self) -> u32 {
        self.version
    }

    fn ask_version(&self) -> Result<u32, DeviceError> {
        let deadline = self.deadline("asking the adb server for its version");
        let mut link = self.link()?;
        link.ask("host:version", &deadline)?;
        let text = link.string(&deadline)?;
        u32::from_str_radix(&text, 16)
            .map_err(|_| link.garbled(&deadline, "a version in hex digits", text.as_bytes()))
    }

    /// Ends the server. Others that use it lose their devices: only for a server that is one's own.
    pub fn kill(&self) -> Result<(), DeviceError> {
        let mut link = self.link()?;
        link.ask("host:kill", &self.deadline("ending the adb server"))
    }

    /// The attached devices.
    pub fn devices(&self) -> Result<Vec<AttachedDevice>, DeviceError> {
        let list = self.question("listing the devices", "host:devices-l")?;
        Ok(AttachedDevice::parse_list(&list))
    }

    /// A tracker of attached devices.
    pub fn track(&self) -> Result<DeviceTracker, DeviceError> {
        let mut link = self.link()?;
        link.ask("host:track-devices-l", &self.deadline("watching for devices"))?;
        Ok(DeviceTracker::new(link))
    }

    /// The device that is meant: `serial`, else `ANDROID_SERIAL`, else the only one.
    ///
    /// # Errors
    /// [`DeviceError::NoDevice`], [`DeviceError::SeveralDevices`], [`DeviceError::UnknownSerial`],
    /// [`DeviceError::NotReady`]; each says what to do.
    pub fn choose(
        &self,
        serial: Option<&str>,
        environment: &Environment,
    ) -> Result<AttachedDevice, DeviceError> {
        let wanted = serial.or_else(|| environment.text("ANDROID_SERIAL"));
        choose(self.devices()?, wanted, &self.address.to_string())
    }

    /// Waits until a device is there and ready; any one without a serial.
    ///
    /// # Errors
    /// [`DeviceError::TimedOut`]; [`DeviceError::NotReady`] if the time is over while it is attached but not ready.
    pub fn wait_for_device(
        &self,
        serial: Option<&str>,
        limit: Duration,
    ) -> Result<(), DeviceError> {
        let prefix =
            serial.map_or_else(|| "host".to_owned(), |serial| format!("host-serial:{serial}"));
        let what = serial.map_or_else(
            || "waiting for a device".to_owned(),
            |serial| format!("waiting for {serial}"),
        );
        let deadline = Deadline::new(what, limit);
        let mut link = self.link()?;
        let answer = link.ask(&format!("{prefix}:wait-for-any-device"), &deadline).and_then(|()| {
            // The first OKAY says that the server understood, the second that the device is there.
            link.expect_okay(&deadline)
        });
        drop(link);
        match (answer, serial) {
            (Err(DeviceError::TimedOut { what, limit }), Some(serial)) => {
                let devices = self.devices()?;
                let device = devices.into_iter().find(|device| device.serial == serial);
                Err(match device {
                    Some(device) if device.state != DeviceState::Device => {
                        DeviceError::NotReady { serial: device.serial, state: device.state }
                    }
                    _ => DeviceError::TimedOut { what, limit },
                })
            }
            (answer, _) => answer,
        }
    }

    /// Connects to a device over the network (`host:port`; 5555 without a port). Gives adb's words.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with adb's words if it did not work.
    pub fn connect(&self, device: &str) -> Result<String, DeviceError> {
        let what = format!("connecting to {device}");
        let said = self.slow_question(&what, &format!("host:connect:{device}"))?;
        // The server answers OKAY in both cases; only its words differ (`connect_device` in adb's `transport.cpp`).
        worked(said, what, &["connected to", "already connected to"])
    }

    /// Disconnects a device of the network. Gives adb's words.
    pub fn disconnect(&self, device: &str) -> Result<String, DeviceError> {
        self.question(&format!("disconnecting {device}"), &format!("host:disconnect:{device}"))
    }

    /// Pairs with a device that shows a six-digit code (Wi-Fi debugging of Android 11). Gives adb's words.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with adb's words if it did not work.
    pub fn pair(&self, code: &str, device: &str) -> Result<String, DeviceError> {
        let what = format!("pairing with {device}");
        let said = self.slow_question(&what, &format!("host:pair:{code}:{device}"))?;
        worked(said, what, &["Successfully paired"])
    }

    /// The features that a device announced; empty for devices and servers that do not support the request.
    pub(super) fn features(&self, serial: &str) -> Result<Features, DeviceError> {
        let what = format!("asking {serial} what it can");
        match self.question(&what, &format!("host-serial:{serial}:features")) {
            Ok(text) => Ok(Features::parse(&text)),
            Err(DeviceError::Refused { said, .. }) if said.contains("unknown") => {
                Ok(Features::default())
            }
            Err(error) => Err(about_device(error, serial)),
        }
    }

    /// Returns the state of a device as the server reports it.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if it is not attached.
    pub fn state(&self, serial: &str) -> Result<DeviceState, DeviceError> {
        let what = format!("asking for the state of {serial}");
        self.question(&what, &format!("host-serial:{serial}:get-state"))
            .map(|text| DeviceState::parse(&text))
            .map_err(|error| about_device(error, serial))
    }

    /// A connection that is handed over to a device, so that its services can be asked for.
    pub(super) fn transport(&self, serial: &str, what: &str) -> Result<Link, DeviceError> {
        let mut link = self.link()?;
        let deadline = self.deadline(what);
        link.ask(&format!("host:transport:{serial}"), &deadline)
            .map_err(|error| about_device(error, serial))?;
        link.hand_over(serial);
        Ok(link)
    }

    pub(super) fn link(&self) -> Result<Link, DeviceError> {
        if !self.address.is_local() {
            return Link::to_server(&self.address, self.limits.connect, &self.cancel);
        }
        // Whoever ended a server that was there is probably just starting another.
        let is_known = self.version != 0;
        let patience = if is_known { COMEBACK } else { Duration::ZERO };
        match self.retry_while_refused(patience)? {
            Ok(link) => Ok(link),
            Err(_refused) => self.start(),
        }
    }

    pub(super) fn deadline(&self, what: impl Into<String>) -> Deadline {
        Deadline::new(what, self.limits.answer)
    }

    /// Asks and reads the one text that answers.
    pub(super) fn question(&self, what: &str, request: &str) -> Result<String, DeviceError> {
        self.answered_within(what, request, self.limits.answer)
    }

    fn slow_question(&self, what: &str, request: &str) -> Result<String, DeviceError> {
        self.answered_within(what, request, self.limits.pair)
    }

    fn answered_within(
        &self,
        what: &str,
        request: &str,
        limit: Duration,
    ) -> Result<String, DeviceError> {
        let deadline = Deadline::new(what, limit);
        let mut link = self.link()?;
        link.ask(request, &deadline)?;
        link.string(&deadline)
    }
}

fn worked(said: String, what: String, good: &[&str]) -> Result<String, DeviceError> {
    if good.iter().any(|start| said.starts_with(start)) {
        Ok(said)
    } else {
        Err(DeviceError::Refused { what, said })
    }
}

/// A server's refusal to talk to a device, as what it is (`acquire_one_transport` in adb's `transport.cpp`).
pub(super) fn about_device(error: DeviceError, serial: &str) -> DeviceError {
    let DeviceError::Refused { what, said } = error else { return error };
    let serial = serial.to_owned();
    if said.contains("not found") || said.contains("device offline") || said.contains("no devices")
    {
        DeviceError::Disconnected { serial, what }
    } else if said.contains("unauthorized") {
        DeviceError::NotReady { serial, state: DeviceState::Unauthorized }
    } else if said.contains("still authorizing") {
        DeviceError::NotReady { serial, state: DeviceState::Authorizing }
    } else if said.contains("still connecting") {
        DeviceError::NotReady { serial, state: DeviceState::Connecting }
    } else {
        DeviceError::Refused { what, said }
    }
}
