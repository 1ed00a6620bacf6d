//! The raw reader of Perfetto packets, on traces of the tests' own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod perfetto_packets;
