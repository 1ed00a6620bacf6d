//! freqbench (kdrag0n): measured power of one busy core at each clock of each cluster, on phones of many SoCs.

mod anchors;
mod freqbench_models;
mod measured_clusters;

pub(crate) use freqbench_models::{SET, judge};
pub(crate) use measured_clusters::{Cluster, Clusters};
