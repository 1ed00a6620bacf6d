//! Fits against published results, properties and real curves.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod curves;
mod kneed;
mod learners;
mod properties;
mod published;
