//! Attribution policies and the ledger: every joule of every power track booked to exactly one account.
//!
//! A [`Ledger`] is made from a timeline and its power estimate, holds no reference to either, and has a
//! documented file format. It closes: for every component the sum over its accounts equals the integral
//! of its power tracks, computed independently, to 1e-9 relative.

mod account;
mod booking;
mod entry;
mod error;
mod ledger;
mod options;
mod series;
mod view;

pub use account::{Account, AccountId, Charge};
pub use booking::{Booking, ComponentId};
pub use entry::{
    ArtifactEntry, Closure, ComponentEntry, CpuEntry, PathEntry, PathId, ProcessEntry, ThreadEntry,
};
pub use error::LedgerError;
pub use ledger::{Ledger, SCHEMA};
pub use options::{AttributionOptions, SharedPolicy};
pub use series::{PowerBins, PowerSeries};
