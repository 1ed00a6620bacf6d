//! Importers of figures that were read at a period: power meters, polled counters, and the kernel's counters in files of `/proc`.
//!
//! | module | reads |
//! |---|---|
//! | `meter` | files of power meters outside the device |
//! | `counters` | `counters.txt`, which `wattle record` writes, and files of `/proc` and `/sys` on their own |

mod counters;
pub mod limits;
mod meter;

pub use counters::{AllSeries, COUNTERS, PROC_FILE, Value};
pub use meter::{METER, MeterColumn, MeterColumns, MeterOptions, MeterStart};
