//! `wattle model`: the device models and tables of API costs at hand.

mod check;
mod diff;
mod list;
mod lookup;
mod predict;
mod printing;
mod run;
mod show;
mod table;

pub use run::run;
