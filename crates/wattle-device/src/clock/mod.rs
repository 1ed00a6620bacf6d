//! Readings of the clocks of host and device at the same moment, so that recordings of both can be aligned.

mod clock_reading;
mod clock_readings;

pub use clock_readings::{ClockReadings, read_clocks};
