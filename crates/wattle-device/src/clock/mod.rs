//! What the clocks of host and device show at one moment, so that what both have recorded can be laid side by side.

mod reading;
mod readings;

pub use readings::{ClockReadings, read_clocks};
