//! A simulated Android device behind the real adb protocol.
//!
//! A [`Phone`] listens on a port of this machine as `adbd` does. Whoever speaks adb's protocol and has the key of this run
//! ([`Phone::adb_key`]) can connect to it, Debian's adb server as well as a client of one's own: shell with exit status, file
//! transfer, installing, logs, services, `perfetto`. Its state is consistent: what is installed is listed and can be pulled, what an app moves over the network
//! is in `/proc/net/dev`, in the statistics and in the trace. Its clocks are not the host's. [`Fault`]s are injected on
//! demand, and its state can be looked at when everything is over.
//!
//! The shell is this machine's `/bin/sh` in Linux namespaces of the phone's own: of this machine's files it sees the programs that
//! stand for Android's and their libraries, of its processes, networks and environment nothing. Programs of the phone call back
//! into it: see [`PhoneOptions::tool`] and [`tool_main`]. Where the kernel does not allow such namespaces no phone starts
//! ([`PhoneError::Sandbox`]). Nothing outlives a phone: not its processes, not its files, not the adb server on
//! [`Phone::adb_socket`], even if this process is killed.
//!
//! ```no_run
//! use wattle_phone::{Fault, Event, Phone, PhoneOptions};
//!
//! let phone = Phone::start(PhoneOptions::default())?;
//! println!("adb connect {}", phone.address());
//! phone.inject(Fault::RebootAt { event: Event::TestStarted, delay: std::time::Duration::ZERO });
//! # Ok::<(), wattle_phone::PhoneError>(())
//! ```
//!
//! # What is not as on a real phone
//!
//! - The shell is the host's `sh`, not `mksh`: no `$(<file)`, no `EPOCHREALTIME`.
//! - There is no `/proc/self`, and no `/dev/fd`, `/dev/stdin` and the like, which lead there.
//! - Shells count from 8192; apps and services have numbers above all of this machine's.
//! - The folders of apps can be read by everybody; `run-as` still asks whether the app can be debugged.
//! - One file cannot grow beyond the phone's free storage, but many together can.
//! - Package code that is executed ([`PhoneOptions::execute`]) is not in the sandbox: it runs with the caller's rights.

#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "answers are short, and read by people"
)]

mod app;
pub mod art;
mod battery_state;
mod command;
pub mod conformance;
mod core;
mod daemon;
mod device_link;
mod device_log;
mod error;
mod fault;
mod kernel_counters;
mod local_calendar;
mod made;
mod phone_clock;
mod phone_files;
mod phone_handle;
mod phone_options;
mod power_meter;
mod process_journal;
mod program_list;
mod recorded_truth;
mod recording;
mod rooted_folder;
mod sandbox;
mod service;
mod shell;
mod shell_usage;
mod state;
mod system;
mod tool;
mod tool_environment;
mod tool_server;
mod trace_config;
mod transport;
mod workload;

pub use battery_state::{Battery, BatteryOptions, FakedBattery};
pub use error::PhoneError;
pub use fault::{Event, Fault};
pub use made::MadePackage;
pub use phone_clock::ClockOptions;
pub(crate) use phone_clock::PhoneClock;
pub use phone_handle::Phone;
pub use phone_options::PhoneOptions;
pub use recorded_truth::RecordedTruth;
pub use state::{InstalledPackage, Namespace};
pub use tool::tool_main;
pub use workload::{LaunchSpec, Step, TestOutcome, TestSpec};
