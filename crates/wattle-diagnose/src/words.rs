//! Figures in sentences.

use wattle_units::Nanos;

/// A length of time as people say it: `2 h 5 min`, `3 min 20 s`, `4.2 s`, `5.0 ms`, `31 µs`.
pub(crate) fn time(length: Nanos) -> String {
    seconds(length.seconds())
}

/// The same of seconds.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds >= 3600.0 {
        let minutes = (seconds / 60.0).round();
        format!("{:.0} h {:.0} min", (minutes / 60.0).floor(), minutes % 60.0)
    } else if seconds >= 100.0 {
        let whole = seconds.round();
        format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
    } else if seconds >= 1.0 {
        format!("{seconds:.1} s")
    } else if seconds >= 1e-3 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{:.0} µs", seconds * 1e6)
    }
}

/// A part of 1 in percent.
pub(crate) fn percent(part: f64) -> String {
    if part < 0.1 { format!("{:.1} %", part * 100.0) } else { format!("{:.0} %", part * 100.0) }
}

/// A rate or count without needless digits.
pub(crate) fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// Bytes.
pub(crate) fn bytes(bytes: f64) -> String {
    match bytes {
        it if it >= 1e6 => format!("{:.1} MB", it / 1e6),
        it if it >= 1e3 => format!("{:.1} kB", it / 1e3),
        // Nothing added up is −0.
        it => format!("{:.0} B", it.abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_well() {
        let check = |value: f64, text: &str| assert_eq!(seconds(value), text);
        check(7500.0, "2 h 5 min");
        check(7199.9, "2 h 0 min");
        check(200.0, "3 min 20 s");
        check(4.2, "4.2 s");
        check(0.005, "5.0 ms");
        check(31e-6, "31 µs");
        check(0.0, "0 µs");
    }
}
