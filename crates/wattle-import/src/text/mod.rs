//! Reading texts: lines of bounded length, numbers, dates and times of day.

mod bounded_lines;
mod calendar;
mod numbers;
mod stamp;

pub use bounded_lines::{Line, Lines};
pub use calendar::{DAY, Date, SECOND, Years};
pub use numbers::{around, hexadecimal, number};
pub use stamp::{Stamp, resolve_stamp, take_stamp};
