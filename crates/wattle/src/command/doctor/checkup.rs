//! The checks of one run, as text and as JSON.

use serde::Serialize;

use crate::command::device::Attached;
use crate::command::line;

/// All checks.
#[derive(Debug, Serialize)]
pub struct Checkup {
    /// Name and version of the form.
    schema: &'static str,
    /// The version of this program.
    version: &'static str,
    /// Operating system and architecture.
    system: String,
    /// Checks of this machine.
    pub machine: Vec<Check>,
    /// Checks of adb.
    pub adb: Vec<Check>,
    /// The attached devices.
    pub devices: Vec<CheckedDevice>,
}

/// One check.
#[derive(Debug, Serialize)]
pub struct Check {
    /// The thing that was checked.
    pub subject: &'static str,
    /// The result.
    pub state: CheckState,
    /// The finding, in words.
    pub found: String,
    /// Advice: the way to get it, or the purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// It is there and works.
    Ok,
    /// It is not there; some commands need it.
    Missing,
    /// It is not there, or off, and most users do not need it.
    Optional,
    /// It is there and does not work.
    Broken,
}

/// A device with what can be measured on it.
#[derive(Debug, Serialize)]
pub struct CheckedDevice {
    /// The device itself. Its keys stand beside the checks.
    #[serde(flatten)]
    pub device: Attached,
    /// Checks of its meters and tracers.
    pub checks: Vec<Check>,
}

impl Check {
    /// Something that is there.
    pub fn ok(subject: &'static str, found: impl Into<String>) -> Self {
        Self { subject, state: CheckState::Ok, found: found.into(), advice: None }
    }

    /// Something that is not there, with the way to get it.
    pub fn missing(
        subject: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { state: CheckState::Missing, advice: Some(advice.into()), ..Self::ok(subject, found) }
    }

    /// The same of something that most users do not need.
    pub fn optional(
        subject: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let state = CheckState::Optional;
        Self { state, ..Self::missing(subject, found, advice) }
    }

    /// Something that does not work, with the way to fix it.
    pub fn broken(
        subject: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { state: CheckState::Broken, ..Self::missing(subject, found, advice) }
    }

    fn write(&self, indent: &str, text: &mut String) {
        let state = match self.state {
            CheckState::Ok => "ok",
            CheckState::Missing => "missing",
            CheckState::Optional => "optional",
            CheckState::Broken => "broken",
        };
        line::push(text, &format!("{indent}{state:<9} {:<19} {}", self.subject, self.found));
        if let Some(advice) = &self.advice {
            line::push(text, &format!("{indent}{:<29} → {advice}", ""));
        }
    }
}

impl Checkup {
    /// One without any check yet.
    pub fn new() -> Self {
        Self {
            schema: "wattle-doctor/1",
            version: env!("CARGO_PKG_VERSION"),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            machine: Vec::new(),
            adb: Vec::new(),
            devices: Vec::new(),
        }
    }

    /// The subjects that are there and do not work.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        let checks = self.machine.iter().chain(&self.adb);
        checks.filter(|check| check.state == CheckState::Broken).map(|check| check.subject)
    }

    /// The checks as people read them.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Wattle {} on {}. Reports on recordings need nothing else; devices need adb.\n\nThis machine\n",
            self.version, self.system
        );
        for check in &self.machine {
            check.write("  ", &mut text);
        }
        text.push_str("\nDevices\n");
        for check in &self.adb {
            check.write("  ", &mut text);
        }
        for CheckedDevice { device, checks } in &self.devices {
            let state = if device.facts.is_some() { "ok" } else { "missing" };
            let model = device.model.as_deref().unwrap_or("unknown model");
            line::push(
                &mut text,
                &format!("  {state:<9} {:<19} {model}, {}", device.serial, device.state),
            );
            if let Some(advice) = &device.advice {
                line::push(&mut text, &format!("  {:<29} → {advice}", ""));
            }
            for check in checks {
                check.write("    ", &mut text);
            }
        }
        text
    }
}
