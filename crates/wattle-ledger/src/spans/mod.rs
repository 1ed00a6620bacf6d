//! Named stretches of time of apps, and the energy of each: frames, app starts, user journeys, states.
//!
//! Tests are stretches of the same making and have rows of their own ([`crate::TestEntry`]), because they have outcomes and methods.
//! Energies of stretches are views of the bookings, not bookings: stretches can overlap. For each kind there is therefore an entry of
//! the time outside, and, where stretches overlap, one of the time that several share:
//!
//! ```text
//!  Σ named + outside − repeated = Σ bookings      for each kind and component
//! ```

mod app_state;
mod frame_jank;
mod slice_role;
mod span_booking;
mod span_entry;

pub use app_state::AppState;
pub use frame_jank::FrameJank;
pub(crate) use slice_role::{FramePart, SliceRole, StartStep};
pub(crate) use span_booking::columns;
pub use span_booking::{SpanBooking, SpanParty};
pub use span_entry::{JourneyMeasure, SpanEntry, SpanKind, SpanRole, SpanSubject, StartupKind};
