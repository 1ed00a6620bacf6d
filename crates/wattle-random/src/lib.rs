//! Random numbers that are the same on every machine and in every release.

mod split_mix;

pub use split_mix::SplitMix64;
