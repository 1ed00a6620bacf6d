//! Files of power meters outside the device: samples in the meter's own clock, brought into the recording's by a step of its own.
//!
//! | format | read by |
//! |---|---|
//! | tables: Monsoon's PowerTool and Python library, Otii, Joulescope, any with named columns | `table` |
//! | `.pt4` of Monsoon's PowerTool | `pt4` |
//! | `.jls` version 2 of Joulescope | `jls` |
//! | BattOr | `battor` |
//! | totals of runs of Android Runner | `runs` |

mod align;
mod battor;
mod bytes;
mod columns;
mod draft;
mod jls;
mod number;
mod options;
mod pt4;
mod read;
mod runs;
mod series;
mod stamp;
mod table;
mod unit;

pub use options::{MeterColumn, MeterColumns, MeterOptions, MeterStart};

pub(crate) use align::{alone, tell};
pub(crate) use read::{looks_like, read};
pub(crate) use series::MeterFile;
