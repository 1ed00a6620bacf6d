//! Histories as inputs: their place, and their runs by name (`run:12`).

mod kept_name;
mod saved_run;
mod store_place;

pub use kept_name::{app, is_run_name, labels, load};
pub use saved_run::SavedRun;
pub use store_place::{HOW_TO_KEEP, failure, history_near, location, nothing_kept, open_existing};
