//! `wattle bisect`: the search for the commit that changed an app's energy.

mod bisect_command;
mod commit_range;
mod trial;

pub use bisect_command::bisect;
