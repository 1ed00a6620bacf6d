//! `wattle calibrate`: measured power → a device model, or a table of API costs.

mod api_costs;
mod api_costs_text;
mod outcome;
mod rails;
mod recordings;
mod request;
mod terminal;

pub use rails::curves as rail_curves;
pub use request::run;
pub use terminal::test_errors;
