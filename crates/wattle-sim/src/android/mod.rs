//! Android's own records beside the scheduler: the panel's refreshes and frames, and reports of its services over hours.
//!
//! Each is a Perfetto trace of its own ([`PanelRun`], [`ServiceDay`]). Perfetto traces are packets one after the other, so that the trace
//! of a phone with one of these behind it is one recording.

mod panel_run;
mod service_day;

pub use crate::trace::ServiceEvent;
pub use panel_run::{PanelContent, PanelMode, PanelRun};
pub use service_day::{ServiceApp, ServiceDay, ServiceReport};
