//! Stretches of time in which a thread does more than it should.
//!
//! Four grounds let a stretch qualify: sliding windows over clusters of events that stand out against the thread and its process,
//! windows that are too much for an idle machine whatever the thread usually does, events that come back like clockwork, and
//! single events that are very expensive. What overlaps is one region.

mod cluster;
mod find;
mod means;
mod period;
mod regular;
mod single;
mod sliding;
mod statistics;
mod trim;

pub(crate) use find::{Found, find};
pub(crate) use means::Means;
pub(crate) use statistics::{Statistics, statistics};
