//! Names with numbers that differ from call to call: `Choreographer#doFrame 123456` is `Choreographer#doFrame #`.
//!
//! The one place that decides which digits are a number, for every view and for comparisons.

use std::borrow::Cow;

/// Units that may follow a number directly.
const UNITS: [&str; 11] = ["ns", "us", "µs", "ms", "s", "B", "kB", "KB", "MB", "Hz", "%"];

/// The name with `#` for each number that stands as a word of its own, decimal (with a unit or without), or hexadecimal after `0x`.
/// Digits of identifiers stay: `Math2`, `utf8`, `Main$1`, `pool_3`. A number behind `#` is one sign with it: `J<CUJ>#1` is `J<CUJ>#`.
pub fn with_numbers_grouped(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| byte.is_ascii_digit()) {
        return name.into();
    }
    let mut grouped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        grouped.push_str(before);
        let is_begin = !grouped.chars().next_back().is_some_and(is_of_word);
        let (length, sign) = number(from);
        let (digits, after) = from.split_at(length);
        let unit = UNITS.iter().filter(|unit| after.starts_with(**unit)).map(|unit| unit.len());
        let ends_at = |skipped: usize| {
            !after.get(skipped..).and_then(|rest| rest.chars().next()).is_some_and(is_of_word)
        };
        let is_number = is_begin && (ends_at(0) || { unit }.any(ends_at));
        if is_number {
            let is_signed = sign == "#" && grouped.ends_with('#');
            grouped.push_str(if is_signed { "" } else { sign });
        } else {
            grouped.push_str(digits);
        }
        rest = after;
        if !is_number {
            // The rest of an identifier: its digits do not begin a word.
            let end = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            grouped.push_str(word);
            rest = after;
        }
    }
    grouped.push_str(rest);
    if grouped == name { name.into() } else { grouped.into() }
}

/// Whether a letter makes digits beside it a part of an identifier.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// The length of the number at the beginning of a text that begins with a digit, and its sign.
fn number(text: &str) -> (usize, &'static str) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let length = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        if length > 0 {
            return (2 + length, "0x#");
        }
    }
    let whole = digits(text);
    let fraction = text.get(whole + 1..).filter(|_| text[whole..].starts_with('.'));
    match fraction.map(digits) {
        Some(length) if length > 0 => (whole + 1 + length, "#"),
        _ => (whole, "#"),
    }
}

#[cfg(test)]
mod tests {
    use super::with_numbers_grouped;

    #[test]
    fn numbers_are_words_of_their_own() {
        for (name, grouped) in [
            ("Choreographer#doFrame 123456", "Choreographer#doFrame #"),
            (
                "Choreographer#doFrame - resynced to 44 in 5.6ms",
                "Choreographer#doFrame - resynced to # in #ms",
            ),
            ("DrawFrames 778", "DrawFrames #"),
            ("frame 17", "frame #"),
            ("J<CUJ>#1", "J<CUJ>#"),
            ("launchingActivity#12", "launchingActivity#"),
            (
                "Lock contention on a monitor lock (owner tid: 123)",
                "Lock contention on a monitor lock (owner tid: #)",
            ),
            ("buffer 0x7fA3 of 0x12", "buffer 0x# of 0x#"),
            ("0xyz", "0xyz"),
            ("monitor (File.java:12)", "monitor (File.java:#)"),
            ("Math2", "Math2"),
            ("utf8", "utf8"),
            ("Main$1", "Main$1"),
            ("pool_3", "pool_3"),
            ("2d", "2d"),
            ("a1b2 3", "a1b2 #"),
            ("100%", "#%"),
            ("größe2", "größe2"),
            ("42", "#"),
            ("", ""),
            ("draw", "draw"),
        ] {
            assert_eq!(with_numbers_grouped(name), grouped, "{name}");
            assert_eq!(with_numbers_grouped(grouped), grouped, "{grouped} stays");
        }
    }
}
