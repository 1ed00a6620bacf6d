//! The device's own meters: power rails, battery, Android's energy estimation.

use wattle_timeline::{BatterySample, EnergyConsumer, Severity, Uid};
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::perfetto_packets::Envelope;
use wattle_import::limits::MAX_INTERNED;

/// `PowerRails` (`power_rails.proto`).
mod rails {
    pub const RAIL_DESCRIPTOR: u32 = 1;
    pub const ENERGY_DATA: u32 = 2;
    pub const SESSION_UUID: u32 = 3;
    /// `PowerRails.EnergyData`.
    pub const INDEX: u32 = 1;
    pub const TIMESTAMP_MS: u32 = 2;
    pub const ENERGY: u32 = 3;
}

impl Reader<'_> {
    pub(super) fn power_rails(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        let session = Fields::find(bytes, rails::SESSION_UUID).map_or(0, Value::uint);
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == rails::RAIL_DESCRIPTOR {
                self.rail_descriptor(session, field.value.bytes());
            }
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != rails::ENERGY_DATA {
                continue;
            }
            let (mut index, mut at, mut energy) = (0, None, 0);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    rails::INDEX => index = field.value.uint() as u32,
                    rails::TIMESTAMP_MS => at = Some(field.value.uint()),
                    rails::ENERGY => energy = field.value.uint(),
                    _ => {}
                }
            }
            // The monitor's own time, in boot-time milliseconds, is when the energy was counted.
            let counted = at.map(|ms| ms.saturating_mul(1_000_000).cast_signed());
            let time = counted.map_or(time, BootNanos::new);
            match self.rails.get(&(session, index)) {
                Some(rail) => self.builder.energy().rail_sample(*rail, time, energy),
                None => {
                    self.counts.note(
                        Severity::Warning,
                        "unknown-rail",
                        Some(envelope.offset),
                        || format!("energy of a rail that no descriptor names ({index}): not used"),
                    );
                }
            }
        }
    }

    /// `PowerRails.RailDescriptor`.
    fn rail_descriptor(&mut self, session: u64, bytes: &[u8]) {
        let (mut index, mut rate) = (0, 0);
        let (mut name, mut subsystem): (&[u8], &[u8]) = (&[], &[]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => index = field.value.uint() as u32,
                2 => name = field.value.bytes(),
                3 => subsystem = field.value.bytes(),
                4 => rate = field.value.uint() as u32,
                _ => {}
            }
        }
        if self.rails.len() >= MAX_INTERNED {
            return;
        }
        let name = self.builder.names.intern_bytes(name);
        let subsystem = (!subsystem.is_empty()).then(|| self.builder.names.intern_bytes(subsystem));
        let rail = self.builder.energy().rail(name, session, subsystem, rate);
        self.rails.insert((session, index), rail);
    }

    /// `BatteryCounters`.
    pub(super) fn battery(&mut self, time: BootNanos, bytes: &[u8]) {
        let mut sample = BatterySample { time, ..BatterySample::default() };
        let mut name = None;
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                1 => sample.charge = Some(value.int()),
                2 => sample.capacity_percent = Some(value.float()),
                3 => sample.current = Some(value.int()),
                4 => sample.current_average = Some(value.int()),
                5 => name = Some(value.bytes()),
                6 => sample.energy = Some(value.int()),
                7 => sample.voltage = Some(value.int()),
                _ => {}
            }
        }
        let name = name.filter(|name| !name.is_empty());
        let name = name.map(|name| self.builder.names.intern_bytes(name));
        self.builder.energy().battery(name, sample);
    }

    /// `AndroidEnergyEstimationBreakdown`.
    pub(super) fn energy_breakdown(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut consumer, mut total) = (None, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => self.energy_consumers(field.value.bytes()),
                2 => consumer = Some(field.value.int() as i32),
                3 => total = Some(field.value.int()),
                _ => {}
            }
        }
        let Some(consumer) = consumer else { return };
        let mut is_known = true;
        if let Some(total) = total {
            is_known &= self.builder.energy().consumer_sample(time, consumer, None, total);
        }
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 4) {
            let of_app = field.value.bytes();
            let uid = Fields::find(of_app, 1).map(|uid| Uid(uid.uint() as u32));
            let energy = Fields::find(of_app, 2).map_or(0, Value::int);
            is_known &=
                self.builder.energy().consumer_sample(time, consumer, uid.or(Some(Uid(0))), energy);
        }
        if !is_known {
            self.counts.note(Severity::Warning, "unknown-energy-consumer", None, || {
                format!("energy of a consumer that no descriptor names ({consumer}): not used")
            });
        }
    }

    /// `AndroidEnergyConsumerDescriptor`.
    fn energy_consumers(&mut self, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 1) {
            let (mut id, mut ordinal) = (0, 0);
            let (mut kind, mut name): (&[u8], &[u8]) = (&[], &[]);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    1 => id = field.value.int() as i32,
                    2 => ordinal = field.value.int() as i32,
                    3 => kind = field.value.bytes(),
                    4 => name = field.value.bytes(),
                    _ => {}
                }
            }
            let kind = self.builder.names.intern_bytes(kind);
            let name = self.builder.names.intern_bytes(name);
            self.builder.energy().consumer(EnergyConsumer { id, ordinal, kind, name });
        }
    }
}
