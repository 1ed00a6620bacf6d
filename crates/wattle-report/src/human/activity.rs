//! Something that people do with a device.

use serde::Serialize;
use wattle_units::Watts;

/// An activity on a reference device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Activity {
    /// What it is called (`web browsing`).
    pub name: String,
    /// Mean power of the whole device while somebody does it.
    #[serde(rename = "watts")]
    pub power: Watts,
    /// Where the figure comes from.
    pub source: String,
}
