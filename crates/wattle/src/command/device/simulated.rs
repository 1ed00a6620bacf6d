//! A simulated phone behind an adb server of its own.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use wattle_device::Cancel;
use wattle_device::adb::{AdbOptions, AdbServer, Environment, ServerAddress};
use wattle_phone::conformance::{AndroidVersion, Vendor};
use wattle_phone::{Event, Fault, Phone, PhoneOptions};

use super::failure::failure;
use crate::cli::{DeviceChoice, PhoneMaker, SimulatedFault, SimulatedPhone};
use crate::exit::Failure;

/// Time limit for adb to see the phone.
const PATIENCE: Duration = Duration::from_secs(20);
/// The delay of a fault after the start of the scenario.
const MIDDLE: Duration = Duration::from_millis(700);
/// The time that a disconnecting phone is away.
const AWAY: Duration = Duration::from_secs(2);

/// A simulated phone, and the adb server that holds it and nothing else.
#[derive(Debug)]
pub struct Simulated {
    server: AdbServer,
    serial: String,
    _phone: Phone,
    /// Journals and leases: nobody else's phone has this hardware, and it goes with this process.
    folder: tempfile::TempDir,
}

impl Simulated {
    /// Starts both.
    pub fn start(
        kind: SimulatedPhone,
        choice: &DeviceChoice,
        mut options: AdbOptions,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let mut phone = PhoneOptions::default();
        phone.seed = choice.phone_seed;
        phone.execute = choice.execute;
        phone.serial = format!("SIM{:08X}", std::process::id());
        let of_kind = Kind::for_phone(kind);
        phone.api = of_kind.api;
        phone.vendor = of_kind.vendor;
        phone.hardware.device.sdk = phone.api;
        if !of_kind.rails {
            phone.hardware = phone.hardware.without_rails();
        }
        let phone =
            Phone::start(phone).context("the simulated phone").map_err(Failure::Environment)?;
        for asked in &choice.fault {
            phone.inject(fault(*asked));
        }
        // Whoever reaches the server reaches the phone: it listens in the phone's folder, which nobody else can open.
        options.address = Some(ServerAddress::in_file(phone.adb_socket()));
        options.variables = phone.adb_environment();
        let server =
            AdbServer::find(&options, &Environment::of_process(), cancel).map_err(failure)?;
        let serial = phone.serial();
        // From here on a failure takes the server away again.
        let folder =
            tempfile::tempdir().context("a temporary folder").map_err(Failure::Environment)?;
        let simulated = Self { server, serial, _phone: phone, folder };
        simulated.server.connect(&simulated.serial).map_err(failure)?;
        simulated.server.wait_for_device(Some(&simulated.serial), PATIENCE).map_err(failure)?;
        Ok(simulated)
    }

    /// The server that holds it.
    pub const fn server(&self) -> &AdbServer {
        &self.server
    }

    /// The folder for journals and leases.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// adb's name of it.
    pub fn serial(&self) -> &str {
        &self.serial
    }
}

/// The options of a phone that its kind decides.
struct Kind {
    api: u32,
    vendor: Option<Vendor>,
    rails: bool,
}

impl Kind {
    fn for_phone(phone: SimulatedPhone) -> Self {
        match phone {
            SimulatedPhone::Pixel => Self { api: 34, vendor: None, rails: true },
            SimulatedPhone::Plain => Self { api: 29, vendor: None, rails: false },
            SimulatedPhone::Old => Self { api: 26, vendor: None, rails: false },
            SimulatedPhone::Stock { maker, rails, android } => {
                let vendor = match maker {
                    PhoneMaker::Aosp => Vendor::Aosp,
                    PhoneMaker::Pixel => Vendor::Pixel,
                    PhoneMaker::Samsung => Vendor::Samsung,
                    PhoneMaker::Xiaomi => Vendor::Xiaomi,
                };
                let version = AndroidVersion::new(android).unwrap_or(AndroidVersion::NEWEST);
                Self { api: version.api_level(), vendor: Some(vendor), rails }
            }
        }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        // A server that is gone already is what is wanted.
        let _ = self.server.with_cancel(Cancel::new()).kill();
    }
}

fn fault(asked: SimulatedFault) -> Fault {
    let event = Event::ScenarioStarted;
    let delay = MIDDLE;
    match asked {
        SimulatedFault::Disconnect => Fault::DisconnectAt { event, delay, away: Some(AWAY) },
        SimulatedFault::Vanish => Fault::DisconnectAt { event, delay, away: None },
        SimulatedFault::SlowLink => Fault::SlowLink { bytes_per_second: 1_000_000 },
        SimulatedFault::FullStorage => Fault::FullStorage { free_bytes: 64 << 10 },
        SimulatedFault::RefuseInstall => {
            Fault::RefuseInstall { reason: "INSTALL_FAILED_USER_RESTRICTED".to_owned() }
        }
        SimulatedFault::CrashTest => Fault::CrashTest { number: 0 },
        SimulatedFault::LoseLogLines => Fault::LoseLogLines { fraction: 0.01 },
        SimulatedFault::Reboot => Fault::RebootAt { event, delay },
        SimulatedFault::RefuseRecording => Fault::RefuseRecording,
        SimulatedFault::Hot => Fault::Hot { celsius: 46.0 },
        SimulatedFault::Charging => Fault::Charging,
        SimulatedFault::LowBattery => Fault::LowBattery { percent: 7 },
        SimulatedFault::PowerSave => Fault::PowerSave,
    }
}
