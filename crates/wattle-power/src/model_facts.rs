//! The identity of a model that was used.

use serde::{Deserialize, Serialize};
use wattle_units::Provenance;

/// A model that was used, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFacts {
    /// Kind: `rails`, `curves`, `profile`, `linear`.
    pub kind: String,
    /// The device model's name (`Tensor`, `Pixel 6a power profile`).
    pub name: String,
    /// Reason for its choice (`soc "Tensor" of the trace`, `--device-model FILE`, `nearest by topology`).
    pub chosen: String,
    /// Origin of its figures, with licence.
    pub source: String,
    /// Modelled for this device, or assumed from another.
    pub provenance: Provenance,
    /// Figures of two versions must not be compared.
    pub version: u32,
}
