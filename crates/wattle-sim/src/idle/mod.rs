//! Idle runs with planted truth: machines on which nothing should happen, and the stretches in which a thread does something all
//! the same.
//!
//! A [`IdleMachine`] is cores and processes with threads; what a thread does follows from its [`Behaviour`]s: a timer of 5 ms, a
//! busy wait, a burst of disk reads, one very long event, random wake-ups. A scheduler lets them run (no thread is on two cores,
//! no core has two threads), and the [`IdleRun`] that comes of it says who was on a core when, with call stacks, and which
//! stretches were planted: [`PlantedStretch`]. It can be written as the trace that a real system would have left:
//! [`IdleRun::write_perfetto`] and [`IdleRun::write_etl`].
//!
//! ```
//! use wattle_sim::idle::IdleMachine;
//!
//! let run = IdleMachine::article(1).run();
//! let planted = &run.planted[0];
//! assert!((planted.period.unwrap().seconds() - 0.005).abs() < 0.001);
//! let mut trace = Vec::new();
//! run.write_perfetto(&mut trace)?;
//! # Ok::<(), wattle_sim::SimError>(())
//! ```

mod article;
mod behaviour;
mod burst;
mod code_maker;
mod code_module;
mod etl;
mod ftrace;
mod idle_run;
mod machine;
mod perfetto_trace;
mod planted;
mod population;
mod request_kind;
mod schedule;
mod timer_request;

pub use behaviour::{Background, Behaviour, TimerBeat};
pub use code_maker::IdleSystem;
pub use code_module::{CodeFrame, CodeModule, CodePath};
pub use etl::{EtlForm, PointerSize};
pub use idle_run::{DiskRequest, IdleRun, RunSample, RunSwitch, RunThread, RunWaking};
pub use machine::{IdleMachine, IdleProcess, IdleThread};
pub use planted::{PlantedKind, PlantedStretch};
pub use population::IdlePopulation;
pub use request_kind::RequestKind;
pub use timer_request::TimerRequest;
