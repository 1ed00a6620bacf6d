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
        assert_eq!(minutes(i64::MAX), "–");
    }
}
