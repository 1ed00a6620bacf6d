//! The devices that a model is for.

use serde::Deserialize;
use wattle_timeline::{Architecture, OperatingSystem};

/// The devices that a model is for: section `[match]` of its file. Names are compared without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelMatch {
    /// The names of SoCs (`ro.soc.model`).
    #[serde(rename = "soc")]
    pub socs: Vec<String>,
    /// The code names of devices (`ro.product.device`).
    pub devices: Vec<String>,
    /// The boards (`ro.board.platform`).
    pub boards: Vec<String>,
    /// The systems whose computers it stands in for where no other model is known: its one policy then is of all their CPUs.
    pub systems: Vec<OperatingSystem>,
    /// The only instruction sets of devices it is for; any where there are none.
    pub architectures: Vec<Architecture>,
}

impl ModelMatch {
    /// Whether it names no device, SoC, board or system.
    pub fn is_empty(&self) -> bool {
        self.socs.is_empty()
            && self.devices.is_empty()
            && self.boards.is_empty()
            && self.systems.is_empty()
    }

    /// Whether devices of an instruction set, or of an unknown one, can be meant.
    pub fn allows(&self, architecture: Option<Architecture>) -> bool {
        let Some(architecture) = architecture else { return true };
        self.architectures.is_empty() || self.architectures.contains(&architecture)
    }

    /// Whether it has the name of a SoC.
    pub(crate) fn has_soc(&self, name: &str) -> bool {
        has(&self.socs, name)
    }

    /// Whether it has the code name of a device.
    pub(crate) fn has_device(&self, name: &str) -> bool {
        has(&self.devices, name)
    }

    /// Whether it has the name of a board, or a SoC whose board has the same name.
    pub(crate) fn has_board(&self, name: &str) -> bool {
        has(&self.boards, name) || has(&self.socs, name)
    }
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
