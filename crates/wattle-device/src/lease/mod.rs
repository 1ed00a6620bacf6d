//! The lease of a device: one run at a time, on this machine and on the device itself.
//!
//! ```text
//!  this machine   DATA/devices/HARDWARE.lease    locked by the process that holds it; the system unlocks it on death
//!  the device     /data/local/tmp/wattle/lease   who holds it, since when, in which boot
//!                 /data/local/tmp/wattle/beat    uptime of the last renewal
//! ```
//!
//! The device also has a guard: a script that ends all recorders when the lease has not been renewed for a while, so that
//! they die with the program that started them.

mod device_lease;
mod guard;
mod held_lease;
mod holder;
mod host_lease;

pub use held_lease::{Lease, LeaseOptions};
pub use holder::Holder;
