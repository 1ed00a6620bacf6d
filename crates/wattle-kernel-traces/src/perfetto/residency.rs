//! Time that parts of the device spent in each of their states since boot (`EntityStateResidency`, from the power-stats HAL).

use wattle_timeline::{RawScope, Severity};
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::perfetto_packets::Envelope;
use wattle_import::limits::MAX_INTERNED;

/// `EntityStateResidency` (`android_entity_state_residency.proto`).
mod field {
    pub const POWER_ENTITY_STATE: u32 = 1;
    pub const RESIDENCY: u32 = 2;
    /// Of both messages.
    pub const ENTITY_INDEX: u32 = 1;
    /// Of both messages.
    pub const STATE_INDEX: u32 = 2;
    /// `PowerEntityState`.
    pub const ENTITY_NAME: u32 = 3;
    pub const STATE_NAME: u32 = 4;
    /// `StateResidency`.
    pub const TOTAL_TIME_IN_STATE_MS: u32 = 3;
}

/// Indices of an entity and of its state.
fn indices(bytes: &[u8]) -> (u32, u32) {
    let index = |number| Fields::find(bytes, number).map_or(0, Value::uint) as u32;
    (index(field::ENTITY_INDEX), index(field::STATE_INDEX))
}

impl Reader<'_> {
    pub(super) fn entity_residency(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == field::POWER_ENTITY_STATE {
                self.entity_state(field.value.bytes());
            }
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != field::RESIDENCY {
                continue;
            }
            let residency = field.value.bytes();
            let Some(key) = self.states.entity_states.get(&indices(residency)).copied() else {
                self.counts.note(
                    Severity::Warning,
                    "unknown-entity",
                    Some(envelope.offset),
                    || {
                        "residency of a part of the device that no descriptor names: not used"
                            .to_owned()
                    },
                );
                continue;
            };
            let milliseconds = Fields::find(residency, field::TOTAL_TIME_IN_STATE_MS);
            let milliseconds = milliseconds.map_or(0, Value::uint);
            self.builder.system().counter(key, time, milliseconds as f64);
        }
    }

    /// `PowerEntityState`, under the name that Perfetto's trace processor gives its counter.
    fn entity_state(&mut self, bytes: &[u8]) {
        if self.states.entity_states.len() >= MAX_INTERNED {
            return;
        }
        let text = |number| {
            let text = Fields::find(bytes, number).map_or(&[][..], Value::bytes);
            String::from_utf8_lossy(text).into_owned()
        };
        let (entity, state) = (text(field::ENTITY_NAME), text(field::STATE_NAME));
        let name = self.builder.names.intern(&format!("Entity residency: {entity} is {state}"));
        let key = self.builder.system().counter_track(RawScope::Global, name);
        self.states.entity_states.insert(indices(bytes), key);
    }
}
