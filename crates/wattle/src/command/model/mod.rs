//! `wattle model`: the device models at hand.

mod check;
mod diff;
mod list;
mod lookup;
mod run;
mod show;

pub use run::run;
