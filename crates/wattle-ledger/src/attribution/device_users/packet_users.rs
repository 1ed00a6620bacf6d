//! Whose packets went through a radio.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{Timeline, Window};
use wattle_units::BootNanos;

use super::hardware_user::HardwareUser;
use crate::transfer_entry::component_of_interface;

/// The packets of one radio in order of time, with bytes and app.
#[derive(Debug, Default)]
pub(crate) struct PacketUsers {
    packets: Vec<(BootNanos, u64, Option<HardwareUser>)>,
}

impl PacketUsers {
    /// Those of the interfaces that belong to a component.
    pub(super) fn new(timeline: &Timeline, component: &Component) -> Self {
        let is_of = |name: &str| component_of_interface(name).as_ref() == Some(component);
        let packets = timeline.hardware.packets.iter();
        let packets = packets
            .filter(|packet| is_of(timeline.names.get(packet.interface)))
            .map(|it| (it.time, it.bytes, it.uid.map(|uid| HardwareUser::App(uid.0))));
        Self { packets: packets.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packets.iter().all(|(.., user)| user.is_none())
    }

    /// All apps that have packets.
    pub(super) fn users(&self) -> impl Iterator<Item = HardwareUser> + '_ {
        self.packets.iter().filter_map(|(.., user)| *user)
    }

    /// The parts of a stretch by bytes, which add up to 1; `None`: of bytes that nobody is known for. Empty without packets.
    pub(crate) fn shares(&self, stretch: Window) -> Vec<(Option<HardwareUser>, f64)> {
        let from = self.packets.partition_point(|(time, ..)| *time < stretch.start);
        let inside = self.packets.get(from..).unwrap_or_default();
        let inside = inside.iter().take_while(|(time, ..)| *time < stretch.end);
        let mut bytes: BTreeMap<Option<HardwareUser>, f64> = BTreeMap::new();
        for (_, moved, user) in inside {
            *bytes.entry(*user).or_default() += *moved as f64;
        }
        let all: f64 = bytes.values().sum();
        if all <= 0.0 {
            return Vec::new();
        }
        bytes.into_iter().map(|(user, bytes)| (user, bytes / all)).collect()
    }
}
