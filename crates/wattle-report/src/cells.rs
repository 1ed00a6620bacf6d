//! Figures as the text of a cell.

use wattle_units::{Joules, Nanos, Si};

use crate::Figure;

/// Placeholder for a missing figure.
pub const NO_DATA: &str = "–";
/// Columns of a share bar.
const BAR: usize = 12;

/// A length of time with its SI prefix.
pub struct Seconds(pub Nanos);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Kiloseconds are nobody's unit.
        match self.0.seconds() {
            seconds if seconds.abs() >= 999.5 => f.write_str(&amount_of_time(seconds)),
            _ => self.0.fmt(f),
        }
    }
}

pub fn name(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

pub fn joules(figure: Figure) -> String {
    figure.joules().map_or(NO_DATA.into(), |joules: Joules| joules.to_string())
}

pub fn range(figure: Figure) -> String {
    // No width is no statement: 0 J of a component that was watched, or a rail without a known error.
    let wide = figure.interval().filter(|interval| interval.low < interval.high);
    wide.map_or(String::new(), |interval| format!("{} – {}", interval.low, interval.high))
}

/// The interval behind a figure in a sentence.
pub fn bounds(figure: Figure, words: &str) -> String {
    match range(figure) {
        range if range.is_empty() => range,
        range => format!(" [{range}]{words}"),
    }
}

pub fn provenance(figure: Figure) -> String {
    figure.provenance().map_or(String::new(), |provenance| provenance.to_string())
}

pub fn milliwatts(milliwatts: f64) -> String {
    Si { value: milliwatts * 1e-3, unit: "W" }.to_string()
}

pub fn time(time: Option<Nanos>) -> String {
    time.map_or(NO_DATA.into(), |time| Seconds(time).to_string())
}

pub fn percent(share: Option<f64>) -> String {
    share.map_or(NO_DATA.into(), |share| format!("{:.1} %", share * 100.0))
}

/// A length of time as people say it: seconds, minutes and seconds, hours and minutes.
pub fn amount_of_time(seconds: f64) -> String {
    /// Hours of which nobody counts the minutes.
    const MANY_HOURS: f64 = 360_000.0;
    let of = |large: f64, small: f64| {
        let parts = (seconds.abs() / small).round() as u64;
        let per = (large / small) as u64;
        (parts / per, parts % per)
    };
    let sign = if seconds < 0.0 { "−" } else { "" };
    match seconds.abs() {
        size if size >= MANY_HOURS => format!("{sign}{} h", of(3600.0, 3600.0).0),
        size if size >= 3599.5 => {
            let (hours, minutes) = of(3600.0, 60.0);
            format!("{sign}{hours} h {minutes} min")
        }
        size if size >= 119.95 => {
            let (minutes, seconds) = of(60.0, 1.0);
            format!("{sign}{minutes} min {seconds} s")
        }
        _ => Si { value: seconds, unit: "s" }.to_string(),
    }
}

/// A share that may be very small, with two digits that count.
pub fn small_percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        return NO_DATA.into();
    }
    if percent == 0.0 {
        return "0 %".to_owned();
    }
    // As many decimals as the second digit that counts needs, at least one, and no more than anybody reads.
    let magnitude = percent.abs().log10().floor();
    let decimals = (1.0 - magnitude).clamp(1.0, 9.0) as usize;
    format!("{percent:.decimals$} %")
}

pub fn signed_percent(share: Option<f64>) -> String {
    share.map_or(NO_DATA.into(), |share| format!("{:+.1} %", share * 100.0))
}

/// A bar in eighths of a column.
pub fn bar(share: Option<f64>) -> String {
    bar_within(share, BAR)
}

/// The same with at most so many columns.
pub fn bar_within(share: Option<f64>, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = share.filter(|share| share.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    let eighths = (share * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A whole number with its thousands apart: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_have_hours_and_minutes() {
        for (seconds, text) in [
            (1.5, "1.50 s"),
            (100.0, "100 s"),
            (119.96, "2 min 0 s"),
            (150.4, "2 min 30 s"),
            (3599.6, "1 h 0 min"),
            (95_400.0, "26 h 30 min"),
            (-7200.0, "−2 h 0 min"),
            (720_100.0, "200 h"),
        ] {
            assert_eq!(amount_of_time(seconds), text);
        }
    }

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
