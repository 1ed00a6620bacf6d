//! A simulated Android device behind the real adb protocol.

pub mod art;
