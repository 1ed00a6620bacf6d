//! A preparation of one step.

use std::time::Duration;

use wattle_device::session::{Build, DeviceInspection, Environment, HostFile};
use wattle_device::{Device, DeviceError};
use wattle_recording::{AppFacts, ArtifactKind, ClockPair, DeviceFacts, StepFacts};

const SHORT: Duration = Duration::from_secs(5);
const RESET: &str = "dumpsys battery reset";

/// Fakes the plug state, and takes it back.
#[derive(Debug, Default)]
pub struct TestEnvironment {
    pub sdk: u32,
    pub sink: Option<&'static str>,
    unplugged: bool,
    steps: Vec<StepFacts>,
    pub installs: Vec<String>,
}

impl TestEnvironment {
    pub fn new() -> Self {
        Self { sdk: 34, ..Self::default() }
    }
}

impl Environment for TestEnvironment {
    fn inspect(&mut self, device: &dyn Device) -> Result<DeviceInspection, DeviceError> {
        device.shell("echo wattle", SHORT)?;
        Ok(DeviceInspection {
            facts: DeviceFacts {
                serial: device.serial().to_owned(),
                sdk: Some(self.sdk),
                ..DeviceFacts::default()
            },
            files: vec![HostFile {
                file: "power_profile.xml".into(),
                kind: ArtifactKind::PowerProfile,
                bytes: b"<device/>".to_vec(),
            }],
            notes: Vec::new(),
        })
    }

    fn clocks(&mut self, device: &dyn Device) -> Result<Vec<ClockPair>, DeviceError> {
        device.shell("cat /proc/uptime", SHORT)?;
        Ok(vec![ClockPair {
            host_before_ns: 1,
            device_real_ns: 2,
            device_boot_ns: 3,
            boot_step_ns: 10_000_000,
            host_after_ns: 4,
            zone_minutes: 0,
        }])
    }

    fn prepare(&mut self, device: &dyn Device) -> Result<Vec<String>, DeviceError> {
        // Before it is tried: nobody knows what a command did whose answer was lost.
        self.unplugged = true;
        self.steps.push(StepFacts {
            what: "plug state faked".into(),
            restored: Some(false),
            ..StepFacts::default()
        });
        let output = device.shell("dumpsys battery unplug", SHORT)?;
        if output.is_success() {
            return Ok(Vec::new());
        }
        Err(DeviceError::Refused { what: "dumpsys battery unplug".into(), said: "no".into() })
    }

    fn install(&mut self, device: &dyn Device, build: &Build) -> Result<AppFacts, DeviceError> {
        device.shell("echo wattle", SHORT)?;
        let mut app = build.app.clone().unwrap_or_default();
        self.installs.push(app.label.clone().unwrap_or_default());
        app.uid = Some(10_123);
        app.sink = self.sink.map(str::to_owned);
        Ok(app)
    }

    fn before_iteration(
        &mut self,
        device: &dyn Device,
        _: Option<&AppFacts>,
    ) -> Result<(), DeviceError> {
        device.shell("echo wattle", SHORT).map(|_| ())
    }

    fn steps(&self) -> Vec<StepFacts> {
        self.steps.clone()
    }

    fn restore(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if !self.unplugged {
            return Ok(());
        }
        let output = device.shell(RESET, SHORT)?;
        if !output.is_success() {
            return Err(DeviceError::Refused { what: RESET.into(), said: "no".into() });
        }
        self.unplugged = false;
        for step in &mut self.steps {
            step.restored = Some(true);
        }
        Ok(())
    }

    fn to_restore(&self) -> Vec<String> {
        let command = || format!("adb -s X1 shell {RESET}");
        self.unplugged.then(command).into_iter().collect()
    }
}
