//! The devices of the machine that a server runs on, as they come and go.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use wattle_jobs::{DeviceShelf, LentDevice, StopSignal};

/// The time between two looks for devices.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The time between two looks whether the server ends.
const BREATH: Duration = Duration::from_millis(100);

/// The devices that jobs may use, now.
type ListDevices = dyn Fn() -> Result<Vec<LentDevice>, String> + Send + Sync;

/// Devices that jobs may use, and the variables of the programs that use them.
#[derive(Clone)]
pub struct DeviceSource {
    list: Arc<ListDevices>,
    /// Variables for jobs on devices: where adb's server is, and where leases and journals of devices are.
    pub environment: Vec<(OsString, OsString)>,
}

impl DeviceSource {
    /// Devices that a function lists, each time it is asked.
    pub fn new(list: impl Fn() -> Result<Vec<LentDevice>, String> + Send + Sync + 'static) -> Self {
        Self { list: Arc::new(list), environment: Vec::new() }
    }
}

impl fmt::Debug for DeviceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSource")
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}

/// Which worker has which device: one at a time, so that several workers use several devices at once.
#[derive(Debug, Default)]
struct Dealt(BTreeMap<String, usize>);

impl Dealt {
    /// The devices of each of some workers. A device stays with its worker as long as it is there.
    fn deal(&mut self, devices: &[LentDevice], workers: usize) -> Vec<Vec<LentDevice>> {
        self.0.retain(|serial, _| devices.iter().any(|device| device.serial == *serial));
        let mut dealt = vec![Vec::new(); workers];
        for device in devices {
            let known = self.0.get(&device.serial).copied();
            let worker = known.or_else(|| {
                let count = |worker: &usize| self.0.values().filter(|it| *it == worker).count();
                (0..workers).min_by_key(count)
            });
            if let Some(worker) = worker {
                self.0.insert(device.serial.clone(), worker);
                if let Some(own) = dealt.get_mut(worker) {
                    own.push(device.clone());
                }
            }
        }
        dealt
    }
}

/// Tells workers which devices they have, until the server ends.
pub fn watch_devices(source: &DeviceSource, shelves: &[DeviceShelf], stop: &StopSignal) {
    let (mut dealt, mut last) = (Dealt::default(), None);
    while !stop.is_stopping() {
        let found = (source.list)();
        if last.as_ref() != Some(&found) {
            match &found {
                Ok(devices) => {
                    let serials: Vec<&str> = devices.iter().map(|it| it.serial.as_str()).collect();
                    tracing::info!(devices = serials.join(" "), "devices for jobs");
                }
                Err(reason) => tracing::warn!(reason, "no devices for jobs"),
            }
            let devices = found.clone().unwrap_or_default();
            for (shelf, own) in shelves.iter().zip(dealt.deal(&devices, shelves.len())) {
                shelf.set(own);
            }
            last = Some(found);
        }
        let mut waited = Duration::ZERO;
        while waited < LOOK_EVERY && !stop.is_stopping() {
            std::thread::sleep(BREATH);
            waited += BREATH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serials(dealt: &[Vec<LentDevice>]) -> Vec<Vec<&str>> {
        dealt.iter().map(|own| own.iter().map(|it| it.serial.as_str()).collect()).collect()
    }

    #[test]
    fn devices_are_spread_and_stay_where_they_are() {
        let devices = |serials: &[&str]| -> Vec<LentDevice> {
            let device =
                |serial: &&str| LentDevice { serial: (*serial).to_owned(), model: String::new() };
            serials.iter().map(device).collect()
        };
        let mut dealt = Dealt::default();
        let first = dealt.deal(&devices(&["a", "b", "c"]), 2);
        assert_eq!(serials(&first), [vec!["a", "c"], vec!["b"]]);
        let second = dealt.deal(&devices(&["b", "c"]), 2);
        assert_eq!(serials(&second), [vec!["c"], vec!["b"]]);
        let third = dealt.deal(&devices(&["d", "b", "c", "e"]), 2);
        assert_eq!(serials(&third), [vec!["d", "c"], vec!["b", "e"]]);
        assert!(dealt.deal(&devices(&["a"]), 0).is_empty());
    }
}
