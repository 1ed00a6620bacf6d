//! Accuracy on published data sets.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod published_sets;
mod rail_periods;
mod schema;
