//! The console of an Android emulator: its own battery, which `dumpsys` on the device cannot reach.
//!
//! Source: "Send emulator console commands", Android developer documentation: lines over TCP on the port of the serial
//! (`emulator-5554`), a greeting and every answer end with `OK` or `KO: <reason>`, and `auth <token>` comes first, with
//! the token of `~/.emulator_console_auth_token` (an empty file means that none is wanted).

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use super::adb_limits::Deadline;
use super::link::Link;
use super::{Environment, Limits};
use crate::{Cancel, DeviceError};

/// The file of the secret, in the user's folder.
const TOKEN_FILE: &str = ".emulator_console_auth_token";

/// The most that one answer may be, bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// A conversation with an emulator's console. Dropping it ends it; what was set stays set.
#[derive(Debug)]
pub struct EmulatorConsole {
    serial: String,
    link: Link,
    limits: Limits,
    pending: Vec<u8>,
}

/// Settings of an emulator's battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeStatus {
    /// `unknown`
    Unknown,
    /// `charging`
    Charging,
    /// `discharging`
    Discharging,
    /// `not-charging`
    NotCharging,
    /// `full`
    Full,
}

/// The state of the battery by the console (`power display`); `None` for values that it does not print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerDisplay {
    /// Whether it is plugged in (`AC: online`).
    pub ac: Option<bool>,
    /// The status in the emulator's words (`status: Charging`).
    pub status: Option<String>,
    /// The health in the emulator's words (`health: Good`).
    pub health: Option<String>,
    /// Whether there is a battery.
    pub present: Option<bool>,
    /// Charge in percent.
    pub capacity: Option<u8>,
}

impl EmulatorConsole {
    /// Connects to the console of an emulator of this machine and shows it the user's token.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] if the serial is not an emulator's; [`DeviceError::File`] if the token is wanted and
    /// cannot be read; [`DeviceError::Console`] if it is refused.
    pub fn connect(
        serial: &str,
        environment: &Environment,
        limits: Limits,
        cancel: &Cancel,
    ) -> Result<Self, DeviceError> {
        let Some(port) = console_port(serial) else {
            return Err(DeviceError::Unsupported {
                serial: serial.to_owned(),
                what: "only emulators of this machine (emulator-PORT) have a console".to_owned(),
            });
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let peer = format!("the console of {serial}");
        let link = Link::to_local(&peer, address, limits.connect, cancel)?;
        let mut console = Self { serial: serial.to_owned(), link, limits, pending: Vec::new() };
        let greeting = console.answer("connect")?;
        if greeting.iter().any(|line| line.contains("Authentication required")) {
            let token = read_token(environment)?;
            console.say(&format!("auth {token}"), "auth …")?;
        }
        Ok(console)
    }

    /// Plugs the emulator in or off.
    pub fn set_ac(&mut self, plugged_in: bool) -> Result<(), DeviceError> {
        self.command(if plugged_in { "power ac on" } else { "power ac off" }).map(|_| ())
    }

    /// Sets what the battery does.
    pub fn set_status(&mut self, status: ChargeStatus) -> Result<(), DeviceError> {
        self.command(&format!("power status {status}")).map(|_| ())
    }

    /// The state of the battery by the console.
    pub fn display(&mut self) -> Result<PowerDisplay, DeviceError> {
        Ok(PowerDisplay::parse(&self.command("power display")?))
    }

    /// Says any command. Gives the lines of its answer, without the `OK`.
    ///
    /// # Errors
    /// [`DeviceError::Console`] with its words if it answers `KO`.
    pub fn command(&mut self, command: &str) -> Result<Vec<String>, DeviceError> {
        if command.contains(['\r', '\n']) {
            return Err(self.refused(command, "a command is one line"));
        }
        self.say(command, command)
    }

    fn say(&mut self, command: &str, shown: &str) -> Result<Vec<String>, DeviceError> {
        let deadline = self.deadline(shown);
        self.link.write_all(format!("{command}\r\n").as_bytes(), &deadline)?;
        self.answer(shown)
    }

    /// Reads lines until `OK` or `KO`.
    fn answer(&mut self, shown: &str) -> Result<Vec<String>, DeviceError> {
        let deadline = self.deadline(shown);
        let mut lines = Vec::new();
        let mut total: usize = 0;
        loop {
            while let Some(line) = self.line() {
                if line == "OK" || line.starts_with("OK:") {
                    return Ok(lines);
                }
                if let Some(reason) = line.strip_prefix("KO") {
                    return Err(self.refused(shown, reason.trim_start_matches(':').trim()));
                }
                lines.push(line);
            }
            let mut chunk = [0; 4096];
            let count = self.link.read(&mut chunk, &deadline)?;
            if count == 0 {
                return Err(self.link.gone(&deadline));
            }
            total = total.saturating_add(count);
            if total > LONGEST_ANSWER {
                return Err(DeviceError::TooLong {
                    what: format!("{}: the answer", deadline.what),
                    limit: LONGEST_ANSWER as u64,
                });
            }
            self.pending.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    }

    fn line(&mut self) -> Option<String> {
        let end = self.pending.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.pending.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn deadline(&self, shown: &str) -> Deadline {
        Deadline::new(
            format!("telling the console of {}: {shown}", self.serial),
            self.limits.answer,
        )
    }

    fn refused(&self, command: &str, said: &str) -> DeviceError {
        DeviceError::Console {
            serial: self.serial.clone(),
            command: command.to_owned(),
            said: said.to_owned(),
        }
    }
}

impl PowerDisplay {
    fn parse(lines: &[String]) -> Self {
        let mut display = Self::default();
        for (key, value) in lines.iter().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "ac" => display.ac = word(value, "online", "offline"),
                "status" => display.status = Some(value.to_owned()),
                "health" => display.health = Some(value.to_owned()),
                "present" => display.present = word(value, "true", "false"),
                "capacity" => display.capacity = value.trim_end_matches('%').parse().ok(),
                _ => {}
            }
        }
        display
    }
}

impl fmt::Display for ChargeStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unknown => "unknown",
            Self::Charging => "charging",
            Self::Discharging => "discharging",
            Self::NotCharging => "not-charging",
            Self::Full => "full",
        })
    }
}

fn word(value: &str, yes: &str, no: &str) -> Option<bool> {
    if value.eq_ignore_ascii_case(yes) {
        Some(true)
    } else if value.eq_ignore_ascii_case(no) {
        Some(false)
    } else {
        None
    }
}

fn console_port(serial: &str) -> Option<u16> {
    serial.strip_prefix("emulator-")?.parse().ok().filter(|port| *port != 0)
}

fn read_token(environment: &Environment) -> Result<String, DeviceError> {
    let Some(home) = environment.home() else {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "HOME is not set");
        return Err(DeviceError::File { path: PathBuf::from("~").join(TOKEN_FILE), source });
    };
    let path = home.join(TOKEN_FILE);
    match std::fs::read_to_string(&path) {
        Ok(token) => Ok(token.trim().lines().next().unwrap_or_default().to_owned()),
        Err(source) => Err(DeviceError::File { path, source }),
    }
}
