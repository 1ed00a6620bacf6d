//! Reading texts: lines of bounded length, numbers, dates and times of day.

mod calendar;
mod lines;
mod numbers;
mod stamp;

pub use calendar::{DAY, Date, SECOND, Years};
pub use lines::{Line, Lines};
pub use numbers::{around, hexadecimal, number};
pub use stamp::{Stamp, resolve_stamp, take_stamp};
