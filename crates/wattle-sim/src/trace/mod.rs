//! The recorder of the simulated phone: writes a Perfetto trace. Field numbers are those of
//! `protos/perfetto/trace/**` of Perfetto (Apache-2.0), named where they are used.

mod atom_packets;
mod bundle;
mod counter_sample;
mod frame_packets;
mod identity_packets;
mod network_packets;
mod packet_recorder;
mod polled_packets;
mod scheduled_task;
mod service_event;
mod stack_packets;
mod surroundings_events;

pub(crate) use counter_sample::CounterSample;
pub(crate) use frame_packets::{FrameWork, FramesOfPicture};
pub(crate) use identity_packets::{Persona, Phone};
pub(crate) use network_packets::PacketBundle;
pub(crate) use packet_recorder::Recorder;
pub(crate) use polled_packets::{
    BOOTTIME, BatteryPoll, MONOTONIC_RAW, RailDescriptor, RailSample, Stamp,
};
pub(crate) use scheduled_task::Comm;
pub use service_event::ServiceEvent;
pub(crate) use stack_packets::{Interned, SampledThread, StackSource};

/// A thread's name as the kernel keeps it: at most 15 bytes.
pub(crate) fn comm(name: &str) -> String {
    let mut end = name.len().min(15);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}
