//! Flags about files of power meters.

use std::path::PathBuf;

use clap::Args;
use wattle_ingest::MeterColumns;

/// Files of power meters, and what they do not say of themselves.
#[derive(Debug, Args, Clone, Default)]
pub struct Metering {
    /// A power meter's file of the same run (Monsoon, Otii, Joulescope, BattOr, a table with named columns; repeatable)
    #[arg(long, value_name = "FILE")]
    pub meter: Vec<PathBuf>,
    /// Time of the meter's first sample, in the forms of --from [default: clocks are aligned by marks, time of day or CPU
    /// activity]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub meter_offset: Option<String>,
    /// Columns of the meter's table: `time=NAME,power=NAME,current=NAME:UNIT,voltage=NAME`; a NAME can be a number (`#2`)
    #[arg(long, value_name = "COLUMNS")]
    pub meter_columns: Option<MeterColumns>,
    /// Supply voltage of the meter, for a table that contains currents only
    #[arg(long, value_name = "VOLTS")]
    pub meter_voltage: Option<f64>,
}
