//! Energies of named stretches.

use serde::{Deserialize, Serialize};
use wattle_power::SourceId;
use wattle_units::Joules;

use crate::ComponentId;

/// The consumers of the energy of a stretch, as seen from its app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpanParty {
    /// The processes of the app itself, and hardware that worked for it.
    Own,
    /// `system_server`.
    SystemServer,
    /// `surfaceflinger`.
    SurfaceFlinger,
    /// All other processes.
    Others,
    /// No process: idle floor, interrupts, profiling overhead, unattributed, unmetered.
    NoProcess,
}

/// Energy of a stretch by consumer, component and source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanBooking {
    /// Index into [`crate::SpanSheet::entries`].
    pub span: u32,
    /// The consumer.
    pub party: SpanParty,
    /// For which hardware.
    pub component: ComponentId,
    /// Which number of the model it rests on.
    pub source: SourceId,
    /// The energy.
    pub joules: Joules,
}

/// As columns: in JSON an object of equally long arrays.
pub(crate) mod columns {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wattle_power::SourceId;
    use wattle_units::Joules;

    use super::{SpanBooking, SpanParty};
    use crate::ComponentId;

    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub(crate) struct Columns {
        /// Indices into `spans`.
        span: Vec<u32>,
        /// Consumers.
        party: Vec<SpanParty>,
        /// Indices into `components`.
        component: Vec<ComponentId>,
        /// Indices into `errors.sources`.
        source: Vec<SourceId>,
        /// Energies.
        joules: Vec<Joules>,
    }

    pub fn serialize<S: Serializer>(bookings: &[SpanBooking], to: S) -> Result<S::Ok, S::Error> {
        let mut columns = Columns::default();
        for booking in bookings {
            columns.span.push(booking.span);
            columns.party.push(booking.party);
            columns.component.push(booking.component);
            columns.source.push(booking.source);
            columns.joules.push(booking.joules);
        }
        columns.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SpanBooking>, D::Error> {
        let columns = Columns::deserialize(from)?;
        let count = columns.span.len();
        let others = [
            columns.party.len(),
            columns.component.len(),
            columns.source.len(),
            columns.joules.len(),
        ];
        if others.iter().any(|length| *length != count) {
            return Err(D::Error::custom(format!(
                "span_bookings: columns of unequal length: span {count}, others {others:?}"
            )));
        }
        Ok((0..count)
            .map(|i| SpanBooking {
                span: columns.span[i],
                party: columns.party[i],
                component: columns.component[i],
                source: columns.source[i],
                joules: columns.joules[i],
            })
            .collect())
    }
}
