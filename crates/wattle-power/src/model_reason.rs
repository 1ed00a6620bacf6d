//! The reason for which a model was chosen.

use serde::{Deserialize, Serialize};
use wattle_timeline::{Architecture, OperatingSystem};

/// A step of the ladder by which the library's models are chosen, best evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModelRung {
    /// The device's code name.
    A,
    /// The name of its SoC, board or hardware.
    B,
    /// The clocks of its CPUs.
    C,
    /// The number of its CPUs, their architecture and its system. The model is another chip's.
    D,
}

impl ModelRung {
    /// The word in files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::D => "d",
        }
    }
}

/// A property of a recording that names a SoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SocProperty {
    /// `ro.soc.model`, or that of a guest's host.
    Soc,
    /// `ro.board.platform`.
    Board,
    /// `ro.hardware`, or `Hardware` of `/proc/cpuinfo`.
    Hardware,
}

/// Evidence by which a model was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum ModelReason {
    /// The user gave it.
    User,
    /// It is the `power_profile.xml` of the recorded device.
    OwnProfile,
    /// The recording contains it.
    RecordedModel,
    /// The device has this code name.
    CodeName {
        /// The code name.
        device: String,
        /// Its SoC by the list of devices; `None` where the model itself names the device.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        soc: Option<String>,
    },
    /// A property of the recording names the SoC.
    SocProperty {
        /// Property of that value.
        property: SocProperty,
        /// Its value.
        value: String,
    },
    /// The clocks of the CPUs are those of the model.
    Clocks {
        /// Number of recorded clocks that are in the model's tables, each counted once a cluster.
        matched: u32,
        /// Number of all recorded clocks.
        recorded: u32,
    },
    /// The model's CPUs are the most similar in the library.
    Cores {
        /// Number of CPUs of the device.
        cpus: u32,
        /// Whether the device may have more CPUs than were seen.
        #[serde(default)]
        or_more: bool,
        /// The instruction set of the device.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        architecture: Option<Architecture>,
    },
    /// It stands in for any computer with this system.
    System {
        /// The system.
        system: OperatingSystem,
    },
    /// It stands in for any computer, as no phone has so many CPUs.
    ManyCpus {
        /// Number of CPUs of the device.
        cpus: u32,
    },
}

impl ModelReason {
    /// The step of the ladder; `None` for models that the user, the device or the recording itself gave.
    pub fn rung(&self) -> Option<ModelRung> {
        match self {
            Self::User | Self::OwnProfile | Self::RecordedModel => None,
            Self::CodeName { .. } => Some(ModelRung::A),
            Self::SocProperty { .. } => Some(ModelRung::B),
            Self::Clocks { .. } => Some(ModelRung::C),
            Self::Cores { .. } | Self::System { .. } | Self::ManyCpus { .. } => Some(ModelRung::D),
        }
    }
}

impl std::fmt::Display for ModelReason {
    /// Completes the sentence "chosen by …".
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User => to.write_str("--device-model"),
            Self::OwnProfile => to.write_str("the recorded device's own"),
            Self::RecordedModel => to.write_str("the recording's own model"),
            Self::CodeName { device, soc: Some(soc) } => {
                write!(to, "the device's code name {device} → {soc}")
            }
            Self::CodeName { device, soc: None } => write!(to, "the device's code name {device}"),
            Self::SocProperty { property, value } => {
                let property = match property {
                    SocProperty::Soc => "SoC",
                    SocProperty::Board => "board",
                    SocProperty::Hardware => "hardware",
                };
                write!(to, "{property} {value:?} of the recording")
            }
            Self::Clocks { matched, recorded } => {
                write!(to, "its CPU clocks: {matched} of {recorded} are in the model's tables")
            }
            Self::Cores { cpus, or_more, architecture } => {
                let least = if *or_more { "at least " } else { "" };
                let architecture = architecture.map(|it| format!(", {}", it.title()));
                write!(to, "its CPUs ({least}{cpus}{})", architecture.unwrap_or_default())?;
                to.write_str(", the most similar in the library")
            }
            Self::System { system } => write!(to, "system {} of the recording", system.title()),
            Self::ManyCpus { cpus } => {
                write!(to, "{cpus} CPUs, more than any phone of the library has")
            }
        }
    }
}
