//! Division of a component's energy where no call says who used it.

use wattle_power::Component;
use wattle_timeline::Timeline;
use wattle_units::Provenance;

use super::concurrent_users::Concurrent;
use super::front_apps::front_apps;
use super::gpu_work::gpu_users;
use super::hardware_user::HardwareUser;
use super::packet_users::PacketUsers;
use super::state_users::state_users;
use super::storage_waits::storage_users;
use crate::attribution::call_paths::CallPaths;
use crate::attribution::core_counters;
use crate::attribution::named_spans::NamedSpans;

/// The division of a component's energy.
#[derive(Debug)]
pub(crate) enum Split {
    /// A floor, and the rest among what executes, by cache misses where they were counted, else by time: who executes uses memory and
    /// what leads to it.
    BusyCores {
        /// Whether cache misses were counted.
        counted: bool,
    },
    /// Among those who use it at each instant, in equal parts.
    Users(Concurrent<HardwareUser>),
    /// Among those whose packets passed, by bytes.
    Packets(PacketUsers),
}

/// The error of a split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SplitError {
    /// Relative standard deviation of each user's part.
    pub(crate) deviation: f64,
    pub(crate) provenance: Provenance,
}

impl Split {
    /// The best one that a recording allows; `None` where nothing says who used the component.
    pub(super) fn new(
        timeline: &Timeline,
        paths: &CallPaths,
        named: &NamedSpans,
        component: &Component,
    ) -> Option<Self> {
        let users = match component {
            Component::Memory | Component::Fabric => {
                let has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
                let counted = core_counters::are_there(timeline);
                return has_scheduler.then_some(Self::BusyCores { counted });
            }
            Component::Display => front_apps(timeline, paths, named),
            Component::Gpu => {
                let by_gpu = gpu_users(timeline, paths);
                if by_gpu.is_empty() { front_apps(timeline, paths, named) } else { by_gpu }
            }
            Component::Storage => storage_users(timeline, paths),
            Component::Wifi | Component::Cellular => {
                let packets = PacketUsers::new(timeline, component);
                return (!packets.is_empty()).then_some(Self::Packets(packets));
            }
            other => state_users(timeline, other),
        };
        (!users.is_empty()).then_some(Self::Users(users))
    }

    /// Everybody among whom it divides, but for cores.
    pub(crate) fn users(&self) -> Vec<HardwareUser> {
        match self {
            Self::BusyCores { .. } => Vec::new(),
            Self::Users(users) => users.all().to_vec(),
            Self::Packets(packets) => packets.users().collect(),
        }
    }

    /// By what it is divided, for a sentence.
    pub(super) const fn words(&self, component: &Component) -> &'static str {
        match (self, component) {
            (Self::BusyCores { counted: true }, _) => {
                "among what executes, by cache misses, above a floor"
            }
            (Self::BusyCores { .. }, _) => "among what executes, by time, above a floor",
            (Self::Packets(_), _) => "by bytes of packets",
            (Self::Users(_), Component::Display) => "to the app in front",
            (Self::Users(_), Component::Gpu) => "to processes while it worked for their frames",
            (Self::Users(_), Component::Storage) => "to threads that waited for it",
            (Self::Users(_), _) => "to apps that had it switched on",
        }
    }

    /// The error of each user's part. Judgement, on the wide side: no device measures what any of them draws of these components.
    /// Bandwidth at equal time differs by a factor of two and more between programs; uninterruptible sleep has other causes, too.
    pub(crate) const fn error(&self, component: &Component) -> SplitError {
        let (deviation, provenance) = match (self, component) {
            (Self::BusyCores { counted: true }, _) | (Self::Users(_), Component::Gpu) => {
                (0.3, Provenance::Modelled)
            }
            (Self::BusyCores { .. }, _) | (Self::Users(_), Component::Storage) => {
                (0.8, Provenance::Assumed)
            }
            (Self::Users(_) | Self::Packets(_), _) => (0.2, Provenance::Modelled),
        };
        SplitError { deviation, provenance }
    }
}
