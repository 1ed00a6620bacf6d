//! A device that is attached: its facts and the data sources that it offers.

use std::time::Duration;

use serde::Serialize;
use wattle_device::adb::{AdbServer, AttachedDevice, DeviceState};
use wattle_device::facts::device_facts;
use wattle_device::source::{SourceGround, SourceName, SourcePlan};
use wattle_device::{Cancel, DeviceError};
use wattle_recording::DeviceFacts;

use super::failure::failure;
use crate::exit::Failure;

/// A limit that nothing here runs into.
const NO_RECORDING: Duration = Duration::from_secs(1);

/// A device.
#[derive(Debug, Serialize)]
pub struct Attached {
    /// adb's name of it.
    pub serial: String,
    /// Its state, as adb names it.
    pub state: String,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Advice if it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Its facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<DeviceFacts>,
    /// The data sources that need neither an app nor a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Offer>,
}

/// A source, and why it is unavailable.
#[derive(Debug, Serialize)]
pub struct Offer {
    /// Its name in flags.
    pub name: &'static str,
    /// Whether the device has it.
    pub available: bool,
    /// The reason if it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Attached {
    /// Only what the adb server says.
    pub fn listed(device: AttachedDevice) -> Self {
        let is_ready = device.state == DeviceState::Device;
        Self {
            serial: device.serial,
            state: device.state.to_string(),
            model: device.model,
            advice: (!is_ready).then(|| device.state.advice().to_owned()),
            facts: None,
            sources: Vec::new(),
        }
    }

    /// Also asks the device itself, if it is ready. One that does not answer has its error as advice.
    pub fn asked(
        server: &AdbServer,
        device: AttachedDevice,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let is_ready = device.state == DeviceState::Device;
        let mut attached = Self::listed(device);
        if !is_ready {
            return Ok(attached);
        }
        match facts_and_sources(server, &attached.serial, cancel) {
            Ok((facts, sources)) => {
                attached.model = facts.product.model.clone().or(attached.model);
                attached.facts = Some(facts);
                attached.sources = sources;
            }
            Err(DeviceError::Cancelled) => return Err(failure(DeviceError::Cancelled)),
            // One device that does not answer hides no other.
            Err(error) => attached.advice = Some(error.to_string()),
        }
        Ok(attached)
    }
}

fn facts_and_sources(
    server: &AdbServer,
    serial: &str,
    cancel: &Cancel,
) -> Result<(DeviceFacts, Vec<Offer>), DeviceError> {
    let device = server.device(serial)?;
    let facts = device_facts(&device)?;
    let ground =
        SourceGround { device: &device, cancel, facts: &facts, app: None, limit: NO_RECORDING };
    let plan = SourcePlan::default();
    let offers: Result<Vec<Offer>, DeviceError> = SourceName::ALL
        .into_iter()
        // Sources that need an app or a file do not describe the device.
        .filter(|name| {
            !matches!(name, SourceName::Probes | SourceName::Meter | SourceName::ArtTrace)
        })
        .map(|name| {
            let reason = plan.make(name).unavailable(&ground)?;
            Ok(Offer { name: name.as_str(), available: reason.is_none(), reason })
        })
        .collect();
    Ok((facts, offers?))
}
