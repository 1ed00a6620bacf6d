//! `wattle calibrate`: measured power → a device model.

mod outcome;
mod request;
mod terminal;

pub use request::run;
