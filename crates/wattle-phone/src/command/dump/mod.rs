//! `dumpsys`.

mod network;
mod power;
mod rails;
mod service;
mod statistics;
mod statistics_proto;

pub(super) use service::{SERVICES, dumpsys};
