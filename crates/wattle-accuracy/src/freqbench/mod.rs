//! freqbench (kdrag0n): measured power of one busy core at each clock of each cluster, on phones of many SoCs.

mod anchors;
mod clusters;
mod models;

pub(crate) use clusters::{Cluster, Clusters};
pub(crate) use models::{SET, judge};
