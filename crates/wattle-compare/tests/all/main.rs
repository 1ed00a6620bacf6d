//! Comparisons of simulated runs, whose noise the estimators do not know.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod discoveries;
mod properties;
mod run_rates;
mod worlds;
