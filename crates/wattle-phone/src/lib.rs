//! A simulated Android device behind the real adb protocol.

mod app;
mod battery;
mod calendar;
mod clock;
mod command;
mod core;
mod error;
mod fault;
mod files;
mod framework;
mod journal;
mod log;
mod options;
mod path_map;
mod phone;
mod recording;
mod service;
mod shell;
mod state;
mod system;
mod tool;
mod transport;
mod usage;
mod workload;

pub use battery::{Battery, BatteryOptions, FakedBattery};
pub use clock::ClockOptions;
pub(crate) use clock::PhoneClock;
pub use error::PhoneError;
pub use fault::{Event, Fault};
pub use options::PhoneOptions;
pub use phone::Phone;
pub use recording::RecordedTruth;
pub use state::{InstalledPackage, Namespace};
pub use tool::tool_main;
pub use workload::{Step, TestOutcome, TestSpec};
