//! The recorder of the simulated phone: writes a Perfetto trace. Field numbers are those of
//! `protos/perfetto/trace/**` of Perfetto (Apache-2.0), named where they are used.

mod bundle;
mod counters;
mod identity;
mod network;
mod recorder;
mod scheduled_task;
mod stacks;

pub(crate) use counters::{
    BOOTTIME, BatteryPoll, MONOTONIC_RAW, RailDescriptor, RailSample, Stamp,
};
pub(crate) use identity::{Persona, Phone};
pub(crate) use network::PacketBundle;
pub(crate) use recorder::Recorder;
pub(crate) use scheduled_task::Comm;
pub(crate) use stacks::{Interned, SampledThread, StackSource};

/// A thread's name as the kernel keeps it: at most 15 bytes.
pub(crate) fn comm(name: &str) -> String {
    let mut end = name.len().min(15);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}
