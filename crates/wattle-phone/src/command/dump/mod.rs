//! `dumpsys`.

mod app_usage;
mod network_dump;
mod power_dump;
mod rails_dump;
mod service;
mod statistics_dump;
mod statistics_proto;
mod wifi_time;

pub(super) use service::{SERVICES, dumpsys};
