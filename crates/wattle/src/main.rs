//! Wattle.

fn main() {}
