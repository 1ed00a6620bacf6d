//! The identity of a model that was used.

use serde::{Deserialize, Serialize};
use wattle_units::Provenance;

use crate::{ModelReason, ModelRung};

/// A model that was used, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFacts {
    /// Kind: `rails`, `curves`, `profile`, `linear`.
    pub kind: String,
    /// The device model's name (`Tensor`, `Pixel 6a power profile`).
    pub name: String,
    /// Reason for its choice, as text (`SoC "Tensor" of the recording`, `--device-model`).
    pub chosen: String,
    /// The same reason with its evidence; `None` for what needs no choice, and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ModelReason>,
    /// Origin of its figures, with licence.
    pub source: String,
    /// Modelled for this device, or assumed from another.
    pub provenance: Provenance,
    /// Figures of two versions must not be compared.
    pub version: u32,
}

impl ModelFacts {
    /// The step of the ladder by which it was chosen; `None` where it was not chosen from the library.
    pub fn rung(&self) -> Option<ModelRung> {
        self.reason.as_ref().and_then(ModelReason::rung)
    }
}
