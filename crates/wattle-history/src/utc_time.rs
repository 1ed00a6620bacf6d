//! Times for people, in UTC: a history is read on several machines.

use chrono::DateTime;

/// `2026-11-27 16:20`.
pub fn minutes(unix_ms: i64) -> String {
    formatted(unix_ms, "%Y-%m-%d %H:%M")
}

/// `2026-11-27T16:20:07Z`.
pub fn seconds(unix_ms: i64) -> String {
    formatted(unix_ms, "%Y-%m-%dT%H:%M:%SZ")
}

/// `16:20:07`.
pub fn of_day(unix_ms: i64) -> String {
    formatted(unix_ms, "%H:%M:%S")
}

fn formatted(unix_ms: i64, format: &str) -> String {
    DateTime::from_timestamp_millis(unix_ms)
        .map_or_else(|| "–".to_owned(), |time| time.format(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc() {
        assert_eq!(minutes(1_764_260_400_000), "2025-11-27 16:20");
        assert_eq!(seconds(1_764_260_407_999), "2025-11-27T16:20:07Z");
        assert_eq!(of_day(1_764_260_407_999), "16:20:07");
        assert_eq!(seconds(0), "1970-01-01T00:00:00Z");
        assert_eq!(seconds(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(seconds(1_795_807_537_999), "2026-11-27T19:25:37Z");
        assert_eq!(seconds(-1), "1969-12-31T23:59:59Z");
        assert_eq!(minutes(i64::MAX), "–");
    }
}
