//! Which columns of a table are what.

use super::meter_options::{MeterColumn, MeterColumns};
use super::unit::{Quantity, Unit, unit};

/// A column that is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub index: usize,
    /// As the header names it.
    pub name: String,
    /// `None`: nobody says it.
    pub unit: Option<Unit>,
}

/// The columns that are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    pub time: Column,
    pub power: Option<Column>,
    pub current: Option<Column>,
    pub voltage: Option<Column>,
    /// Names of the others.
    pub unread: Vec<String>,
}

/// Content of one cell of a header.
#[derive(Clone, Debug, PartialEq)]
struct Heading {
    name: String,
    words: Vec<String>,
    unit: Option<Unit>,
    /// It has a unit that is none of those of the quantities that are read.
    is_foreign: bool,
}

impl Heading {
    fn from_cell(cell: &str) -> Self {
        let name =
            super::number::bare(cell).trim_start_matches(['#', '\u{feff}']).trim().to_owned();
        let bracket = name.rfind(['(', '[', '{']).and_then(|at| {
            let (before, rest) = name.split_at(at);
            let inside = rest.get(1..)?.trim_end_matches([')', ']', '}']);
            Some((before.trim().to_owned(), inside.trim().to_owned()))
        });
        let (base, found, is_foreign) = if let Some((base, inside)) = bracket {
            let found = unit(&inside);
            (base, found, found.is_none())
        } else {
            let last = name.rsplit(['_', ' ', '-', '.', '/']).next().unwrap_or_default();
            let found = if last.len() < name.len() { unit(last) } else { None };
            (name.clone(), found, false)
        };
        let words = base
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        Self { name, words, unit: found, is_foreign }
    }

    fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(&word.as_str()))
    }

    /// By its unit, else by its name.
    fn quantity(&self) -> Option<Quantity> {
        const TIMES: &[&str] =
            &["time", "timestamp", "timestamps", "t", "date", "datetime", "elapsed", "seconds"];
        let by_name = || {
            Some(match () {
                () if self.has(TIMES) => Quantity::Time,
                () if self.has(&["power", "watts", "watt", "p", "pwr"]) => Quantity::Power,
                () if self.has(&["current", "currents", "amps", "i"]) => Quantity::Current,
                () if self.has(&["voltage", "volts", "volt", "v", "vbat", "vout", "u"]) => {
                    Quantity::Voltage
                }
                () => return None,
            })
        };
        match self.unit {
            // `duration_ms` is a length, not a moment.
            Some(unit) if unit.quantity == Quantity::Time && !self.has(TIMES) => None,
            Some(unit) => Some(unit.quantity),
            // Dates have no unit: `Time (UTC)`.
            None if self.is_foreign => by_name().filter(|quantity| *quantity == Quantity::Time),
            None => by_name(),
        }
    }

    /// The better one of several columns of one quantity has more.
    fn rank(&self) -> i32 {
        let mut rank = 0;
        let mut rate = |words: &[&str], value| rank += if self.has(words) { value } else { 0 };
        rate(&["main", "total", "battery"], 4);
        rate(&["avg", "average", "mean"], 2);
        rate(&["min", "max", "minimum", "maximum", "std", "stdev", "peak"], -8);
        rate(&["usb", "aux", "digital", "start", "end", "duration"], -16);
        rank
    }
}

/// Finds the columns by names and units; those that the user names are those.
///
/// # Errors
/// The missing columns, in words.
pub(crate) fn choose(cells: &[String], asked: &MeterColumns) -> Result<Columns, String> {
    let headings: Vec<Heading> = cells.iter().map(|cell| Heading::from_cell(cell)).collect();
    let pick =
        |quantity: Quantity, asked: Option<&MeterColumn>| -> Result<Option<Column>, String> {
            if let Some(asked) = asked {
                return named(&headings, asked, quantity).map(Some);
            }
            let of = |(_, heading): &(usize, &Heading)| heading.quantity() == Some(quantity);
            let all = headings.iter().enumerate().filter(of);
            // The first of the best.
            let best = all.rev().max_by_key(|(_, heading)| heading.rank());
            Ok(best.filter(|(_, heading)| heading.rank() > -8).map(|(index, heading)| Column {
                index,
                name: heading.name.clone(),
                unit: heading.unit,
            }))
        };
    let found = || headings.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
    let Some(time) = pick(Quantity::Time, asked.time.as_ref())? else {
        return Err(format!(
            "expected a column of times (such as `Time (s)`), found the columns {}",
            found()
        ));
    };
    let power = pick(Quantity::Power, asked.power.as_ref())?;
    let current = pick(Quantity::Current, asked.current.as_ref())?;
    let voltage = pick(Quantity::Voltage, asked.voltage.as_ref())?;
    if power.is_none() && current.is_none() {
        return Err(format!(
            "expected a column of power or current (such as `Main Avg Current (mA)`), found the columns {}",
            found()
        ));
    }
    let read: Vec<usize> = [Some(&time), power.as_ref(), current.as_ref(), voltage.as_ref()]
        .into_iter()
        .flatten()
        .map(|it| it.index)
        .collect();
    let unread = headings.iter().enumerate().filter(|(index, _)| !read.contains(index));
    let unread = unread.map(|(_, heading)| heading.name.clone()).filter(|name| !name.is_empty());
    let unread = unread.collect();
    Ok(Columns { time, power, current, voltage, unread })
}

/// The column that the user names.
fn named(headings: &[Heading], asked: &MeterColumn, quantity: Quantity) -> Result<Column, String> {
    let by_number = asked.name.strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
    let base = |heading: &Heading| heading.words.join(" ");
    let wanted = Heading::from_cell(&asked.name);
    let index = match by_number {
        Some(number) => number.checked_sub(1).filter(|index| *index < headings.len()),
        None => headings
            .iter()
            .position(|heading| heading.name.eq_ignore_ascii_case(&asked.name))
            .or_else(|| headings.iter().position(|heading| base(heading) == base(&wanted))),
    };
    let Some((index, heading)) = index.and_then(|index| Some((index, headings.get(index)?))) else {
        let names: Vec<&str> = headings.iter().map(|heading| heading.name.as_str()).collect();
        return Err(format!(
            "expected a column {:?}, found the columns {}",
            asked.name,
            names.join(", ")
        ));
    };
    let said = asked.unit.as_deref().and_then(unit).or(heading.unit);
    let said = said.filter(|unit| unit.quantity == quantity);
    Ok(Column { index, name: heading.name.clone(), unit: said })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header; the columns chosen for time, power, current and voltage (0: none), and their scales.
    #[track_caller]
    fn check(header: &str, asked: &str, expected: Result<[(usize, Option<f64>); 4], &str>) {
        let cells: Vec<String> = header.split('|').map(str::to_owned).collect();
        let found = choose(&cells, &asked.parse().unwrap()).map(|columns| {
            [Some(columns.time), columns.power, columns.current, columns.voltage].map(|column| {
                column.map_or((0, None), |it| (it.index + 1, it.unit.map(|unit| unit.scale)))
            })
        });
        match expected {
            Ok(expected) => assert_eq!(found, Ok(expected), "{header}"),
            Err(text) => assert!(found.unwrap_err().contains(text), "{header}"),
        }
    }

    #[test]
    fn columns_are_found_by_names_and_units() {
        let none = (0, None);
        check(
            "Time (s)|Main Avg Current (mA)|Main Avg Power (mW)|Main Avg Voltage (V)",
            "",
            Ok([(1, Some(1e9)), (3, Some(1e-3)), (2, Some(1e-3)), (4, Some(1.0))]),
        );
        check(
            "Time (s)|Main Min Current (mA)|Main Max Current (mA)|Main Avg Current (mA)|USB Avg Current (mA)",
            "",
            Ok([(1, Some(1e9)), none, (4, Some(1e-3)), none]),
        );
        check(
            "Time(ms)|Main(mA)|USB(mA)|Aux(mA)|Main Voltage(V)|USB Voltage(V)|",
            "",
            Ok([(1, Some(1e6)), none, (2, Some(1e-3)), (5, Some(1.0))]),
        );
        check(
            "Timestamp|Main Current (A)|Main Voltage (V)",
            "",
            Ok([(1, None), none, (2, Some(1.0)), (3, Some(1.0))]),
        );
        check(
            "timestamp_ms|current_uA|voltage_mV",
            "",
            Ok([(1, Some(1e6)), none, (2, Some(1e-6)), (3, Some(1e-3))]),
        );
        check("#time|current|voltage|power", "", Ok([(1, None), (4, None), (2, None), (3, None)]));
        check("Date|P [W]", "", Ok([(1, None), (2, Some(1.0)), none, none]));
        check("Time|Energy (J)|Power (mWh)", "", Err("power or current"));
        check("device|subject|energy_joules|duration_ms|error_flag", "", Err("times"));
        check("Start Time (Seconds)|Duration (Seconds)|Component", "", Err("column of times"));
    }

    #[test]
    fn the_user_knows_better() {
        check(
            "a|b|c",
            "time=a:ms,current=#2:mA,voltage=C",
            Ok([(1, Some(1e6)), (0, None), (2, Some(1e-3)), (3, None)]),
        );
        check(
            "t|Current (A)|x",
            "current=current:mA",
            Ok([(1, None), (0, None), (2, Some(1e-3)), (0, None)]),
        );
        check("t|p", "power=q", Err("expected a column \"q\", found the columns t, p"));
        check("t|p", "power=#9", Err("expected a column \"#9\""));
    }
}
