//! Units, as headers of tables write them.

/// Quantity in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// When.
    Time,
    /// Watts.
    Power,
    /// Amperes.
    Current,
    /// Volts.
    Voltage,
}

/// A unit: of what, and how many of the base unit it is (nanoseconds, watts, amperes, volts).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub quantity: Quantity,
    pub scale: f64,
}

/// A unit by its sign or name, in any case: nobody writes megawatts of a phone.
pub(crate) fn unit(text: &str) -> Option<Unit> {
    let text = text.trim().replace(['µ', 'μ'], "u").to_lowercase();
    let of = |quantity, scale| Some(Unit { quantity, scale });
    match text.as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => return of(Quantity::Time, 1e9),
        "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => {
            return of(Quantity::Time, 1e6);
        }
        "us" | "usec" | "micros" | "microsecond" | "microseconds" => {
            return of(Quantity::Time, 1e3);
        }
        "ns" | "nsec" | "nanos" | "nanosecond" | "nanoseconds" => return of(Quantity::Time, 1.0),
        "min" | "minute" | "minutes" => return of(Quantity::Time, 60e9),
        "h" | "hour" | "hours" => return of(Quantity::Time, 3600e9),
        _ => {}
    }
    let (scale, base) = ["milli", "micro", "nano"]
        .into_iter()
        .zip([1e-3, 1e-6, 1e-9])
        .find_map(|(prefix, scale)| Some((scale, text.strip_prefix(prefix)?)))
        .or_else(|| {
            // `ma` is no unit with a prefix of its own; a lone `m` is.
            let (prefix, base) = text.split_at_checked(1)?;
            let scale = match prefix {
                "m" => 1e-3,
                "u" => 1e-6,
                "n" => 1e-9,
                _ => return None,
            };
            matches!(base, "a" | "v" | "w" | "amp" | "amps" | "volt" | "volts" | "watt" | "watts")
                .then_some((scale, base))
        })
        .unwrap_or((1.0, &text));
    match base {
        "w" | "watt" | "watts" => of(Quantity::Power, scale),
        "a" | "amp" | "amps" | "ampere" | "amperes" => of(Quantity::Current, scale),
        "v" | "volt" | "volts" => of(Quantity::Voltage, scale),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Quantity, f64)>) {
        let found = unit(text).map(|unit| (unit.quantity, unit.scale));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn units_are_known_by_sign_and_name() {
        check("mA", Some((Quantity::Current, 1e-3)));
        check("µA", Some((Quantity::Current, 1e-6)));
        check("uA", Some((Quantity::Current, 1e-6)));
        check("A", Some((Quantity::Current, 1.0)));
        check("milliamps", Some((Quantity::Current, 1e-3)));
        check("mV", Some((Quantity::Voltage, 1e-3)));
        check("Volts", Some((Quantity::Voltage, 1.0)));
        check("mW", Some((Quantity::Power, 1e-3)));
        check("nW", Some((Quantity::Power, 1e-9)));
        check("s", Some((Quantity::Time, 1e9)));
        check("Milliseconds", Some((Quantity::Time, 1e6)));
        for none in ["mAh", "J", "C", "%", "", "Wh", "mw/h", "°C", "m"] {
            check(none, None);
        }
    }
}
