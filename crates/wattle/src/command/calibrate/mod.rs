//! `wattle calibrate`: measured power → a device model, or a table of API costs.

mod api_costs;
mod api_costs_text;
mod model_output;
mod outcome;
mod recordings;
mod request;
mod terminal;
mod update_by_rails;
mod update_text;

pub use request::run;
pub use terminal::test_errors;
pub use update_by_rails::curves as rail_curves;
