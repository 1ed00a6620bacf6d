//! Newtypes for every quantity of an energy profile.
//!
//! A bare `f64` in a public signature of the power model is a defect: a milliwatt that is taken
//! for a watt is not found by any test that looks only at shares. Every quantity of the pipeline
//! is therefore a type of its own, in SI units, and only the products that physics knows exist.
//!
//! ```
//! use wattle_units::{Amperes, BootNanos, Joules, Volts, Watts};
//!
//! let start = BootNanos::new(1_000_000_000);
//! let end = BootNanos::new(3_000_000_000);
//! let power: Watts = Volts::new(3.85) * Amperes::from_milliamperes(100.0);
//! let energy: Joules = power * (end - start);
//! assert!((energy.value() - 0.77).abs() < 1e-12);
//! assert_eq!(energy.to_string(), "770 mJ");
//! ```
//!
//! A figure that is shown to a person is an [`Estimate`]: a value, its 90 % [`Interval`] and its
//! [`Provenance`].

mod electric;
mod energy;
mod estimate;
mod frequency;
mod human;
mod keyed_sums;
mod power;
mod quantity;
mod sum;
mod time;

pub use electric::{Amperes, Coulombs, Volts};
pub use energy::Joules;
pub use estimate::{Estimate, Interval, Provenance};
pub use frequency::Hertz;
pub use human::Si;
pub use keyed_sums::sum_by_key;
pub use power::Watts;
pub use sum::CompensatedSum;
pub use time::{BootNanos, Nanos};
