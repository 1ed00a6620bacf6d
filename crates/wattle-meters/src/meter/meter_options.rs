//! Facts about a meter's file that the user states.

use std::path::PathBuf;
use std::str::FromStr;

use wattle_units::Volts;

/// Which columns of a table are what. What is left out is found by the names and units in the header.
///
/// As text: `time=T,current=I:mA,voltage=U:mV`. A column is named as the header names it, with or without its unit, or by its
/// number (`#2` is the second); behind a colon stands its unit, where the header does not tell it.
///
/// ```
/// use wattle_meters::MeterColumns;
///
/// let columns: MeterColumns = "time=#1,power=Total:mW".parse()?;
/// assert_eq!(columns.power.map(|column| column.unit), Some(Some("mW".to_owned())));
/// assert!("colour=red".parse::<MeterColumns>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeterColumns {
    /// When.
    pub time: Option<MeterColumn>,
    /// Power.
    pub power: Option<MeterColumn>,
    /// Current.
    pub current: Option<MeterColumn>,
    /// Voltage.
    pub voltage: Option<MeterColumn>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterColumn {
    /// Its name in the header, or `#` and its number, counted from 1.
    pub name: String,
    /// Its unit, where the header's is missing or wrong.
    pub unit: Option<String>,
}

impl FromStr for MeterColumns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns = Self::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (what, name) = part.split_once('=').ok_or_else(|| {
                format!("expected what=NAME, found {part:?}: as in time=T,current=I:mA")
            })?;
            let slot = match what.trim() {
                "time" => &mut columns.time,
                "power" => &mut columns.power,
                "current" => &mut columns.current,
                "voltage" => &mut columns.voltage,
                other => {
                    return Err(format!(
                        "expected time, power, current or voltage, found {other:?} in {part:?}"
                    ));
                }
            };
            // `12:30` may be a name: a unit is what is known as one.
            let unit = name.rsplit_once(':').filter(|(_, unit)| super::unit::unit(unit).is_some());
            *slot = Some(match unit {
                Some((name, unit)) => {
                    MeterColumn { name: name.trim().to_owned(), unit: Some(unit.trim().to_owned()) }
                }
                None => MeterColumn { name: name.trim().to_owned(), unit: None },
            });
        }
        Ok(columns)
    }
}

/// When a meter's first sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterStart {
    /// So many nanoseconds after the recording's first event.
    AfterStart(i64),
    /// At this boot time, nanoseconds.
    At(i64),
}

/// Facts about a meter's file that the user states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeterOptions {
    /// Files that are a meter's, whatever they look like; read beside the others.
    pub files: Vec<PathBuf>,
    /// Columns of tables.
    pub columns: MeterColumns,
    /// The voltage that the meter kept, for tables of currents only.
    pub voltage: Option<Volts>,
    /// When the first sample was taken: instead of any other way of alignment.
    pub start: Option<MeterStart>,
}
