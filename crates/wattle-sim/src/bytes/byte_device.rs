//! Interfaces and block devices, and what the kernel counts of them.

use super::Bytes;
use crate::SplitMix64;

/// An index into [`DeviceNames`].
pub(crate) type DeviceIndex = u16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    Network,
    Block,
}

/// The devices of a phone, each once. Every phone has a loopback interface, Wi-Fi and a disk.
#[derive(Clone, Debug)]
pub(crate) struct DeviceNames(Vec<(DeviceKind, String)>);

impl Default for DeviceNames {
    fn default() -> Self {
        Self(vec![
            (DeviceKind::Network, "lo".into()),
            (DeviceKind::Network, "wlan0".into()),
            (DeviceKind::Block, "sda".into()),
        ])
    }
}

/// Most devices that a phone can have.
const MOST_DEVICES: usize = 256;

impl DeviceNames {
    /// The index of a device, which is made when it is not there; `None` when there are too many.
    pub fn intern(&mut self, kind: DeviceKind, name: &str) -> Option<DeviceIndex> {
        let at = self.0.iter().position(|(its, own)| *its == kind && own == name);
        let at = at.unwrap_or(self.0.len());
        if at >= MOST_DEVICES {
            return None;
        }
        if at == self.0.len() {
            self.0.push((kind, name.to_owned()));
        }
        Some(at as DeviceIndex)
    }

    pub fn iter(&self) -> impl Iterator<Item = (DeviceKind, &str)> {
        self.0.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    pub fn get(&self, index: DeviceIndex) -> Option<(DeviceKind, &str)> {
        self.0.get(usize::from(index)).map(|(kind, name)| (*kind, name.as_str()))
    }
}

/// Counter of the kernel for a device since the phone was started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeviceCounter {
    pub bytes: Bytes,
    /// Packets of a network, requests to a disk.
    pub inward_units: u64,
    pub outward_units: u64,
    /// Milliseconds that a disk spent on requests.
    pub inward_millis: u64,
    pub outward_millis: u64,
}

impl DeviceCounter {
    /// Returns the counter with what was counted before the recording.
    pub fn before(kind: DeviceKind, random: &mut SplitMix64) -> Self {
        let (inward, outward) = (random.below(3_000_000_000), random.below(400_000_000));
        match kind {
            DeviceKind::Network => Self {
                bytes: Bytes { inward, outward },
                inward_units: inward / 900,
                outward_units: outward / 300,
                ..Self::default()
            },
            DeviceKind::Block => Self {
                bytes: Bytes { inward: inward / 4096 * 4096, outward: outward / 4096 * 4096 },
                inward_units: inward / 30_000,
                outward_units: outward / 15_000,
                inward_millis: inward / 60_000,
                outward_millis: outward / 8000,
            },
        }
    }
}
