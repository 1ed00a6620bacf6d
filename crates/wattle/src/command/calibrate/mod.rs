//! `wattle calibrate`: measured power → a device model, or a table of API costs.

mod api_costs;
mod outcome;
mod request;
mod terminal;

pub use request::run;
