//! Fields that a spreadsheet takes for what they are.

use std::io::Write;

use wattle_units::{Estimate, Nanos};

use crate::clean::clean;

/// Characters that a spreadsheet may take for the beginning of a formula, in either width.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A table on its way out, field by field.
pub struct Fields<'a> {
    lines: csv::Writer<&'a mut dyn Write>,
}

impl<'a> Fields<'a> {
    pub fn new(to: &'a mut dyn Write) -> Self {
        let mut builder = csv::WriterBuilder::new();
        // RFC 4180 says so.
        builder.terminator(csv::Terminator::CRLF);
        Self { lines: builder.from_writer(to) }
    }

    pub fn head(&mut self, columns: &[&str]) -> std::io::Result<()> {
        Ok(self.lines.write_record(columns)?)
    }

    /// Words of ours.
    pub fn word(&mut self, word: &str) -> std::io::Result<()> {
        Ok(self.lines.write_field(word)?)
    }

    /// Text of others: no control characters, no formula.
    pub fn text(&mut self, text: &str) -> std::io::Result<()> {
        self.word(&harmless(text))
    }

    /// Nothing where there is no text.
    pub fn optional_text(&mut self, text: Option<&str>) -> std::io::Result<()> {
        self.text(text.unwrap_or_default())
    }

    pub fn integer(&mut self, value: u64) -> std::io::Result<()> {
        self.word(&value.to_string())
    }

    pub fn optional_integer(&mut self, value: Option<u64>) -> std::io::Result<()> {
        self.word(&value.map_or(String::new(), |value| value.to_string()))
    }

    /// Six digits that count; nothing where there is no number.
    pub fn number(&mut self, value: Option<f64>) -> std::io::Result<()> {
        let value = value.filter(|value| value.is_finite());
        self.word(&value.map_or(String::new(), |value| six_digits(value).to_string()))
    }

    /// A share as per cent.
    pub fn percent(&mut self, share: Option<f64>) -> std::io::Result<()> {
        self.number(share.map(|share| share * 100.0))
    }

    /// Seconds, to the nanosecond.
    pub fn seconds(&mut self, time: Option<Nanos>) -> std::io::Result<()> {
        self.word(&time.map_or(String::new(), |time| decimal(time.value(), 9)))
    }

    /// Milliseconds, to the nanosecond.
    pub fn milliseconds(&mut self, time: Option<Nanos>) -> std::io::Result<()> {
        self.word(&time.map_or(String::new(), |time| decimal(time.value(), 6)))
    }

    /// Millijoules and both ends of the interval: three fields.
    pub fn energy(&mut self, energy: Option<Estimate>) -> std::io::Result<()> {
        self.number(energy.map(|energy| energy.joules.value() * 1e3))?;
        self.number(energy.map(|energy| energy.interval.low.value() * 1e3))?;
        self.number(energy.map(|energy| energy.interval.high.value() * 1e3))
    }

    pub fn yes(&mut self, yes: bool) -> std::io::Result<()> {
        self.word(if yes { "yes" } else { "no" })
    }

    /// Ends a row.
    pub fn end(&mut self) -> std::io::Result<()> {
        Ok(self.lines.write_record(None::<&[u8]>)?)
    }

    /// Writes what is still held back.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.lines.flush()
    }
}

/// Text that no spreadsheet runs: one that begins like a formula, or with blanks and then like one, gets an apostrophe before it.
fn harmless(text: &str) -> String {
    let text = clean(text);
    if text.trim_start().starts_with(FORMULA) { format!("'{text}") } else { text }
}

fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// An integer of so many decimals, without zeros at its end.
fn decimal(value: i64, decimals: usize) -> String {
    let one = 10_u64.pow(decimals as u32);
    let sign = if value < 0 { "-" } else { "" };
    let (whole, part) = (value.unsigned_abs() / one, value.unsigned_abs() % one);
    let text = format!("{sign}{whole}.{part:0decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_text() {
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2", "'-2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("  =1", "'  =1"),
            ("＝1", "'＝1"),
            ("a=1", "a=1"),
            ("\t=1", "\u{fffd}=1"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }

    #[test]
    fn times_are_exact() {
        for (nanos, decimals, expected) in [
            (0, 9, "0"),
            (5_000_000, 6, "5"),
            (1_234_567_890, 9, "1.23456789"),
            (-1, 9, "-0.000000001"),
            (120, 6, "0.00012"),
            (i64::MIN, 9, "-9223372036.854775808"),
        ] {
            assert_eq!(decimal(nanos, decimals), expected);
        }
    }
}
