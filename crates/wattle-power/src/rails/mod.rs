//! Rails: energy counters of the on-device power monitor.
//!
//! A rail says how much, the model says where. Every interval between two samples of a rail that
//! supplies modelled hardware scales the model's tracks to the rail's energy; what no model covers becomes a
//! track of its own.

mod book;
mod lag;
mod metered_window;
mod rail_counter;
mod rail_names;
mod rail_survey;
mod scale;
mod supply_place;
mod supply_tree;

pub(crate) use book::{Request, ScaledTrack, book, powers};
pub use metered_window::metered_window;
pub(crate) use rail_names::RailNames;
pub(crate) use rail_survey::RailSurvey;
