//! A simulated phone, and machines at idle ([`idle`]), with known truth that write real artifacts.
//!
//! No public data set pairs the methods of an app with the joules they drew. Here a phone is simulated at full
//! resolution: clusters with frequencies, idle states and power curves, a scheduler, a governor, interrupts,
//! threads that run methods, power rails with noise and clocks that drift. It writes the Perfetto trace that
//! such a phone would have recorded, and keeps its own books of who drew what by the rules of accounting.
//! A profiler is right when it finds the [`Truth`] from the trace and the [device model](Simulated::device_model).
//!
//! ```
//! use wattle_sim::{PhoneSpec, Simulation, scenario};
//! use wattle_units::Nanos;
//!
//! let phone = PhoneSpec::small();
//! let workload = scenario::news_app(Nanos::from_seconds(0.2));
//! let simulated = Simulation::new(phone, workload, 1)?.run()?;
//! let closes = (simulated.truth.booked() / simulated.truth.total - 1.0).abs();
//! assert!(closes < 1e-9);
//! # Ok::<(), wattle_sim::SimError>(())
//! ```
//!
//! A [`Replay`](replay::Replay) is the same phone driven by what really happened: processes with the numbers they had,
//! threads that worked from one instant of boot time to another, the sections they were in.
//!
//! ```
//! use wattle_sim::PhoneSpec;
//! use wattle_sim::replay::{
//!     RecordedSources, Replay, ReplayClocks, ReplayProcess, ReplayThread, ReplayWindow,
//! };
//! use wattle_units::BootNanos;
//!
//! let at = |millis: i64| BootNanos::new(millis * 1_000_000);
//! let thread = ReplayThread::new(4321, "m.example.shop")
//!     .begin(at(5100), "Cart.sum")
//!     .busy(at(5100), at(5140))
//!     .end(at(5140));
//! let mut replay = Replay::new(PhoneSpec::small(), ReplayClocks::default(), 1);
//! replay.add(ReplayProcess::new(4321, 10_077, "com.example.shop").with_thread(thread));
//! let mut sources = RecordedSources::default();
//! sources.atrace_apps = vec!["com.example.shop".to_owned()];
//! let simulated = replay.run(ReplayWindow::new(at(5000), at(5200)), &sources)?;
//! assert!(simulated.truth.self_joules_by_method()["Cart.sum"].value() > 0.0);
//! # Ok::<(), wattle_sim::SimError>(())
//! ```

pub mod android;
mod big;
mod bytes;
mod code_owner;
mod curve_error;
mod device_model;
mod effect;
mod effect_set;
mod energy_accounts;
mod error;
pub mod idle;
mod machine;
mod nature;
mod performance;
mod phone_presets;
mod phone_spec;
mod poller;
mod recorded_sources;
pub mod replay;
mod replay_clocks;
pub mod scenario;
mod simulated_device;
mod simulation;
mod specimen;
mod stage;
mod thread_program;
mod trace;
mod trace_source;
mod truth;
mod workload;

pub use big::write_big;
pub use bytes::{Access, ByteTruth, Bytes, CallBytes, DeviceBytes, Transfer};
pub use curve_error::CurveErrors;
pub use effect::Effect;
pub use effect_set::Effects;
pub use error::SimError;
pub use phone_spec::{
    BatterySpec, ClusterSpec, CurrentReading, CurvePoint, DeviceSpec, InitialFrequency, PhoneSpec,
    RailClock, RailLoad, RailSpec, RecorderSpec,
};
pub use poller::{PolledFile, Poller, PollerClock};
pub use simulated_device::Device;
pub use simulation::{Simulated, Simulation};
pub use trace_source::TraceSource;
pub use truth::{
    Charges, ClusterTruth, DeviceTruth, MethodTruth, ProcessJoules, RailTruth, ThreadTruth, Truth,
};
pub use wattle_random::SplitMix64;
pub use workload::{Action, AppSpec, InterruptSpec, PhoneEvent, ThreadSpec, Workload};
