//! Sizes on the command line.

use std::fmt;
use std::str::FromStr;

/// A number of bytes: `4096` (megabytes), `500MB`, `2G`, `1.5TB`, `1GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub u64);

const UNITS: [(&str, u64); 4] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];

/// Other spellings, the longer ones first.
const SPELLINGS: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("T", 1_000_000_000_000),
    ("G", 1_000_000_000),
    ("M", 1_000_000),
    ("k", 1000),
];

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a size such as 500MB or 2GB, found {text:?}");
        let (number, unit) = UNITS
            .iter()
            .chain(&SPELLINGS)
            .find_map(|(name, unit)| {
                let at = text.len().checked_sub(name.len())?;
                let (number, found) = text.split_at_checked(at)?;
                found.eq_ignore_ascii_case(name).then_some((number, *unit))
            })
            .unwrap_or((text, 1_000_000));
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let bytes = number * unit as f64;
        // Above it, neighbouring numbers are no longer different.
        let is_size = bytes.is_finite() && (0.0..=9e15).contains(&bytes);
        if is_size { Ok(Self(bytes as u64)) } else { Err(wrong()) }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found =
            UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(unit / 10));
        let (name, unit) = found.copied().unwrap_or(("MB", 1_000_000));
        write!(f, "{}{name}", self.0 as f64 / unit as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes, shown) in [
            ("4096", 4_096_000_000, "4096MB"),
            ("2GB", 2_000_000_000, "2GB"),
            ("1.5tb", 1_500_000_000_000, "1.5TB"),
            ("500 MB", 500_000_000, "500MB"),
            ("0", 0, "0MB"),
            ("40M", 40_000_000, "40MB"),
            ("2g", 2_000_000_000, "2GB"),
            ("1MiB", 1_048_576, "1.048576MB"),
        ] {
            let size: ByteSize = text.parse().expect("a size");
            assert_eq!((size.0, size.to_string().as_str()), (bytes, shown), "{text}");
        }
        for text in ["", "GB", "-1", "1e300", "NaN", "2 apples"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }
}
