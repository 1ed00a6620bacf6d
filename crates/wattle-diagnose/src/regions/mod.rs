//! Stretches of time in which a thread does more than it should.
//!
//! Four grounds let a stretch qualify: sliding windows over clusters of events that stand out against the thread and its process,
//! windows that are too much for an idle machine whatever the thread usually does, events that come back like clockwork, and
//! single events that are very expensive. What overlaps is one region.

mod cluster;
mod means;
mod period;
mod region_search;
mod region_statistics;
mod regular;
mod single;
mod sliding;
mod trim;

pub(crate) use means::Means;
pub(crate) use region_search::{Found, find};
pub(crate) use region_statistics::{Statistics, statistics};
