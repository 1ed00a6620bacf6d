//! Places and limits of servers in tests.

use std::time::Duration;

use wattle_jobs::{ServerLimits, ServerLocation};

/// The place of a server; without a URL its database is in the folder.
pub fn location(folder: &str, url: &str) -> ServerLocation {
    match url {
        "" => ServerLocation::in_folder(folder),
        url => ServerLocation::with_postgres(folder, url),
    }
}

/// Limits for tests: leases are short, and the disk may be nearly full.
pub fn limits() -> ServerLimits {
    ServerLimits {
        reserve_bytes: 1 << 20,
        spare_bytes: 0,
        attempts: 1000,
        lease: Duration::from_millis(600),
        ..ServerLimits::default()
    }
}

/// The bytes of the file with a number.
pub fn content(number: usize) -> Vec<u8> {
    let length = 5_000 + number * 7919 % 40_000;
    (0..length).map(|at| (at * 31 + at / 251 + number * 97) as u8).collect()
}
