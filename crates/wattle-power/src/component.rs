//! The hardware that draws power.

use serde::{Deserialize, Serialize};
use wattle_timeline::{CpuId, OperatingSystem, Uid};

/// A kind of hardware. In files and reports by its [`Component::name`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "String", into = "String")]
pub enum Component {
    /// CPU cores and everything that serves only them: clusters, DSU, L3, interconnect.
    Cpu,
    /// Graphics.
    Gpu,
    /// Tensor processing.
    Tpu,
    /// Panel and display controller.
    Display,
    /// Wi-Fi and Bluetooth where they share a rail are named by the rail's data file.
    Wifi,
    /// Cellular radio and modem.
    Cellular,
    /// Bluetooth.
    Bluetooth,
    /// Satellite positioning.
    Gnss,
    /// Camera.
    Camera,
    /// Flash storage.
    Storage,
    /// Audio.
    Audio,
    /// Video codec.
    Video,
    /// Sensors and their hub.
    Sensors,
    /// Memory: interface and chips.
    Memory,
    /// On-chip fabric and system cache.
    Fabric,
    /// Anything else, by the name the device gives it.
    Other(String),
}

impl Component {
    /// The name in flags, JSON keys, HTML and tables.
    pub fn name(&self) -> &str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Tpu => "tpu",
            Self::Display => "display",
            Self::Wifi => "wifi",
            Self::Cellular => "cellular",
            Self::Bluetooth => "bluetooth",
            Self::Gnss => "gnss",
            Self::Camera => "camera",
            Self::Storage => "storage",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Sensors => "sensors",
            Self::Memory => "memory",
            Self::Fabric => "fabric",
            Self::Other(name) => name,
        }
    }
}

/// Components that nearly every phone has.
const OF_PHONE: [Component; 12] = [
    Component::Cpu,
    Component::Gpu,
    Component::Display,
    Component::Memory,
    Component::Storage,
    Component::Wifi,
    Component::Cellular,
    Component::Bluetooth,
    Component::Gnss,
    Component::Camera,
    Component::Audio,
    Component::Sensors,
];

/// Components of every other computer, a server included.
const OF_COMPUTER: [Component; 3] = [Component::Cpu, Component::Memory, Component::Storage];

impl Component {
    /// The name in a sentence: `CPU`, `Wi-Fi`, `display`.
    pub fn title(&self) -> &str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::Tpu => "TPU",
            Self::Wifi => "Wi-Fi",
            Self::Bluetooth => "Bluetooth",
            Self::Gnss => "GNSS",
            other => other.name(),
        }
    }

    /// The components that a device of this system is known to have, whatever a recording contains of them. A device of an
    /// unknown system is most likely a phone.
    pub const fn usual(system: Option<OperatingSystem>) -> &'static [Self] {
        match system {
            Some(OperatingSystem::Linux | OperatingSystem::Windows) => &OF_COMPUTER,
            Some(OperatingSystem::Android) | None => &OF_PHONE,
        }
    }
}

impl From<&str> for Component {
    fn from(name: &str) -> Self {
        match name {
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu,
            "tpu" => Self::Tpu,
            "display" => Self::Display,
            "wifi" => Self::Wifi,
            "cellular" => Self::Cellular,
            "bluetooth" => Self::Bluetooth,
            "gnss" => Self::Gnss,
            "camera" => Self::Camera,
            "storage" => Self::Storage,
            "audio" => Self::Audio,
            "video" => Self::Video,
            "sensors" => Self::Sensors,
            "memory" => Self::Memory,
            "fabric" => Self::Fabric,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl From<String> for Component {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<Component> for String {
    fn from(component: Component) -> Self {
        component.name().to_owned()
    }
}

impl std::fmt::Display for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Which part of the hardware a track's power belongs to. Attribution follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One core's own power: whoever is on that core caused it.
    Core(CpuId),
    /// Power that several cores share (cluster leakage, DSU, L3, the additive base of a power
    /// profile): the busy ones among them caused it together. Ascending, never empty.
    Cores(Box<[CpuId]>),
    /// A GPU: the apps with work on it caused it.
    Gpu(u32),
    /// A component that one app used, as the system counted it.
    App(Uid),
    /// Power of a component after one app had used it, until it slept again.
    Tail(Uid),
    /// A component of which the recording does not say who used it.
    Device,
    /// Drawn by a component for being switched on, whoever uses it.
    Floor,
    /// Known to have been drawn, without any cause: a rail above 0 where its model says 0.
    Unexplained,
    /// Drawn while the device was suspended: nobody's, the floor of being switched on.
    Suspended,
}
